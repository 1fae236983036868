/**
 * Where a series of results, one a commit, changes its level: E-divisive means in windows, as Apache Otava has it
 * (M. Fleming et al., "Hunter: using change point detection to hunt for performance regressions", ICPE 2023).
 *
 * 1. Overlapping windows are split where the energy is largest, as long as the sides differ at ten times the p-value.
 * 2. The weak points of all windows are merged from the weakest on, until each has p < 0.001 between its neighbours
 *    and a change above the margin.
 *
 * Both by Student's t, as normal values would have it. What is left must also stand a permutation of the values of its
 * sides at the p-value of weak points, where so few values can give one that small: a few outliers pass the t-test.
 *
 * Otava's series in `tests/stats/data` give Otava's points because two of its habits are kept: the spread of a side is
 * that of its values themselves (n, not n − 1), and where a point is left out only the one after it is judged anew.
 */
import { type Draw, drawBy } from "../../../base/random.ts";
import { tQuantile, twoSidedP } from "../confidence/student_t.ts";
import { bestSplit } from "./energy.ts";
import { meanOf } from "../quantile.ts";

export interface ChangePoint {
  /** Index of the first value after the change. */
  readonly index: number;
  /** By Student's t-test, two-sided. */
  readonly p: number;
  /** Mean after over mean before, with its 95 % interval; of logarithms by Welch's t. */
  readonly ratio: { readonly value: number; readonly low: number; readonly high: number };
}

export interface TrendOptions {
  /** A smaller change is none: 0.02 is 2 %. */
  readonly marginRatio: number;
  readonly seed: number;
  /** Default 0.001. */
  readonly mostP?: number;
  /** Values; default 50. */
  readonly window?: number;
}

const MOST_P = 0.001;
const WINDOW = 50;
/** A candidate may be weaker than what is kept by as much: what follows it may make it strong. */
const WEAKER = 10;
const PERMUTATIONS = 1_999;
/** A least p nearer to the limit might be found above it, as permutations are drawn. */
const SURELY_BELOW = 0.5;

/** @param series Above 0, from the oldest. @returns From the oldest. */
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

/** Before the permutation test, and so of outliers, too. */
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

/** As Otava relaxes it: ten times, twice, or not at all. */
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

/** Splits where the energy is largest, again and again, until the sides of that split do not differ. */
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
  /** The larger of the change forth and back, as a ratio less one. */
  readonly size: number;
}

interface MergeRule {
  readonly mostP: number;
  readonly marginRatio: number;
}

/** Leaves out the weakest, again and again: its neighbours then have more values to be judged by. */
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

/** Up to the points before and after. */
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

/** Not where the values are too few for so small a p by any permutation. */
function isByChance(sides: BothSides, mostP: number, draw: Draw): boolean {
  const leastP = Math.max(leastPermutationP(sides), 1 / (PERMUTATIONS + 1));
  return leastP <= SURELY_BELOW * mostP && permutationP(sides, draw) > mostP;
}

/** Two-sided, of equal variances; 1 where three values are not there. */
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

/** One of all choices of the values of a side; two for sides of one size, which may change places. */
function leastPermutationP([left, right]: BothSides): number {
  let choices = 1;
  for (let i = 1; i <= Math.min(left.length, right.length) && choices < 1e9; i++) {
    choices *= (left.length + right.length + 1 - i) / i;
  }
  return (left.length === right.length ? 2 : 1) / choices;
}

/** How often values dealt out by chance have means as far apart (E. S. Edgington, "Randomization Tests", 1980). */
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
 * Mean after over mean before. A side of one value has no spread of its own: then that of the other counts for both.
 *
 * @param correlation Of neighbours: means of values that are alike vary more, and their spread shows less of it.
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
    // Where neighbours are alike, the spread about their own mean is short by as much as the mean varies.
    const whole = side.length > 1 ? shown * (side.length - 1) / (side.length - factor) : shown;
    return { variance: whole / independent, degreesOfFreedom: Math.max(1, independent - 1) };
  });
  const variance = parts.reduce((sum, part) => sum + part.variance, 0);
  const spread = parts.reduce((sum, part) => sum + part.variance ** 2 / part.degreesOfFreedom, 0);
  const reach = variance === 0 ? 0 : tQuantile(0.95, variance ** 2 / spread) * Math.sqrt(variance);
  const value = Math.exp(after - before);
  return { value, low: value * Math.exp(-reach), high: value * Math.exp(reach) };
}

/** How many times as much a mean of AR(1) values varies as one of independent values. */
function meanFactor(size: number, correlation: number): number {
  let factor = 1;
  for (let lag = 1; lag < size; lag++) factor += 2 * (1 - lag / size) * correlation ** lag;
  return factor;
}

function squaresOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}
