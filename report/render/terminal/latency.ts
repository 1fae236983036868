/** How the latencies of a scenario's cells are distributed, as rows of characters on one axis. */
import type { Xy } from "../../chart.ts";
import { sum } from "../../writing/spread.ts";
import { formatNumber, GLUE } from "../../writing/units.ts";
import { fittedNames } from "./table.ts";
import { padEnd, widthOf } from "../../writing/columns.ts";
import { encoded, type TerminalOptions, type TextLine } from "../../writing/terminal.ts";
import { BLANK, lineOf } from "./line.ts";

const WIDEST_NAME = 30;
const LEAST_COLUMNS = 10;

/** One row a cell, on an axis for all, each row up to its own highest; none where there is no room. */
export function histogramLines(
  { at: edges = [], x: axis, series }: Xy,
  options: TerminalOptions,
): TextLine[] {
  const most = Math.min(WIDEST_NAME, Math.floor(options.width / 3));
  const labels = series.map(({ label }) => encoded(label, options));
  const names = fittedNames(labels, most, options.unicode);
  const margin = Math.max(...names.map(widthOf)) + 2;
  const columns = options.width - margin;
  if (columns < LEAST_COLUMNS) return [];
  const rows = series.map(({ values }, i): TextLine => {
    const spark = sparkline(merged(values ?? [], columns).map((share) => share || null), options);
    return [{ text: padEnd(names[i], margin) }, { text: spark.trimEnd(), style: "cyan" }];
  });
  const ends = axisText([edges[0], edges[edges.length - 1]], axis.unit, {
    used: merged(series[0].values ?? [], columns).length,
    columns,
  });
  return [
    BLANK,
    lineOf("Latency histogram", "dim"),
    ...rows,
    ...(ends === "" ? [] : [lineOf(" ".repeat(margin) + ends, "dim")]),
  ];
}

/** At most `columns` values, each the sum of as many neighbours. */
function merged(shares: readonly (number | null)[], columns: number): number[] {
  const size = Math.ceil(shares.length / columns);
  return Array.from(
    { length: Math.ceil(shares.length / size) },
    (_, i) => sum(shares.slice(i * size, (i + 1) * size), (share) => share ?? 0),
  );
}

/** The ends of the axis below the ends of the `used` columns; "" where there is no room for both. */
function axisText(
  ends: readonly [number, number],
  unit: string,
  { used, columns }: { readonly used: number; readonly columns: number },
): string {
  const [low, high] = ends.map((end) => `${formatNumber(end, 3)}${GLUE}${unit}`);
  const gap = Math.max(2, used - widthOf(low) - widthOf(high));
  const text = `${low}${" ".repeat(gap)}${high}`;
  return widthOf(text) <= columns ? text : "";
}

// Bars and sparklines of characters, for terminals with and without Unicode.

type BarSigns = Pick<TerminalOptions, "unicode">;

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar of `columns` columns, to an eighth where the terminal has the signs. */
export function barOf(columns: number, { unicode }: BarSigns): string {
  if (!unicode) return "#".repeat(Math.round(columns));
  const whole = Math.floor(columns);
  return "█".repeat(whole) + EIGHTHS[Math.floor((columns - whole) * 8)];
}

const LEVELS = "▁▂▃▄▅▆▇█";
const ASCII_LEVELS = "_.-:=+*#";

/**
 * One character a value, from 0 at the bottom to the largest value at the top; a space for what was not
 * measured.
 */
export function sparkline(values: readonly (number | null)[], signs: BarSigns): string {
  return columnChart(values, 1, signs)[0];
}

/** The same in several rows, the highest first: each has eight levels. */
export function columnChart(
  values: readonly (number | null)[],
  rows: number,
  { unicode }: BarSigns,
): string[] {
  const levels = unicode ? LEVELS : ASCII_LEVELS;
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  const heights = values.map((value) => value === null ? -1 : levelOf(value, most, rows));
  return Array.from({ length: rows }, (_, row) => {
    const base = (rows - 1 - row) * levels.length;
    return heights.map((height) =>
      height < base ? " " : levels[Math.min(levels.length - 1, height - base)]
    ).join("");
  });
}

function levelOf(value: number, most: number, rows: number): number {
  const levels = rows * LEVELS.length;
  return most === 0 ? 0 : Math.min(levels - 1, Math.floor(value / most * levels));
}
