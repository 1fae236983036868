/**
 * Two groups of runs → ratios with intervals, p-values and one of four verdicts for each figure, by the rules
 * of `runner/stats`, whose error rates `bench/statistics.ts` measures. Ratios are new over base.
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

/** Default margin: ratios within 2 % of 1 count as no difference. */
export const DEFAULT_MARGIN_RATIO = 0.02;

/** "No difference seen" is only stated if a change this large would have been detected in 4 of 5 experiments. */
export const NOTABLE_CHANGE = 0.1;

export interface SilentRuns {
  readonly side: "base" | "next";
  readonly count: number;
  /** Number of all runs. */
  readonly of: number;
}

export interface FigureComparison extends ComparisonJudgement {
  readonly figure: ComparedFigure;
  /** Value in requests per second, or ms. */
  readonly base: number;
  readonly next: number;
  /** next / base; null if either is missing. */
  readonly ratio: number | null;
  /** 95 % interval of the ratio; null if a side has fewer than two runs, or nothing to compare. */
  readonly interval: ConfidenceInterval | null;
  /** Set if a side could serve more than was measured: a capacity that is a lower bound, or runs that were held back. */
  readonly bound: RatioBound;
  /** p-value of the ratio being within the margin. */
  readonly p: number | null;
  /** `p` adjusted by Holm's method over everything that is decided together. */
  readonly adjustedP: number | null;
  /** The exact test by pairs or by runs, at the edge of the margin; null for fewer than two runs, or too many to count. */
  readonly exact: ExactTest | null;
  /** Repetitions in which both sides ran and by which the ratio is paired; null if it is not paired. */
  readonly pairs: number | null;
  /**
   * Number of runs behind the interval, for the side with fewer; the number of sessions if the ratio is over sessions,
   * and of pairs of slices for a single pair of processes. Null without an interval.
   */
  readonly runs: number | null;
  /** How many times larger the variance of the ratio would be without pairing; null without pairs. */
  readonly pairingGain: number | null;
  /** How much of the difference between sessions the interval includes; null without an interval. */
  readonly between: Between | null;
  /** The levels of slices and processes, for sides loaded in turns; otherwise null. */
  readonly sliced: SlicedLevels | null;
  /** Both stages of a change that looked worse after the first blocks and was measured again; null if it was not. */
  readonly stages: FigureStages | null;
  /** Null unless the runs, or the ratios of pairs, fall into two groups. */
  readonly groups: RunGroups | null;
  /** How many runs of a side have no steady state; null if both sides have one. */
  readonly unsteady: Unsteady | null;
  /** Runs in which a side that was measured several times served nothing; null if there are none. */
  readonly silent: SilentRuns | null;
  /** Whether the undisturbed runs alone do not give the verdict: see `withDoubt`. */
  readonly isDoubted: boolean;
  /** Whether the side that serves more did so in both halves of its runs; only needed if a side never settled. */
  readonly isAheadInHalves: boolean;
  /**
   * The change that would have been called real in 4 of 5 such comparisons, as a ratio less one; null without an
   * interval.
   */
  readonly smallestChange: number | null;
  /** Runs per side that would probably give a verdict; null if there is a verdict, or if no number of runs would do. */
  readonly runsNeeded: number | null;
  /** Like `runsNeeded`, but sessions per side; also null if the ratio is not computed over sessions. */
  readonly sessionsNeeded: number | null;
}

export interface FigureStages {
  /** The ratio in each stage alone. */
  readonly first: number;
  readonly fresh: number;
  readonly blocks: { readonly first: number; readonly fresh: number };
  /** Whether the fresh blocks alone are also worse than the margin allows. */
  readonly isBorneOut: boolean;
}

/** The results of a figure that is not tested, because its runs decide nothing. */
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
  ...{ unsteady: null, silent: null, reason: "nothing" },
};

export interface GroupComparison {
  /** One for each entry of COMPARED, in the same order. */
  readonly figures: readonly FigureComparison[];
  /** Figures that decide the outcome of the comparison. */
  readonly decisive: readonly ComparedFigure[];
  readonly runs: { readonly base: number; readonly next: number };
  readonly marginRatio: number;
}

/** Comparisons that are judged together, before Holm's method, so that other hypotheses may still be added. */
export interface PairTests {
  readonly marginRatio: number;
  readonly level: number;
  readonly pairs: readonly TestedPair[];
}

interface TestedPair extends Pick<GroupComparison, "decisive"> {
  readonly pair: GroupPair;
  /** One for each entry of COMPARED; null if a side has fewer than two runs, or no such figure. */
  readonly tests: readonly (Test | null)[];
}

interface Test {
  readonly interval: ConfidenceInterval;
  readonly pairing: Pairing | null;
  readonly sides: readonly [base: Estimate, next: Estimate];
  readonly between: Between;
  readonly sliced: Sliced | null;
  /** Whether the data were checked several times, so that each check must be stricter: see `slices/looks.ts`. */
  readonly isLooked: boolean;
  readonly stages: FigureStages | null;
  readonly p: number;
}

/** Tests pairs of sides. @param ratioOf Default: uses only what these comparisons know about the spread of ratios. */
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

// A change that may be worse after the first blocks is judged by these and equally many fresh ones: see `two_stage.ts`.

/** The pair with only the runs of the first stage; unchanged if there are no others. */
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

/** The test of a figure over both stages; null if there is only one. */
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
  // The interval over all blocks borrows nothing from other cells, because their spread is known from the first blocks
  // alone.
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

/** The unadjusted p-values of the hypotheses that decide an exit code: one for each pair and deciding figure. */
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
 * Applies Holm's method to all deciding figures of all pairs as one family, and to all others as a second.
 * @param besides p-values of other hypotheses that decide the same exit code.
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

/** The p-value of a figure, adjusted for all hypotheses that are decided together, and the number of these. */
interface Adjusted {
  readonly adjustedP: number;
  readonly size: number;
}

/**
 * The figures that decide how a comparison ends. CPU time counts only if it is known and has a verdict; it then takes
 * the place of figures that are open because the generator limited how fast either side was.
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

/** Reasons for an inconclusive comparison that more runs may remove, unlike two groups or runs that never settle. */
const RUNS_DECIDE: readonly (VerdictReason | null)[] = ["few-runs", "margin", "many", "exact"];

function compareFigure(
  figure: ComparedFigure,
  { base, next, sliced: slicedBy }: GroupPair,
  test: Test & Adjusted & Omit<PairTests, "pairs"> | null,
): FigureComparison {
  const isRate = figure === "rate";
  const values = { figure, base: figureOf(base, figure), next: figureOf(next, figure) };
  // Whatever affects both sides of a pair of slices cancels in the ratio.
  const unsteady = slicedBy ? null : next.unsteady ?? base.unsteady;
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
  // Obstacles that no number of runs removes take precedence over what the runs show.
  const stray = isRate ? (1 + marginRatio) * base.strayRatio * next.strayRatio : Infinity;
  const isBeyondMargin = ({ low, high }: Ends): boolean =>
    low > 1 + marginRatio || high < 1 / (1 + marginRatio);
  const isOneSided = sliced === null
    ? contrast === null && areOneSided(sides[1].byRun, sides[0].byRun, isBeyondMargin)
    : pairing !== null && arePairsOneSided(pairing.logRatios, isBeyondMargin);
  const isBeyondStray = interval.low > stray || interval.high < 1 / stray;
  const reserve = unsteady !== null && !isBeyondStray
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
  // The strictest level at which Holm's method may test this figure.
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
    // For two processes that are already running, runs can't be added; they are measured for longer.
    runsNeeded: isOpenByChance && between.kind === "one-session" && runs !== null &&
        !sliced?.areTheseTwo
      ? runsToDecide(interval, { runs, marginRatio })
      : null,
    sessionsNeeded: isOpenByChance && contrast !== null ? sessionsToDecide(contrast, room) : null,
  };
}

/** The same interval at another level. */
export function withConfidence(
  { value, logStandardError, degreesOfFreedom }: ConfidenceInterval,
  confidence: number,
): ConfidenceInterval {
  return studentInterval(value, { variance: logStandardError ** 2, degreesOfFreedom }, confidence);
}

/** Runs that served nothing; a single run like that has no ratio to anything. */
function silentRuns(side: SilentRuns["side"], { runs }: ComparedRuns): SilentRuns | null {
  const count = runs.filter(({ requests }) => requests.completed === 0).length;
  return runs.length < 2 || count === 0 ? null : { side, count, of: runs.length };
}

function whyAlone({ alone }: Sliced): VerdictReason {
  return alone?.unclear === "not-stationary" || alone?.unclear === "depends-too-long"
    ? "dependent-slices"
    : "few-slices";
}

/** Whether the ratio of new over base may be smaller (if the base is a lower bound) or larger (if the new value is). */
function isBound(
  { verdict }: ComparisonJudgement,
  isOpen: { readonly base: boolean; readonly next: boolean },
): boolean {
  if (verdict === "better") return isOpen.base;
  return verdict === "worse" ? isOpen.next : isOpen.base || isOpen.next;
}

/** Exact test that the sides differ by no more than the margin, as `pBeyond`; null if there are too many runs. */
function exactTest(
  { interval, pairing, sides: [base, next], between }: Test,
  marginRatio: number,
): ExactTest | null {
  // Runs of one session each don't show how sessions differ, and dependent sessions can't be counted as a sample.
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

/** The variance of the ratio without pairing, relative to that with pairing; null if the latter is 0. */
function gainOf(pairing: Pairing): number | null {
  const [to, of] = pairing.sides;
  const paired = ratioInterval(of, to)?.logStandardError ?? 0;
  return paired === 0 ? null : varianceApart(pairing) / paired ** 2;
}

// The standing of one side of a comparison against the other.

/**
 * How the next side compares with the base, as far as their runs show: every sentence, table and figure about a pair
 * takes it from here. It follows from the interval shown beside it, unless another criterion is stricter, as the
 * standing then says: `likely` is a difference by the interval that a correction or an exact test does not confirm.
 */
export type Standing =
  | "ahead"
  | "behind"
  /** The whole interval lies within the margin. */
  | "equivalent"
  /**
   * The interval excludes 1, but not the margin; or Holm's correction, or the exact test, disagrees with the interval;
   * or a side never settled, but is on the same side in both halves of the runs.
   */
  | "likely-ahead"
  | "likely-behind"
  /** The interval contains 1, and the runs would have shown any notable change. */
  | "no-difference-seen"
  /** The interval contains 1, and notable changes as well. */
  | "few-runs"
  | "groups"
  | "unsteady"
  /** Two capacities are compared, and one is a lower bound. */
  | "at-least"
  /** No difference was seen, but the generator, which limited most runs of a side, may have hidden one. */
  | "generator"
  /** A single run says nothing about the next. */
  | "one-run"
  /** A side has runs that served nothing. */
  | "silent"
  /** Other obstacles to a verdict: two sessions, wrong responses, nothing to compare. */
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

/** How certain a standing is, which a matrix shows by shading. */
export type Certainty = "decided" | "likely" | "open";

export function certaintyOf(standing: Standing): Certainty {
  if (standing === "ahead" || standing === "behind" || standing === "equivalent") return "decided";
  return standing === "likely-ahead" || standing === "likely-behind" ? "likely" : "open";
}
