/**
 * The exact Mann-Whitney test: would two groups drawn from one population look this different? It uses
 * only the order of the values, so it presumes nothing about their distribution (H. B. Mann and
 * D. R. Whitney, "On a test of whether one of two random variables is stochastically larger", 1947).
 */
import type { ExactTest } from "./exact_test.ts";

/**
 * p: probability, under all ways to deal the values out to the groups, of a rank sum at least as far from its mean;
 * exact with ties too, which share their mean rank. The least is 0.10 for 3 and 3 values, 0.029 for 4 and 4.
 */
export interface MannWhitney extends ExactTest {
  /** Pairs in which the value of the first group is the larger; ties count half. */
  readonly u: number;
}

/** Costs n · N³ for n values in the first group and N in both: 50 ms for 50 and 50. p is 1 for an empty group. */
export function mannWhitney(first: readonly number[], second: readonly number[]): MannWhitney {
  const ranks = doubledRanks([...first, ...second]);
  const ranksOfFirst = ranks.slice(0, first.length);
  const rankSum = ranksOfFirst.reduce((sum, rank) => sum + rank, 0);
  const meanRankSum = first.length * (ranks.length + 1);
  const ways = countSubsets(ranks, first.length);
  const total = ways.reduce((sum, count) => sum + count, 0);
  const extreme = ways.reduce(
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

/** Twice the rank of each value (1 for the least), so that the shared ranks of ties are whole numbers. */
function doubledRanks(values: readonly number[]): number[] {
  return values.map((value) => {
    const less = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return 2 * less + equal + 1;
  });
}

/** In how many ways `size` of the ranks have each sum; the index is the sum. */
function countSubsets(ranks: readonly number[], size: number): Float64Array {
  const most = ranks.toSorted((a, b) => b - a).slice(0, size).reduce((sum, rank) => sum + rank, 0);
  const ways = Array.from({ length: size + 1 }, () => new Float64Array(most + 1));
  ways[0][0] = 1;
  ranks.forEach((rank, seen) => {
    for (let taken = Math.min(size, seen + 1); taken > 0; taken--) {
      for (let sum = rank; sum <= most; sum++) ways[taken][sum] += ways[taken - 1][sum - rank];
    }
  });
  return ways[size];
}
