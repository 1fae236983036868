/**
 * How far two segments of a series are from having the same distribution: the energy statistic with α = 1 of D. S.
 * Matteson and N. A. James, "A nonparametric approach for multiple change point analysis of multivariate data", 2014.
 *
 *     Q = 2/(n + m) · (Σ|xᵢ − yⱼ| − m/(n − 1) · Σ|xᵢ − xₖ| − n/(m − 1) · Σ|yⱼ − yₖ|), each pair within a side once
 *
 * for n values x on the left and m values y on the right; a side of one value has no pairs.
 */

export interface EnergySplit {
  /** Index of the first value of the right side, from the beginning of the series. */
  readonly index: number;
  readonly energy: number;
}

/**
 * The split of a segment of the series whose sides differ most by this statistic. The right side may end before the
 * segment does, so that what changes again later does not blur it. Costs n² steps for n values.
 *
 * @param from,to The segment: from the first index up to, but without, the second.
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
  /** Sum of the distances from the value at `of` to all values from `first` up to it. */
  between(first: number, of: number): number;
}

/** The sum of all distances among the values up to each one, and the distances of single values to earlier ones. */
function distanceSums(values: readonly number[]): readonly [Float64Array, Distances] {
  const size = values.length;
  // A row for each value: its distances to the values before it, summed up from the nearest.
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
