/** Formats sections as tables that are aligned for the terminal and are valid markdown, too. */
import { widthOf } from "../report/writing/columns.ts";
import { formatNumber } from "../report/writing/units.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import type { Row, Section } from "./bench.ts";

/** Whether the median keeps the row's bar; null if there is no bar or nothing was measured. */
export function isKept({ bar, samples, baseline = NaN }: Row): boolean | null {
  if (bar === undefined || samples.length === 0) return null;
  return bar.holds(medianOf(samples), baseline);
}

/** A heading, the table and its notes. Columns that are empty in all rows are left out. */
export function sectionLines({ caption, unit, baseline, rows, notes = [] }: Section): string[] {
  const head = [
    "",
    `median, ${unit}`,
    "from – to",
    baseline ?? "",
    "×",
    "difference",
    "bar",
    "kept",
  ];
  const cells = rows.map(cellsOf);
  const columns = head.map((label, i) => [label, ...cells.map((row) => row[i])])
    .filter((column, i) => i === 0 || column.slice(1).some((text) => text !== ""));
  const table = rows.length > 0 ? [...tableLines(columns), ""] : [];
  return [`### ${caption}`, "", ...table, ...notes.flatMap((note) => [note, ""])];
}

function cellsOf(row: Row): string[] {
  const { what, samples, baseline = NaN, bar } = row;
  const median = medianOf(samples);
  const kept = isKept(row);
  return [
    what,
    figure(median),
    samples.length > 1 ? `${figure(Math.min(...samples))} – ${figure(Math.max(...samples))}` : "",
    figure(baseline),
    baseline === 0 || Number.isNaN(median / baseline) ? "" : (median / baseline).toFixed(3),
    figure(median - baseline),
    bar?.text ?? "",
    kept === null ? "" : kept ? "yes" : "NO",
  ];
}

function figure(value: number): string {
  return Number.isNaN(value) ? "" : formatNumber(value, 3);
}

/** The lines of a table. The first column is aligned to the left, all others to the right. */
function tableLines(columns: readonly (readonly string[])[]): string[] {
  const widths = columns.map((column) => Math.max(...column.map(widthOf), 4));
  const [head, ...rows] = columns[0].map((_, r) => columns.map((column) => column[r]));
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const padded = (texts: readonly string[]): string =>
    line(texts.map((text, c) => c === 0 ? text.padEnd(widths[c]) : text.padStart(widths[c])));
  const rule = widths.map((width, c) =>
    "-".repeat(c === 0 ? width : width - 1) + (c === 0 ? "" : ":")
  );
  return [padded(head), line(rule), ...rows.map(padded)];
}
