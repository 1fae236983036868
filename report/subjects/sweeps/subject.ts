/** What the factors of an experiment do: figures against each, and how much it explains. */
import { type Block, figure, group, list, table, text } from "../../blocks.ts";
import type { ReportContext, Subject } from "../subject.ts";
import type { SweepFigure } from "./sweeps.ts";

export const sweeps: Subject<ReportContext> = {
  id: "sweeps",
  title: "Sweeps",
  depth: "summary",
  build: ({ sweeps }) =>
    sweeps.flatMap(({ scenario, figures, weights }) => [
      ...figures.map((one) => group(`${scenario} by ${one.factor}`, figureBlocks(one))),
      ...weights === null ? [] : [
        group(`Variance explained in ${scenario}`, [
          list(weights.findings.map((text) => ({ code: "explained", text })), {
            forms: ["terminal"],
          }),
          table(weights.table),
        ], { depth: "detail" }),
      ],
    ]),
};

function figureBlocks({ facets, findings, note, reading, table: values }: SweepFigure): Block[] {
  return [
    ...facets.map(({ label, series, drawings }, i) =>
      group(label, [
        figure(drawings.map(({ title, chart }) => ({ title, of: null, chart })), {
          legend: series,
          reading: i === 0 ? reading : "",
        }),
      ])
    ),
    list(findings.map((text) => ({ code: "line", text }))),
    text("not-drawn", note),
    table(values, { fold: "Values as a table", forms: ["page"] }),
  ];
}
