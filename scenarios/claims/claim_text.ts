/**
 * Parses the text of a claim: two sides and a relation, a tolerance, a label, or a correlation. Whether the names in
 * its selectors exist is checked in `names.ts`. Pure.
 */
import * as z from "zod";
import {
  type Claim,
  CLAIMED_LABELS,
  type Given,
  LOAD_TERMS,
  type Ratios,
  readRelation,
  type Relation,
  type Says,
  SIGN,
} from "./claim.ts";
import {
  INNER,
  problemsIn,
  type ReadAll,
  readCells,
  SIDE,
  sidesOf,
  TWO_SIDES,
} from "./claim_side.ts";
import { type Read, readFigure, readPercentage, readQuantity } from "../../base/figures/figure.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import { didYouMean } from "../../base/suggest.ts";
import { quotedOpenly } from "../../base/secrets.ts";

type ParsedClaim = { readonly claim: Claim } | { readonly problems: readonly string[] };

/** One form of claims. V8 compiles the pattern on its first use, so it is tried only on texts that contain `holds`. */
interface ClaimPattern {
  readonly holds: string;
  readonly pattern: RegExp;
}

const WITHIN: ClaimPattern = {
  holds: "within",
  pattern: new RegExp(`^(${SIDE})\\swithin\\s(.*?)\\sof\\s(${SIDE})$`, "i"),
};
const FIGURE = String.raw`[^()<>=≤≥/]*\(${INNER}\)`;
const RATIO = String.raw`(${FIGURE})\s*/\s*(${FIGURE})`;
const RATIOS: ClaimPattern = {
  holds: "/",
  pattern: new RegExp(`^${RATIO}\\s*(${SIGN})\\s*${RATIO}$`),
};
const WARMUP: ClaimPattern = {
  holds: "warm",
  pattern: new RegExp(`^warm-?up ?\\((${INNER})\\) is (.*)$`, "i"),
};
const CORRELATION: ClaimPattern = {
  holds: "correlation",
  pattern: new RegExp(`^correlation ?\\((${INNER})\\) ?(${SIGN})(.*)$`, "i"),
};

/** A correlation of two figures, each with its own cells. */
const CORRELATED: ClaimPattern = {
  holds: "correlation",
  pattern: new RegExp(
    `^correlation ?\\(([\\w.]+) ?\\((${INNER})\\) ?, ?([\\w.]+) ?\\((${INNER})\\)\\) ?(${SIGN})(.*)$`,
    "i",
  ),
};

const FORMS = "write two figures with <, <=, > or >= between them, such as " +
  "rate(fastify) > 2 × rate(express); a figure and a limit, such as p99(cached) < 120ms; " +
  "or rate(a) within 5% of rate(b), warmup(a) is flat, correlation(stable, p50) > 0.5";

export function parseClaim(written: string): ParsedClaim {
  if (!isWithin("sentence", written.length)) {
    return { problems: [`Cannot read a claim: ${beyond("sentence", written.length)}`] };
  }
  const text = written.trim().replaceAll(/\s+/g, " ");
  const says = saysOf(text);
  if (says === null) {
    // In a YAML list on one line, an unquoted text ends at its first comma, even within
    // parentheses.
    const fix = /\([^)]*$/.test(text)
      ? "a parenthesis is not closed; put the claim into quotes"
      : FORMS;
    return { problems: [`Cannot read ${quotedOpenly(written)} as a claim: ${fix}`] };
  }
  return "value" in says ? { claim: { text, says: says.value } } : says;
}

function saysOf(text: string): ReadAll<Says> | null {
  const [, cells, label] = partsOf(text, WARMUP);
  if (cells !== undefined) return warmupOf(cells, label);
  const [, correlated, sign, limit] = partsOf(text, CORRELATION);
  if (correlated !== undefined) return correlationOf(correlated, sign, limit.trim());
  const [, first, its, second, theirs, beside, coefficient] = partsOf(text, CORRELATED);
  if (first !== undefined) {
    const both = { names: [first, second], cells: [its, theirs] };
    return correlatedOf(both, beside, coefficient.trim());
  }
  const [, of, tolerance, to] = partsOf(text, WITHIN);
  if (of !== undefined) return withinOf(of, tolerance, to);
  const [, one, per, than, other, perOther] = partsOf(text, RATIOS);
  if (one !== undefined) return ratiosOf([one, per], than, [other, perOther]);
  const [, left, relation, right] = TWO_SIDES.exec(text) ?? [];
  return left === undefined ? null : compareOf(left, relation, right);
}

function partsOf(text: string, { holds, pattern }: ClaimPattern): readonly string[] {
  return text.toLowerCase().includes(holds) ? pattern.exec(text) ?? [] : [];
}

function compareOf(of: string, sign: string, to: string): ReadAll<Says> {
  const sides = sidesOf(of, to);
  const relation = relationOf(sign);
  if (!("value" in sides) || !("value" in relation)) return problemsIn(sides, relation);
  const [left, right] = sides.value;
  return { value: { kind: "compare", left, relation: relation.value, right } };
}

function ratiosOf(
  left: readonly [string, string],
  sign: string,
  right: readonly [string, string],
): ReadAll<Says> {
  const [first, second] = [ratioOf(...left), ratioOf(...right)];
  const relation = relationOf(sign);
  if (!("value" in first) || !("value" in second) || !("value" in relation)) {
    return problemsIn(first, second, relation);
  }
  return {
    value: { kind: "ratios", left: first.value, relation: relation.value, right: second.value },
  };
}

function ratioOf(numerator: string, denominator: string): ReadAll<Ratios["left"]> {
  const sides = sidesOf(numerator, denominator);
  if (!("value" in sides)) return sides;
  const [of, to] = sides.value;
  if (of.kind === "figure" && to.kind === "figure") return { value: { of, to } };
  return {
    problems: [`Cannot divide ${numerator.trim()} by ${denominator.trim()}: write figures`],
  };
}

function withinOf(of: string, written: string, to: string): ReadAll<Says> {
  const sides = sidesOf(of, to);
  const tolerance = toleranceOf(written);
  if (!("value" in sides) || !("value" in tolerance)) return problemsIn(sides, tolerance);
  const [left, right] = sides.value;
  return { value: { kind: "within", left, right, toleranceRatio: tolerance.value } };
}

function toleranceOf(text: string): Read<number> {
  return readPercentage(text, { what: "a tolerance", example: "5%", aboveZero: true });
}

function warmupOf(cells: string, written: string): ReadAll<Says> {
  const selector = readCells(cells);
  const label = labelOf(written);
  if (!("value" in selector) || !("value" in label)) return problemsIn(selector, label);
  return { value: { kind: "warmup", selector: selector.value, label: label.value } };
}

function labelOf(text: string): Read<typeof CLAIMED_LABELS[number]> {
  const value = CLAIMED_LABELS.find((label) => label === text.toLowerCase().replaceAll(" ", "-"));
  if (value !== undefined) return { value };
  const fix = didYouMean(text, CLAIMED_LABELS) ?? `write one of ${CLAIMED_LABELS.join(", ")}`;
  return { problem: `Cannot use ${quotedOpenly(text)} as a label of a run: ${fix}` };
}

function correlationOf(correlated: string, sign: string, written: string): ReadAll<Says> {
  const [named, cells = ""] = correlated.split(/;(.*)/s);
  const names = named.split(",").map((name) => name.trim());
  if (names.length !== 2) {
    const fix = "write two figures and, after a semicolon, the cells, such as " +
      "correlation(stable, p50; static) > 0.5";
    return { problems: [`Cannot correlate ${quotedOpenly(correlated)}: ${fix}`] };
  }
  return correlatedOf({ names, cells: [cells] }, sign, written);
}

/** @param cells One selector for both figures, or one for each. */
function correlatedOf(
  { names, cells }: { readonly names: readonly string[]; readonly cells: readonly string[] },
  sign: string,
  written: string,
): ReadAll<Says> {
  const [first, second] = names.map(readFigure);
  const [selector, other = null] = cells.map(readCells);
  const relation = relationOf(sign);
  const limit = coefficientOf(written);
  if (
    !("value" in first) || !("value" in second) || !("value" in selector) ||
    other && !("value" in other) || !("value" in relation) || !("value" in limit)
  ) return problemsIn(first, second, selector, ...other ? [other] : [], relation, limit);
  return {
    value: {
      kind: "correlation",
      figures: [first.value.name, second.value.name],
      selector: selector.value,
      ...other && "value" in other && { other: other.value },
      relation: relation.value,
      limit: limit.value,
    },
  };
}

function coefficientOf(text: string): Read<number> {
  const plain = text.replace(/^[−–]\s*/, "-");
  const value = /^[-+]?(?:\d+(?:\.\d+)?|\.\d+)$/.test(plain) ? Number(plain) : NaN;
  if (Math.abs(value) <= 1) return { value };
  return {
    problem: `Cannot read ${quotedOpenly(text)} as a correlation: write a number from -1 to 1`,
  };
}

function relationOf(sign: string): Read<Relation> {
  return readRelation(sign, "a claim", ", or within 5% of");
}

const claimText = z.string().transform((text, context): Claim => {
  const parsed = parseClaim(text);
  if ("claim" in parsed) return parsed.claim;
  for (const problem of parsed.problems) context.addIssue(problem);
  return z.NEVER;
}).describe(
  "A claim, such as rate(fastify, static) > 2 × rate(express, static), or p99(cached) < 120ms",
);

const CORES = /^cores >= (\d{1,4})$/;
const LOAD = new RegExp(`^(${LOAD_TERMS.join("|")}) >= (\\S+)$`);

const givenText = z.string().transform((text, context): Given => {
  const [, cores] = CORES.exec(text) ?? [];
  if (cores !== undefined) return { text, cores: Number(cores) };
  const [, term, least = ""] = LOAD.exec(text) ?? [];
  const known = LOAD_TERMS.find((one) => one === term);
  if (known !== undefined) {
    const read = readQuantity(least, "ms");
    if ("value" in read) return { text, load: { term: known, leastMs: read.value } };
    context.addIssue(read.problem);
    return z.NEVER;
  }
  const parsed = parseClaim(text);
  if ("claim" in parsed) return { text, says: parsed.claim.says };
  for (const problem of parsed.problems) context.addIssue(problem);
  return z.NEVER;
}).describe(
  "A condition on the set-up; where it does not hold, the claim is inconclusive. One of: cores >= 8 (of this machine), " +
    "timeout >= 10s or duration >= 1m (of the loads that the claim is about), or another claim, such as " +
    "ceiling(redis) > 100000/s",
);

/** A claim in an experiment file: its text alone, or a map with the text and further keys. */
export const claim = z.union([
  claimText,
  z.strictObject({
    claim: claimText,
    source: z.string().optional().describe(
      "Place of the claim in its source, such as p. 6, table III",
    ),
    note: z.string().optional().describe("A note for the reader"),
    given: givenText.optional(),
  }).transform(({ claim, ...source }): Claim => ({ ...claim, ...source })),
]);
