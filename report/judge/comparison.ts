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
  isBeyond,
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
  readonly judge: Required<Omit<JudgeOptions, "decisive">>;
  readonly pairs: readonly {
    readonly pair: GroupPair;
    readonly decisive: readonly ComparedFigure[];
    readonly tests: readonly (Test | null)[];
  }[];
}

interface Test extends TestedSides {
  readonly between: Between;
  readonly p: number;
  readonly pairingGain: FigureComparison["pairingGain"];
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
  { marginRatio = DEFAULT_MARGIN_RATIO, level = 0.95, decisive }: JudgeOptions = {},
  ratioOf = ratiosBeside(pairs, level),
): PairTests {
  return {
    judge: { marginRatio, level },
    pairs: pairs.map((pair) => ({
      pair,
      decisive: decisiveFor([pair.base, pair.next], decisive),
      tests: COMPARED.map((figure) => testOf(pair, figure, { ratioOf, marginRatio })),
    })),
  };
}

function testOf(
  { base, next, between: betweenBy = () => ONE_SESSION }: GroupPair,
  figure: ComparedFigure,
  { ratioOf, marginRatio }: { readonly ratioOf: RatioOf; readonly marginRatio: number },
): Test | null {
  const [of, to] = [next.estimates.get(figure), base.estimates.get(figure)];
  if (!of || !to) return null;
  const between = betweenBy(figure);
  const interval = ratioOf(of, to, figure, between);
  if (interval === null) return null;
  const pairing = pairingOf(of, to);
  return {
    ...{ interval, between, pairing, sides: [to, of] },
    p: pBeyond(interval, marginRatio),
    pairingGain: pairing && gainOf(pairing),
  };
}

/** The p-values of the hypotheses that decide an exit code, as they are: one for each pair and figure that decides. */
export function decisivePs(tests: PairTests): number[] {
  return flatPs(tests, true).filter((p) => p !== null);
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
  const families = [true, false].map((isDeciding) => {
    const own = flatPs(tests, isDeciding);
    const all = [...own, ...(isDeciding ? besides : [])];
    const raised = holmOfKnown(all);
    return { raised, size: all.filter((p) => p !== null).length };
  });
  const [deciding, others] = families;
  const next = { deciding: 0, others: 0 };
  return tests.pairs.map(({ pair, decisive, tests: ofPair }) => ({
    decisive,
    figures: COMPARED.map((figure, f) => {
      const isDeciding = decisive.includes(figure);
      const { raised, size } = isDeciding ? deciding : others;
      const adjustedP = raised[isDeciding ? next.deciding++ : next.others++];
      return compareFigure({ figure, pair, test: ofPair[f] }, tests.judge, { adjustedP, size });
    }),
    runs: { base: pair.base.runs.length, next: pair.next.runs.length },
    marginRatio: tests.judge.marginRatio,
  }));
}

function flatPs({ pairs }: PairTests, isDeciding: boolean): (number | null)[] {
  return pairs.flatMap(({ decisive, tests }) =>
    tests.filter((_, f) => decisive.includes(COMPARED[f]) === isDeciding)
      .map((test) => test === null ? null : test.p)
  );
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
const RUNS_DECIDE: readonly VerdictReason[] = ["few-runs", "margin", "many", "exact"];

interface TestedPair {
  readonly figure: ComparedFigure;
  readonly pair: GroupPair;
  readonly test: Test | null;
}

function compareFigure(
  { figure, pair: { base, next }, test }: TestedPair,
  { marginRatio, level }: PairTests["judge"],
  { adjustedP, size }: { adjustedP: number | null; size: number },
): FigureComparison {
  const values = { figure, base: figureOf(base, figure), next: figureOf(next, figure) };
  const unsteady = next.unsteady ?? base.unsteady;
  const isRate = figure === "rate";
  const openAbove = { base: isRate && base.isOpenAbove, next: isRate && next.isOpenAbove };
  if (test === null || adjustedP === null) {
    return { ...values, ...untested(values, openAbove), unsteady };
  }
  const { interval, p, pairing, sides } = test;
  const exact = exactTest(test, marginRatio);
  const groups = groupsIn(test);
  const better = figure === "rate" ? "higher" : "lower";
  const judged = comparisonVerdict({
    ratio: interval,
    adjustedP,
    exact: exact ?? UNCOUNTED,
    marginRatio,
    better,
  });
  // As strict as Holm's method may be with one of them.
  const confidence = Math.max(level, 1 - SIGNIFICANCE / Math.max(1, size));
  const runs = Math.min(...sides.map(({ byRun }) => byRun.length), pairing?.pairs ?? Infinity);
  const stray = figure === "rate"
    ? (1 + marginRatio) * base.strayRatio * next.strayRatio
    : Infinity;
  const judgement = reserved(judged, {
    ...{ between: test.between, groups, unsteady, openAbove },
    isBeyondStray: isBeyond(interval, stray),
  });
  return {
    ...values,
    ...judgement,
    ratio: interval.value,
    interval,
    p,
    adjustedP,
    exact,
    pairs: pairing?.pairs ?? null,
    runs,
    pairingGain: test.pairingGain,
    between: test.between,
    groups,
    unsteady,
    isAheadInHalves: isRate && isAheadInHalves(base, next),
    smallestChange: smallestChangeOf(interval, { marginRatio, confidence }),
    runsNeeded: RUNS_DECIDE.some((reason) => reason === judgement.reason)
      ? runsToDecide(interval, { runs, marginRatio })
      : null,
  };
}
