/**
 * Two groups of runs → ratios with intervals, p-values and one of four verdicts for each figure, by the rules
 * of `runner/stats`, whose error rates `bench/statistics.ts` measures. Ratios are new over base.
 */
import { holm } from "../runner/stats/holm.ts";
import { type Interval, pValueOf, ratioOf } from "../runner/stats/interval.ts";
import { type MannWhitney, mannWhitney } from "../runner/stats/mann_whitney.ts";
import {
  SIGNIFICANCE,
  smallestChangeOf,
  type Verdict,
  verdictOf,
} from "../runner/stats/verdict.ts";
import { COMPARED, type ComparedFigure, figureOf, type Group } from "./comparison/group.ts";

/** Ratios within 2 % of 1 make no difference, where nobody says what does. */
export const DEFAULT_MARGIN_RATIO = 0.02;

export interface FigureComparison {
  readonly figure: ComparedFigure;
  /** Requests per second, or ms. */
  readonly base: number;
  readonly next: number;
  /** next / base; null when either is nothing. */
  readonly ratio: number | null;
  /** 95 % interval of the ratio; null when a side has fewer than two runs, or nothing to compare. */
  readonly interval: Interval | null;
  /** Of the ratio being 1, and the same raised by Holm's method over all pairs compared together. */
  readonly p: number | null;
  readonly adjustedP: number | null;
  /** Run by run, exact; null for fewer than two runs, or for more than can be counted out. */
  readonly mannWhitney: MannWhitney | null;
  readonly verdict: Verdict;
  /** A change that would have been seen in 4 of 5 such comparisons, as a ratio less one; null without an interval. */
  readonly smallestChange: number | null;
}

export interface GroupComparison {
  /** One for each of COMPARED, in their order. */
  readonly figures: readonly FigureComparison[];
  readonly runs: { readonly base: number; readonly next: number };
  readonly marginRatio: number;
}

/** How comparisons are judged. */
export interface JudgeOptions {
  /** Default 2 %. */
  readonly marginRatio?: number;
  /** What intervals are computed at so that they may be called 95 %: see `sequential.ts`. */
  readonly level?: number;
}

export interface Pair {
  readonly base: Group;
  readonly next: Group;
}

/** Comparisons that are read together: for each figure, Holm's method goes over all of them. */
export function comparePairs(
  pairs: readonly Pair[],
  { marginRatio = DEFAULT_MARGIN_RATIO, level = 0.95 }: JudgeOptions = {},
): GroupComparison[] {
  const byFigure = COMPARED.map((figure) => compareFigure(figure, pairs, { marginRatio, level }));
  return pairs.map(({ base, next }, i) => ({
    figures: byFigure.map((comparisons) => comparisons[i]),
    runs: { base: base.runs.length, next: next.runs.length },
    marginRatio,
  }));
}

export function comparisonOf(
  { figures }: GroupComparison,
  figure: ComparedFigure,
): FigureComparison {
  return figures[COMPARED.indexOf(figure)];
}

function compareFigure(
  figure: ComparedFigure,
  pairs: readonly Pair[],
  { marginRatio, level }: Required<JudgeOptions>,
): FigureComparison[] {
  const tests = pairs.map((pair) => testOf(pair, figure, level));
  const known = tests.flatMap((test, i) => test === null ? [] : [{ i, p: test.p }]);
  const raised = holm(known.map(({ p }) => p));
  const adjusted = new Map(known.map(({ i }, place) => [i, raised[place]]));
  // As strict as Holm's method may be with one of them.
  const confidence = Math.max(level, 1 - SIGNIFICANCE / Math.max(1, known.length));
  return pairs.map(({ base, next }, i) => {
    const values = { figure, base: figureOf(base, figure), next: figureOf(next, figure) };
    const test = tests[i];
    if (test === null) return { ...values, ...untested(values) };
    const adjustedP = adjusted.get(i) ?? 1;
    const verdict = verdictOf({
      ratio: test.interval,
      adjustedP,
      mannWhitney: test.mannWhitney ?? UNASKED,
      marginRatio,
      better: figure === "rate" ? "higher" : "lower",
    });
    const smallestChange = smallestChangeOf(test.interval, confidence);
    return { ...values, ...test, ratio: test.interval.value, adjustedP, verdict, smallestChange };
  });
}

type Test = Required<Pick<FigureComparison, "mannWhitney">> & {
  readonly interval: Interval;
  readonly p: number;
};

function testOf({ base, next }: Pair, figure: ComparedFigure, level: number): Test | null {
  const of = next.estimates.get(figure);
  const to = base.estimates.get(figure);
  const interval = of && to ? ratioOf(of, to, level) : null;
  if (!of || !to || interval === null) return null;
  const isCountable = Math.max(of.byRun.length, to.byRun.length) <= MOST_COUNTED;
  return {
    interval,
    p: pValueOf(interval),
    mannWhitney: isCountable ? mannWhitney(of.byRun, to.byRun) : null,
  };
}

/** Runs a side up to which the exact test is quick (20 ms); its cost grows with their fourth power. */
const MOST_COUNTED = 40;

/** The interval then decides alone, as with too few runs. */
const UNASKED: MannWhitney = { u: 0, p: 1, leastP: 1 };

type Untested = Omit<FigureComparison, "figure" | "base" | "next">;

function untested({ base, next }: { base: number; next: number }): Untested {
  return {
    ratio: base > 0 && next > 0 ? next / base : null,
    interval: null,
    p: null,
    adjustedP: null,
    mannWhitney: null,
    verdict: "inconclusive",
    smallestChange: null,
  };
}
