/**
 * The ratio of two figures with its only interval: comparisons, claims, thresholds and published figures of an
 * experiment all take it from here, so that the same two cells never have two intervals.
 */
import { moderated, variancePriorOf } from "../../runner/stats/comparison/moderation.ts";
import { varianceOfPairs } from "../../runner/stats/comparison/pairing.ts";
import type { SessionContrast } from "../../runner/stats/comparison/sessions.ts";
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import {
  commonOf,
  type ConfidenceInterval,
  over,
  ratioInterval,
  studentInterval,
  type Variance,
} from "../../runner/stats/confidence/confidence_interval.ts";
import type { DrawnFigure } from "../figures/range.ts";
import type { ComparedFigure, ComparedRuns } from "./group.ts";
import { type Sliced, type SlicedOf, varianceOverRounds } from "./slices.ts";

/**
 * What separates two figures besides the differences that their runs show: nothing, if they were measured in one
 * experiment; two sessions, which differ by an unknown amount; or enough sessions to know that amount, so that the
 * ratio is the one over sessions.
 */
export type Between =
  | { readonly kind: "one-session" }
  | { readonly kind: "unknown" }
  | { readonly kind: "known"; readonly contrast: SessionContrast };

export const ONE_SESSION: Between = { kind: "one-session" };

/** The ratio over sessions; null if unknown. */
export function contrastIn(between: Between | null): SessionContrast | null {
  return between?.kind === "known" ? between.contrast : null;
}

/** Sides that ran in the same repetitions, with the result of each pair. */
export interface Pairing {
  /** Number of pairs. */
  readonly pairs: number;
  /** ln (new / base) for each pair. */
  readonly logRatios: readonly number[];
  /** Both sides, restricted to the common repetitions. */
  readonly sides: readonly [base: Estimate, next: Estimate];
}

/** Pairs the sides by their repetitions; null if they share fewer than two. */
export function pairingOf(next: Estimate, base: Estimate): Pairing | null {
  if (next.session === null || next.session !== base.session) return null;
  const common = commonOf([next, base]);
  if (common.length < 2) return null;
  const [to, of] = [over(base, common), over(next, common)];
  if (to === null || of === null) return null;
  const logRatios = of.byRun.map((value, i) => Math.log(value / to.byRun[i]));
  return { pairs: common.length, logRatios, sides: [to, of] };
}

/**
 * `of` over `to`, by the runs of both; null where either has fewer than two runs.
 *
 * Sides that ran in the same repetitions of one session are paired. If the experiment makes six comparisons or more
 * that share no runs, the variance of a pair is moderated: what these comparisons together show about the figure's
 * spread is added to what the pair's own few runs show. That holds for any two cells of the experiment, whether or not
 * they are compared elsewhere. A figure that no comparison has (`p90`, `memory`) has nothing to borrow: its ratio is
 * only paired.
 *
 * @param figure The figure that both estimates are of.
 * @param between Further differences between the sides. Default: they ran in one session.
 */
export type RatioOf = (
  of: Estimate,
  to: Estimate,
  figure: DrawnFigure,
  between?: Between,
) => ConfidenceInterval | null;

/** Two sides that are compared. */
export interface GroupPair extends Record<"base" | "next", ComparedRuns> {
  /** Default: both sides ran in one experiment. */
  readonly between?: (figure: DrawnFigure) => Between;
  /** Null unless the sides took turns slice by slice. */
  readonly sliced?: SlicedOf | null;
  /** The figures that decide this pair; default DECISIVE. */
  readonly decisive?: readonly ComparedFigure[];
}

/**
 * The ratios of cells, moderated by what these comparisons know. Where they are too few to lend each other anything, a
 * pair relies on its own repetitions, and on all of its runs where repetitions have little in common.
 *
 * @param pairs All comparisons that are read together.
 * @param confidence The confidence level of the intervals.
 */
export function ratiosBeside(pairs: readonly GroupPair[], confidence: number): RatioOf {
  const priors = new Map<DrawnFigure, Variance | null>();
  return (of, to, figure, between = ONE_SESSION) => {
    if (between.kind === "known") {
      return studentInterval(between.contrast.value, between.contrast, confidence);
    }
    const interval = ratioInterval(of, to, { confidence });
    const pairing = pairingOf(of, to);
    if (interval === null || between.kind === "unknown" || pairing === null) return interval;
    const prior = priors.getOrInsertComputed(
      figure,
      () => variancePriorOf(disjointVariances(pairs, figure)),
    );
    const paired = varianceOf(interval);
    const known = prior === null
      ? varianceOfPairs(paired, varianceApart(pairing), pairing.pairs)
      : moderated(paired, prior);
    return studentInterval(interval.value, known, confidence);
  };
}

/**
 * The ratio of sides in slices. Which of their runs belong together is certain, so nothing is borrowed from other pairs.
 * Rounds of two processes that are never restarted depend on each other: null if there are too few for an interval.
 */
export function slicedRatio(
  sliced: Sliced,
  [of, to]: readonly [of: Estimate, to: Estimate],
  confidence: number,
): ConfidenceInterval | null {
  if (!sliced.areTheseTwo) return ratioInterval(of, to, { confidence });
  const logRatios = pairingOf(of, to)?.logRatios ?? null;
  const variance = sliced.alone === null
    ? logRatios && varianceOverRounds(logRatios)
    : sliced.alone.variance;
  return variance && studentInterval(of.value / to.value, variance, confidence);
}

/** Variance of ln ratio if the runs were not paired. */
export function varianceApart({ sides: [to, of] }: Pairing): number {
  return of.logStandardError ** 2 + to.logStandardError ** 2;
}

/**
 * Variances of pairs without common runs. If many cells are compared with one, its runs affect the spread of all pairs,
 * so only the first pair counts.
 */
function disjointVariances(pairs: readonly GroupPair[], figure: DrawnFigure): Variance[] {
  const seen = new Set<Estimate>();
  return pairs.flatMap(({ base, next, between }) => {
    const [of, to] = [next.estimates.get(figure), base.estimates.get(figure)];
    if (!of || !to || (between && between(figure).kind !== "one-session")) return [];
    const interval = pairingOf(of, to) && ratioInterval(of, to);
    if (interval === null || seen.has(of) || seen.has(to)) return [];
    seen.add(of).add(to);
    return [varianceOf(interval)];
  });
}

function varianceOf({ logStandardError, degreesOfFreedom }: ConfidenceInterval): Variance {
  return { variance: logStandardError ** 2, degreesOfFreedom };
}
