/** Exact tests, which count every outcome that chance could have produced, and Holm's correction for multiple tests. */

export interface ExactTest {
  /** Two-sided p-value. */
  readonly p: number;
  /** The smallest p-value that this many values can give. */
  readonly leastP: number;
}

/** Stands in for an exact test that was not made. The interval then decides alone, as it does with too few runs. */
export const UNCOUNTED: ExactTest = { p: 1, leastP: 1 };

// The exact test of pairs. If neither side is larger, each difference could as well have the
// opposite sign (R. A. Fisher, "The Design of Experiments", 1935, §21; E. J. G. Pitman, 1937). The
// p-value is the share of all ways to set the signs in which the sum is at least as far from 0 as
// the measured sum. The test presumes nothing about how the differences are distributed.

/** With more pairs than this, there are too many permutations to count, and Student's t is robust. */
export const MOST_PAIRS = 16;

/** Relative tolerance, because sums of the same differences in another order may differ in their last digits. */
const ROUNDING = 1e-12;

/** Takes 2ⁿ⁻¹ steps for n differences, which is a fifth of a millisecond for 16. Without differences, p is 1. */
export function signFlip(differences: readonly number[]): ExactTest {
  const sums = new Float64Array(2 ** Math.max(0, differences.length - 1));
  const [first = 0, ...others] = differences;
  sums[0] = first;
  // The first difference keeps its sign, because flipping all signs only flips the sign of the sum.
  others.forEach((difference, i) => {
    const known = 2 ** i;
    for (let signs = 0; signs < known; signs++) {
      sums[known + signs] = sums[signs] - difference;
      sums[signs] += difference;
    }
  });
  const size = differences.reduce((sum, difference) => sum + Math.abs(difference), 0);
  const found = Math.abs(sums[0]) - ROUNDING * size;
  const extreme = sums.reduce((count, sum) => Math.abs(sum) >= found ? count + 1 : count, 0);
  return { p: extreme / sums.length, leastP: 1 / sums.length };
}

// The exact Mann–Whitney test: how likely are two groups drawn from one population to look this
// different? It uses only the order of the values, so it presumes nothing about their distribution
// (H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is
// stochastically larger", 1947).

/**
 * p is the share of all ways to assign the values to the two groups in which the rank sum is at least as far from its
 * mean as the measured one. It is exact with ties too, which share their mean rank. The smallest possible p is 0.10 for
 * groups of 3 and 3 values, and 0.029 for 4 and 4.
 */
interface MannWhitney extends ExactTest {
  /** The U statistic: number of pairs in which the value of the first group is larger. Ties count half. */
  readonly u: number;
}

/**
 * Takes n · N³ steps for n values in the first group and N in both, which is 50 ms for 50 and 50. If a group is empty,
 * p is 1.
 */
export function mannWhitney(first: readonly number[], second: readonly number[]): MannWhitney {
  const ranks = doubledRanks([...first, ...second]);
  const ranksOfFirst = ranks.slice(0, first.length);
  const rankSum = ranksOfFirst.reduce((sum, rank) => sum + rank, 0);
  const meanRankSum = first.length * (ranks.length + 1);
  const subsets = countSubsets(ranks, first.length);
  const total = subsets.reduce((sum, count) => sum + count, 0);
  const extreme = subsets.reduce(
    (sum, count, at) =>
      Math.abs(at - meanRankSum) >= Math.abs(rankSum - meanRankSum) ? sum + count : sum,
    0,
  );
  return {
    u: (rankSum - first.length * (first.length + 1)) / 2,
    p: extreme / total,
    leastP: Math.min(1, 2 / total),
  };
}

/** The smallest p-value possible for two groups of these sizes. It occurs if one group lies wholly above the other. */
export function leastRankP(first: number, second: number): number {
  let ways = 1;
  for (let i = 1; i <= first; i++) ways *= (second + i) / i;
  return Math.min(1, 2 / ways);
}

/** Twice the rank of each value, because the mean rank that ties share may be half a number. The lowest rank is 1. */
function doubledRanks(values: readonly number[]): number[] {
  return values.map((value) => {
    const less = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return 2 * less + equal + 1;
  });
}

/** For each sum (the index), the number of ways in which `size` of the ranks have that sum. */
function countSubsets(ranks: readonly number[], size: number): Float64Array {
  const most = ranks.toSorted((a, b) => b - a).slice(0, size).reduce((sum, rank) => sum + rank, 0);
  const subsets = Array.from({ length: size + 1 }, () => new Float64Array(most + 1));
  subsets[0][0] = 1;
  let reached = 0;
  ranks.forEach((rank, seen) => {
    reached = Math.min(most, reached + rank);
    for (let taken = Math.min(size, seen + 1); taken > 0; taken--) {
      addShifted(subsets[taken], subsets[taken - 1], { rank, reached });
    }
  });
  return subsets[size];
}

// hot: a comparison does this for each of its cells and figures, and each time over tens of
// thousands of sums.
/** @param reached The largest sum that the ranks seen so far can have. */
function addShifted(
  counts: Float64Array,
  fewer: Float64Array,
  { rank, reached }: { readonly rank: number; readonly reached: number },
): void {
  for (let sum = rank; sum <= reached; sum++) counts[sum] += fewer[sum - rank];
}

/**
 * Raises several p-values together, so that the chance of any false alarm among them stays at the level of a single
 * test (S. Holm, "A simple sequentially rejective multiple test procedure", 1979). The smallest is multiplied by their
 * number, the next by one less, and so on; none may fall below the one before.
 *
 * @returns The raised p-values in the order given, each at most 1.
 */
export function holm(pValues: readonly number[]): number[] {
  const ascending = [...pValues.keys()].sort((a, b) => pValues[a] - pValues[b]);
  const adjusted = new Array<number>(pValues.length);
  let least = 0;
  ascending.forEach((index, place) => {
    least = Math.max(least, Math.min(1, pValues[index] * (pValues.length - place)));
    adjusted[index] = least;
  });
  return adjusted;
}

/**
 * Applies `holm` to a family in which some hypotheses could not be tested. Their null stays null and does not count
 * towards the number of tests.
 */
export function holmOfKnown(pValues: readonly (number | null)[]): (number | null)[] {
  const raised = holm(pValues.filter((p) => p !== null));
  let place = 0;
  return pValues.map((p) => p === null ? null : raised[place++]);
}
