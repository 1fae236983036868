/**
 * Two groups of runs → ratios with intervals, p-values and one of four verdicts for each figure, by the rules
 * of `runner/stats`, whose error rates `bench/statistics.ts` measures. Ratios are new over base.
 */
import {
  type ExactTest,
  holmOfKnown,
  UNCOUNTED,
} from "../../runner/stats/comparison/significance_tests.ts";
import type { TwoGroups } from "../../runner/stats/comparison/two_groups.ts";
import {
  type ComparisonJudgement,
  comparisonVerdict,
  runsToDecide,
  SIGNIFICANCE,
  smallestChangeOf,
  type VerdictReason,
} from "../../runner/stats/comparison/verdict.ts";
import {
  type ConfidenceInterval,
  pBeyond,
} from "../../runner/stats/confidence/confidence_interval.ts";
import type { Unsteady } from "../cells/cells.ts";
import {
  type Between,
  exactTest,
  gainOf,
  groupsIn,
  ONE_SESSION,
  pairingOf,
  reserved,
  type TestedSides,
  untested,
} from "./between.ts";
import {
  COMPARED,
  type ComparedFigure,
  decisiveFor,
  figureOf,
  isAheadInHalves,
  type JudgeOptions,
} from "./group.ts";
import { type GroupPair, type RatioOf, ratiosBeside } from "./ratio_of.ts";

/** Ratios within 2 % of 1 make no difference, where nobody says what does. */
export const DEFAULT_MARGIN_RATIO = 0.02;

export interface FigureComparison extends ComparisonJudgement {
  readonly figure: ComparedFigure;
  /** Requests per second, or ms. */
  readonly base: number;
  readonly next: number;
  /** next / base; null when either is nothing. */
  readonly ratio: number | null;
  /** 95 % interval of the ratio; null when a side has fewer than two runs, or nothing to compare. */
  readonly interval: ConfidenceInterval | null;
  /** Of the ratio being within the margin. */
  readonly p: number | null;
  /** The same raised by Holm's method over all that is decided with it. */
  readonly adjustedP: number | null;
  /** Pair by pair, or run by run, at the edge of the margin; null for fewer than two runs, or more than can be counted. */
  readonly exact: ExactTest | null;
  /** Repetitions in which both sides ran, by which the ratio is paired; null where it is not. */
  readonly pairs: number | null;
  /** That the interval rests on, of the side with fewer; null without one. */
  readonly runs: number | null;
  /** How many times larger the variance of the ratio would be without pairs; null without them. */
  readonly pairingGain: number | null;
  /** What the interval holds of how sessions differ; null without an interval. */
  readonly between: Between | null;
  /** Null where runs, or the ratios of pairs, are not of two kinds. */
  readonly groups: TwoGroups | null;
  /** Of a side whose runs have no steady state; null where both have one. */
  readonly unsteady: Unsteady | null;
  /** Whether the side that serves more did so in the first half of its runs and in the second: only where one never settled. */
  readonly isAheadInHalves: boolean;
  /** A change that would have been called real in 4 of 5 such comparisons, as a ratio less one; null without an interval. */
  readonly smallestChange: number | null;
  /** Runs a side that would probably give a verdict; null where there is one, or no number of runs would. */
  readonly runsNeeded: number | null;
}

export interface GroupComparison {
  /** One for each of COMPARED, in their order. */
  readonly figures: readonly FigureComparison[];
  /** Those that decide how the comparison of these runs ends. */
  readonly decisive: readonly ComparedFigure[];
  readonly runs: { readonly base: number; readonly next: number };
  readonly marginRatio: number;
}

/** Comparisons that are read together, before Holm's method: what else decides with them may still be added. */
export interface PairTests {
  readonly marginRatio: number;
  readonly level: number;
  readonly pairs: readonly TestedPair[];
}

interface TestedPair {
  readonly pair: GroupPair;
  readonly decisive: readonly ComparedFigure[];
  /** One for each of COMPARED. */
  readonly figures: readonly FigureTest[];
}

interface FigureTest {
  readonly figure: ComparedFigure;
  readonly isDeciding: boolean;
  /** Null where a side has fewer than two runs, or no such figure. */
  readonly test: Test | null;
}

interface Test extends TestedSides {
  readonly between: Between;
  readonly p: number;
}

/** @param ratioOf Default: what these comparisons alone know of the spread of ratios. */
export function comparePairs(
  pairs: readonly GroupPair[],
  options: JudgeOptions = {},
  ratioOf?: RatioOf,
): GroupComparison[] {
  return judgePairs(testPairs(pairs, options, ratioOf));
}

export function testPairs(
  pairs: readonly GroupPair[],
  { marginRatio = DEFAULT_MARGIN_RATIO, level = 0.95, decisive: wanted }: JudgeOptions = {},
  ratioOf = ratiosBeside(pairs, level),
): PairTests {
  const tested = pairs.map((pair): TestedPair => {
    const decisive = decisiveFor([pair.base, pair.next], wanted);
    const figures = COMPARED.map((figure) => {
      const test = testOf(pair, figure, { marginRatio, ratioOf });
      return { figure, isDeciding: decisive.includes(figure), test };
    });
    return { pair, decisive, figures };
  });
  return { marginRatio, level, pairs: tested };
}

function testOf(
  { base, next, between: betweenBy }: GroupPair,
  figure: ComparedFigure,
  { marginRatio, ratioOf }: { readonly marginRatio: number; readonly ratioOf: RatioOf },
): Test | null {
  const [of, to] = [next.estimates.get(figure), base.estimates.get(figure)];
  const between = betweenBy?.(figure) ?? ONE_SESSION;
  const interval = of && to && ratioOf(of, to, figure, between);
  if (!of || !to || !interval) return null;
  const p = pBeyond(interval, marginRatio);
  return { interval, between, pairing: pairingOf(of, to), sides: [to, of], p };
}

/** The p-values of the hypotheses that decide an exit code, as they are: one for each pair and figure that decides. */
export function decisivePs(tests: PairTests): number[] {
  return familyOf(tests, true).flatMap(({ test }) => test?.p ?? []);
}

function familyOf({ pairs }: PairTests, isDeciding: boolean): FigureTest[] {
  return pairs.flatMap(({ figures }) => figures.filter((one) => one.isDeciding === isDeciding));
}

/**
 * Holm's method goes over all figures that decide, of all pairs, as one family, and over all others as a second.
 *
 * @param besides p-values of other hypotheses that decide the same exit code.
 */
export function judgePairs(
  tests: PairTests,
  besides: readonly number[] = [],
): GroupComparison[] {
  const adjusted = new Map<FigureTest, Adjusted>();
  for (const isDeciding of [true, false]) {
    const family = familyOf(tests, isDeciding);
    const ps = [...family.map(({ test }) => test?.p ?? null), ...(isDeciding ? besides : [])];
    const size = ps.filter((p) => p !== null).length;
    const raised = holmOfKnown(ps);
    family.forEach((one, i) => adjusted.set(one, { adjustedP: raised[i], size }));
  }
  return tests.pairs.map(({ pair, decisive, figures }) => ({
    decisive,
    figures: figures.map((one) =>
      compareFigure(one, pair, { ...tests, ...(adjusted.get(one) ?? { adjustedP: null, size: 0 }) })
    ),
    runs: { base: pair.base.runs.length, next: pair.next.runs.length },
    marginRatio: tests.marginRatio,
  }));
}

/** Of a figure among all that are decided together. */
interface Adjusted {
  readonly adjustedP: number | null;
  readonly size: number;
}

/**
 * The figures that decide how a comparison ends. CPU time, where nobody saw it or it is open itself, leaves that to
 * the others.
 */
export function decisiveOf(comparison: GroupComparison): FigureComparison[] {
  return comparison.decisive.map((figure) => comparisonOf(comparison, figure)).filter((
    { figure, ratio, verdict },
  ) => figure !== "cpuPerRequest" || (ratio !== null && verdict !== "inconclusive"));
}

export function comparisonOf(
  { figures }: GroupComparison,
  figure: ComparedFigure,
): FigureComparison {
  return figures[COMPARED.indexOf(figure)];
}

/** Why a comparison is inconclusive that more runs would decide: not so where they are of two groups, or never settle. */
const RUNS_DECIDE: readonly (VerdictReason | null)[] = ["few-runs", "margin", "many", "exact"];

function compareFigure(
  { figure, test }: FigureTest,
  { base, next }: GroupPair,
  { marginRatio, level, adjustedP, size }: Omit<PairTests, "pairs"> & Adjusted,
): FigureComparison {
  const isRate = figure === "rate";
  const values = { figure, base: figureOf(base, figure), next: figureOf(next, figure) };
  const unsteady = next.unsteady ?? base.unsteady;
  const openAbove = { base: isRate && base.isOpenAbove, next: isRate && next.isOpenAbove };
  if (test === null || adjustedP === null) {
    return { ...values, ...untested(values, openAbove), unsteady };
  }
  const { interval, p, pairing, sides, between } = test;
  const exact = exactTest(test, marginRatio);
  const groups = groupsIn(test);
  const judged = comparisonVerdict({
    ratio: interval,
    adjustedP,
    exact: exact ?? UNCOUNTED,
    marginRatio,
    better: isRate ? "higher" : "lower",
  });
  const stray = isRate ? (1 + marginRatio) * base.strayRatio * next.strayRatio : Infinity;
  const isBeyondStray = interval.low > stray || interval.high < 1 / stray;
  const judgement = reserved(judged, { between, groups, unsteady, openAbove, isBeyondStray });
  const runs = Math.min(...sides.map(({ byRun }) => byRun.length), pairing?.pairs ?? Infinity);
  // As strict as Holm's method may be with one of them.
  const confidence = Math.max(level, 1 - SIGNIFICANCE / Math.max(1, size));
  return {
    ...{ ...values, ...judgement, interval, p, adjustedP, exact, runs, between, groups, unsteady },
    ratio: interval.value,
    pairs: pairing?.pairs ?? null,
    pairingGain: pairing && gainOf(pairing),
    isAheadInHalves: isRate && isAheadInHalves(base, next),
    smallestChange: smallestChangeOf(interval, { marginRatio, confidence }),
    runsNeeded: RUNS_DECIDE.includes(judgement.reason)
      ? runsToDecide(interval, { runs, marginRatio })
      : null,
  };
}
