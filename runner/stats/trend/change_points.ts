/**
 * Where a series of results, one for each commit, changes its level: E-divisive means in windows, as in Apache Otava
 * (M. Fleming et al., "Hunter: using change point detection to hunt for performance regressions", ICPE 2023).
 *
 * 1. Overlapping windows are split where the energy statistic is largest, as long as the sides differ at ten times the
 * final p-value.
 * 2. The resulting weak points of all windows are removed one by one, the weakest first, until each remaining point has
 * p < 0.001 between its neighbours and a change above the margin.
 *
 * Both steps use Student's t, as for normal values. But a few outliers can pass the t-test. So the remaining points
 * must also pass a permutation test between their sides, at the p-value of weak points, provided that there are enough
 * values for so small a p-value.
 *
 * For Otava's series in `tests/stats/data`, the points found are Otava's, because two of its habits are kept: the
 * variance of a side is divided by n and not by n − 1, and after a point is removed only the next two are judged again.
 */
import { type Draw, drawBy } from "../../../base/random.ts";
import { tQuantile, twoSidedP } from "../confidence/student_t.ts";
import { bestSplit } from "./energy.ts";
import { meanOf } from "../quantile.ts";

export interface ChangePoint {
  /** Index of the first value after the change. */
  readonly index: number;
  /** Two-sided p-value of Student's t-test. */
  readonly p: number;
  /** The mean after the change divided by the mean before it, with a 95 % interval by Welch's t on logarithms. */
  readonly ratio: { readonly value: number; readonly low: number; readonly high: number };
}

export interface TrendOptions {
  /** Smaller changes do not count; 0.02 is 2 %. */
  readonly marginRatio: number;
  readonly seed: number;
  /** The largest p-value of a change; default 0.001. */
  readonly mostP?: number;
  /** Number of values in a window; default 50. */
  readonly window?: number;
}

const MOST_P = 0.001;
const WINDOW = 50;
/**
 * A candidate's p-value may exceed the final limit by this factor, because the values of other windows may make it
 * significant.
 */
const WEAKER = 10;
const PERMUTATIONS = 1_999;
/**
 * The permutation test is made only if its least possible p-value is at most this share of the limit. Otherwise, the
 * permutations drawn may miss the limit by chance.
 */
const SURELY_BELOW = 0.5;

/**
 * @param series Values above 0, oldest first.
 * @returns Changes, oldest first.
 */
export function changePointsOf(
  series: readonly number[],
  { marginRatio, seed, mostP = MOST_P, window = WINDOW }: TrendOptions,
): ChangePoint[] {
  const draw = drawBy(seed);
  const weak = weakP(mostP);
  let kept = candidatePoints(series, { marginRatio, mostP, window });
  for (;;) {
    const chance = kept.findIndex((_, i) => isByChance(sidesOf(series, kept, i), weak, draw));
    if (chance === -1) break;
    const others = kept.toSpliced(chance, 1).map(({ index }) => index);
    kept = mergePoints(series, others, { mostP, marginRatio });
  }
  const ends = [...kept.map(({ index }) => index), series.length];
  return kept.map(({ index, p }, i) => ({
    index,
    p,
    ratio: ratioOf(series.slice(kept[i - 1]?.index ?? 0, index), series.slice(index, ends[i + 1])),
  }));
}

/**
 * Indexes of points that pass the t-test. They have not passed the permutation test, so outliers may have caused them.
 */
export function candidatesOf(
  series: readonly number[],
  { marginRatio, mostP }: Required<Pick<TrendOptions, "marginRatio" | "mostP">>,
): number[] {
  return candidatePoints(series, { marginRatio, mostP, window: WINDOW }).map(({ index }) => index);
}

function candidatePoints(
  series: readonly number[],
  { marginRatio, mostP, window }: MergeRule & { readonly window: number },
): WeakPoint[] {
  const weak = weakPoints(series, { window, mostP: weakP(mostP) });
  return mergePoints(series, weak, { mostP, marginRatio });
}

/**
 * The relaxed limit for weak points, as in Otava: ten times `mostP`, only twice if `mostP` is 0.05 or more, and
 * unchanged from 0.5 on.
 */
function weakP(mostP: number): number {
  return mostP < 0.05 ? WEAKER * mostP : mostP < 0.5 ? 2 * mostP : mostP;
}

function weakPoints(
  series: readonly number[],
  { window, mostP }: { window: number; mostP: number },
): number[] {
  const points = new Set<number>();
  const step = Math.floor(window / 2);
  for (let start = 0; start < series.length;) {
    const segment = { from: start, to: Math.min(start + window, series.length) };
    const found = splitSegment(series, segment, mostP);
    found.forEach((index) => points.add(index));
    start = Math.max(found.at(-1) ?? 0, start + step);
  }
  return [...points].sort((a, b) => a - b);
}

/** Splits repeatedly where the energy statistic is largest, until the sides of that split no longer differ. */
function splitSegment(
  series: readonly number[],
  { from, to }: { from: number; to: number },
  mostP: number,
): number[] {
  const points: number[] = [];
  for (;;) {
    const ends = [from, ...points, to];
    const splits = ends.slice(1).flatMap((end, i) => {
      const split = bestSplit(series, { from: ends[i], to: end });
      return split === null ? [] : [{ split, sides: sidesAt(series, ends[i], split.index, end) }];
    });
    if (splits.length === 0) return points;
    const best = splits.reduce((most, one) => one.split.energy > most.split.energy ? one : most);
    if (!(studentP(best.sides) <= mostP)) return points;
    points.push(best.split.index);
    points.sort((a, b) => a - b);
  }
}

type BothSides = readonly [left: readonly number[], right: readonly number[]];

interface WeakPoint {
  readonly index: number;
  readonly p: number;
  /** The ratio of the means or its inverse, whichever is larger, less one. */
  readonly size: number;
}

interface MergeRule {
  readonly mostP: number;
  readonly marginRatio: number;
}

/**
 * Removes the weakest point repeatedly. After each removal, the next two points are judged again: the first because it
 * now has more values on its left, the second because it may not have been judged since its own left neighbour was
 * removed.
 */
function mergePoints(
  series: readonly number[],
  indices: readonly number[],
  { mostP, marginRatio }: MergeRule,
): WeakPoint[] {
  const judged = (all: readonly { readonly index: number }[], i: number): WeakPoint => {
    const sides = sidesOf(series, all, i);
    return { index: all[i].index, p: studentP(sides), size: sizeOf(sides) };
  };
  let points = indices.map((index) => ({ index })).map((_, i, all) => judged(all, i));
  while (points.length > 0) {
    const least = points.reduce((most, one) => one.p > most.p ? one : most);
    const smallest = points.reduce((most, one) => one.size < most.size ? one : most);
    if (least.p < mostP && smallest.size > marginRatio) return points;
    const at = points.indexOf(least.p < mostP ? smallest : least);
    const left = points.toSpliced(at, 1);
    points = left.map((point, i) => i === at || i === at + 1 ? judged(left, i) : point);
  }
  return points;
}

/** The values on each side of a point, up to the neighbouring points. */
function sidesOf(
  series: readonly number[],
  points: readonly { readonly index: number }[],
  i: number,
): BothSides {
  const to = points[i + 1]?.index ?? series.length;
  return sidesAt(series, points[i - 1]?.index ?? 0, points[i].index, to);
}

function sidesAt(series: readonly number[], from: number, at: number, to: number): BothSides {
  return [series.slice(from, at), series.slice(at, to)];
}

function sizeOf([left, right]: BothSides): number {
  const ratio = meanOf(right) / meanOf(left);
  return Math.max(ratio, 1 / ratio) - 1;
}

/**
 * Whether a permutation test puts the change down to chance; false if there are too few values for so small a p-value.
 */
function isByChance(sides: BothSides, mostP: number, draw: Draw): boolean {
  const leastP = Math.max(leastPermutationP(sides), 1 / (PERMUTATIONS + 1));
  return leastP <= SURELY_BELOW * mostP && permutationP(sides, draw) > mostP;
}

/** Two-sided p-value of Student's t-test for equal variances; 1 for fewer than three values. */
function studentP([left, right]: BothSides): number {
  const degreesOfFreedom = left.length + right.length - 2;
  if (degreesOfFreedom <= 0) return 1;
  const squares = [left, right].map((side) => squaresOf(side) * (side.length - 1) / side.length);
  const variance = (squares[0] + squares[1]) / degreesOfFreedom;
  const difference = Math.abs(meanOf(right) - meanOf(left));
  if (variance === 0) return difference === 0 ? 1 : 0;
  const error = Math.sqrt(variance * (1 / left.length + 1 / right.length));
  return twoSidedP(difference / error, degreesOfFreedom);
}

/**
 * The least p-value of the permutation test. It is 1 over the number of ways to choose one side's values, or 2 over
 * that number if both sides have the same size, because they may then be swapped.
 */
function leastPermutationP([left, right]: BothSides): number {
  let choices = 1;
  for (let i = 1; i <= Math.min(left.length, right.length) && choices < 1e9; i++) {
    choices *= (left.length + right.length + 1 - i) / i;
  }
  return (left.length === right.length ? 2 : 1) / choices;
}

/**
 * How often randomly assigned values have means at least as far apart (E. S. Edgington, "Randomization Tests", 1980).
 */
function permutationP([left, right]: BothSides, draw: Draw): number {
  const values = [...left, ...right];
  const total = values.reduce((sum, value) => sum + value, 0);
  const size = values.length;
  const distance = (sum: number): number =>
    Math.abs(sum / left.length - (total - sum) / (size - left.length));
  const found = distance(left.reduce((sum, value) => sum + value, 0)) * (1 - 1e-12);
  let extreme = 1;
  for (let i = 0; i < PERMUTATIONS; i++) {
    let sum = 0;
    for (let at = 0; at < left.length; at++) {
      const other = draw(at, size - 1);
      [values[at], values[other]] = [values[other], values[at]];
      sum += values[at];
    }
    if (distance(sum) >= found) extreme++;
  }
  return extreme / (PERMUTATIONS + 1);
}

/**
 * The mean after the change divided by the mean before it. A side with one value has no spread of its own, so the
 * spread of the other side is used for it.
 *
 * @param correlation Correlation of neighbouring values. If neighbours are alike, the mean varies more than the spread
 * of the values shows.
 */
export function ratioOf(
  left: readonly number[],
  right: readonly number[],
  correlation = 0,
): ChangePoint["ratio"] {
  const sides = [left, right].map((side) => side.map(Math.log));
  const [before, after] = sides.map(meanOf);
  const pooled = sides.reduce((sum, side) => sum + squaresOf(side), 0) /
    Math.max(1, left.length + right.length - 2);
  const parts = sides.map((side) => {
    const factor = meanFactor(side.length, correlation);
    const independent = side.length / factor;
    const shown = side.length > 1 ? squaresOf(side) / (side.length - 1) : pooled;
    // If neighbours are correlated, their spread around their own mean is too small by the variance
    // of that mean.
    const whole = side.length > 1 ? shown * (side.length - 1) / (side.length - factor) : shown;
    return { variance: whole / independent, degreesOfFreedom: Math.max(1, independent - 1) };
  });
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  const spread = parts.reduce((sum, part) => sum + part.variance ** 2 / part.degreesOfFreedom, 0);
  const reach = variance === 0 ? 0 : tQuantile(0.95, variance ** 2 / spread) * Math.sqrt(variance);
  const value = Math.exp(after - before);
  return { value, low: value * Math.exp(-reach), high: value * Math.exp(reach) };
}

/** Variance of the mean of AR(1) values, relative to that of independent values. */
function meanFactor(size: number, correlation: number): number {
  let factor = 1;
  for (let lag = 1; lag < size; lag++) factor += 2 * (1 - lag / size) * correlation ** lag;
  return factor;
}

function squaresOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}
