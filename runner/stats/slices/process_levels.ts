/**
 * How much of the spread between the ratios of several fresh pairs of processes comes from their slices, and how much
 * from differences between processes. These are two levels of variance (T. Kalibera and R. Jones, "Rigorous
 * benchmarking in reasonable time", ISMM 2013). Memory layout, compiler decisions and hash seeds are fixed when a
 * process starts, and no number of its slices shows how they vary. Pure.
 */
import { cosineTransforms } from "../dependence/long_run_variance.ts";
import { meanOf } from "../quantile.ts";

/**
 * Number of cosine transforms for each pair of processes. They measure waves of at least half the length of the series,
 * which determine the variance of its mean.
 */
const TRANSFORMS = 4;
/** The fewest pairs of slices from which that many transforms can be computed. */
const LEAST_PAIRS = 2 * TRANSFORMS;

/**
 * Standard deviation of the log ratio of one pair of processes, as far as its slices explain it. It is estimated from
 * all pairs together, because a single pair has too few slices. Differences between processes don't affect it, because
 * the cosine transforms of a series don't depend on its mean.
 *
 * @param shares The `shares` of each pair of processes, as in `SliceRatio`.
 * @returns Null if any pair has too few slices.
 */
export function stdevWithin(shares: readonly Float64Array[]): number | null {
  if (shares.length === 0 || shares.some(({ length }) => length < LEAST_PAIRS)) return null;
  const variances = shares.map((own) => {
    const squares = cosineTransforms(own, TRANSFORMS).reduce((sum, one) => sum + one * one, 0);
    return squares / TRANSFORMS / own.length;
  });
  return Math.sqrt(meanOf(variances));
}

/** How an interval over pairs of processes gets its width. It uses Student's t on the log ratios of the pairs. */
export interface ProcessLevels {
  /** Number of process pairs. */
  readonly processes: number;
  /** Standard deviation of the pairs' log ratios. */
  readonly stdev: number;
  /** Standard deviation that the slices within a pair explain; null if unknown. */
  readonly withinStdev: number | null;
  /** Standard deviation between processes, which explains the rest of the variance; null if `withinStdev` is null. */
  readonly betweenStdev: number | null;
  /**
   * What would narrow the interval: longer pairs as well as more pairs (`slices`), or only more pairs (`processes`).
   * Null if `withinStdev` is null.
   */
  readonly limitedBy: "slices" | "processes" | null;
}

/**
 * @param logRatios Log ratios of the pairs of processes, new over base.
 * @param withinStdev The result of `stdevWithin`.
 * @returns Null for fewer than two pairs, because one pair says nothing about the next.
 */
export function processLevelsOf(
  logRatios: readonly number[],
  withinStdev: number | null,
): ProcessLevels | null {
  const processes = logRatios.length;
  if (processes < 2) return null;
  const mean = meanOf(logRatios);
  const squares = logRatios.reduce((sum, logRatio) => sum + (logRatio - mean) ** 2, 0);
  const variance = squares / (processes - 1);
  const levels = { processes, stdev: Math.sqrt(variance), withinStdev };
  if (withinStdev === null) return { ...levels, betweenStdev: null, limitedBy: null };
  const between = Math.max(0, variance - withinStdev ** 2);
  return {
    ...levels,
    betweenStdev: Math.sqrt(between),
    limitedBy: between > withinStdev ** 2 ? "processes" : "slices",
  };
}
