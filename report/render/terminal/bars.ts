/** Draws bars and sparklines with characters, for terminals with and without Unicode. */
import type { TerminalOptions } from "../../writing/terminal.ts";

type BarSigns = Pick<TerminalOptions, "unicode">;

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar that is `columns` wide. With Unicode, it has a resolution of an eighth of a column. */
export function barOf(columns: number, { unicode }: BarSigns): string {
  if (!unicode) return "#".repeat(Math.round(columns));
  const whole = Math.floor(columns);
  return "█".repeat(whole) + EIGHTHS[Math.floor((columns - whole) * 8)];
}

const LEVELS = "▁▂▃▄▅▆▇█";
const ASCII_LEVELS = "_.-:=+*#";

/**
 * One character for each value, scaled from 0 at the bottom to the largest value at the top. A missing value is a
 * space.
 */
export function sparkline(values: readonly (number | null)[], signs: BarSigns): string {
  return columnChart(values, 1, signs)[0];
}

/** Like `sparkline`, but several rows high. Returns the highest row first; each row has eight levels. */
export function columnChart(
  values: readonly (number | null)[],
  rows: number,
  { unicode }: BarSigns,
): string[] {
  const levels = unicode ? LEVELS : ASCII_LEVELS;
  const most = Math.max(0, ...values.map((value) => value ?? 0)) || 1;
  const all = rows * levels.length;
  const heights = values.map((value) =>
    value === null ? -1 : Math.min(all - 1, Math.floor(value / most * all))
  );
  return Array.from({ length: rows }, (_, row) => {
    const base = (rows - 1 - row) * levels.length;
    return heights.map((height) =>
      height < base ? " " : levels[Math.min(levels.length - 1, height - base)]
    ).join("");
  });
}
