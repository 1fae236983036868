/**
 * The values that replace `{{ name }}` in requests: random numbers and choices, or rows of a file. They are drawn from
 * a seed before the load starts.
 */
import * as z from "zod";
import { wrongPattern } from "../../base/pattern.ts";
import { messageOf } from "../../base/errors.ts";
import { type FileDigest, fileDigest, type Files, type TableRow } from "../../base/files.ts";
import { LIMITS } from "../../base/limits.ts";
import { type Draw, shuffled } from "../../base/random.ts";
import { didYouMean } from "../../base/suggest.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** How many variants of a random value are drawn. */
const RANDOM_VARIANTS = 1_000;

const uuid = z.literal("uuid", {
  error: ({ input }) =>
    `Cannot draw values from ${quotedOpenly(input)}: write uuid, { from: 1, to: 1000 }, ` +
    "{ pick: [a, b] }, { csv: FILE }, { jsonl: FILE } or { sqlite: FILE, query: … }",
}).describe("A random UUID (RFC 9562, version 4)");

const range = z.strictObject({
  from: z.int().default(1).describe("The least"),
  to: z.int().describe("The most"),
}).refine(({ from, to }) => from <= to, {
  path: ["to"],
  error: "Cannot draw a number from an empty range: to is less than from",
}).describe("A random whole number");

const pick = z.strictObject({
  pick: z.array(z.union([z.string(), z.number(), z.boolean()])).min(1).describe("The choices"),
}).describe("One of several values, all equally likely");

/** The rows of a file. In JSON they are replaced by a digest, because there may be many, and they may be secret. */
export class Table {
  readonly columns: readonly string[];
  readonly #digest: FileDigest;

  /** @param query The query that selected the rows; only for a database. */
  constructor(readonly path: string, readonly rows: readonly TableRow[], readonly query = "") {
    this.columns = Object.keys(rows[0]);
    this.#digest = fileDigest(path, JSON.stringify(rows));
  }

  /** Identifies the rows: tables read from the same file by the same query have the same key. */
  get key(): string {
    return `${this.path}\n${this.query}`;
  }

  toJSON(): FileDigest {
    return this.#digest;
  }
}

const ORDERS = ["sequential", "random", "weighted", "unique"] as const;

const taken = {
  column: z.string().optional()
    .describe(
      "Name of the column that holds the value; without it, each column has a placeholder: {{ row.name }}",
    ),
  order: z.enum(ORDERS).default("sequential").describe(
    "Order of the rows. sequential: as in the table; random: every row once, in an order that the seed decides, then all over again; " +
      "weighted: drawn at random, each row as often as its weight says; unique: each virtual user has its own row for all its sessions",
  ),
  weight: z.string().optional().describe(
    "For order: weighted, the column with the weights, which are numbers from 0",
  ),
};

interface Taken {
  readonly column?: string;
  readonly order: typeof ORDERS[number];
  readonly weight?: string;
}

const csv = (files: Files) =>
  z.strictObject({
    csv: z.string().min(1).describe(
      "A CSV file, relative to the experiment file, with the names of its columns in the first line",
    ),
    names: z.array(z.string().min(1)).min(1).optional()
      .describe("Names of the columns of a file whose first line has none"),
    ...taken,
  }).transform(({ csv, names, ...rest }, context) =>
    tableIn(context, "csv", csv, rest, () => new Table(csv, files.rows(csv, names)))
  ).describe("Rows of a file, one after the other");

const jsonLines = (files: Files) =>
  z.strictObject({
    jsonl: z.string().min(1).describe(
      "A file with a JSON object on each line, relative to the experiment file; nested members have names " +
        "with dots",
    ),
    ...taken,
  }).transform(({ jsonl, ...rest }, context) =>
    tableIn(context, "jsonl", jsonl, rest, () => new Table(jsonl, files.jsonRows(jsonl)))
  ).describe("Rows of a file, one after the other");

const sqlite = (files: Files) =>
  z.strictObject({
    sqlite: z.string().min(1).describe(
      "An SQLite database, relative to the experiment file; it is opened only for reading",
    ),
    query: z.string().min(1).max(LIMITS.sentence.most).describe(
      "The query that gives the rows: SELECT name, password FROM users",
    ),
    ...taken,
  }).transform(({ sqlite, query, ...rest }, context) =>
    tableIn(context, "sqlite", sqlite, rest, () =>
      new Table(sqlite, files.queried(sqlite, query), query))
  ).describe("Rows of a database, one after the other");

/**
 * The source with its path replaced by the rows of the file. Adds an issue if the rows can't be read, lack a column
 * that the source names, or can't be taken in the given order.
 */
function tableIn<Source extends "csv" | "jsonl" | "sqlite">(
  context: z.core.$RefinementCtx,
  source: Source,
  path: string,
  rest: Taken,
  read: () => Table,
): Taken & { readonly [of in Source]: Table } {
  const refuse = (at: string, message: string): never => {
    context.issues.push({ code: "custom", path: [at], message, input: path });
    return z.NEVER;
  };
  let table: Table;
  try {
    table = read();
  } catch (error) {
    return refuse(source, `Cannot read ${path}: ${messageOf(error)}`);
  }
  for (const at of ["column", "weight"] as const) {
    const column = rest[at];
    if (column === undefined || table.columns.includes(column)) continue;
    const fix = didYouMean(column, table.columns) ??
      `the columns are ${table.columns.join(", ")}`;
    return refuse(at, `Cannot find column ${quotedOpenly(column)} in ${path}: ${fix}`);
  }
  const wrong = wrongWeights(rest, table);
  if (wrong !== null) return refuse(rest.weight === undefined ? "order" : "weight", wrong);
  return { ...rest, [source]: table } as Taken & { readonly [of in Source]: Table };
}

/** Why `order` and `weight` don't fit each other or the rows; null if they do. */
function wrongWeights({ order, weight }: Taken, { rows }: Table): string | null {
  if (order !== "weighted") {
    return weight === undefined ? null : "Cannot use weight with this order: write order: weighted";
  }
  if (weight === undefined) {
    return "Cannot draw by weight without a column of weights: write weight: COLUMN";
  }
  const weights = rows.map((row) => weightOf(row, weight));
  const at = weights.findIndex((one) => !(one >= 0 && one < Infinity));
  if (at >= 0) {
    return `Cannot use ${quotedOpenly(rows[at][weight])} of row ${at + 1} as a weight: ` +
      "it must be a number from 0";
  }
  return weights.some((one) => one > 0) ? null : "Cannot draw by weight: all weights are 0";
}

function weightOf(row: TableRow, column: string): number {
  return row[column].trim() === "" ? NaN : Number(row[column]);
}

const valueSpec = (files: Files) =>
  z.xor([uuid, range, pick, csv(files), jsonLines(files), sqlite(files)]);

/** The name of a value. It may not contain dots, because a dot separates the name of a table from that of a column. */
export const valueName = z.string().regex(/^[\p{L}_][\p{L}\p{N}_-]*$/u, {
  error: ({ input }) =>
    `Cannot use ${quotedOpenly(input)} as the name of a value: ` +
    "start with a letter, go on with letters, digits, _ and -",
});

export const valuesSpec = (files: Files) => z.record(valueName, valueSpec(files));

type ValueSpec = z.output<ReturnType<typeof valueSpec>>;
type TableSpec = Extract<ValueSpec, Taken>;
export type ValueSpecs = Readonly<Record<string, ValueSpec>>;

/** The names that may be written between `{{` and `}}`. */
export function placeholderNames(values: ValueSpecs): string[] {
  return Object.entries(values).flatMap(([name, spec]) =>
    isTable(spec) && spec.column === undefined
      ? tableOf(spec).columns.map((column) => `${name}.${column}`)
      : [name]
  );
}

/** A table whose rows are sent, and which row each variant sends. */
export interface TableUse {
  /** The names of the values that come from the table. */
  readonly values: readonly string[];
  readonly file: string;
  readonly rows: number;
  /** The index of the row that each variant sends; null if each virtual user has a row of its own. */
  readonly rowOf: readonly number[] | null;
}

interface DrawnValues {
  readonly variants: readonly ReadonlyMap<string, string>[];
  readonly tables: readonly TableUse[];
}

/**
 * Draws the variants of the named values, in the order in which they are sent. A file gives one variant for each row;
 * random values alone give 1,000. With both, the rows of the file are repeated as a whole, as often as fits into 1,000,
 * but at least once.
 */
export function drawValues(
  values: ValueSpecs,
  names: readonly string[],
  draw: Draw,
): DrawnValues {
  const used = usedSpecs(values, names);
  const orders = ordersOf(used, draw);
  const givers = used.filter(([, spec]) => !isUnique(spec)).map((one) =>
    giverOf(one, orders, draw)
  );
  const variants = Array.from({ length: countOfValueVariants(values, names) }, (_, variant) => {
    const given = givers.flatMap((give) => give(variant));
    return new Map(given.filter(([name]) => names.includes(name)));
  });
  const tables = [...Map.groupBy(used.filter(isOfTable), ([, spec]) => orderKey(spec)).values()];
  return {
    variants,
    tables: tables.map((same): TableUse => {
      const [[, spec]] = same;
      const { path, rows } = tableOf(spec);
      const order = orders.get(orderKey(spec));
      const rowOf = order ? variants.map((_, at) => order[at % order.length]) : null;
      return { values: same.map(([name]) => name), file: path, rows: rows.length, rowOf };
    }),
  };
}

/**
 * The values that each virtual user takes from tables with unique rows. Each element belongs to one of the virtual
 * users who are present at the same time; there are as many elements as the shortest table has rows. Null if no table
 * has unique rows.
 */
export function ownValues(
  values: ValueSpecs,
  names: readonly string[],
): Readonly<Record<string, string>>[] | null {
  const used = uniqueOf(usedSpecs(values, names));
  if (used.length === 0) return null;
  const length = Math.min(...used.map(([, spec]) => tableOf(spec).rows.length));
  return Array.from(
    { length },
    (_, place) =>
      Object.fromEntries(
        used.flatMap(([name, spec]) => valuesOfRow(name, spec, tableOf(spec).rows[place]))
          .filter(([name]) => names.includes(name)),
      ),
  );
}

/** The tables that give each virtual user a row of its own, each with the name of the value that uses it. */
export function uniqueTables(values: ValueSpecs): [name: string, table: Table][] {
  return uniqueOf(Object.entries(values)).map(([name, spec]) => [name, tableOf(spec)]);
}

function uniqueOf(
  specs: readonly [name: string, spec: ValueSpec][],
): [name: string, spec: TableSpec][] {
  return specs.filter(isOfTable).filter(([, spec]) => isUnique(spec));
}

export function countOfValueVariants(values: ValueSpecs, names: readonly string[]): number {
  const used = usedSpecs(values, names).filter(([, spec]) => !isUnique(spec));
  const rows = used.reduce(
    (most, [, spec]) => Math.max(most, isTable(spec) ? roundOf(spec) : 1),
    1,
  );
  const isRandom = used.some(([, spec]) => !isTable(spec) && !isOne(spec));
  return rows * (isRandom ? Math.max(1, Math.floor(RANDOM_VARIANTS / rows)) : 1);
}

/** Whether the value is always the same. */
function isOne(spec: Exclude<ValueSpec, TableSpec>): boolean {
  return typeof spec === "object" && "pick" in spec && spec.pick.length === 1;
}

function usedSpecs(
  values: ValueSpecs,
  names: readonly string[],
): [name: string, spec: ValueSpec][] {
  return Object.entries(values).filter(([name, spec]) =>
    placeholderNames({ [name]: spec }).some((given) => names.includes(given))
  );
}

/** Returns the values in one variant, each with its name. */
type Give = (variant: number) => [name: string, value: string][];

/**
 * The order of the rows of each table. All columns of a table share it, so that a user name and its password stay
 * together.
 */
type Orders = ReadonlyMap<string, readonly number[]>;

function orderKey(spec: TableSpec): string {
  return [tableOf(spec).key, spec.order, spec.weight].join("\n");
}

/** The order in which the rows of each table are taken, except for tables with unique rows. */
function ordersOf(used: readonly [string, ValueSpec][], draw: Draw): Orders {
  const orders = new Map<string, readonly number[]>();
  for (const [, spec] of used) {
    if (!isTable(spec) || isUnique(spec) || orders.has(orderKey(spec))) continue;
    orders.set(orderKey(spec), orderOf(spec, draw));
  }
  return orders;
}

function orderOf(spec: TableSpec, draw: Draw): number[] {
  const { rows } = tableOf(spec);
  if (spec.order === "weighted") return drawnByWeight(rows, spec, draw);
  const all = [...rows.keys()];
  return spec.order === "random" ? shuffled(all, draw) : all;
}

function giverOf([name, spec]: [string, ValueSpec], orders: Orders, draw: Draw): Give {
  if (!isTable(spec)) return () => [[name, drawn(spec, draw)]];
  const { rows } = tableOf(spec);
  const order = orders.get(orderKey(spec)) ?? [];
  return (variant) => valuesOfRow(name, spec, rows[order[variant % order.length]]);
}

function valuesOfRow(
  name: string,
  { column }: TableSpec,
  row: TableRow,
): [name: string, value: string][] {
  if (column !== undefined) return [[name, row[column]]];
  return Object.entries(row).map(([column, value]) => [`${name}.${column}`, value]);
}

/** The number of rows that are taken before they repeat. */
function roundOf(spec: TableSpec): number {
  const { rows } = tableOf(spec);
  return spec.order === "weighted" ? Math.max(RANDOM_VARIANTS, rows.length) : rows.length;
}

/** Draws are integers from 0 to one less than this number, which is fine enough for weights. */
const STEPS = 2 ** 31 - 1;

function drawnByWeight(rows: readonly TableRow[], spec: TableSpec, draw: Draw): number[] {
  const { weight = "" } = spec;
  let total = 0;
  const sums = rows.map((row) => total += weightOf(row, weight));
  return Array.from({ length: roundOf(spec) }, () => {
    const at = draw(0, STEPS - 1) / STEPS * total;
    return firstAbove(sums, at);
  });
}

/** The index of the first number that is greater than `value`, by bisection of the ascending numbers. */
function firstAbove(sums: readonly number[], value: number): number {
  let [from, to] = [0, sums.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sums[middle] > value) to = middle;
    else from = middle + 1;
  }
  return from;
}

function drawn(spec: Exclude<ValueSpec, TableSpec>, draw: Draw): string {
  if (spec === "uuid") return drawUuid(draw);
  if ("pick" in spec) return String(spec.pick[draw(0, spec.pick.length - 1)]);
  return String(draw(spec.from, spec.to));
}

function drawUuid(draw: Draw): string {
  const digits = Array.from({ length: 32 }, () => draw(0, 15));
  digits[12] = 4; // version; digit 16 holds the variant (RFC 9562 §5.4)
  digits[16] = 8 + draw(0, 3);
  const hex = digits.map((digit) => digit.toString(16)).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function isTable(spec: ValueSpec): spec is TableSpec {
  return typeof spec === "object" && "order" in spec;
}

function isOfTable(used: [name: string, spec: ValueSpec]): used is [string, TableSpec] {
  return isTable(used[1]);
}

function isUnique(spec: ValueSpec): boolean {
  return isTable(spec) && spec.order === "unique";
}

function tableOf(spec: TableSpec): Table {
  return "csv" in spec ? spec.csv : "jsonl" in spec ? spec.jsonl : spec.sqlite;
}

// Where a body, or a message of a stream, holds a value: in a member of its JSON, or in its text
// where a pattern matches.

export type BodySource =
  /** The member names and indexes that lead from the root of a JSON body to the value. */
  | { readonly kind: "json"; readonly path: readonly string[] }
  /** A regular expression in RE2 syntax with one group, matched against the body. */
  | { readonly kind: "pattern"; readonly source: string };

const LONGEST_SHOWN = 200;

/** One step of a path: the name of a member, or an index. */
export const jsonStep = z.string().regex(/^[^.[\]]+$/, {
  error: ({ input }) => `Cannot use ${quotedOpenly(input)} as a name in JSON`,
});

/** A path such as `data.items[0].id`. It may begin with `$.` or `$`, as in JSONPath. */
const JSON_PATH = /^(?:\$\.|\$(?=\[))?((?:[^.[\]]+|\[\d+\])(?:\.[^.[\]]+|\[\d+\])*)$/;

export const jsonSource = z.strictObject({
  json: z.string().regex(JSON_PATH, {
    error: ({ input }) =>
      `Cannot use ${
        JSON.stringify(input)
      } as a place in JSON: write names with dots and [0], such as data.items[0].id`,
  }).describe("Place of the value in a JSON body: data.items[0].id"),
}).transform(({ json }): BodySource => ({ kind: "json", path: stepsOf(json) }));

export const patternSource = z.string().superRefine((source, context) => {
  const wrong = wrongPattern(source);
  if (wrong !== null) {
    context.addIssue(`Cannot use ${quoted(source)} as a pattern: ${wrong}`);
  }
});

export const textSource = z.strictObject({
  pattern: patternSource.describe(
    'Regular expression with one group around the value: name="csrf" value="(.+?)"',
  ),
}).transform(({ pattern }): BodySource => ({ kind: "pattern", source: pattern }));

function stepsOf(path: string): string[] {
  const [, steps = ""] = JSON_PATH.exec(path) ?? [];
  return steps.match(/[^.[\]]+/g) ?? [];
}

/** The text in quotes, cut to `LONGEST_SHOWN` characters. */
function quoted(text: string): string {
  return JSON.stringify(text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`);
}
