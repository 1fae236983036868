/** What each target gives up in p99 for its requests/s. */
import { figure, group } from "../blocks.ts";
import { rightCells } from "../judge/pairs.ts";
import { tradeoffOf } from "./charts/throughput.ts";
import type { ReportContext, Subject } from "./subject.ts";

/** Throughput against tail latency, a chart for each scenario; empty if no target gives up one for the other. */
export const tradeoff: Subject<ReportContext> = {
  id: "tradeoff",
  title: "Throughput against tail latency",
  depth: "summary",
  build: ({ scenarios }) => {
    const traded = scenarios.flatMap(({ name, cells }, i) => {
      const found = tradeoffOf(name, rightCells(cells));
      return found === null ? [] : [{ ...found, name, i }];
    });
    const figures = traded.map(({ name, chart, finding, i }, n) =>
      figure([{ title: name, chart }], {
        id: String(i + 1),
        findings: [{ code: "front", text: finding }],
        reading: n === 0 ? READING : "",
        forms: ["page"],
      })
    );
    return [group("", figures, { layout: "panels" })];
  },
};

const READING =
  "Each dot is a cell: further right serves more, further down responds sooner. Its cross holds both 95 % confidence intervals over the runs; a larger dot used more CPU. The stepped line is the Pareto front: no other cell has both more requests/s and a lower p99 than a cell on this line.";
