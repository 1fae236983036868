/**
 * Compares two groups of runs: for each figure, a ratio (new over base) with its interval and p-value, and one of four
 * verdicts. The statistics are in `runner/stats`; `bench/statistics.ts` measures their error rates.
 */
import {
  type ExactTest,
  holmOfKnown,
  mannWhitney,
  MOST_PAIRS,
  signFlip,
  UNCOUNTED,
} from "../../runner/stats/comparison/significance_tests.ts";
import { sessionsToDecide } from "../../runner/stats/comparison/sessions.ts";
import {
  afterSelection,
  freshRatio,
  isBorneOut,
  mayBeWorse,
  type WorseRule,
} from "../../runner/stats/comparison/two_stage.ts";
import {
  type ComparisonJudgement,
  comparisonVerdict,
  confidenceAmong,
  runsToDecide,
  SIGNIFICANCE,
  smallestChangeOf,
  type VerdictReason,
} from "../../runner/stats/comparison/verdict.ts";
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import {
  type ConfidenceInterval,
  over,
  pBeyond,
  ratioInterval,
  studentInterval,
} from "../../runner/stats/confidence/confidence_interval.ts";
import type { Unsteady } from "../cells/cells.ts";
import {
  COMPARED,
  type ComparedFigure,
  type ComparedRuns,
  decisiveFor,
  figureOf,
  isAheadInHalves,
  type JudgeOptions,
} from "./group.ts";
import {
  type Between,
  contrastIn,
  type GroupPair,
  ONE_SESSION,
  type Pairing,
  pairingOf,
  type RatioOf,
  ratiosBeside,
  slicedRatio,
  varianceApart,
} from "./ratio_of.ts";
import { PROCESS_LOOK_SIGNIFICANCE } from "../../runner/stats/slices/looks.ts";
import type { Ends } from "../figures/range.ts";
import { areOneSided, arePairsOneSided, groupsAmong } from "./bimodal_runs.ts";
import type { RatioBound } from "../writing/ratios.ts";
import type { RunGroups } from "./reasons.ts";
import { MOST_COUNTED } from "./shortfall.ts";
import { disturbed, levelsIn, type Sliced, type SlicedLevels } from "./slices.ts";

/** Default margin: ratios within 2 % of 1 count as equivalent. */
export const DEFAULT_MARGIN_RATIO = 0.02;

/** "No difference seen" is reported only if a change this large would have been detected in 4 of 5 experiments. */
export const NOTABLE_CHANGE = 0.1;

export interface SilentRuns {
  readonly side: "base" | "next";
  readonly count: number;
  /** Number of all runs of the side. */
  readonly of: number;
}

export interface UnsteadySide extends Unsteady {
  readonly side: "base" | "next";
}

export interface FigureComparison extends ComparisonJudgement {
  readonly figure: ComparedFigure;
  /** In requests per second for the rate, and in milliseconds for all other figures; 0 if unknown. */
  readonly base: number;
  readonly next: number;
  /** next / base; null if either value is missing. */
  readonly ratio: number | null;
  /** 95 % interval of the ratio; null if a side has fewer than two runs, or no figure to compare. */
  readonly interval: ConfidenceInterval | null;
  /**
   * Which way the true ratio may differ because one side could serve more than was measured: its capacity is a lower
   * bound, or its runs were held back. Null if this applies to neither side, or to both.
   */
  readonly bound: RatioBound;
  /** p-value of the hypothesis that the true ratio lies within the margin; null without an interval. */
  readonly p: number | null;
  /** `p` after Holm's correction over all hypotheses that are decided together. */
  readonly adjustedP: number | null;
  /**
   * The exact test over pairs or runs, at the edge of the margin. Null for fewer than two runs, for too many to
   * enumerate, for a ratio over sessions, or for a single pair of processes.
   */
  readonly exact: ExactTest | null;
  /** Number of repetitions in which both sides ran and by which the ratio is paired; null if it is not paired. */
  readonly pairs: number | null;
  /**
   * Sample size behind the interval, for the side with the smaller sample: the number of runs; of sessions, if the
   * ratio is computed over sessions; or of pairs of slices, for a single pair of processes. Null without an interval.
   */
  readonly runs: number | null;
  /**
   * Factor by which the variance of the ratio would grow without pairing; null if the ratio is not paired, or if its
   * variance is 0.
   */
  readonly pairingGain: number | null;
  /**
   * Whether both sides ran in one session and, if not, whether the interval covers the differences between sessions;
   * null without an interval.
   */
  readonly between: Between | null;
  /** The nested levels of variation (slices, processes) for sides loaded in turns; otherwise null. */
  readonly sliced: SlicedLevels | null;
  /**
   * The two stages of a figure that looked worse after the first blocks, and was therefore measured again; otherwise
   * null.
   */
  readonly stages: FigureStages | null;
  /** The two groups into which the runs, or the ratios of pairs, fall; null if they form a single group. */
  readonly groups: RunGroups | null;
  /** Sides of which most runs have no steady state. */
  readonly unsteady: readonly UnsteadySide[];
  /** The runs of one side that served nothing; null if there are none. A side with a single run is not considered. */
  readonly silent: SilentRuns | null;
  /** Whether the undisturbed runs alone fail to confirm the verdict; see `withDoubt`. */
  readonly isDoubted: boolean;
  /** Whether the side with the higher rate was ahead in both halves of its runs. Only used if a side never settled. */
  readonly isAheadInHalves: boolean;
  /**
   * The smallest relative change that would have been called real in 4 of 5 such comparisons; null without an interval.
   */
  readonly smallestChange: number | null;
  /**
   * Runs per side that would probably lead to a verdict; null if there already is one, or if adding runs would not lead
   * to one.
   */
  readonly runsNeeded: number | null;
  /** Like `runsNeeded`, but in sessions per side; null if the ratio is not computed over sessions. */
  readonly sessionsNeeded: number | null;
}

export interface FigureStages {
  /** `first` and `fresh` are the ratios in the first stage alone and in the fresh blocks alone. */
  readonly first: number;
  readonly fresh: number;
  readonly blocks: { readonly first: number; readonly fresh: number };
  /** Whether the fresh blocks alone also show a change for the worse beyond the margin. */
  readonly isBorneOut: boolean;
}

/** The results for a figure that is not tested, because its runs can't decide anything. */
export const UNTESTED = {
  interval: null,
  p: null,
  adjustedP: null,
  exact: null,
  pairs: null,
  runs: null,
  pairingGain: null,
  between: null,
  sliced: null,
  stages: null,
  groups: null,
  isDoubted: false,
  isAheadInHalves: false,
  verdict: "inconclusive",
  smallestChange: null,
  runsNeeded: null,
  sessionsNeeded: null,
} as const;

/** A comparison of which nothing is known. */
export const UNCOMPARED: FigureComparison = {
  ...UNTESTED,
  ...{ figure: "rate", base: 0, next: 0, ratio: null, bound: null, runs: 1 },
  ...{ unsteady: [], silent: null, reason: "nothing" },
};

export interface GroupComparison {
  /** One for each entry of COMPARED, in the same order. */
  readonly figures: readonly FigureComparison[];
  /** Figures that decide the outcome of the comparison as a whole. */
  readonly decisive: readonly ComparedFigure[];
  readonly runs: { readonly base: number; readonly next: number };
  readonly marginRatio: number;
}

/**
 * The tests of pairs that are judged together. Holm's correction is not yet applied to them, so that the caller can
 * still add hypotheses to the family.
 */
export interface PairTests {
  readonly marginRatio: number;
  readonly level: number;
  readonly pairs: readonly TestedPair[];
}

interface TestedPair extends Pick<GroupComparison, "decisive"> {
  readonly pair: GroupPair;
  /** One for each entry of COMPARED; null if a side has fewer than two runs, or lacks the figure. */
  readonly tests: readonly (Test | null)[];
}

interface Test {
  readonly interval: ConfidenceInterval;
  readonly pairing: Pairing | null;
  readonly sides: readonly [base: Estimate, next: Estimate];
  readonly between: Between;
  readonly sliced: Sliced | null;
  /**
   * Whether the data were analysed repeatedly while they were collected, so each analysis must use a stricter level:
   * see `slices/looks.ts`.
   */
  readonly isLooked: boolean;
  readonly stages: FigureStages | null;
  readonly p: number;
}

/**
 * Tests and judges pairs of sides.
 * @param ratioOf Default: estimates the spread of ratios from these comparisons alone.
 */
export function comparePairs(
  pairs: readonly GroupPair[],
  options: JudgeOptions = {},
  ratioOf?: RatioOf,
): GroupComparison[] {
  return judgePairs(testPairs(pairs, options, ratioOf));
}

export function testPairs(
  pairs: readonly GroupPair[],
  { marginRatio = DEFAULT_MARGIN_RATIO, level = 0.95, firstStage = Infinity }: JudgeOptions = {},
  ratioOf = ratiosBeside(pairs.map((pair) => upTo(firstStage, pair)), level),
): PairTests {
  const tested = pairs.map((pair): TestedPair => ({
    pair,
    decisive: decisiveFor([pair.base, pair.next], pair.decisive),
    tests: COMPARED.map((figure) =>
      testOf(pair, figure, { marginRatio, level, firstStage, ratioOf })
    ),
  }));
  return { marginRatio, level, pairs: tested };
}

type TestOptions = Required<Pick<JudgeOptions, "marginRatio" | "level" | "firstStage">> & {
  readonly ratioOf: RatioOf;
};

function testOf(
  { base, next, between: betweenBy, sliced: slicedBy }: GroupPair,
  figure: ComparedFigure,
  options: TestOptions,
): Test | null {
  const [of, to] = [next.estimates.get(figure), base.estimates.get(figure)];
  if (!of || !to) return null;
  const sliced = slicedBy?.(figure) ?? null;
  const alone = sliced?.alone ?? null;
  const pairing = alone === null ? pairingOf(of, to) : null;
  const common = { pairing, sliced, isLooked: false, sides: [to, of] } as const;
  const again = pairing && stagedTest({ of, to, figure }, pairing.pairs, options);
  if (again) return { ...again, ...common, between: ONE_SESSION };
  const between = betweenBy?.(figure) ?? ONE_SESSION;
  const { marginRatio, level } = options;
  const interval = sliced === null
    ? options.ratioOf(of, to, figure, between)
    : slicedRatio(sliced, [of, to], level);
  if (!interval) return null;
  const isLooked = sliced !== null && level > 1 - SIGNIFICANCE;
  const raised = isLooked ? SIGNIFICANCE / PROCESS_LOOK_SIGNIFICANCE : 1;
  const p = Math.min(1, raised * pBeyond(interval, marginRatio));
  return { ...common, isLooked, interval, between, stages: null, p };
}

// A figure that looks worse after the first blocks is judged by these blocks together with equally
// many fresh ones: see `two_stage.ts`.

/** The pair restricted to the runs of the first stage; unchanged if there is no second stage. */
function upTo(firstStage: number, pair: GroupPair): GroupPair {
  const first = (side: ComparedRuns): ComparedRuns => ({
    ...side,
    estimates: { get: (figure) => firstOf(side.estimates.get(figure) ?? null, firstStage) },
  });
  return firstStage === Infinity
    ? pair
    : { ...pair, base: first(pair.base), next: first(pair.next) };
}

function firstOf(estimate: Estimate | null, firstStage: number): Estimate | null {
  if (estimate === null) return null;
  const first = estimate.repetitions.filter((repetition) => repetition <= firstStage);
  return over(estimate, first);
}

/** The test of a figure over both stages; null if there is only one stage, or if one of the intervals is missing. */
function stagedTest(
  { of, to, figure }: {
    readonly of: Estimate;
    readonly to: Estimate;
    readonly figure: ComparedFigure;
  },
  all: number,
  { marginRatio, level, firstStage, ratioOf }: TestOptions,
): Pick<Test, "interval" | "stages" | "p"> | null {
  const sides = [firstOf(of, firstStage), firstOf(to, firstStage)] as const;
  const count = Math.min(...sides.map((side) => side?.byRun.length ?? 0));
  if (sides[0] === null || sides[1] === null || count < 2 || count >= all) return null;
  const first = ratioOf(sides[0], sides[1], figure);
  // The interval over all blocks uses no information from other cells, because their spread is
  // known from the first blocks only.
  const pooled = ratioInterval(of, to, { confidence: level });
  if (first === null || pooled === null) return null;
  const rule: WorseRule = { marginRatio, better: figure === "rate" ? "higher" : "lower" };
  if (!mayBeWorse(first, rule)) {
    return { interval: pooled, stages: null, p: pBeyond(pooled, marginRatio) };
  }
  const measured = { first, pooled, blocks: { first: count, all } };
  const { interval, p } = afterSelection(measured, rule, level);
  const stages = {
    first: first.value,
    fresh: freshRatio(measured),
    blocks: { first: count, fresh: all - count },
    isBorneOut: isBorneOut(measured, rule),
  };
  return { interval, stages, p };
}

/** The unadjusted p-values of the hypotheses that decide an exit code, one for each pair and decisive figure. */
export function decisivePs(tests: PairTests): number[] {
  return familyOf(tests, true).map(({ p }) => p);
}

function familyOf({ pairs }: Pick<PairTests, "pairs">, isDeciding: boolean): Test[] {
  return pairs.flatMap(({ decisive, tests }) =>
    tests.flatMap((test, i) =>
      test !== null && decisive.includes(COMPARED[i]) === isDeciding ? [test] : []
    )
  );
}

/**
 * Applies Holm's method to the decisive figures of all pairs as one family, and to all other figures as a second one.
 * @param besides p-values of further hypotheses that decide the same exit code.
 */
export function judgePairs(
  { pairs, ...options }: PairTests,
  besides: readonly number[] = [],
): GroupComparison[] {
  const adjusted = new Map<Test, Adjusted>();
  for (const isDeciding of [true, false]) {
    const family = familyOf({ pairs }, isDeciding);
    const raised = holmOfKnown([...family.map(({ p }) => p), ...(isDeciding ? besides : [])]);
    family.forEach((test, i) =>
      adjusted.set(test, { adjustedP: raised[i] ?? test.p, size: raised.length })
    );
  }
  return pairs.map(({ pair, decisive, tests }) => ({
    decisive,
    figures: COMPARED.map((figure, i) => {
      const test = tests[i];
      const known = test && adjusted.get(test);
      return compareFigure(figure, pair, test && known ? { ...options, ...test, ...known } : null);
    }),
    runs: { base: pair.base.runs.length, next: pair.next.runs.length },
    marginRatio: options.marginRatio,
  }));
}

/** A p-value adjusted for all hypotheses of its family, and the size of the family. */
interface Adjusted {
  readonly adjustedP: number;
  readonly size: number;
}

/**
 * The figures that decide the outcome of a comparison. CPU time is included only if it is known and has a verdict. It
 * then replaces figures that are inconclusive because the generator limited how fast either side was.
 */
export function decisiveOf(comparison: GroupComparison): FigureComparison[] {
  const all = comparison.decisive.map((figure) => comparisonOf(comparison, figure));
  const byWork = all.filter(({ figure, ratio, verdict }) =>
    figure === "cpuPerRequest" && ratio !== null && verdict !== "inconclusive"
  );
  return all.filter((one) =>
    one.figure === "cpuPerRequest"
      ? byWork.includes(one)
      : one.reason !== "generator" || byWork.length === 0
  );
}

export function comparisonOf(
  { figures }: GroupComparison,
  figure: ComparedFigure,
): FigureComparison {
  return figures[COMPARED.indexOf(figure)];
}

/**
 * Reasons for an inconclusive verdict that more runs may remove, unlike, for example, two groups or runs that never
 * settle.
 */
const RUNS_DECIDE: readonly (VerdictReason | null)[] = ["few-runs", "margin", "many", "exact"];

function compareFigure(
  figure: ComparedFigure,
  { base, next, sliced: slicedBy }: GroupPair,
  test: Test & Adjusted & Omit<PairTests, "pairs"> | null,
): FigureComparison {
  const isRate = figure === "rate";
  const values = { figure, base: figureOf(base, figure), next: figureOf(next, figure) };
  // Sides loaded in slices need no steady state, because what affects both slices of a pair cancels
  // in their ratio.
  const unsteady = slicedBy ? [] : unsteadySides({ base, next });
  const silent = silentRuns("next", next) ?? silentRuns("base", base);
  const isOpen = { base: isRate && base.isOpenAbove, next: isRate && next.isOpenAbove };
  const bound = isOpen.base === isOpen.next ? null : isOpen.next ? "least" : "most";
  if (test === null) {
    const isKnown = values.base > 0 && values.next > 0;
    const isBound = values.next > values.base ? isOpen.base : isOpen.next;
    const sliced = slicedBy?.(figure);
    const single = sliced?.areTheseTwo ? whyAlone(sliced) : "one-run";
    return {
      ...{ ...values, ...UNTESTED, unsteady, silent, bound },
      ratio: isKnown ? values.next / values.base : null,
      reason: !isKnown ? "nothing" : isBound ? "at-least" : silent ? "silent" : single,
    };
  }
  const { interval, p, pairing, sides, between, sliced, stages, adjustedP, marginRatio } = test;
  const isAlone = sliced !== null && sliced.alone !== null;
  const exact = isAlone ? null : exactTest(test, marginRatio);
  const contrast = contrastIn(between);
  const groups = isAlone
    ? null
    : contrast !== null
    ? contrast.groups && { of: "ratios" as const, clusters: contrast.groups, unsettled: null }
    : groupsAmong(
      [
        ["next", { ...sides[1], wholeRuns: next.wholeRuns }],
        ["base", { ...sides[0], wholeRuns: base.wholeRuns }],
      ],
      pairing?.logRatios ?? null,
    );
  const verdictOf = (
    moved: (of: ConfidenceInterval) => ConfidenceInterval = (of) => of,
  ): ComparisonJudgement =>
    comparisonVerdict({
      ratio: moved(interval),
      ...test.isLooked &&
        { atLook: moved(withConfidence(interval, 1 - PROCESS_LOOK_SIGNIFICANCE)) },
      adjustedP,
      exact: exact ?? UNCOUNTED,
      marginRatio,
      better: isRate ? "higher" : "lower",
    });
  const judged = verdictOf();
  const disturbance = figure === "cpuPerRequest" ? null : sliced?.disturbance ?? null;
  const isDisturbed = disturbance !== null &&
    verdictOf((of) => disturbed(of, disturbance, isRate)).verdict !== judged.verdict;
  const isAlikeByGenerator = judged.verdict === "equivalent" && figure !== "cpuPerRequest" &&
    (base.isGeneratorBound || next.isGeneratorBound);
  // Obstacles that more runs can't remove take precedence over the verdict from the runs.
  const stray = isRate ? (1 + marginRatio) * base.strayRatio * next.strayRatio : Infinity;
  const isBeyondMargin = ({ low, high }: Ends): boolean =>
    low > 1 + marginRatio || high < 1 / (1 + marginRatio);
  const isOneSided = sliced === null
    ? contrast === null && areOneSided(sides[1].byRun, sides[0].byRun, isBeyondMargin)
    : pairing !== null && arePairsOneSided(pairing.logRatios, isBeyondMargin);
  const isBeyondStray = interval.low > stray || interval.high < 1 / stray;
  const reserve = unsteady.length > 0 && !isBeyondStray
    ? "unsteady"
    : groups !== null && !isOneSided
    ? "groups"
    : isDisturbed
    ? "disturbed"
    : isBound(judged, isOpen)
    ? "at-least"
    : between.kind === "unknown" && judged.verdict !== "inconclusive"
    ? "sessions"
    : isAlikeByGenerator
    ? "generator"
    : null;
  const isUnconfirmed = judged.verdict === "worse" && stages !== null && !stages.isBorneOut;
  // The strictest level at which Holm's method may have tested this figure.
  const confidence = Math.max(test.level, confidenceAmong(test.size, marginRatio));
  const smallestChange = smallestChangeOf(interval, { marginRatio, confidence });
  const isBlurred = judged.reason === "few-runs" && smallestChange > NOTABLE_CHANGE &&
    sliced?.areTheseTwo;
  const open = reserve ?? (isUnconfirmed ? "unconfirmed" : isBlurred ? whyAlone(sliced) : null);
  const { verdict, reason }: ComparisonJudgement = open === null
    ? judged
    : { verdict: "inconclusive", reason: open };
  const levels = sliced && levelsIn(sliced, sides, test.isLooked);
  const runs = isAlone
    ? sliced.pairs.reduce((sum, { slices }) => sum + (slices?.pairs ?? 0), 0)
    : contrast === null
    ? Math.min(...sides.map(({ byRun }) => byRun.length), pairing?.pairs ?? Infinity)
    : Math.min(contrast.sessions.base, contrast.sessions.next);
  const isOpenByChance = RUNS_DECIDE.includes(reason);
  const room = Math.abs(Math.log1p(marginRatio) - Math.abs(Math.log(interval.value)));
  return {
    ...{ ...values, unsteady, silent, bound, verdict, reason },
    ...{ interval, p, adjustedP, exact, runs, between, stages, groups },
    sliced: levels,
    ratio: interval.value,
    pairs: pairing?.pairs ?? null,
    pairingGain: pairing && gainOf(pairing),
    isDoubted: false,
    isAheadInHalves: isRate && isAheadInHalves(base, next),
    smallestChange,
    // Runs can't be added for two processes that are already running; they can only be measured for
    // longer.
    runsNeeded: isOpenByChance && between.kind === "one-session" && runs !== null &&
        !sliced?.areTheseTwo
      ? runsToDecide(interval, { runs, marginRatio })
      : null,
    sessionsNeeded: isOpenByChance && contrast !== null ? sessionsToDecide(contrast, room) : null,
  };
}

/** The same interval at a different confidence level. */
export function withConfidence(
  { value, logStandardError, degreesOfFreedom }: ConfidenceInterval,
  confidence: number,
): ConfidenceInterval {
  return studentInterval(value, { variance: logStandardError ** 2, degreesOfFreedom }, confidence);
}

function unsteadySides(sides: Record<UnsteadySide["side"], ComparedRuns>): UnsteadySide[] {
  return (["base", "next"] as const).flatMap((side) => {
    const { unsteady } = sides[side];
    return unsteady === null ? [] : [{ ...unsteady, side }];
  });
}

/**
 * How many runs of the side completed no request; null if there is no such run, or if the side has a single run, which
 * then has no ratio to anything.
 */
function silentRuns(side: SilentRuns["side"], { runs }: ComparedRuns): SilentRuns | null {
  const count = runs.filter(({ requests }) => requests.completed === 0).length;
  return runs.length < 2 || count === 0 ? null : { side, count, of: runs.length };
}

function whyAlone({ alone }: Sliced): VerdictReason {
  return alone?.unclear === "not-stationary" || alone?.unclear === "depends-too-long"
    ? "dependent-slices"
    : "few-slices";
}

/**
 * Whether the verdict could change because the rate of a side is only a lower bound: that of the base if the verdict is
 * "better", that of the new side if it is "worse", and that of either side for any other verdict.
 */
function isBound(
  { verdict }: ComparisonJudgement,
  isOpen: { readonly base: boolean; readonly next: boolean },
): boolean {
  if (verdict === "better") return isOpen.base;
  return verdict === "worse" ? isOpen.next : isOpen.base || isOpen.next;
}

/**
 * Exact test of the hypothesis that the sides differ by no more than the margin, like `pBeyond`; null if there are too
 * many runs to enumerate, or if the ratio is computed over sessions.
 */
function exactTest(
  { interval, pairing, sides: [base, next], between }: Test,
  marginRatio: number,
): ExactTest | null {
  // The ratio is computed over sessions, for which there is no exact test: runs of one session do
  // not show how sessions differ, and sessions are not independent of each other.
  if (contrastIn(between) !== null) return null;
  const isCounted = pairing !== null
    ? pairing.pairs <= MOST_PAIRS
    : Math.max(next.byRun.length, base.byRun.length) <= MOST_COUNTED;
  if (!isCounted) return null;
  const edge = Math.sign(Math.log(interval.value)) * Math.log1p(marginRatio);
  const [near, far] = [edge, -edge].map((log) =>
    pairing !== null
      ? signFlip(pairing.logRatios.map((ratio) => ratio - log))
      : mannWhitney(next.byRun, base.byRun.map((value) => value * Math.exp(log)))
  );
  return { p: (near.p + far.p) / 2, leastP: near.leastP };
}

/** Variance of the ratio without pairing ÷ variance with pairing; null if the variance with pairing is 0. */
function gainOf(pairing: Pairing): number | null {
  const [to, of] = pairing.sides;
  const paired = ratioInterval(of, to)?.logStandardError ?? 0;
  return paired === 0 ? null : varianceApart(pairing) / paired ** 2;
}

// How one side of a comparison stands against the other.

/**
 * How the next side compares with the base, as far as the runs show. All sentences, tables and charts about a pair use
 * this value. It follows from the interval shown beside it unless a stricter criterion disagrees: `likely-…` means that
 * the interval shows a difference which a correction or an exact test does not confirm.
 */
export type Standing =
  | "ahead"
  | "behind"
  /** The whole interval lies within the margin. */
  | "equivalent"
  /**
   * The interval excludes 1, but does not lie beyond the margin; or it does, but Holm's correction or the exact test
   * disagrees; or a side never settled, but the same side was ahead in both halves of the runs.
   */
  | "likely-ahead"
  | "likely-behind"
  /** The interval contains 1, and a notable change would have been detected. */
  | "no-difference-seen"
  /** The interval contains 1, but the runs are too few to rule out a notable change. */
  | "few-runs"
  | "groups"
  | "unsteady"
  /** Two capacities are compared, and one of them is only a lower bound. */
  | "at-least"
  /** No difference was seen, but one may be hidden, because the generator limited most runs of a side. */
  | "generator"
  /** A side has a single run, which says nothing about future runs. */
  | "one-run"
  /** A side has runs that completed no request. */
  | "silent"
  /** Any other obstacle to a verdict, such as two sessions, wrong responses, or nothing to compare. */
  | "unknown";

export function standingOf(comparison: FigureComparison): Standing {
  const { figure, ratio, interval, verdict, reason, smallestChange } = comparison;
  if (verdict === "better") return "ahead";
  if (verdict === "worse") return "behind";
  if (verdict === "equivalent") return "equivalent";
  const likely = ((ratio ?? 1) > 1) === (figure === "rate") ? "likely-ahead" : "likely-behind";
  switch (reason) {
    case "margin":
    case "many":
    case "exact":
      return likely;
    case "few-runs":
      return smallestChange !== null && smallestChange <= NOTABLE_CHANGE
        ? "no-difference-seen"
        : "few-runs";
    case "unsteady":
      return comparison.isAheadInHalves && interval !== null &&
          (interval.low > 1 || interval.high < 1)
        ? likely
        : reason;
    case "groups":
    case "at-least":
    case "generator":
    case "one-run":
    case "silent":
      return reason;
    default:
      return "unknown";
  }
}

/** How certain a standing is; a matrix shows this by shading. */
export type Certainty = "decided" | "likely" | "open";

export function certaintyOf(standing: Standing): Certainty {
  if (standing === "ahead" || standing === "behind" || standing === "equivalent") return "decided";
  return standing === "likely-ahead" || standing === "likely-behind" ? "likely" : "open";
}
