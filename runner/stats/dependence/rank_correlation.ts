/**
 * Finds the lag from which on the values of a series say nothing about each other: by Spearman's rank correlation of
 * the series with itself, lag by lag, as M. Kogias, S. Mallon and E. Bugnion do ("Lancet: a self-correcting latency
 * measuring tool", USENIX ATC 2019). Ranks show a dependence of any monotone form, and a single freeze does not
 * dominate them. Pure.
 */

/** Consecutive lags whose correlation is noise: a single one may be chance. */
const IN_A_ROW = 2;
/** The longest lag that is examined, as a share of the series; longer lags have too few pairs of values. */
export const LONGEST_SHARE = 1 / 4;
/** 97.5 % of the correlations of independent values are below this many times 1/√n. */
const NOISE_ERRORS = 1.96;

/** @returns 1 for independent values; null if the dependence does not end within a quarter of the series. */
export function independentFrom(values: ArrayLike<number>): number | null {
  const { length } = values;
  const ranks = ranksOf(values);
  const squares = productsOf(ranks, 0);
  if (squares === 0) return 1;
  const noise = NOISE_ERRORS / Math.sqrt(length);
  let inRow = 0;
  for (let lag = 1; lag <= length * LONGEST_SHARE; lag++) {
    inRow = productsOf(ranks, lag) / squares < noise ? inRow + 1 : 0;
    if (inRow === IN_A_ROW) return lag - IN_A_ROW + 1;
  }
  return null;
}

/** Ranks, as deviations from their mean; ties share their mean rank. */
function ranksOf(values: ArrayLike<number>): Float64Array {
  const { length } = values;
  const order = Uint32Array.from({ length }, (_, i) => i).sort((a, b) => values[a] - values[b]);
  const ranks = new Float64Array(length);
  for (let from = 0, to = 0; from < length; from = to) {
    while (to < length && values[order[to]] === values[order[from]]) to++;
    for (let at = from; at < to; at++) ranks[order[at]] = (from + to - length) / 2;
  }
  return ranks;
}

function productsOf(values: Float64Array, lag: number): number {
  let sum = 0;
  for (let i = lag; i < values.length; i++) sum += values[i] * values[i - lag];
  return sum;
}
