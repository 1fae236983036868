/**
 * How likely it is that a step in a series is chance, if successive results resemble each other. A machine that is slow
 * this week makes all results of this week slow, and tests that take values for independent report each such week as a
 * change.
 *
 * A step is described by Student's t between the values before and after it, and by the correlation of neighbours that
 * remains after both levels are subtracted. Chance is simulated with series of as many values without a change: AR(1)
 * with correlations from 0 to 0.95. Only those count whose remaining correlation is near that of the real series, and p
 * is the share of them whose best step has at least as large a t. The simulated series are treated like the real one:
 * the place of the step is sought, and subtracting the levels also removes some dependence. (M. Robbins, C. Gallagher,
 * R. Lund and A. Aue, "Mean shift testing in correlated data", J. Time Ser. Anal. 2011, test levels by the residuals of
 * a fitted AR. D. Rubin, Ann. Statist. 1984, simulates given a summary of the data.) `deno task bench trends` measures
 * the rate of false changes, and which changes are detected.
 */
import { drawBy } from "../../../base/random.ts";

export interface Step {
  /** Index of the first value after the step. */
  readonly index: number;
  /** Absolute value of Student's t, for equal variances. */
  readonly t: number;
  /** Correlation of neighbouring values, each taken relative to the level of its side of the step. */
  readonly correlation: number;
}

/** The least number of values on either side of a step, because one or two values alone are outliers. */
export const LEAST_SIDE = 3;

/** @param index At least `LEAST_SIDE` values must be on either side. */
export function stepAt(values: readonly number[], index: number): Step {
  const { sums, squares } = sumsOf(values);
  return {
    index,
    t: tAt({ sums, squares, size: values.length }, index),
    correlation: correlationAt(values, index),
  };
}

interface Sums {
  /** Prefix sums: entry n is the sum of the first n values. */
  readonly sums: Float64Array;
  readonly squares: Float64Array;
  readonly size: number;
}

/** Buffers, reused, and enlarged for a longer series. */
let sums = new Float64Array(0);
let squares = new Float64Array(0);

function sumsOf(values: ArrayLike<number>): Sums {
  const size = values.length;
  if (sums.length <= size) {
    [sums, squares] = [new Float64Array(2 * size + 1), new Float64Array(2 * size + 1)];
  }
  for (let i = 0; i < size; i++) {
    sums[i + 1] = sums[i] + values[i];
    squares[i + 1] = squares[i] + values[i] * values[i];
  }
  return { sums, squares, size };
}

// hot: runs for every position in tens of thousands of simulated series.
function tAt({ sums, squares, size }: Sums, index: number): number {
  const rest = size - index;
  const [left, right] = [sums[index] / index, (sums[size] - sums[index]) / rest];
  const within = squares[size] - index * left * left - rest * right * right;
  const variance = within / (size - 2) * (1 / index + 1 / rest);
  return variance > 0
    ? Math.abs(right - left) / Math.sqrt(variance)
    : right === left
    ? 0
    : Infinity;
}

function correlationAt(values: ArrayLike<number>, index: number): number {
  const size = values.length;
  let [left, right] = [0, 0];
  for (let i = 0; i < index; i++) left += values[i] / index;
  for (let i = index; i < size; i++) right += values[i] / (size - index);
  let [both, all, before] = [0, 0, 0];
  for (let i = 0; i < size; i++) {
    const rest = values[i] - (i < index ? left : right);
    both += before * rest;
    all += rest * rest;
    before = rest;
  }
  return all > 0 ? both / all : 0;
}

/**
 * Number of simulated series, how many of them (those with the nearest apparent correlation) a series is compared with,
 * and their largest true correlation.
 */
const SIMULATED = 30_000;
const NEAREST = 3_000;
const MOST_CORRELATION = 0.95;
/** Exponent of the distribution of the simulated correlations. Above 1, small correlations are simulated more often. */
const CORRELATION_POWER = 1.5;

interface Simulated {
  /**
   * Apparent correlations of the simulated series, ascending. `ts` and `truths` have the t of the best step and the
   * true correlation, in the same order.
   */
  readonly looks: Float64Array;
  readonly ts: Float64Array;
  readonly truths: Float64Array;
}

const simulatedBySize = new Map<number, Simulated>();

/** Any seed will do. It is fixed, so that the same series always gives the same changes. */
const SEED = 1;

function simulated(size: number): Simulated {
  const known = simulatedBySize.get(size);
  if (known !== undefined) return known;
  const normal = normalsBy(SEED);
  const values = new Float64Array(size);
  const all = Array.from({ length: SIMULATED }, (_, i) => {
    const truth = MOST_CORRELATION * ((i + 0.5) / SIMULATED) ** CORRELATION_POWER;
    const fresh = Math.sqrt(1 - truth * truth);
    values[0] = normal();
    for (let at = 1; at < size; at++) values[at] = truth * values[at - 1] + fresh * normal();
    const sums = sumsOf(values);
    let [t, index] = [-1, LEAST_SIDE];
    for (let at = LEAST_SIDE; at <= size - LEAST_SIDE; at++) {
      const own = tAt(sums, at);
      if (own > t) [t, index] = [own, at];
    }
    return { t, truth, look: correlationAt(values, index) };
  }).sort((a, b) => a.look - b.look);
  const made = {
    looks: Float64Array.from(all, ({ look }) => look),
    ts: Float64Array.from(all, ({ t }) => t),
    truths: Float64Array.from(all, ({ truth }) => truth),
  };
  simulatedBySize.set(size, made);
  return made;
}

/** Standard normal values (G. E. P. Box and M. E. Muller, 1958). */
function normalsBy(seed: number): () => number {
  const draw = drawBy(seed);
  const uniform = (): number => (draw(0, 2 ** 31 - 2) + 1) / 2 ** 31;
  let spare: number | null = null;
  return () => {
    if (spare !== null) {
      const value = spare;
      spare = null;
      return value;
    }
    const [radius, angle] = [Math.sqrt(-2 * Math.log(uniform())), 2 * Math.PI * uniform()];
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/** The step with the largest t; null if there are too few values. */
export function bestStep(values: readonly number[]): Step | null {
  const sums = sumsOf(values);
  let [t, index] = [-1, 0];
  for (let at = LEAST_SIDE; at <= values.length - LEAST_SIDE; at++) {
    const own = tAt(sums, at);
    if (own > t) [t, index] = [own, at];
  }
  return index === 0 ? null : stepAt(values, index);
}

export interface Chance {
  /**
   * Probability that a series of the same apparent correlation, but without a change, has a step with at least as large
   * a t.
   */
  readonly p: number;
  /** Estimated true correlation of neighbours: the mean over simulated series of a similar apparent correlation. */
  readonly correlation: number;
}

/** @param size Number of values in the series. */
export function chanceOf(
  { t, correlation }: Pick<Step, "t" | "correlation">,
  size: number,
): Chance {
  const { looks, ts, truths } = simulated(size);
  let at = 0;
  for (let high = SIMULATED; at < high;) {
    const middle = (at + high) >> 1;
    if (looks[middle] < correlation) at = middle + 1;
    else high = middle;
  }
  const from = Math.min(Math.max(0, at - NEAREST / 2), SIMULATED - NEAREST);
  let [larger, truth] = [0, 0];
  for (let i = from; i < from + NEAREST; i++) {
    if (ts[i] >= t) larger++;
    truth += truths[i] / NEAREST;
  }
  const p = larger < FEW
    ? tailP(ts.slice(from, from + NEAREST).sort(), t)
    : (larger + 1) / (NEAREST + 1);
  return { p, correlation: truth };
}

/** If fewer simulated series than this have so large a step, their share is imprecise. */
const FEW = 10;
/** How many of the largest simulated steps are used to extrapolate to larger ones. */
const TAIL = 100;

/**
 * The p-value of a step that is larger than nearly all simulated ones, from a power law through the largest simulated
 * steps (B. Hill, Ann. Statist. 1975). T. Knijnenburg and others extend permutation tests in this way (Bioinformatics
 * 2009). The tails of t fall faster than a power law, so p is too large rather than too small.
 */
function tailP(sorted: Float64Array, t: number): number {
  const from = sorted[sorted.length - TAIL];
  const logs = sorted.slice(-TAIL).reduce((sum, one) => sum + Math.log(one / from), 0);
  return TAIL / sorted.length * (t / from) ** (-TAIL / logs);
}
