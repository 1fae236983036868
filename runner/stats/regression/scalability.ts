/**
 * The universal scalability law (N. J. Gunther, "Guerrilla Capacity Planning", 2007): N instances, workers or
 * connections serve X(N) = γ·N / (1 + α·(N − 1) + β·N·(N − 1)). γ is what a single one serves, α the share of the work
 * that waits for others (contention), and β the cost of keeping each pair of them consistent (coherency). If β is above
 * 0, there is a peak, at N = √((1 − α) / β).
 *
 * γ > 0, 0 ≤ α ≤ 1 and β ≥ 0 are fitted by least squares of X. The best fit is either inside these bounds or on an edge
 * of them, and an edge is a law with fewer parameters. So each law is fitted by the method of K. Levenberg and D. W.
 * Marquardt (1963), and the best one within the bounds is taken. The same points always give the same fit.
 *
 * Intervals are over runs, by the draws of `bootstrap.ts`. They show how much runs differ, not whether the law holds.
 */
import { stretchedDraws } from "../confidence/confidence_interval.ts";
import type { Estimate } from "../confidence/bootstrap.ts";
import { quantileOf } from "../quantile.ts";

export interface ScalingPoint {
  /** Number of units (instances, workers or connections), at least 1. */
  readonly at: number;
  /** Requests per second, or any other figure that grows with the number of units. */
  readonly served: number;
}

export interface ScalingFit {
  /** γ, the throughput of a single unit. */
  readonly single: number;
  /** α, the contention. */
  readonly contention: number;
  /** β, the coherency. */
  readonly coherency: number;
  /**
   * The number of units with the highest throughput. Infinity if the coherency is 0, and below 1 if each further unit
   * reduces throughput.
   */
  readonly peak: number;
}

interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The interval of a parameter is null if it includes 0, because the runs then don't show that the parameter matters.
 */
export interface ScalingLaw {
  readonly fit: ScalingFit;
  readonly contention: Interval | null;
  readonly coherency: Interval | null;
  /** Null if `coherency` is null, or if the peak may lie below 1 or at infinity. */
  readonly peak: Interval | null;
}

/** With fewer points than this, almost any law would fit, because it has three parameters. */
export const LEAST_SCALING_VALUES = 5;

/** @returns Null if there are too few points, if any is out of range, or if no law within the bounds fits. */
export function fitScaling(points: readonly ScalingPoint[]): ScalingFit | null {
  if (
    points.length < LEAST_SCALING_VALUES || points.some(({ at, served }) => at < 1 || served <= 0)
  ) {
    return null;
  }
  let best: { law: Denominator; squares: number } | null = null;
  for (const terms of LAWS) {
    const fitted = leastSquares(points, terms);
    if (fitted === null || !isWithinBounds(fitted.law)) continue;
    if (best === null || fitted.squares < best.squares) best = fitted;
    if (terms === LAWS[0]) break; // better than any fit at a bound
  }
  return best && scalingOf(best.law);
}

export interface SampledScalingPoint {
  readonly at: number;
  readonly served: Pick<Estimate, "value" | "byRun" | "logStandardError" | "logDraws">;
}

/**
 * @returns Null under the same conditions as in `fitScaling`, or if a point was measured only once, or if too many
 * resamples can't be fitted.
 */
export function scalingLawOf(
  points: readonly SampledScalingPoint[],
  confidence = 0.95,
): ScalingLaw | null {
  const fit = fitScaling(points.map(({ at, served }) => ({ at, served: served.value })));
  const draws = points.map(({ served }) => stretchedDraws(served, confidence))
    .filter((draw) => draw !== null);
  if (fit === null || draws.length < points.length) return null;
  const fits = Array.from(
    { length: draws[0].length },
    (_, i) => fitScaling(points.map(({ at }, point) => ({ at, served: draws[point][i] }))),
  ).filter((drawn) => drawn !== null);
  if (fits.length < confidence * draws[0].length) return null;
  const intervalOf = (of: (drawn: ScalingFit) => number): Interval => {
    const sorted = fits.map(of).sort((a, b) => a - b);
    const [low, high] = [(1 - confidence) / 2, (1 + confidence) / 2]
      .map((share) => quantileOf(sorted, share));
    return { low, high };
  };
  const shown = (of: (drawn: ScalingFit) => number): Interval | null => {
    const interval = intervalOf(of);
    return interval.low > NOTHING ? interval : null;
  };
  const coherency = shown((drawn) => drawn.coherency);
  const peak = intervalOf((drawn) => drawn.peak);
  const isPeak = coherency !== null && peak.low >= 1 && peak.high < Infinity;
  return {
    fit,
    contention: shown((drawn) => drawn.contention),
    coherency,
    peak: isPeak ? peak : null,
  };
}

/** Smaller values are rounding errors. */
const NOTHING = 1e-9;

/** N / X(N) = one + more·(N − 1) + pairs·N·(N − 1), which is linear in the unknowns. */
type Denominator = readonly [one: number, more: number, pairs: number];

/** What the unknown parameters of each law contribute to the denominator. In the last two laws, α is 1. */
const LAWS: readonly (readonly Denominator[])[] = [
  [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  [[1, 0, 0], [0, 1, 0]],
  [[1, 0, 0], [0, 0, 1]],
  [[1, 0, 0]],
  [[1, 1, 0], [0, 0, 1]],
  [[1, 1, 0]],
];

function isWithinBounds([one, more, pairs]: Denominator): boolean {
  return one > 0 && more >= 0 && more <= one * (1 + NOTHING) && pairs >= 0;
}

function scalingOf([one, more, pairs]: Denominator): ScalingFit {
  const [contention, coherency] = [Math.min(more / one, 1), pairs / one];
  const peak = coherency > 0 ? Math.sqrt((1 - contention) / coherency) : Infinity;
  return { single: 1 / one, contention, coherency, peak };
}

function denominatorAt([one, more, pairs]: Denominator, at: number): number {
  return one + more * (at - 1) + pairs * at * (at - 1);
}

const MOST_STEPS = 200;
const SETTLED = 1e-14;

/**
 * Fits a law by damped steps. They start from the solution of the linear form, weighted so that it approximates the
 * least squares of X itself.
 */
function leastSquares(
  points: readonly ScalingPoint[],
  terms: readonly Denominator[],
): { law: Denominator; squares: number } | null {
  // X changes by −X²/N for each unit of the denominator.
  const rows = points.map(({ at, served }) =>
    terms.map((term) => denominatorAt(term, at) * served ** 2 / at)
  );
  const start = solve(rows, points.map(({ served }) => served), 0);
  if (start === null) return null;
  let sought = start;
  let current = missOf(points, lawOf(terms, sought));
  let damping = 1e-3;
  for (let step = 0; step < MOST_STEPS && damping < 1e12; step++) {
    const law = lawOf(terms, sought);
    const slopes = points.map(({ at }) => {
      const below = denominatorAt(law, at);
      return terms.map((term) => -denominatorAt(term, at) * at / below ** 2);
    });
    const change = solve(slopes, current.misses, damping);
    if (change === null) break;
    const next = sought.map((value, i) => value + change[i]);
    const moved = missOf(points, lawOf(terms, next));
    const gain = current.squares - moved.squares;
    const isSettled = Math.abs(gain) <= SETTLED * current.squares; // the rest is rounding
    if (gain >= 0) [sought, current, damping] = [next, moved, damping / 10];
    else damping *= 10;
    if (isSettled) break;
  }
  return Number.isFinite(current.squares)
    ? { law: lawOf(terms, sought), squares: current.squares }
    : null;
}

function lawOf(terms: readonly Denominator[], sought: readonly number[]): Denominator {
  const sum = (column: 0 | 1 | 2): number =>
    terms.reduce((total, term, i) => total + term[column] * sought[i], 0);
  return [sum(0), sum(1), sum(2)];
}

/**
 * Differences between the points and a law. If the law's denominator is not above 0, they are infinite, so that the law
 * is never accepted.
 */
function missOf(
  points: readonly ScalingPoint[],
  law: Denominator,
): { misses: number[]; squares: number } {
  const misses = points.map(({ at, served }) => {
    const below = denominatorAt(law, at);
    return below > 0 ? served - at / below : Infinity;
  });
  return { misses, squares: misses.reduce((sum, miss) => sum + miss * miss, 0) };
}

/**
 * Solves rows·x = values in the sense of least squares, by the normal equations with columns scaled to 1. Null if the
 * equations don't determine x.
 */
function solve(
  rows: readonly (readonly number[])[],
  values: readonly number[],
  damping: number,
): number[] | null {
  const count = rows[0].length;
  const scales = Array.from(
    { length: count },
    (_, i) => Math.sqrt(rows.reduce((sum, row) => sum + row[i] ** 2, 0)),
  );
  if (scales.some((scale) => !(scale > 0 && scale < Infinity))) return null;
  const matrix = scales.map((scale, i) => [
    ...scales.map((other, j) =>
      rows.reduce((sum, row) => sum + row[i] / scale * (row[j] / other), 0) +
      (i === j ? damping : 0)
    ),
    rows.reduce((sum, row, k) => sum + row[i] / scale * values[k], 0),
  ]);
  const solved = eliminate(matrix);
  return solved && solved.map((value, i) => value / scales[i]);
}

/** Gauss–Jordan elimination that pivots on the largest value of the column. Null for a singular matrix. */
function eliminate(matrix: number[][]): number[] | null {
  const count = matrix.length;
  for (let column = 0; column < count; column++) {
    let pivot = column;
    for (let row = column + 1; row < count; row++) {
      if (Math.abs(matrix[row][column]) > Math.abs(matrix[pivot][column])) pivot = row;
    }
    [matrix[column], matrix[pivot]] = [matrix[pivot], matrix[column]];
    const head = matrix[column][column];
    if (!(Math.abs(head) > 1e-14)) return null;
    for (let row = 0; row < count; row++) {
      if (row === column) continue;
      const factor = matrix[row][column] / head;
      for (let i = column; i <= count; i++) matrix[row][i] -= factor * matrix[column][i];
    }
  }
  return matrix.map((row, i) => row[count] / row[i]);
}
