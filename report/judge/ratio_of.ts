/**
 * The ratio of two figures with its one interval: comparisons, claims, thresholds and published figures of an experiment
 * take it from here, so that the same two cells never have two intervals.
 */
import type { Estimate } from "../../runner/stats/confidence/bootstrap.ts";
import type { PooledFigure } from "../../runner/stats/confidence/pool.ts";
import {
  type ConfidenceInterval,
  ratioInterval,
  studentInterval,
  type Variance,
} from "../../runner/stats/confidence/confidence_interval.ts";
import { moderated, variancePriorOf } from "../../runner/stats/comparison/moderation.ts";
import { type Between, ONE_SESSION, pairingOf } from "./between.ts";
import type { ComparedRuns } from "./group.ts";

/**
 * `of` over `to`, by the runs of both; null where either has fewer than two runs.
 *
 * Sides that ran in the same repetitions of one session are paired. Where the experiment makes six comparisons or more
 * that share no runs, the variance of a pair is moderated: what they know together of the figure's spread is added to
 * what its own few runs know. That holds for any two cells of the experiment, compared elsewhere or not. A figure that
 * no comparison has (`p90`, `memory`) has nothing to borrow: its ratio is paired only.
 *
 * @param figure What both estimates are of.
 * @param between What else the sides differ by. Default: they ran in one session.
 */
export type RatioOf = (
  of: Estimate,
  to: Estimate,
  figure: RatioFigure,
  between?: Between,
) => ConfidenceInterval | null;

type RatioFigure = PooledFigure | "cpuPerRequest";

/** Two sides that are compared. */
export interface GroupPair extends Record<"base" | "next", ComparedRuns> {
  /** Default: both sides ran in one experiment. */
  readonly between?: (figure: RatioFigure) => Between;
}

/**
 * The ratios of cells, moderated by what these comparisons know. Where they are too few to lend each other anything,
 * pairs stay pairs, even without drift: who tests the same runs for blocks first keeps the pairs whose spread chance
 * made too small, and errs in 6 to 7 % where 5 % were promised.
 *
 * @param pairs All comparisons that are read together.
 * @param confidence Of the intervals.
 */
export function ratiosBeside(pairs: readonly GroupPair[], confidence: number): RatioOf {
  const priors = new Map<RatioFigure, Variance | null>();
  const priorOf = (figure: RatioFigure): Variance | null => {
    const known = priors.get(figure);
    if (known !== undefined) return known;
    const prior = variancePriorOf(disjointVariances(pairs, figure));
    priors.set(figure, prior);
    return prior;
  };
  return (of, to, figure, between = ONE_SESSION) => {
    const interval = ratioInterval(of, to, {
      confidence,
      between: between.kind === "known" ? between.variances : [],
    });
    if (interval === null || between.kind !== "one-session" || pairingOf(of, to) === null) {
      return interval;
    }
    const prior = priorOf(figure);
    return prior === null
      ? interval
      : studentInterval(interval.value, moderated(varianceOf(interval), prior), confidence);
  };
}

/** Of pairs that share no runs: where many are held against one, its runs are in the spread of all, and the first counts. */
function disjointVariances(
  pairs: readonly GroupPair[],
  figure: RatioFigure,
): Variance[] {
  const seen = new Set<Estimate>();
  return pairs.flatMap(({ base, next, between }) => {
    const sides = [next.estimates.get(figure), base.estimates.get(figure)];
    const [of, to] = sides;
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
