/** Rows → CSV (RFC 4180). */

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** Columns are those of any row, in the order in which they first appear. */
export function csvOf(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ""))];
  return lines.map((fields) => fields.map(escaped).join(",") + "\r\n").join("");
}

/** What begins a formula in a spreadsheet, though in quotes (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** An apostrophe before what a spreadsheet would carry out; quoted where it must be. */
function escaped(value: Value): string {
  const isFormula = typeof value === "string" && FORMULA.test(value) && !NUMBER.test(value);
  const text = isFormula ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
