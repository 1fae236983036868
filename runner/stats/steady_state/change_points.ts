/**
 * Where a series changes its mean or its variance, by PELT (R. Killick, P. Fearnhead and I. A. Eckley, "Optimal
 * detection of changepoints with a linear computational cost", JASA 107, 2012) for normally distributed values. PELT
 * finds the segmentation with the least sum of
 *
 *     cost(segment) + penalty for each change,   cost = −2 · log-likelihood = n·ln v + SSE / v,
 *
 * where v is the variance of the segment's values about their mean, and SSE their sum of squared deviations. The result
 * is exact, as if every segmentation had been tried, but takes O(n) memory and nearly O(n) time when changes are spread
 * over the series.
 */

/**
 * The penalty for one change, as a multiple of ln n. E. Barrett et al., OOPSLA 2017, §4.1, use 15·ln n for 2,000
 * iterations. Runs here have 40 to 120 intervals, in which that penalty hides a slow warm-up of 20 %. The table shows
 * the share of flat series in which a change is found, for noise of 1 to 5 % with an autocorrelation r
 * (`deno run -A bench/statistics/penalty.ts`, 500 series each):
 *
 *       n    r   3·ln n  4·ln n  5·ln n  6·ln n  8·ln n 10·ln n 15·ln n
 *      40  0.0     13 %     3 %     1 %     0 %     0 %     0 %     0 %
 *      40  0.4     46 %    20 %     8 %     2 %     1 %     0 %     0 %
 *      40  0.6     78 %    47 %    23 %    13 %     3 %     2 %     0 %
 *     120  0.0      5 %     1 %     0 %     0 %     0 %     0 %     0 %
 *     120  0.4     40 %    10 %     3 %     1 %     0 %     0 %     0 %
 *     120  0.6     86 %    47 %    22 %     9 %     2 %     1 %     0 %
 *
 * 6·ln n is the least penalty with fewer than 5 % false changes for r up to 0.4. False changes from slower waves are
 * mostly merged again, because their levels differ by less than the noise (`segments.ts`). 3·ln n would be the Bayesian
 * information criterion.
 */
const PENALTY = 6;

interface ChangePointOptions {
  /** Penalty for one change. Default: `PENALTY` · ln n. */
  readonly penalty?: number;
  /** Least number of values in a segment. Default and minimum: 2, because a variance needs two. */
  readonly minSegment?: number;
  /**
   * The least variance assumed for a segment, in the squared unit of the values. Without it, a few values that are
   * equal by chance or by rounding would become a segment of their own. Default: 10⁻⁶ of the variance of the whole
   * series.
   */
  readonly minVariance?: number;
}

/**
 * @param values Finite numbers, in order of time.
 * @returns The index of the first value of each segment but the first, ascending; empty for a series without a change.
 */
export function findChangePoints(
  values: readonly number[],
  options: ChangePointOptions = {},
): number[] {
  const length = values.length;
  const minSegment = Math.max(2, options.minSegment ?? 2);
  if (length < 2 * minSegment) return [];
  const penalty = options.penalty ?? PENALTY * Math.log(length);
  const cost = segmentCost(values, options.minVariance);
  return walkBack(search(length, { cost, penalty, minSegment }));
}

type Cost = (from: number, to: number) => number;

/** −2 · log-likelihood of the values in [from, to), less a constant per value. By prefix sums, each call takes O(1). */
function segmentCost(values: readonly number[], minVariance?: number): Cost {
  const length = values.length;
  // Centred on the mean, so that differences of sums of squares keep their digits.
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
 * For each end, the start of the last segment in the best segmentation up to that end.
 *
 * A start is dropped once an end s has best(start) + cost(start, s) ≥ best(s), because a segmentation with a change at
 * s is then always at least as good. A change at s needs a whole segment after s, so the start is dropped only for ends
 * that leave room for one.
 */
function search(
  length: number,
  { cost, penalty, minSegment }: { cost: Cost; penalty: number; minSegment: number },
): Int32Array {
  const best = new Float64Array(length + 1).fill(Infinity);
  best[0] = -penalty;
  const lastStart = new Int32Array(length + 1);
  const validUntil = new Float64Array(length + 1).fill(Infinity);
  const upTo = new Float64Array(length + 1);
  let starts: number[] = [0];
  for (let end = minSegment; end <= length; end++) {
    if (end >= 2 * minSegment) starts.push(end - minSegment);
    starts = starts.filter((start) => validUntil[start] > end);
    for (let i = 0; i < starts.length; i++) {
      upTo[i] = best[starts[i]] + cost(starts[i], end);
      const total = upTo[i] + penalty;
      if (total < best[end]) {
        best[end] = total;
        lastStart[end] = starts[i];
      }
    }
    for (let i = 0; i < starts.length; i++) {
      if (upTo[i] < best[end]) continue;
      validUntil[starts[i]] = Math.min(validUntil[starts[i]], end + minSegment);
    }
  }
  return lastStart;
}

function walkBack(lastStart: Int32Array): number[] {
  const changes: number[] = [];
  for (let at = lastStart[lastStart.length - 1]; at > 0; at = lastStart[at]) changes.unshift(at);
  return changes;
}
