/**
 * Writes rows as CSV (RFC 4180), which people open in spreadsheets, programs read, and CI jobs print into logs. Files
 * and standard output get the same bytes: control characters, line breaks included, are written as escapes as on a
 * terminal, and no cell starts a command of a CI service. Pure.
 */
import { harmless, withoutCommands } from "../../base/control.ts";
import type { Written } from "./written.ts";

type CsvValue = string | number | null;
export type CsvRecord = Readonly<Record<string, CsvValue>>;

/** The columns are the keys of all rows, in the order in which they first appear. */
export function csvOf(rows: readonly CsvRecord[]): Written<"csv"> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ""))];
  const text = lines.map((cells) => cells.map(escaped).join(",") + "\r\n").join("");
  return text as Written<"csv">;
}

/**
 * Characters that begin a formula in a spreadsheet, even within quotes (OWASP, CSV injection). Control characters,
 * which can do so as well, are escaped anyway.
 */
const FORMULA = /^[=+\-@＝＋－＠]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * Puts an apostrophe before text that a spreadsheet would take for a formula. The page's script uses this for copying,
 * too.
 */
export function withoutFormula(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** The value as a cell of CSV, quoted if necessary. */
function escaped(value: CsvValue): string {
  if (typeof value !== "string") return String(value);
  const text = withoutCommands(harmless(withoutFormula(value)));
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
