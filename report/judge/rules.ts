/**
 * The rule engine of claims, thresholds and published figures: a value with its interval is held against the range that
 * a rule allows. The whole interval inside: held; the whole interval outside: broken; otherwise inconclusive, with the
 * reason. What may make the true value differ from the measured one by more than chance (requests that never ended,
 * wrong responses, a busy machine) opens the interval on that side. Claims, thresholds and published figures are
 * policies over this: what they hold against what, and what they do without an interval.
 */
import type { FigureName, FigureUnit } from "../../base/figures/figure.ts";
import { wrongResponsesOf } from "../../runner/result/outcome.ts";
import type { Relation } from "../../runner/result/result.ts";
import { runsToDecide, SIGNIFICANCE } from "../../runner/stats/comparison/verdict.ts";
import type { TwoGroups } from "../../runner/stats/comparison/two_groups.ts";
import { type Estimate, estimateOfMean } from "../../runner/stats/confidence/bootstrap.ts";
import {
  type ConfidenceInterval,
  pValueOf,
  ratioInterval,
} from "../../runner/stats/confidence/confidence_interval.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import type { Unsteady } from "../cells/cells.ts";
import { type FigureRange, FIGURES, rangeOf } from "../figures/figures.ts";
import {
  type Ends,
  type JudgedCell,
  type JudgedRun,
  meanRange,
  quotientOf,
  type Range,
} from "../figures/range.ts";
import { percentileBounds } from "../figures/pool.ts";
import { sum } from "../writing/spread.ts";
import { isUndisturbed } from "./disturbed.ts";
import type { RatioOf } from "./ratio_of.ts";
import { TOLERATED_WRONG_RATIO } from "./shortfall.ts";

export type Outcome = "held" | "broken" | "inconclusive";

/** How far a measured figure lies from a published one before the difference matters: see `published.ts`. */
export const FAR_RATIO = 1.25;

/** A figure this many times beyond a limit is so however busy the machine was. */
export const BEYOND_CONTENTION_RATIO = 100;

/** Rounds of a peak throughput that differ by more were disturbed: on a quiet machine they differ by some percent. */
const ROUNDS_RATIO = 1.5;

/** Why a rule is inconclusive; `findings/rule_sentences.ts` has the words. */
export type Reason =
  | { readonly code: "one-run" | "one-run-each" | "one-run-a-side" | "few-runs" }
  /** One of several runs has the figure; or what is compared has no interval, or no ratio. */
  | { readonly code: "one-run-with-figure" | "no-interval" | "no-ratio" }
  | { readonly code: "one-run-of" | "settling-open" | "busy-failures"; readonly cell: string }
  | { readonly code: "across-limit"; readonly more: "runs" | "cells" | null }
  | { readonly code: "few-cells"; readonly least: number }
  /** What is measured is a lower bound. */
  | { readonly code: "measured-once" | "at-least"; readonly name: string }
  /** Requests that timed out, were unfinished or were never sent; `cell` is "" where it is named elsewhere. */
  | { readonly code: "requests-open"; readonly cell: string; readonly count: number }
  | { readonly code: "wrong-responses"; readonly cell: string; readonly wrongRatio: number }
  /** Runs that are not valid, of those behind the rule, and the outcome without them. */
  | {
    readonly code: "busy-machine";
    readonly invalid: number;
    readonly runs: number;
    readonly without: Outcome;
  }
  /** A peak throughput beside runs most of which are not valid. */
  | {
    readonly code: "busy-peak";
    readonly name: string;
    readonly invalid: number;
    readonly runs: number;
  }
  | {
    readonly code: "rounds-differ";
    readonly name: string;
    readonly low: number;
    readonly high: number;
  }
  | { readonly code: "groups"; readonly groups: TwoGroups; readonly unit: FigureUnit }
  | { readonly code: "unsteady"; readonly unsteady: Unsteady }
  | {
    readonly code: "few-requests";
    readonly percentile: number;
    readonly needed: number;
    readonly count: number;
  }
  /** How many would decide; null: more than anybody makes. */
  | { readonly code: "more-runs"; readonly runs: number | null; readonly isEachSide: boolean }
  /** `like`: what the number presumes of the requests to come. */
  | {
    readonly code: "more-requests";
    readonly requests: number;
    readonly like: "without a failure" | "like these" | null;
  }
  | { readonly code: "other-session" }
  /** It fails alone, but not surely among so many tests. */
  | { readonly code: "family"; readonly tests: number; readonly remedy: Reason | null };

/** Why there is nothing to hold against a rule. */
export type Absence =
  | { readonly code: "cell-not-measured"; readonly cell: string; readonly why: string }
  | {
    readonly code: "no-figure";
    readonly cell: string;
    readonly figure: string;
    readonly why: string;
  }
  | { readonly code: "nothing-to-judge" | "no-baseline"; readonly why: string }
  /** A selector that means no cell; `problem` is its reader's. */
  | { readonly code: "wrong-selector"; readonly problem: string }
  | { readonly code: "nothing-measured" | "no-four" | "figure-zero" }
  | { readonly code: "none-selected"; readonly selector: string }
  | { readonly code: "no-pair"; readonly left: string; readonly right: string }
  | { readonly code: "peak-not-measured"; readonly name: string }
  | { readonly code: "load-changes" | "runs-too-short"; readonly cell: string }
  | {
    readonly code: "no-order";
    readonly figures: readonly string[];
    readonly cells: number;
    readonly without: number;
  };

// What a rule allows: one range of numbers.

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
  return isBelow(relation)
    ? { low: -Infinity, high: limit, isClosed }
    : { low: limit, high: Infinity, isClosed };
}

export function isBelow(relation: Relation): boolean {
  return relation.startsWith("<");
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
export function sideOf({ low, high }: Ends, allowed: Allowed): Outcome {
  const isAbove = (value: number): boolean =>
    value > allowed.low || (value === allowed.low && allowed.isClosed);
  const isUnder = (value: number): boolean =>
    value < allowed.high ||
    (value === allowed.high && (allowed.isClosed || allowed.high === Infinity));
  if (isAbove(low) && isUnder(high)) return "held";
  return isAbove(high) && isUnder(low) ? "inconclusive" : "broken";
}

export function isAllowed(value: number, allowed: Allowed): boolean {
  return sideOf(exactly(value), allowed) === "held";
}

export function exactly(value: number): Ends {
  return { low: value, high: value };
}

/** The distance to the nearer limit, on the logarithmic scale; below 0 outside. */
export function marginOf(value: number, { low, high }: Allowed): number {
  const above = low <= 0 ? Infinity : Math.log(value / low);
  const below = high === Infinity ? Infinity : Math.log(high / value);
  return Math.min(above, below);
}

// What the true value may be besides what the interval says.

export interface Open {
  readonly toward: "more" | "less" | "either";
  /** How many times as much, or as little, at most. */
  readonly mostRatio: number;
  readonly why: Reason;
}

/** The same of what is divided by it. */
export function turned<T extends Pick<Open, "toward">>(open: T): T {
  const turn = { more: "less", less: "more", either: "either" } as const;
  return { ...open, toward: turn[open.toward] };
}

export interface Checked {
  readonly outcome: Outcome;
  /** What alone leaves it inconclusive; null where the interval does, or nothing. */
  readonly open: Open | null;
}

export function check(interval: Ends, allowed: Allowed, opens: readonly Open[] = []): Checked {
  const outcome = sideOf(interval, allowed);
  const [open = null] = opens;
  if (open === null || outcome === "inconclusive") return { outcome, open: null };
  const isLasting = sideOf(widened(interval, opens), allowed) === outcome;
  return isLasting ? { outcome, open: null } : { outcome: "inconclusive", open };
}

function widened({ low, high }: Ends, opens: readonly Open[]): Ends {
  const reach = (toward: "more" | "less"): number =>
    opens.reduce(
      (product, open) =>
        open.toward === toward || open.toward === "either" ? product * open.mostRatio : product,
      1,
    );
  const up = reach("more");
  return { low: low / reach("less"), high: up === Infinity ? Infinity : high * up };
}

// How surely a value lies on its side of a limit, and how many runs would decide it.

export interface Distant {
  readonly value: number;
  readonly interval: Ends;
  /** Of each side. */
  readonly runs: number;
  /** Of the interval. */
  readonly level: number;
}

export interface Distance {
  /** Two-sided, of the value being at the limit: 5 % at the most where the limit is outside the interval. */
  readonly p: number;
  /** Null where more than 1,000 would be needed. */
  readonly runsNeeded: number | null;
}

/**
 * In standard errors, these read off the end of the interval that is on the limit's side. Where an interval of more
 * than 95 % has to be called one of 95 %, p is raised alike.
 */
export function distanceTo(limit: number, { value, interval, runs, level }: Distant): Distance {
  if (value === limit) return { p: 1, runsNeeded: null };
  const end = limit < value ? interval.low : interval.high;
  const degreesOfFreedom = interval.degreesOfFreedom ?? runs - 1;
  // Ends at 0 or below have no logarithm: errors that large are taken as they are.
  const reach = end > 0 && value > 0 ? Math.abs(Math.log(value / end)) : Math.abs(1 - end / value);
  const ratio: ConfidenceInterval = {
    value: value / limit,
    low: interval.low / limit,
    high: interval.high / limit,
    logStandardError: reach / tQuantile(level, degreesOfFreedom),
    degreesOfFreedom,
  };
  return {
    p: Math.min(1, pValueOf(ratio) * SIGNIFICANCE / (1 - level)),
    runsNeeded: runsToDecide(ratio, { runs, marginRatio: 0 }),
  };
}

// A figure of a cell as a side of a rule.

export interface Amount {
  readonly cell: JudgedCell;
  /** `static, fastify`. */
  readonly place: string;
  readonly figure: FigureName;
  /** The figure, or `max of a run`. */
  readonly name: string;
  readonly range: FigureRange;
  /** What its ratios are drawn from; null where there is one run, or no ratio to it. */
  readonly drawn: Estimate | null;
  readonly opens: readonly Open[];
}

/** A cell, or why it was not measured. */
export interface Measurable {
  readonly label: string;
  readonly cell: JudgedCell | null;
  /** "" when it was measured. */
  readonly missingReason: string;
}

export function amountOf(
  figure: FigureName,
  { cell, label: place, missingReason }: Measurable,
): Amount | { readonly none: Absence } {
  if (cell === null) {
    return {
      none: { code: "cell-not-measured", cell: place, why: missingReason },
    };
  }
  const range = rangeOf(figure, cell);
  if ("none" in range) {
    return { none: { code: "no-figure", cell: place, figure, why: range.none } };
  }
  const opens = [
    wrongOpen(figure, place, cell) ?? (range.isAtLeast ? openAbove(figure, place, cell) : null),
    failuresOpen(figure, place, cell),
  ].flatMap((open) => open ?? []);
  const { statistic } = FIGURES[figure];
  const ofARun = statistic === "min" || statistic === "max" ? meanOfRuns(figure, cell) : null;
  const amount = { cell, place, figure, opens };
  if (ofARun === null) return { ...amount, name: figure, range, drawn: drawnFigure(figure, cell) };
  const drawn = drawnMean(figure, cell);
  return { ...amount, name: `${figure} of a run`, range: { ...range, ...ofARun }, drawn };
}

/** The ratio of two amounts with the interval that comparisons of them show; null where both are 0. */
export function ratioOfAmounts(of: Amount, to: Amount, ratioOf: RatioOf): Range | null {
  const { estimate } = FIGURES[of.figure];
  const isOfOne = estimate !== null && of.figure === to.figure;
  const ratio = of.drawn && to.drawn &&
    (isOfOne
      ? ratioOf(of.drawn, to.drawn, estimate)
      : ratioInterval(of.drawn, to.drawn, { confidence: of.cell.level }));
  return ratio ? { value: ratio.value, interval: ratio } : quotientOf(of.range, to.range);
}

/** Why amounts have no interval, or their ratio has none. */
export function whyNoInterval(amounts: readonly Amount[]): Reason {
  const limited = amounts.find(({ figure, range, opens }) =>
    figure === "capacity" && range.interval === null && opens.length > 0
  );
  if (limited) return limited.opens[0].why;
  const single = amounts.filter(({ cell }) => cell.runs.length === 1);
  if (single.length === amounts.length) {
    return { code: amounts.length === 1 ? "one-run" : "one-run-each" };
  }
  if (single.length > 0) return { code: "one-run-of", cell: single[0].place };
  return { code: "one-run-with-figure" };
}

/**
 * The extreme of all runs is a fact about them and says nothing of runs to come; that of each run is a
 * figure of it as others are, and has a mean. Null for one run.
 */
function meanOfRuns(figure: FigureName, { runs, level }: JudgedCell): Range | null {
  const values = runs.map((run) => FIGURES[figure].of(run))
    .flatMap((one) => "none" in one ? [] : [one.value]);
  return values.length < 2 ? null : meanRange(values, level);
}

/** All cells of an experiment are drawn by the same repetitions, so that what moves several alike cancels in a ratio. */
function drawnFigure(figure: FigureName, cell: JudgedCell): Estimate | null {
  const { estimate } = FIGURES[figure];
  return estimate === null ? drawnMean(figure, cell) : cell.estimates.get(estimate) ?? null;
}

/** The mean of what each run has. */
function drawnMean(figure: FigureName, { runs, estimates }: JudgedCell): Estimate | null {
  const known = runs.flatMap((run, i) => {
    const one = FIGURES[figure].of(run);
    return "none" in one ? [] : [{ value: one.value, repetition: run.repetition ?? i + 1 }];
  });
  if (known.length < 2) return null;
  return estimateOfMean(known.map(({ value }) => value), {
    session: estimates.get("rate")?.session ?? null,
    repetitions: known.map(({ repetition }) => repetition),
  });
}

/** Of a figure that is at least its value. */
function openAbove(figure: FigureName, cell: string, { runs }: JudgedCell): Open {
  const above = { toward: "more", mostRatio: Infinity } as const;
  if (figure === "capacity") {
    return { ...above, why: { code: "at-least", name: `the capacity of ${cell}` } };
  }
  const { distribution, estimate } = FIGURES[figure];
  if (distribution === "stable") return { ...above, why: { code: "settling-open", cell } };
  const why = requestsOpen(runs, cell);
  if (typeof estimate !== "number") return { ...above, why };
  const { value, atMost } = percentileBounds(runs, estimate);
  return { ...above, mostRatio: atMost / value, why };
}

export function requestsOpen(runs: readonly JudgedRun[], cell = ""): Reason {
  return { code: "requests-open", cell, count: sum(runs, ({ latency }) => latency.censored) };
}

/** A fast error is no success: wrong responses make times shorter and rates higher. */
function wrongOpen(figure: FigureName, cell: string, { runs }: JudgedCell): Open | null {
  const { flattered } = FIGURES[figure];
  if (flattered === null) return null;
  const isTime = flattered === "time";
  // What was never sent is in no rate, and what timed out was no fast error.
  const ended = sum(runs, ({ requests: { completed, failed } }) => completed + failed);
  const wrong = sum(runs, (run) => run.requests.failed + wrongResponsesOf(run)) -
    (isTime ? 0 : sum(runs, ({ errors }) => errors.timeout ?? 0));
  const wrongRatio = ended === 0 ? 1 : wrong / ended;
  if (wrongRatio <= TOLERATED_WRONG_RATIO) return null;
  return {
    toward: isTime ? "more" : "less",
    mostRatio: Infinity,
    why: { code: "wrong-responses", cell, wrongRatio },
  };
}

// What a busy machine, or a generator that is late, can make of a figure.

/** Where the true value may lie of a figure that was measured on a busy machine; null: where it was measured. */
export function contentionToward(figure: FigureName): Open["toward"] | null {
  const { contention, better } = FIGURES[figure];
  if (contention === "none") return null;
  if (contention === "moves") return "either";
  return better === "higher" ? "more" : "less";
}

/** Contention causes failures and hides none: what succeeds in spite of it does. */
function failuresOpen(figure: FigureName, cell: string, { runs }: JudgedCell): Open | null {
  const toward = contentionToward(figure);
  if (FIGURES[figure].contention !== "fails" || toward === null) return null;
  const isDoubted = runs.some((run) =>
    !isUndisturbed(run) && run.requests.failed + run.requests.dropped > 0
  );
  return isDoubted ? { toward, mostRatio: Infinity, why: { code: "busy-failures", cell } } : null;
}

/** Runs that nothing disturbed, of all. */
export interface TrustedRuns {
  readonly undisturbed: number;
  readonly of: number;
}

/** Of a peak throughput that was measured on a busy machine, as its rounds or the runs after it show: it may be any. */
export function peakOpens(
  name: string,
  rounds: readonly number[],
  { undisturbed, of }: TrustedRuns,
): Open[] {
  const [low, high] = [Math.min(...rounds), Math.max(...rounds)];
  const open = { toward: "either", mostRatio: Infinity } as const;
  if (high > ROUNDS_RATIO * low) {
    return [{ ...open, why: { code: "rounds-differ", name, low, high } }];
  }
  return 2 * undisturbed < of
    ? [{ ...open, why: { code: "busy-peak", name, invalid: of - undisturbed, runs: of } }]
    : [];
}
