/**
 * Where a series changes its mean or its variance: PELT (R. Killick, P. Fearnhead and I. A. Eckley,
 * "Optimal detection of changepoints with a linear computational cost", JASA 107, 2012) for normally
 * distributed values. It finds the segmentation with the least sum of
 *
 *     cost(segment) + penalty for each change,   cost = −2 · log-likelihood = n·ln v + SSE / v
 *
 * exactly, as trying every segmentation would, in O(n) memory and nearly O(n) time when changes are
 * spread over the series. v is the variance of the segment's values about their mean, SSE its sum of squares.
 */

export interface ChangePointOptions {
  /** Price of one change. Default 15·ln n, as E. Barrett et al., OOPSLA 2017, §4.1, use for warm-up. */
  readonly penalty?: number;
  /** Least number of values in a segment, at least 2; a variance needs as many. Default 2. */
  readonly minSegment?: number;
  /**
   * Segments count as at least this variable (in the values' unit, squared), so that a few values that
   * happen to be equal, or were rounded to be, are no segment of their own. Default: 10⁻⁶ of the variance
   * of the whole series.
   */
  readonly minVariance?: number;
}

/**
 * @param values Finite numbers in their order in time.
 * @returns The index of the first value of each new segment, ascending; empty for a series without a change.
 */
export function findChangePoints(
  values: readonly number[],
  options: ChangePointOptions = {},
): number[] {
  const length = values.length;
  const minSegment = Math.max(2, options.minSegment ?? 2);
  if (length < 2 * minSegment) return [];
  const penalty = options.penalty ?? 15 * Math.log(length);
  const cost = segmentCost(values, options.minVariance);
  return walkBack(search(length, { cost, penalty, minSegment }));
}

type Cost = (from: number, to: number) => number;

/** −2 · log-likelihood (less a constant per value) of the values in [from, to), by prefix sums: O(1) each. */
function segmentCost(values: readonly number[], minVariance?: number): Cost {
  const length = values.length;
  // About the mean, so that the difference of two sums of squares keeps its digits.
  const center = values.reduce((sum, value) => sum + value, 0) / length;
  const sums = new Float64Array(length + 1);
  const squares = new Float64Array(length + 1);
  for (let i = 0; i < length; i++) {
    const value = values[i] - center;
    sums[i + 1] = sums[i] + value;
    squares[i + 1] = squares[i] + value * value;
  }
  const floor = minVariance ??
    Math.max(Number.MIN_VALUE * 2 ** 60, 1e-6 * squares[length] / length);
  return (from, to) => {
    const count = to - from;
    const sum = sums[to] - sums[from];
    const squaredError = Math.max(0, squares[to] - squares[from] - sum * sum / count);
    const variance = Math.max(floor, squaredError / count);
    return count * Math.log(variance) + squaredError / variance;
  };
}

/**
 * For each end, where the last segment of the best segmentation up to there begins.
 *
 * A start is dropped once another end s has shown that it can't win again: best(start) + cost(start, s) ≥
 * best(s). That argument puts a change at s, so it holds only for ends that leave s a whole segment.
 */
function search(
  length: number,
  { cost, penalty, minSegment }: { cost: Cost; penalty: number; minSegment: number },
): Int32Array {
  const best = new Float64Array(length + 1).fill(Infinity);
  best[0] = -penalty;
  const lastStart = new Int32Array(length + 1);
  const validUntil = new Float64Array(length + 1).fill(Infinity);
  let starts: number[] = [0];
  for (let end = minSegment; end <= length; end++) {
    if (end >= 2 * minSegment) starts.push(end - minSegment);
    starts = starts.filter((start) => validUntil[start] > end);
    for (const start of starts) {
      const total = best[start] + cost(start, end) + penalty;
      if (total < best[end]) [best[end], lastStart[end]] = [total, start];
    }
    for (const start of starts) {
      if (best[start] + cost(start, end) < best[end]) continue;
      validUntil[start] = Math.min(validUntil[start], end + minSegment);
    }
  }
  return lastStart;
}

function walkBack(lastStart: Int32Array): number[] {
  const changes: number[] = [];
  for (let at = lastStart[lastStart.length - 1]; at > 0; at = lastStart[at]) changes.unshift(at);
  return changes;
}
