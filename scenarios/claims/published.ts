/**
 * Published figures, which reports show beside the measured ones. An experiment's `published` has one table or a list
 * of them. Nested keys together make a selector: `{ fastify: { static: 25737.08 } }` is the figure of `fastify,
 * static`. Pure.
 */
import * as z from "zod";
import { BOUNDED, boundedFigure, boundedText } from "../../base/figures/bound.ts";
import {
  type Figure,
  FIGURE_NAMES,
  type FigureUnit,
  type Read,
  readFigure,
  readQuantity,
  UNITS,
} from "../../base/figures/figure.ts";
import { didYouMean } from "../../base/suggest.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** Published values by the names of cells. A value is a figure, a bound such as "< 90", or a nested map. */
export type PublishedValues = { readonly [key: string]: number | string | PublishedValues };

const bound = z.string().regex(BOUNDED, {
  error:
    'Cannot read this text as a bound: write "< 90", "> 9000" or "~ 5000", in the unit of the table',
});

const values: z.ZodType<PublishedValues> = z.lazy(() =>
  z.record(z.string(), z.union([z.number().min(0), bound, values]))
);

const common = {
  source: z.string().optional().describe("Source of the figures: a table, a page or an address"),
  confounders: z.array(z.string()).default([]).describe(
    "Further differences between the published set-up and this one, a sentence each",
  ),
};

/** A table as stored in results.json. */
export const published = z.strictObject({
  ...common,
  figure: z.enum(FIGURE_NAMES),
  unit: z.enum(UNITS).describe("Unit of the values: ms, per second, a share 0–1, cores, bytes"),
  relative: z.string().nullable().describe(
    "Selector of the cell by whose value the published and the measured values are divided; null: they are not divided",
  ),
  values: values.describe("Values by cell; the nested keys together are the selector of a cell"),
});

export type Published = z.output<typeof published>;

const figure = z.string().prefault("rate").transform((text, context): Figure => {
  const read = readFigure(text);
  if ("value" in read) return read.value;
  context.addIssue(read.problem);
  return z.NEVER;
});

/** A table as written in the experiment file. */
const written = z.strictObject({
  ...common,
  figure: figure.describe("Figure of the values: rate, p99, startUp, …"),
  unit: z.string().optional().describe("Unit of the values: requests/s, ms, s, %, MB, …"),
  relative: z.union([z.string(), z.array(z.string()).min(1)]).optional().describe(
    "A cell, such as [express, static], by whose value the published and the measured values are divided, because machines differ",
  ),
  values: values.describe(
    "Values by target, scenario and factor=value, in any order, as nested keys or as keys with commas",
  ),
}).transform((table, context): Published => {
  const suffix = suffixOf(table.unit, table.figure);
  if ("problem" in suffix) {
    context.addIssue({ code: "custom", path: ["unit"], message: suffix.problem });
    return z.NEVER;
  }
  const { name, unit } = table.figure;
  const relative = [table.relative ?? []].flat().join(", ") || null;
  const converted = mapValues(table.values, (value, path) => {
    const { bound, value: given } = boundedFigure(value);
    const read = readQuantity(`${given}${suffix.value}`, unit);
    if ("value" in read) return boundedText({ bound, value: read.value });
    context.addIssue({ code: "custom", path: ["values", ...path], message: read.problem });
    return 0;
  });
  return { ...table, figure: name, unit, relative, values: converted };
});

export const publishedSpec = z.union([written, z.array(written)]);

/** For each unit of a figure, the units that a table may name, each with the suffix that `readQuantity` needs. */
const UNIT_NAMES: Readonly<Record<FigureUnit, Readonly<Record<string, string>>>> = {
  perSec: { "requests/s": "/s", "req/s": "/s", rps: "/s", "/s": "/s", "requests/min": "/m" },
  ms: { ms: "ms", s: "s", us: "us", "µs": "us", min: "m", h: "h" },
  share: { "%": "%" },
  cores: { cores: "" },
  count: { requests: "" },
  bytes: { B: "B", kB: "kB", MB: "MB", GB: "GB", KiB: "KiB", MiB: "MiB", GiB: "GiB" },
  bytesPerSec: {
    "B/s": "B/s",
    "kB/s": "kB/s",
    "MB/s": "MB/s",
    "GB/s": "GB/s",
    "KiB/s": "KiB/s",
    "MiB/s": "MiB/s",
    "GiB/s": "GiB/s",
  },
};

/** The suffix that `readQuantity` needs for a table's unit. Tables of times or bytes must name their unit. */
function suffixOf(
  unit: string | undefined,
  { name, unit: kind }: Figure,
): Read<string> {
  const fitting = UNIT_NAMES[kind];
  const [usual] = Object.keys(fitting);
  if (unit === undefined) {
    if (kind !== "ms" && kind !== "bytes" && kind !== "bytesPerSec") {
      return { value: fitting[usual] };
    }
    const choices = Object.keys(fitting).join(", ");
    return { problem: `Cannot read values without a unit: write unit with one of ${choices}` };
  }
  if (Object.hasOwn(fitting, unit)) return { value: fitting[unit] };
  const fix = didYouMean(unit, Object.keys(fitting)) ??
    `the units of ${name} are ${Object.keys(fitting).join(", ")}`;
  const other = Object.values(UNIT_NAMES).some((names) => Object.hasOwn(names, unit));
  const meant = other && name === "rate" ? "; or name another figure, such as p50" : "";
  return { problem: `Cannot use ${quotedOpenly(unit)} for ${name}: ${fix}${meant}` };
}

function mapValues(
  values: PublishedValues,
  convert: (value: number | string, path: readonly string[]) => number | string,
  path: readonly string[] = [],
): PublishedValues {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === "object"
        ? mapValues(value, convert, [...path, key])
        : convert(value, [...path, key]),
    ]),
  );
}
