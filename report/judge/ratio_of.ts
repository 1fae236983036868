/**
 * The ratio of two figures and its interval. The comparisons, claims, thresholds and published figures of an experiment
 * all take it from here, so that the same two cells never have two different intervals.
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
 * How much two figures may differ because they were measured in different sessions, beyond the differences between
 * their runs. Figures of one experiment share a session, which adds no difference. Two sessions add an unknown
 * difference. With enough sessions, its size is known, and the ratio is computed over sessions.
 */
export type Between =
  | { readonly kind: "one-session" }
  | { readonly kind: "unknown" }
  | { readonly kind: "known"; readonly contrast: SessionContrast };

export const ONE_SESSION: Between = { kind: "one-session" };

/** The ratio over sessions; null unless there are enough sessions for it. */
export function contrastIn(between: Between | null): SessionContrast | null {
  return between?.kind === "known" ? between.contrast : null;
}

/** Two sides that ran in the same repetitions of one session, and the ratio in each repetition. */
export interface Pairing {
  readonly pairs: number;
  /** ln (new / base) for each pair. */
  readonly logRatios: readonly number[];
  /** Both sides, restricted to the common repetitions. */
  readonly sides: readonly [base: Estimate, next: Estimate];
}

/** Pairs the sides by repetition; null unless they share at least two repetitions of one session. */
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
 * The interval of `of` ÷ `to` from the runs of both; null if either has fewer than two runs.
 *
 * Sides that ran in the same repetitions of one session are paired. If the experiment makes at least six comparisons
 * that share no runs, the variance of a pair is moderated: what these comparisons together show about the figure's
 * spread is combined with what the pair's own few runs show. This applies to any two cells of the experiment, even if
 * they are not compared elsewhere. Figures such as `p90` or `memory`, which comparisons do not include, are paired
 * without being moderated.
 *
 * @param figure The figure that both estimates describe.
 * @param between How much the sides may differ because of their sessions. Default: not at all, because they ran in one
 * session.
 */
export type RatioOf = (
  of: Estimate,
  to: Estimate,
  figure: DrawnFigure,
  between?: Between,
) => ConfidenceInterval | null;

export interface GroupPair extends Record<"base" | "next", ComparedRuns> {
  /**
   * How much the sides may differ because of their sessions. Default: not at all, because they ran in one experiment.
   */
  readonly between?: (figure: DrawnFigure) => Between;
  /** Null or absent unless the sides were loaded in alternating slices. */
  readonly sliced?: SlicedOf | null;
  /** The figures that decide this pair; default DECISIVE. */
  readonly decisive?: readonly ComparedFigure[];
}

/**
 * Ratios of cells whose variance is moderated by the spread in all given comparisons. With too few comparisons for
 * that, a pair is judged by its own repetitions alone, and the pairing counts less if repetitions have little in
 * common.
 *
 * @param pairs All comparisons of the report.
 * @param confidence Confidence level of the intervals.
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
 * The ratio of two sides loaded in alternating slices. It is certain which of their runs belong together, so the spread
 * of other pairs is not taken into account. If the processes are never restarted, successive rounds of slices depend on
 * each other, and the interval allows for that. Null if there are too few rounds for an interval.
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

/** Variance of ln ratio, computed as if the runs were not paired. */
export function varianceApart({ sides: [to, of] }: Pairing): number {
  return of.logStandardError ** 2 + to.logStandardError ** 2;
}

/**
 * The variances of pairs that have no runs in common. If many cells are compared with the same one, only the first of
 * these pairs counts, because the runs of the common cell affect the spread of each pair.
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
