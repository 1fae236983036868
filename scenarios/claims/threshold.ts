/**
 * Parses and checks thresholds. A threshold may compare all cells (each a target in a scenario) with a limit (`p99 <
 * 50ms`, `success >= 99.9%`, `rate > 1000/s`, `lag.p99 < 1ms`), or with a baseline (`p99 not worse than baseline by
 * 5%`). In the syntax of claims, it may also compare certain cells with a limit (`p99(wait) < 2s`) or with other cells
 * (`rate(cached) > 2 × rate(plain)`). Pure. How much evidence a verdict needs is decided in
 * `report/judge/thresholds.ts`. A limit of 0 % or 100 % needs none, because it must hold for every measured request.
 */
import * as z from "zod";
import {
  type Figure,
  FIGURE_NAMES,
  type Read,
  readFigure,
  readPercentage,
  readQuantity,
  UNITS,
  withNamedTimes,
} from "../../base/figures/figure.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import {
  type ClaimSide,
  type FigureSide,
  readRelation,
  type Relation,
  relation,
  selector,
  SIGN,
  TURNED,
} from "./claim.ts";
import { INNER, problemsIn, readCells, sidesOf, TWO_SIDES } from "./claim_side.ts";
import { quotedOpenly } from "../../base/secrets.ts";

const common = {
  text: z.string().describe("The rule as written"),
  figure: z.enum(FIGURE_NAMES),
  unit: z.enum(UNITS).describe("Unit of the figure: ms, per second, a share 0–1, cores, bytes"),
  better: z.enum(["lower", "higher"]),
};

/** A threshold as stored in results.json. */
export const threshold = z.discriminatedUnion("against", [
  z.strictObject({
    ...common,
    against: z.literal("limit"),
    selector: selector.optional(),
    relation,
    limit: z.number().min(0).describe("Limit in the unit of the figure"),
  }),
  z.strictObject({
    ...common,
    against: z.literal("baseline"),
    selector: selector.optional(),
    marginRatio: z.number().min(0).describe(
      "How much worse than the baseline the figure may be: 0.05 is 5 %",
    ),
  }),
  z.strictObject({
    ...common,
    against: z.literal("cells").describe("Cells of the same results to compare with"),
    selector,
    relation,
    factor: z.number().positive().describe(
      "Factor of the other figure: with 2, the limit is twice that figure",
    ),
    to: z.strictObject({ figure: z.enum(FIGURE_NAMES), selector }),
  }),
]);

export type Threshold = z.output<typeof threshold>;

type ParsedThreshold =
  | { readonly threshold: Threshold }
  | { readonly problems: readonly string[] };

const LIMIT = new RegExp(`^([^\\s<>=≤≥]+)\\s*(${SIGN})\\s*(.*)$`, "s");
const BASELINE = new RegExp(
  `^([^\\s(]+)(?:\\s?\\((${INNER})\\))?\\s+not\\s+worse\\s+than\\s+(?:the\\s+)?baseline(?:\\s+by\\s+(.+))?$`,
  "si",
);

/** The default margin of "not worse"; `plateau compare` has the same. */
const DEFAULT_MARGIN_RATIO = 0.02;

export function parseThreshold(written: string): ParsedThreshold {
  if (!isWithin("sentence", written.length)) {
    return { problems: [`Cannot read a threshold: ${beyond("sentence", written.length)}`] };
  }
  const text = written.trim().replaceAll(/\s+/g, " ");
  const parsed = parsePlain(withNamedTimes(text), written);
  return "threshold" in parsed ? { threshold: { ...parsed.threshold, text } } : parsed;
}

function parsePlain(text: string, written: string): ParsedThreshold {
  const [, compared, cells, margin] = BASELINE.exec(text) ?? [];
  if (compared !== undefined) return againstBaseline(text, { name: compared, cells, margin });
  const [, of, relationSign, to] = text.includes("(") ? TWO_SIDES.exec(text) ?? [] : [];
  if (of !== undefined) return ofCells(text, { of, sign: relationSign, to });
  const [, name, sign, quantity] = LIMIT.exec(text) ?? [];
  if (name !== undefined) return againstLimit(text, { name, sign, quantity });
  const fix = "write a figure, <, <=, > or >=, and a limit, such as p99 < 50ms, " +
    "or p99(static) < 50ms; or p99 not worse than baseline by 5%";
  return { problems: [`Cannot read ${quotedOpenly(written)} as a threshold: ${fix}`] };
}

function againstLimit(
  text: string,
  { name, sign, quantity }: { name: string; sign: string; quantity: string },
): ParsedThreshold {
  const figure = readFigure(name);
  const relation = readRelation(sign, "a threshold");
  // If the figure is invalid, the unit of the limit is unknown, so the limit is not read.
  const limit = "value" in figure ? readQuantity(quantity, figure.value.unit) : null;
  if ("value" in figure && "value" in relation && limit !== null && "value" in limit) {
    const never = whyNever(figure.value, relation.value, limit.value);
    if (never !== null) return { problems: [`Cannot use ${quotedOpenly(text)}: ${never}`] };
    return {
      threshold: {
        ...commonOf(text, figure.value),
        against: "limit",
        relation: relation.value,
        limit: limit.value,
      },
    };
  }
  return { problems: problemsOf(figure, relation, limit) };
}

interface WrittenSides {
  readonly of: string;
  readonly sign: string;
  readonly to: string;
}

/** Parses a threshold for certain cells, in the syntax of claims. */
function ofCells(text: string, { of, sign, to }: WrittenSides): ParsedThreshold {
  const sides = sidesOf(of, to);
  const relation = readRelation(sign, "a threshold");
  if (!("value" in sides) || !("value" in relation)) return problemsIn(sides, relation);
  const [left, right] = sides.value;
  if (left.kind === "figure") return held(text, { of: left, relation: relation.value, to: right });
  if (right.kind !== "figure") return { problems: [withoutCells(text)] };
  return held(text, { of: right, relation: TURNED[relation.value], to: left });
}

/** A threshold that compares a figure of some cells with a limit, or with a figure of other cells. */
function held(
  text: string,
  { of, relation, to }: { of: FigureSide; relation: Relation; to: ClaimSide },
): ParsedThreshold {
  const figure = readFigure(of.figure);
  if (to.kind === "ceiling" || !("value" in figure)) return { problems: [withoutCells(text)] };
  const common = { ...commonOf(text, figure.value), selector: of.selector, relation };
  if (to.kind === "figure") {
    const other = { figure: to.figure, selector: to.selector };
    const factor = to.factor / of.factor;
    return { threshold: { ...common, against: "cells", factor, to: other } };
  }
  const limit = to.value / of.factor;
  const never = whyNever(figure.value, relation, limit);
  if (never !== null) return { problems: [`Cannot use ${quotedOpenly(text)}: ${never}`] };
  return { threshold: { ...common, against: "limit", limit } };
}

function withoutCells(text: string): string {
  const fix = "compare a figure of some cells with a limit, such as p99(static) < 50ms, " +
    "or with another figure, such as rate(cached) > 2 × rate(plain)";
  return `Cannot use ${
    quotedOpenly(text)
  } as a threshold: it contains a ceiling or no figure of runs; ${fix}`;
}

/** Why no measurement could ever meet the threshold; null if one could. */
function whyNever({ unit }: Figure, relation: Relation, limit: number): string | null {
  if (relation === "<" && limit === 0) return "no value is below 0; write <= 0";
  return relation === ">" && unit === "share" && limit === 1
    ? "no value is above 100%; write >= 100%"
    : null;
}

function againstBaseline(
  text: string,
  { name, cells, margin }: { name: string; cells?: string; margin?: string },
): ParsedThreshold {
  const figure = comparable(readFigure(name));
  const marginRatio = margin === undefined ? { value: DEFAULT_MARGIN_RATIO } : readMargin(margin);
  const selector = cells === undefined ? null : readCells(cells);
  if (
    "value" in figure && "value" in marginRatio && (selector === null || "value" in selector)
  ) {
    return {
      threshold: {
        ...commonOf(text, figure.value),
        against: "baseline",
        ...selector && { selector: selector.value },
        marginRatio: marginRatio.value,
      },
    };
  }
  return { problems: problemsOf(figure, marginRatio, selector) };
}

function commonOf(
  text: string,
  { name, unit, better }: Figure,
): z.output<z.ZodObject<typeof common>> {
  return { text, figure: name, unit, better };
}

/** Refuses shares, because near 100 % the ratio of two shares says little. */
function comparable(figure: Read<Figure>): Read<Figure> {
  if (!("value" in figure) || figure.value.unit !== "share") return figure;
  const { name } = figure.value;
  const example = name === "success" ? "success >= 99.9%" : `${name} < 0.1%`;
  return {
    problem: `Cannot compare ${name} with a baseline: write a limit instead, such as ${example}`,
  };
}

/** Reads a margin such as `5%`, as a share. */
function readMargin(text: string): Read<number> {
  return readPercentage(text, { what: "a margin", example: "5%", aboveZero: false });
}

function problemsOf(...read: readonly (Read<unknown> | null)[]): string[] {
  return read.flatMap((one) => one !== null && "problem" in one ? [one.problem] : []);
}

/** Parses and checks the text of a threshold from a file or a flag. */
export const thresholdText = z.string().transform((text, context): Threshold => {
  const parsed = parseThreshold(text);
  if ("threshold" in parsed) return parsed.threshold;
  for (const problem of parsed.problems) context.addIssue(problem);
  return z.NEVER;
}).describe("A rule, such as p99 < 50ms, success >= 99.9%, p99 not worse than baseline by 5%");

/** Parses a percentage such as `2%` into a share. */
export const margin = z.string().transform((text, context): number => {
  const read = readMargin(text);
  if ("value" in read) return read.value;
  context.addIssue(read.problem);
  return z.NEVER;
});
