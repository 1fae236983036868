/** What was found of a claim in one cell or one pair of cells, as data: `sentences.ts` words each code. */
import type {
  Correlation,
  FigureSide,
  Relation,
  WarmupClaim,
} from "../../../runner/result/result.ts";
import type { Range } from "../../figures/range.ts";

export const CLAIM_OUTCOMES = ["not reproduced", "inconclusive", "reproduced"] as const;
export type ClaimOutcome = typeof CLAIM_OUTCOMES[number];

/** A figure of a cell, as one side of a claim. */
export interface FoundFigure {
  /** The figure, or `max of a run`. */
  readonly name: string;
  /** `static, hono`. */
  readonly cell: string;
  /** In the unit of the claim. */
  readonly value: number;
}

/** A peak of throughput (requests/s), or a quantity as it was written, whose value is null. */
export interface FoundConstant {
  readonly name: string;
  readonly value: number | null;
}

/** A ratio, and the range that the claim allows it. */
export interface HeldRatio {
  readonly ratio: Range;
  readonly allowed: Allowed;
}

interface FigurePair {
  readonly of: FoundFigure;
  readonly to: FoundFigure;
  readonly unit: FigureSide["unit"];
}

interface PeakPair {
  readonly of: FoundFigure;
  readonly peak: { readonly name: string; readonly value: number };
}

/** By code, what was seen. */
export interface ClaimEvidence {
  /** Nothing was found, for each of these reasons; two sides may have the same. */
  readonly absent: { readonly absences: readonly ClaimAbsence[] };
  readonly ratio: FigurePair & HeldRatio;
  /** Two figures that are 0 have no ratio. */
  readonly "both-zero": FigurePair;
  readonly "peak-ratio": PeakPair & HeldRatio;
  readonly "peak-zero": PeakPair;
  readonly limit: {
    readonly of: FoundFigure;
    readonly interval: Range["interval"];
    readonly unit: FigureSide["unit"];
    /** As it was written, with its value in the unit. */
    readonly limit: { readonly value: number; readonly text: string };
    readonly allowed: Allowed;
  };
  readonly constants: HeldRatio & { readonly sides: readonly FoundConstant[] };
  /** The first figure over the second against the third over the fourth. */
  readonly ratios: HeldRatio & {
    readonly figures: readonly [FoundFigure, FoundFigure, FoundFigure, FoundFigure];
  };
  readonly correlation: Pick<Correlation, "figures" | "relation" | "limit"> & CorrelatedCells & {
    /** Spearman's, from -1 to 1. */
    readonly rho: number;
    readonly interval: Range["interval"];
  };
  /** `count` of `of` runs have the label; `share` is theirs with its interval, from 0 to 1. */
  readonly warmup: {
    readonly cell: string;
    readonly label: WarmupClaim["label"];
    readonly count: number;
    readonly of: number;
    readonly share: Range;
  };
}

/** Cells with both figures, and how many lack one. */
export interface CorrelatedCells {
  readonly cells: number;
  readonly without: number;
}

export type ClaimCode = keyof ClaimEvidence;

/** The outcome is the finding's severity. */
export interface ClaimDecision {
  readonly outcome: ClaimOutcome;
  /** Why figures decide nothing; null where they do, and where there are none. */
  readonly doubt: ClaimDoubt | null;
  /** How far inside of what is claimed; below 0 outside. Only its order counts. */
  readonly margin: number;
}

/** In one cell, or one pair of cells. */
export interface ClaimFindingOf<Code extends ClaimCode> extends ClaimDecision {
  readonly code: Code;
  readonly evidence: ClaimEvidence[Code];
}

export type ClaimFinding = { [Code in ClaimCode]: ClaimFindingOf<Code> }[ClaimCode];

type Nothing = Readonly<Record<never, never>>;

/** Why there is nothing to hold against a claim, by code. */
export interface AbsenceEvidence {
  readonly "cell-not-measured": { readonly cell: string; readonly reason: string };
  readonly "no-figure": { readonly cell: string; readonly figure: string; readonly reason: string };
  /** A selector that means no cell; `problem` is its reader's. */
  readonly "wrong-selector": { readonly problem: string };
  readonly "nothing-measured": Nothing;
  readonly "none-selected": { readonly selector: string };
  readonly "no-pair": { readonly left: string; readonly right: string };
  readonly "no-four": Nothing;
  readonly "figure-zero": Nothing;
  readonly "constant-not-measured": { readonly name: string };
  readonly "load-changes": { readonly cell: string };
  readonly "runs-too-short": { readonly cell: string };
  readonly "no-order": CorrelatedCells & { readonly figures: readonly string[] };
}

export type AbsenceCode = keyof AbsenceEvidence;

export interface ClaimAbsenceOf<Code extends AbsenceCode> {
  readonly code: Code;
  readonly evidence: AbsenceEvidence[Code];
}

export type ClaimAbsence = { [Code in AbsenceCode]: ClaimAbsenceOf<Code> }[AbsenceCode];

/** Why figures decide nothing, by code. */
export interface DoubtEvidence {
  readonly "one-run": Nothing;
  readonly "one-run-each": Nothing;
  readonly "one-run-of": { readonly cell: string };
  readonly "one-run-with-figure": Nothing;
  readonly "requests-open": { readonly cell: string };
  readonly "settling-open": { readonly cell: string };
  readonly "wrong-responses": { readonly cell: string; readonly wrongRatio: number };
  readonly "measured-once": { readonly name: string };
  readonly "at-least": { readonly name: string };
  readonly "across-limit": Nothing;
  readonly "across-limit-of-cells": Nothing;
  readonly "few-cells": { readonly least: number };
  readonly "few-runs": Nothing;
}

export type DoubtCode = keyof DoubtEvidence;
export type ClaimAdvice = "more-runs" | "more-cells";

export interface ClaimDoubtOf<Code extends DoubtCode> {
  readonly code: Code;
  readonly evidence: DoubtEvidence[Code];
  readonly advice: readonly ClaimAdvice[];
}

export type ClaimDoubt = { [Code in DoubtCode]: ClaimDoubtOf<Code> }[DoubtCode];

export function doubt<Code extends DoubtCode>(
  code: Code,
  evidence: DoubtEvidence[Code],
  advice: readonly ClaimAdvice[] = [],
): ClaimDoubtOf<Code> {
  return { code, evidence, advice };
}

/** Nothing decides it. */
const UNDECIDED = { outcome: "inconclusive", doubt: null, margin: -Infinity } as const;

export function absentFinding(...absences: readonly ClaimAbsence[]): ClaimFinding {
  return { ...UNDECIDED, code: "absent", evidence: { absences } };
}

/** A figure and a peak that are 0 have no ratio. */
export function peakZeroFinding(evidence: ClaimEvidence["peak-zero"]): ClaimFinding {
  return { ...UNDECIDED, code: "peak-zero", evidence };
}

/** The worst of at least one: by its outcome first, then by its margin. */
export function worstFinding(findings: readonly ClaimFinding[]): ClaimFinding {
  return findings.reduce((worst, one) => isWorse(one, worst) ? one : worst);
}

function isWorse(one: ClaimFinding, other: ClaimFinding): boolean {
  const rank = ({ outcome }: ClaimFinding): number => CLAIM_OUTCOMES.indexOf(outcome);
  return rank(one) === rank(other) ? one.margin < other.margin : rank(one) < rank(other);
}

// What a claim allows a figure or a ratio to be: one range of numbers.

export interface Allowed {
  /** -Infinity: no limit below. */
  readonly low: number;
  /** Infinity: no limit above. */
  readonly high: number;
  /** Whether the limits themselves are allowed. */
  readonly isClosed: boolean;
}

export function allowedBy(relation: Relation, limit: number): Allowed {
  const isClosed = relation.endsWith("=");
  return relation.startsWith("<")
    ? { low: -Infinity, high: limit, isClosed }
    : { low: limit, high: Infinity, isClosed };
}

export function allowedAround(value: number, toleranceRatio: number): Allowed {
  return { low: value * (1 - toleranceRatio), high: value * (1 + toleranceRatio), isClosed: true };
}

/** What the reciprocal may be. */
export function inverted({ low, high, isClosed }: Allowed): Allowed {
  return {
    low: high === Infinity ? -Infinity : 1 / high,
    high: low <= 0 ? Infinity : 1 / low,
    isClosed,
  };
}

/** The same of what is so many times as large. */
export function scaled({ low, high, isClosed }: Allowed, factor: number): Allowed {
  const times = (limit: number): number => Number.isFinite(limit) ? limit * factor : limit;
  return { low: times(low), high: times(high), isClosed };
}

/** The whole interval inside, the whole interval outside, or neither. */
export function claimOutcome(interval: Range["interval"], allowed: Allowed): ClaimOutcome {
  if (interval === null) return "inconclusive";
  const { low, high } = interval;
  if (isAbove(low, allowed) && isBelow(high, allowed)) return "reproduced";
  return isAbove(high, allowed) && isBelow(low, allowed) ? "inconclusive" : "not reproduced";
}

function isAbove(value: number, { low, isClosed }: Allowed): boolean {
  return value > low || (value === low && isClosed);
}

function isBelow(value: number, { high, isClosed }: Allowed): boolean {
  return value < high || (value === high && (isClosed || high === Infinity));
}

/** The distance to the nearer limit, on the logarithmic scale; below 0 outside. */
export function marginOf(value: number, { low, high }: Allowed): number {
  const above = low <= 0 ? Infinity : Math.log(value / low);
  const below = high === Infinity ? Infinity : Math.log(high / value);
  return Math.min(above, below);
}
