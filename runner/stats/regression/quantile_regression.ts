/**
 * How much each value of a factor changes a percentile of all requests, by quantile regression (R. Koenker and G.
 * Bassett, "Regression Quantiles", Econometrica 46, 1978). Treadmill attributes tail latency to settings of servers in
 * the same way (Y. Zhang et al., ISCA 2016). The logarithm of the latency is modelled as the sum of a base and a part
 * for each factor's value. Each request costs its distance from the fitted percentile, times τ if it is above and 1 − τ
 * if it is below. Pure.
 *
 * All requests of a cell c have the same fitted percentile q_c = x_c·β, so the sum of the costs is least where Σ x_c
 * (F_c(q_c) − τ) = 0, with F_c the distribution of the cell's requests. Newton's method solves this for as many
 * unknowns as there are parts, which is far cheaper than a linear programme over requests. Each run counts the same
 * within its cell, and each cell counts the same.
 *
 * Requests of a run depend on each other, so the interval is computed from runs: the runs of each cell are resampled,
 * with a correction for their small number, and with Student's t. Cells whose runs differ little add few degrees of
 * freedom (F. E. Satterthwaite, "An Approximate Distribution of Estimates of Variance Components", 1946).
 */
import { drawBy } from "../../../base/random.ts";
import { tQuantile } from "../confidence/student_t.ts";
import type { SparseHistogram } from "../histogram/histogram.ts";
import { highestUsOf, lowestUsOf } from "../histogram/histogram_counts.ts";

/** The cumulative distribution of the logarithm of latency in one run, piecewise linear. */
export interface RunDistribution {
  /** Logarithms of latency at which its pieces begin and end, ascending. */
  readonly at: Float64Array;
  /** Share of the requests up to each entry of `at`. */
  readonly share: Float64Array;
}

export interface RegressedCell {
  /** The cell's row of the design matrix: 1 for the base, then 1 or 0 for each part. */
  readonly row: readonly number[];
  /** At least two runs, because an interval needs them. */
  readonly runs: readonly RunDistribution[];
}

/** Effect of a part on the logarithm of the percentile, with its interval. */
export interface PartEffect {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** @returns Null for an empty histogram. */
export function distributionOf(
  { indices, counts, count: total }: SparseHistogram,
): RunDistribution | null {
  if (total === 0) return null;
  // Each bucket starts at its own lower end, not at the upper end of the previous bucket with
  // requests.
  const at = new Float64Array(2 * indices.length);
  const share = new Float64Array(2 * indices.length);
  let seen = 0;
  for (let i = 0; i < indices.length; i++) {
    at[2 * i] = Math.log(Math.max(1, lowestUsOf(indices[i])));
    share[2 * i] = seen / total;
    seen += counts[i];
    at[2 * i + 1] = Math.log(highestUsOf(indices[i]) + 1);
    share[2 * i + 1] = seen / total;
  }
  return { at, share };
}

function shareUpTo(value: number, { at, share }: RunDistribution): number {
  let [low, high] = [-1, at.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (at[middle] <= value) low = middle;
    else high = middle;
  }
  if (low < 0) return 0;
  if (high === at.length) return 1;
  const width = at[high] - at[low];
  const part = width > 0 ? (value - at[low]) / width : 1;
  return share[low] + part * (share[high] - share[low]);
}

interface WeightedCell {
  readonly cell: RegressedCell;
  readonly weights: Float64Array;
}

function shareOf(value: number, { cell: { runs }, weights }: WeightedCell): number {
  let sum = 0;
  for (let i = 0; i < runs.length; i++) {
    if (weights[i] > 0) sum += weights[i] * shareUpTo(value, runs[i]);
  }
  return sum / runs.length;
}

const STEPS = 60;
/** Half the width of the window in which the density is estimated, on the logarithmic scale. */
const WIDTH = 0.02;
/** The longest step. A percentile that is farther away is reached in several steps. */
const LONGEST_STEP = 1;
const CLOSE = 1e-5;
/** Used if the estimated density is 0, so that steps stay finite. */
const LEAST_DENSITY = 1e-4;
const HALVINGS = 12;

/**
 * @param share Share of requests up to the percentile: 0.99 for p99.
 * @param start Initial values of the parts.
 */
function fit(cells: readonly WeightedCell[], share: number, start: readonly number[]): number[] {
  let parts = [...start];
  let gradient = gradientAt(parts, cells, share);
  for (let step = 0; step < STEPS; step++) {
    const move = solved(densityAt(parts, cells), gradient.map((value) => -value));
    const longest = Math.max(...move.map(Math.abs));
    const falls = Math.abs(dot(gradient, move));
    let times = Math.min(1, LONGEST_STEP / longest);
    // The costs are convex, so they fall most steeply at the start of a step. The step is halved
    // while they rise, at its end, more than half as steeply as that.
    const atEnd = (): readonly number[] => parts.map((part, at) => part + times * move[at]);
    let end = gradientAt(atEnd(), cells, share);
    for (let i = 1; i < HALVINGS && dot(end, move) > 0.5 * falls; i++) {
      times /= 2;
      end = gradientAt(atEnd(), cells, share);
    }
    parts = [...atEnd()];
    gradient = end;
    if (times * longest < CLOSE) break;
  }
  return parts;
}

function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i] * other[i];
  return sum;
}

/** Gradient of the costs with respect to the parts. */
function gradientAt(
  parts: readonly number[],
  cells: readonly WeightedCell[],
  share: number,
): number[] {
  const gradient = new Array<number>(parts.length).fill(0);
  for (const cell of cells) {
    const { row } = cell.cell;
    const off = shareOf(dot(row, parts), cell) - share;
    for (let i = 0; i < row.length; i++) gradient[i] += row[i] * off;
  }
  return gradient;
}

/** The matrix of derivatives of the gradient with respect to the parts. */
function densityAt(parts: readonly number[], cells: readonly WeightedCell[]): number[][] {
  const density = parts.map(() => new Array<number>(parts.length).fill(0));
  for (const cell of cells) {
    const { row } = cell.cell;
    const value = dot(row, parts);
    const slope = (shareOf(value + WIDTH, cell) - shareOf(value - WIDTH, cell)) / (2 * WIDTH);
    for (let i = 0; i < row.length; i++) {
      if (row[i] === 0) continue;
      for (let j = 0; j < row.length; j++) {
        density[i][j] += row[i] * row[j] * Math.max(LEAST_DENSITY, slope);
      }
    }
  }
  return density;
}

/** Solves a system of linear equations whose matrix is symmetric and positive definite, by elimination. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]]);
  const count = rows.length;
  for (let i = 0; i < count; i++) {
    const pivot = rows.reduce(
      (best, row, j) => j >= i && Math.abs(row[i]) > Math.abs(rows[best][i]) ? j : best,
      i,
    );
    [rows[i], rows[pivot]] = [rows[pivot], rows[i]];
    for (let j = i + 1; j < count; j++) {
      const times = rows[j][i] / rows[i][i];
      for (let at = i; at <= count; at++) rows[j][at] -= times * rows[i][at];
    }
  }
  const found = new Array<number>(count).fill(0);
  for (let i = count - 1; i >= 0; i--) {
    let rest = rows[i][count];
    for (let j = i + 1; j < count; j++) rest -= rows[i][j] * found[j];
    found[i] = rest / rows[i][i];
  }
  return found;
}

/** With so many draws, the standard error is accurate to 5 %. */
const DRAWS = 200;
const CONFIDENCE = 0.95;

/**
 * @param share Share of requests up to the percentile: 0.99 for p99.
 * @returns The base, then each part. Null if a cell has fewer than two runs, because one run does not show how runs
 * differ.
 */
export function quantileEffects(
  cells: readonly RegressedCell[],
  { share, seed, draws = DRAWS }: { share: number; seed: number; draws?: number },
): PartEffect[] | null {
  if (cells.length === 0 || cells.some(({ runs }) => runs.length < 2)) return null;
  const whole = cells.map((cell) => ({
    cell,
    weights: new Float64Array(cell.runs.length).fill(1),
  }));
  const values = fit(whole, share, startOf(whole, share));
  const draw = drawBy(seed);
  const drawn = Array.from({ length: draws }, () => {
    const redrawn = cells.map((cell) => {
      const count = cell.runs.length;
      const weights = new Float64Array(count);
      for (let i = 0; i < count; i++) weights[draw(0, count - 1)]++;
      return { cell, weights };
    });
    return fit(redrawn, share, values);
  });
  const runs = cells.reduce((sum, { runs }) => sum + runs.length, 0);
  // A resample of n runs has (n − 1)/n of the variance of n new runs.
  const times = tQuantile(CONFIDENCE, freedomOf(cells, share)) *
    Math.sqrt(runs / (runs - cells.length));
  return values.map((value, part) => {
    const squares = drawn.reduce((sum, parts) => sum + (parts[part] - value) ** 2, 0);
    const off = times * Math.sqrt(squares / draws);
    return { value, low: value - off, high: value + off };
  });
}

/** Degrees of freedom with which the variance of runs within their cells is known. */
function freedomOf(cells: readonly RegressedCell[], share: number): number {
  const variances = cells.map((cell) => {
    const own = cell.runs.map((run) =>
      percentileOf({ cell: { row: [], runs: [run] }, weights: ONE }, share)
    );
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
    return own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (own.length - 1);
  });
  const whole = variances.reduce((sum, variance) => sum + variance, 0);
  const freedoms = cells.map(({ runs }) => runs.length - 1);
  if (whole === 0) return freedoms.reduce((sum, one) => sum + one, 0);
  return whole ** 2 / variances.reduce((sum, one, i) => sum + one ** 2 / freedoms[i], 0);
}

const ONE = Float64Array.of(1);

/** Initial values of the fit, by least squares on the percentiles of the cells. */
function startOf(cells: readonly WeightedCell[], share: number): number[] {
  const rows = cells.map(({ cell }) => cell.row);
  const own = cells.map((cell) => percentileOf(cell, share));
  const count = rows[0].length;
  const product = Array.from(
    { length: count },
    (_, i) =>
      Array.from({ length: count }, (_, j) => rows.reduce((sum, row) => sum + row[i] * row[j], 0)),
  );
  return solved(
    product,
    Array.from({ length: count }, (_, i) => rows.reduce((sum, row, c) => sum + row[i] * own[c], 0)),
  );
}

function percentileOf(cell: WeightedCell, share: number): number {
  const ends = cell.cell.runs.flatMap(({ at }) => [at[0], at[at.length - 1]]);
  let [low, high] = [Math.min(...ends), Math.max(...ends)];
  while (high - low > CLOSE) {
    const middle = (low + high) / 2;
    if (shareOf(middle, cell) < share) low = middle;
    else high = middle;
  }
  return high;
}
