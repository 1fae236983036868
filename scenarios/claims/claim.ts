/**
 * Claims are statements of a paper or a web page, which are checked against the measurements. This module has their
 * shape in results.json, and the comparison operators that they share with thresholds. `claim_text.ts` parses the text
 * of claims.
 */
import * as z from "zod";
import { FIGURE_NAMES, type Read, UNITS } from "../../base/figures/figure.ts";

// Comparison operators in claims and thresholds, and the ways to write them.

export const relation = z.enum(["<", "<=", ">", ">="]);
export type Relation = z.output<typeof relation>;

/**
 * A regular expression for everything that looks like a comparison operator. `readRelation` decides which of them are
 * valid.
 */
export const SIGN = "<=|>=|==|!=|=<|=>|[<>=≤≥]";

const MEANT: Readonly<Record<string, Relation>> = {
  "<": "<",
  "<=": "<=",
  "=<": "<=",
  "≤": "<=",
  ">": ">",
  ">=": ">=",
  "=>": ">=",
  "≥": ">=",
};

/**
 * @param place Where the operator is written, such as "a threshold"; for the message.
 * @param others Further operators that are valid there, to be appended to the message.
 */
export function readRelation(sign: string, place: string, others = ""): Read<Relation> {
  const value = MEANT[sign];
  if (value !== undefined) return { value };
  return { problem: `Cannot use ${sign} in ${place}: write <, <=, > or >=${others}` };
}

/** Each relation with its sides exchanged: `a < b` is the same as `b > a`. */
export const TURNED: Readonly<Record<Relation, Relation>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

// The schema of claims.

export const CLAIMED_LABELS = ["flat", "warm-up", "slowdown", "no-steady-state"] as const;
export const MEASURED_PEAKS = ["generator", "redis"] as const;

export const selector = z.strictObject({
  text: z.string(),
  parts: z.array(z.strictObject({ key: z.string().nullable(), value: z.string() })),
}).describe("Selector of the cells; all cells if parts is empty");

const factor = z.number().positive().describe(
  "Factor by which the figure is multiplied; usually 1",
);

const figureSide = z.strictObject({
  kind: z.literal("figure"),
  factor,
  figure: z.enum(FIGURE_NAMES),
  unit: z.enum(UNITS),
  selector,
});

const peakSide = z.strictObject({
  kind: z.literal("ceiling").describe("Peak throughput on this machine, requests per second"),
  factor,
  of: z.enum(MEASURED_PEAKS),
});

const quantitySide = z.strictObject({
  kind: z.literal("quantity"),
  text: z.string().describe("The side as written"),
  value: z.number().min(0).describe("Value in the unit of the figure on the other side"),
});

const side = z.discriminatedUnion("kind", [figureSide, peakSide, quantitySide]);

const compare = z.strictObject({
  kind: z.literal("compare"),
  left: side,
  relation,
  right: side,
});

const within = z.strictObject({
  kind: z.literal("within"),
  left: side,
  right: side,
  toleranceRatio: z.number().positive().max(1)
    .describe("How far left divided by right may be from 1: at 0.05, it is from 0.95 to 1.05"),
});

const ratio = z.strictObject({ of: figureSide, to: figureSide });

const ratios = z.strictObject({
  kind: z.literal("ratios").describe(
    "The ratio of two figures, compared with the ratio of two other figures",
  ),
  left: ratio,
  relation,
  right: ratio,
});

const warmup = z.strictObject({
  kind: z.literal("warmup"),
  selector,
  label: z.enum(CLAIMED_LABELS),
});

const correlation = z.strictObject({
  kind: z.literal("correlation").describe("Spearman's rank correlation over the cells"),
  figures: z.tuple([z.enum(FIGURE_NAMES), z.enum(FIGURE_NAMES)]),
  selector,
  other: selector.optional().describe("The cells of the second figure; absent: those of the first"),
  relation,
  limit: z.number().min(-1).max(1),
});

const says = z.discriminatedUnion("kind", [compare, within, ratios, warmup, correlation]);

/** Properties of a load that a condition may refer to. */
export const LOAD_TERMS = ["timeout", "duration"] as const;

const given = z.strictObject({
  text: z.string().describe("The condition as written"),
  cores: z.int().min(1).optional().describe(
    "Minimum number of cores; absent for another kind of condition",
  ),
  load: z.strictObject({
    term: z.enum(LOAD_TERMS),
    leastMs: z.number().positive().describe("Milliseconds"),
  }).optional().describe(
    "Minimum time-out or duration that the loads of the claim's cells must have; absent for another kind of condition",
  ),
  says: says.optional().describe("A claim that must hold; absent for another kind of condition"),
}).describe(
  "The set-up for which the claim was published; on any other set-up, the claim is inconclusive",
);

/** A claim as stored in results.json. */
export const claimInResults = z.strictObject({
  text: z.string().describe("The claim as written"),
  source: z.string().optional().describe("Place of the claim in its source"),
  note: z.string().optional().describe("A note for the reader"),
  given: given.optional(),
  says,
});

export type Claim = z.output<typeof claimInResults>;
export type Given = z.output<typeof given>;
export type Says = Claim["says"];
export type ClaimSide = z.output<typeof side>;
export type FigureSide = z.output<typeof figureSide>;
export type Compare = z.output<typeof compare>;
export type Within = z.output<typeof within>;
export type Ratios = z.output<typeof ratios>;
export type WarmupClaim = z.output<typeof warmup>;
export type Correlation = z.output<typeof correlation>;
