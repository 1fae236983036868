/**
 * Finds the smallest lag at which the values of a series no longer say anything about each other. It uses Spearman's
 * rank correlation of the series with itself, lag by lag, as M. Kogias, S. Mallon and E. Bugnion do ("Lancet: a
 * self-correcting latency measuring tool", USENIX ATC 2019). Ranks show any monotone dependence, and a single freeze
 * does not dominate them. Pure.
 */

/** Number of consecutive lags whose correlation must be noise, because at a single lag it may be so by chance. */
const IN_A_ROW = 2;
/** The longest lag that is examined, as a share of the series. Longer lags have too few pairs of values. */
export const LONGEST_SHARE = 1 / 4;
/**
 * Limit for a correlation that counts as noise, as a multiple of 1/√n. Of the correlations of independent values, 97.5
 * % are below it.
 */
const NOISE_ERRORS = 1.96;

/** @returns The lag: 1 for independent values, null if the dependence does not end within a quarter of the series. */
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

/** The rank of each value, as its deviation from the mean rank. Ties share their mean rank. */
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
