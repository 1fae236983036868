/** The figures of one run with the intervals that they have in it. */
import { NAMED_FIGURES } from "../../../base/figures/figure.ts";
import type { InRun, InRunFigure } from "../../../runner/result/in_run.ts";
import { NO_INTERVAL_TEXTS } from "../../findings/in_run.ts";
import { figureRangeText } from "../../writing/figure_text.ts";
import { formatDuration, formatNumber } from "../../writing/units.ts";
import { type Table, tableOf, textCell } from "./table.ts";

const SHOWN: readonly InRunFigure[] = ["rate", "mean", "p50", "p99", "errors"];

/** Null where no figure has an interval for want of time: one sentence says that. */
export function inRunTable({ fromS, figures }: InRun): Table | null {
  const rows = SHOWN.flatMap((name) => {
    const figure = figures[name];
    return figure === undefined ? [] : [{ name, ...figure }];
  });
  if (rows.every(({ intervalReason }) => intervalReason === "too-short")) return null;
  const from = fromS === 0 ? "" : `, from ${formatDuration(fromS)} on`;
  return tableOf({ caption: `In this run${from}` }, rows, [
    { label: "Figure", kind: "name", cell: ({ name }) => textCell(name) },
    {
      label: "95 % interval",
      kind: "name",
      cell: ({ name, value, interval, intervalReason }) => {
        const text = figureRangeText({ value, interval }, NAMED_FIGURES[name].unit);
        const why = intervalReason === undefined
          ? ""
          : `, no interval: ${NO_INTERVAL_TEXTS[intervalReason]}`;
        return textCell(text + why);
      },
    },
    {
      label: "Effective samples",
      cell: ({ interval }) =>
        interval === null ? textCell("") : {
          text: formatNumber(interval.effectiveSamples),
          value: interval.effectiveSamples,
        },
    },
    {
      label: "Independent after",
      cell: ({ independentAfterS = null }) =>
        independentAfterS === null
          ? textCell("")
          : { text: formatDuration(independentAfterS), value: independentAfterS },
    },
  ]);
}
