/**
 * How much the distributions of two adjacent segments of a series differ, measured by the energy statistic with α = 1
 * of D. S. Matteson and N. A. James, "A nonparametric approach for multiple change point analysis of multivariate
 * data", 2014.
 *
 *     Q = 2/(n + m) · (Σ|xᵢ − yⱼ| − m/(n − 1) · Σ|xᵢ − xₖ| − n/(m − 1) · Σ|yⱼ − yₖ|)
 *
 * The n values x are on the left, the m values y on the right. The sums count each pair once; the sum within a side of
 * one value is 0.
 */

export interface EnergySplit {
  /** Index in the whole series of the first value of the right side. */
  readonly index: number;
  readonly energy: number;
}

/**
 * Splits a segment of the series where the two sides differ most. The right side may end before the segment does, so
 * that a later change does not blur the split. Costs n² steps for n values.
 *
 * @param from,to Bounds of the segment; `to` is exclusive.
 * @returns Null for fewer than two values.
 */
export function bestSplit(
  series: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
): EnergySplit | null {
  let best: EnergySplit | null = null;
  const values = series.slice(from, to);
  const size = values.length;
  const [before, after] = distanceSums(values);
  for (let at = 1; at < size; at++) {
    const left = before[at - 1];
    let [right, across] = [0, 0];
    for (let end = at + 1; end <= size; end++) {
      right += after.between(at, end - 1);
      across += after.between(0, end - 1) - after.between(at, end - 1);
      const [n, m] = [at, end - at];
      const within = (n > 1 ? m / (n - 1) * left : 0) + (m > 1 ? n / (m - 1) * right : 0);
      const energy = 2 / (n + m) * (across - within);
      if (best === null || energy > best.energy) best = { index: from + at, energy };
    }
  }
  return best;
}

interface Distances {
  /** Sum of the distances between the value at `of` and each value from `first` to `of`. */
  between(first: number, of: number): number;
}

/**
 * Returns, for each value, the sum of the distances between all pairs of values up to it, and a look-up of the
 * distances between one value and earlier ones.
 */
function distanceSums(values: readonly number[]): readonly [Float64Array, Distances] {
  const size = values.length;
  // One row per value: entry `first` is the sum of the distances between that value and the values
  // from `first` up to it.
  const sums = values.map((value, of) => {
    const row = new Float64Array(of + 1);
    for (let first = of - 1; first >= 0; first--) {
      row[first] = row[first + 1] + Math.abs(value - values[first]);
    }
    return row;
  });
  const among = new Float64Array(size);
  for (let last = 1; last < size; last++) among[last] = among[last - 1] + sums[last][0];
  return [among, { between: (first, of) => sums[of][first] }];
}
