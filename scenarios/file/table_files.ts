/**
 * Reads the rows of data for an experiment from CSV, from JSON lines, or from SQLite queries. All functions throw an
 * Error with the reason if this fails.
 */
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { parse } from "csv-parse/sync";
import { messageOf } from "../../base/errors.ts";
import type { TableRow } from "../../base/files.ts";
import { beyond, isWithin, LIMITS, oneMoreThan } from "../../base/limits.ts";
import { isMap, parseJson } from "../../base/yaml/json_text.ts";

/**
 * Parses CSV (RFC 4180). Throws an Error that says what is wrong in which line.
 * @param names The names of the columns. If omitted, they are in the first line.
 */
export function csvRows(csv: string, names?: readonly string[]): TableRow[] {
  const rows = parse<TableRow>(csv, {
    bom: true,
    columns: names === undefined ? true : [...names],
    skip_empty_lines: true,
    trim: true,
    to: oneMoreThan("rows"),
    max_record_size: LIMITS.csvRow.most,
  });
  return checked(rows, `it has no rows${names ? "" : " below the names of its columns"}`);
}

/**
 * Parses JSON lines, each of which has one object. Members of nested objects become columns with dotted names, and
 * lists become JSON text.
 */
export function jsonRows(text: string): TableRow[] {
  const rows: TableRow[] = [];
  for (const [at, line] of text.replace(/^\uFEFF/, "").split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    if (!isWithin("csvRow", line.length)) {
      throw new Error(
        `line ${at + 1} has more than ${LIMITS.csvRow.most} bytes, the limit`,
      );
    }
    const row = rowIn(line, at + 1);
    const [first = row] = rows;
    const missing = Object.keys(first).find((column) => !Object.hasOwn(row, column));
    if (missing !== undefined) {
      throw new Error(`line ${at + 1} has no ${missing}, but the first line has one`);
    }
    rows.push(row);
    if (!isWithin("rows", rows.length)) break;
  }
  return checked(rows, "it has no rows");
}

function rowIn(line: string, number: number): TableRow {
  let data: unknown;
  let rounded: string | null = null;
  try {
    data = parseJson(line, (_, value, { source = "" }) => {
      const isRounded = typeof value === "number" && !Number.isSafeInteger(value);
      if (isRounded && /^-?\d+$/.test(source)) rounded ??= source;
      return value;
    });
  } catch (error) {
    throw new Error(`line ${number} is not JSON: ${messageOf(error)}`);
  }
  if (rounded !== null) {
    throw new Error(`line ${number} has ${rounded}, which would be rounded: write it in quotes`);
  }
  if (!isMap(data)) throw new Error(`line ${number} is not a JSON object`);
  const columns = [...columnsOf(data, "")];
  if (columns.length === 0) throw new Error(`line ${number} has no columns`);
  return Object.fromEntries(columns);
}

function* columnsOf(
  data: Readonly<Record<string, unknown>>,
  before: string,
): Generator<[string, string]> {
  for (const [name, value] of Object.entries(data)) {
    const column = before + name;
    if (isMap(value)) yield* columnsOf(value, `${column}.`);
    else yield [column, Array.isArray(value) ? JSON.stringify(value) : String(value ?? "")];
  }
}

/** The rows that a query returns. The database is opened read-only. */
export function sqliteRows(path: string, query: string): TableRow[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    // A subquery can only read. The limit is one row more than allowed, so that an excess is
    // detected.
    const inner = query.replace(/;\s*$/, "");
    const limited = `SELECT * FROM (\n${inner}\n) LIMIT ${oneMoreThan("rows")}`;
    const rows = database.prepare(limited).all().map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [column, textOf(column, value)]),
      )
    );
    return checked(rows, "the query returns no rows");
  } finally {
    database.close();
  }
}

function textOf(column: string, value: SQLOutputValue): string {
  if (value instanceof Uint8Array) throw new Error(`${column} is a blob, not text`);
  return String(value ?? "");
}

function checked(rows: TableRow[], none: string): TableRow[] {
  if (rows.length === 0) throw new Error(none);
  if (isWithin("rows", rows.length)) return rows;
  throw new Error(beyond("rows", rows.length));
}
