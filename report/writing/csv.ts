/**
 * Rows → CSV (RFC 4180), which is opened in a spreadsheet, read by programs and printed into logs. A file and standard
 * output get the same bytes: line breaks and other control characters are written out as on a terminal, and no cell
 * starts a command of a CI service. Pure.
 */
import { harmless, withoutCommands } from "../../base/control.ts";
import type { Written } from "./written.ts";

type CsvValue = string | number | null;
export type CsvRecord = Readonly<Record<string, CsvValue>>;

/** The columns are the keys of all rows, in the order of their first appearance. */
export function csvOf(rows: readonly CsvRecord[]): Written<"csv"> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ""))];
  const text = lines.map((cells) => cells.map(escaped).join(",") + "\r\n").join("");
  return text as Written<"csv">;
}

/**
 * Characters that begin a formula in a spreadsheet, even within quotes (OWASP, CSV injection). Control characters are
 * escaped anyway.
 */
const FORMULA = /^[=+\-@＝＋－＠]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * Puts an apostrophe before text that a spreadsheet would take for a formula; the page's client uses this for copying,
 * too.
 */
export function withoutFormula(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** Quoted if necessary. */
function escaped(value: CsvValue): string {
  if (typeof value !== "string") return String(value);
  const text = withoutCommands(harmless(withoutFormula(value)));
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
