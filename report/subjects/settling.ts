/** Does a server that responds sooner settle sooner, too? */
import { figure, table, text } from "../blocks.ts";
import type { ReportContext, Subject } from "./subject.ts";

/** Nothing where no latency was ever far from where it ends. */
export const settling: Subject<ReportContext> = {
  id: "settling",
  title: "Settling time",
  depth: "detail",
  build: ({ settling }) => {
    if (settling === null) return [];
    const { finding, chart, legend: { series, scenarios } } = settling;
    return [
      text("settling", finding),
      ...chart === null ? [] : [
        figure([{ title: "", of: null, chart }], {
          legend: series,
          marks: scenarios,
          reading: READING,
        }),
      ],
      table(settling.table),
    ];
  },
};

const READING =
  "Each dot is a cell. Across: the settled latency, the median of the last quarter of a run. Up: the time until the median flattens, with its 95 % confidence interval over the runs. Dots that rise to the right mean that faster targets settle sooner (figure 6 of Kuffel and Walter). A dot at 0 was flat from the start. Point at a dot for its name. The table shows the other percentiles.";
