/** Draws the latency distributions of a scenario's cells as rows of characters on a common axis. */
import type { Xy } from "../../chart.ts";
import { sum } from "../../writing/spread.ts";
import { formatNumber, GLUE } from "../../writing/units.ts";
import { fittedNames } from "./table.ts";
import { padEnd, widthOf } from "../../writing/columns.ts";
import { encoded, type TerminalOptions, type TextLine } from "../../writing/terminal.ts";
import { sparkline } from "./bars.ts";
import { lineOf } from "./line.ts";

const WIDEST_NAME = 30;
const LEAST_COLUMNS = 10;

/** One row for each cell, on a common axis. Each row is scaled to its own maximum. Empty if there is no room. */
export function histogramLines(
  { at: edges = [], x: axis, series }: Xy,
  options: TerminalOptions,
): TextLine[] {
  const most = Math.min(WIDEST_NAME, Math.floor(options.width / 3));
  const labels = series.map(({ label }) => encoded(label, options));
  const names = fittedNames(labels, most, options);
  const margin = Math.max(...names.map(widthOf)) + 2;
  const columns = options.width - margin;
  if (columns < LEAST_COLUMNS) return [];
  const rows = series.map(({ values }, i): TextLine => {
    const spark = sparkline(merged(values ?? [], columns).map((share) => share || null), options);
    return [{ text: padEnd(names[i], margin) }, { text: spark.trimEnd(), style: "cyan" }];
  });
  // The values at both ends of the axis, below the first and the last column, if there is room for
  // both.
  const [low, high] = [edges[0], edges[edges.length - 1]]
    .map((end) => `${formatNumber(end, 3)}${GLUE}${axis.unit}`);
  const used = merged(series[0].values ?? [], columns).length;
  const ends = low + " ".repeat(Math.max(2, used - widthOf(low) - widthOf(high))) + high;
  return [
    ...rows,
    ...(widthOf(ends) > columns ? [] : [lineOf(" ".repeat(margin) + ends, "dim")]),
  ];
}

/** Sums neighbours, so that at most `columns` values remain. */
function merged(shares: readonly (number | null)[], columns: number): number[] {
  const size = Math.ceil(shares.length / columns);
  return Array.from(
    { length: Math.ceil(shares.length / size) },
    (_, i) => sum(shares.slice(i * size, (i + 1) * size), (share) => share ?? 0),
  );
}
