/**
 * The values of `{{ name }}`: random numbers and choices, or the rows of a CSV file. Drawn by a seed
 * before the load starts.
 */
import * as z from "zod";
import { wrongPattern } from "../../base/pattern.ts";
import { messageOf } from "../../base/errors.ts";
import { type FileDigest, fileDigest, type Files, type TableRow } from "../../base/files.ts";
import { type Draw, shuffled } from "../../base/random.ts";
import { didYouMean } from "../../base/suggest.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** Variants that are drawn where a value is random. */
const RANDOM_VARIANTS = 1_000;

const uuid = z.literal("uuid", {
  error: ({ input }) =>
    `Cannot draw values from ${quotedOpenly(input)}: write uuid, { from: 1, to: 1000 }, ` +
    "{ pick: [a, b] } or { csv: FILE }",
}).describe("A random UUID (RFC 9562, version 4)");

const range = z.strictObject({
  from: z.int().default(1).describe("The least"),
  to: z.int().describe("The most"),
}).refine(({ from, to }) => from <= to, {
  path: ["to"],
  error: "Cannot draw a number from nothing: to is less than from",
}).describe("A random whole number");

const pick = z.strictObject({
  pick: z.array(z.union([z.string(), z.number(), z.boolean()])).min(1).describe("The choices"),
}).describe("One of several, each as likely as the others");

/** The rows of a file. In JSON they are a digest, as they may be many, or secret. */
export class CsvTable {
  readonly columns: readonly string[];
  readonly #digest: FileDigest;

  constructor(readonly path: string, readonly rows: readonly TableRow[]) {
    this.columns = Object.keys(rows[0]);
    this.#digest = fileDigest(path, JSON.stringify(rows));
  }

  toJSON(): FileDigest {
    return this.#digest;
  }
}

const csv = (files: Files) =>
  z.strictObject({
    csv: z.string().min(1).describe(
      "A CSV file, relative to the experiment file, with the names of its columns in the first line",
    ),
    names: z.array(z.string().min(1)).min(1).optional()
      .describe("Names of the columns of a file whose first line has none"),
    column: z.string().optional()
      .describe("The column; without it every column is a name: {{ row.name }}"),
    order: z.enum(["sequential", "random"]).default("sequential")
      .describe("random: every row once, in an order that the seed decides, then again"),
  }).transform(({ csv, names, ...rest }, context) => {
    try {
      return { ...rest, csv: new CsvTable(csv, files.rows(csv, names)) };
    } catch (error) {
      const message = `Cannot read ${csv}: ${messageOf(error)}`;
      context.addIssue({ code: "custom", path: ["csv"], message });
      return z.NEVER;
    }
  }).superRefine(({ csv: { path, columns }, column }, context) => {
    if (column === undefined || columns.includes(column)) return;
    const fix = didYouMean(column, columns) ?? `the columns are ${columns.join(", ")}`;
    const message = `Cannot find column ${quotedOpenly(column)} in ${path}: ${fix}`;
    context.addIssue({ code: "custom", path: ["column"], message });
  }).describe("Rows of a file, one after the other");

const valueSpec = (files: Files) => z.xor([uuid, range, pick, csv(files)]);

/** Without dots: those stand between the name of a table and its column. */
export const valueName = z.string().regex(/^[\p{L}_][\p{L}\p{N}_-]*$/u, {
  error: ({ input }) =>
    `Cannot use ${quotedOpenly(input)} as the name of a value: ` +
    "start with a letter, go on with letters, digits, _ and -",
});

export const valuesSpec = (files: Files) => z.record(valueName, valueSpec(files));

type ValueSpec = z.output<ReturnType<typeof valueSpec>>;
type TableSpec = z.output<ReturnType<typeof csv>>;
export type ValueSpecs = Readonly<Record<string, ValueSpec>>;

/** The names that can stand between `{{` and `}}`. */
export function placeholderNames(values: ValueSpecs): string[] {
  return Object.entries(values).flatMap(([name, spec]) =>
    isTable(spec) && spec.column === undefined
      ? spec.csv.columns.map((column) => `${name}.${column}`)
      : [name]
  );
}

/**
 * Variants of the named values, in the order in which they are used: every row of a file, and where
 * anything is random 1,000, or as many whole rounds through the rows as go into that.
 */
export function drawValues(
  values: ValueSpecs,
  names: readonly string[],
  draw: Draw,
): ReadonlyMap<string, string>[] {
  const givers = giversOf(usedSpecs(values, names), draw);
  return Array.from({ length: countOfValueVariants(values, names) }, (_, variant) => {
    const given = givers.flatMap((give) => give(variant));
    return new Map(given.filter(([name]) => names.includes(name)));
  });
}

/** How many variants `drawValues` gives. */
export function countOfValueVariants(values: ValueSpecs, names: readonly string[]): number {
  const used = usedSpecs(values, names);
  const rows = used.reduce(
    (most, [, spec]) => Math.max(most, isTable(spec) ? spec.csv.rows.length : 1),
    1,
  );
  const isRandom = used.some(([, spec]) => !isTable(spec) && !isOne(spec));
  return rows * (isRandom ? Math.max(1, Math.floor(RANDOM_VARIANTS / rows)) : 1);
}

/** Whether there is nothing to draw. */
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

/** Names with their values in one variant. */
type Give = (variant: number) => [name: string, value: string][];

function giversOf(used: readonly [string, ValueSpec][], draw: Draw): Give[] {
  const orders = new Map<string, readonly TableRow[]>();
  // One order for each file, so that a name and its password stay together.
  const shuffledRows = ({ path, rows }: CsvTable): readonly TableRow[] => {
    const order = orders.get(path) ?? shuffled(rows, draw);
    orders.set(path, order);
    return order;
  };
  return used.map(([name, spec]) => {
    if (!isTable(spec)) return () => [[name, drawn(spec, draw)]];
    const { csv, column, order } = spec;
    const rows = order === "random" ? shuffledRows(csv) : csv.rows;
    return (variant) => {
      const row = rows[variant % rows.length];
      if (column !== undefined) return [[name, row[column]]];
      return Object.entries(row).map(([column, value]) => [`${name}.${column}`, value]);
    };
  });
}

function drawn(spec: Exclude<ValueSpec, TableSpec>, draw: Draw): string {
  if (spec === "uuid") return drawUuid(draw);
  if ("pick" in spec) return String(spec.pick[draw(0, spec.pick.length - 1)]);
  return String(draw(spec.from, spec.to));
}

function drawUuid(draw: Draw): string {
  const digits = Array.from({ length: 32 }, () => draw(0, 15));
  digits[12] = 4; // the version, and at 16 the variant (RFC 9562 §5.4)
  digits[16] = 8 + draw(0, 3);
  const hex = digits.map((digit) => digit.toString(16)).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function isTable(spec: ValueSpec): spec is TableSpec {
  return typeof spec === "object" && "csv" in spec;
}

// Where a value stands in a body, or in a message of a stream: a place in JSON, or what a pattern finds in text.

export type BodySource =
  /** Members and indexes from the top of a JSON body. */
  | { readonly kind: "json"; readonly path: readonly string[] }
  /** A regular expression of RE2 with one group, over the body. */
  | { readonly kind: "pattern"; readonly source: string };

const LONGEST_SHOWN = 200;

/** A member's name, or an index. */
export const jsonStep = z.string().regex(/^[^.[\]]+$/, {
  error: ({ input }) => `Cannot use ${quotedOpenly(input)} as a name in JSON`,
});

/** `data.items[0].id`, also with JSONPath's `$.` before it. */
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

/** The start of a text that is too long to be shown. */
function quoted(text: string): string {
  return JSON.stringify(text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`);
}
