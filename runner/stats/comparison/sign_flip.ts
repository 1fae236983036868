/**
 * The exact test of pairs: if neither side were the larger, each difference could as well have the other sign
 * (R. A. Fisher, "The Design of Experiments", 1935, §21; E. J. G. Pitman, 1937). Of all ways to set the signs, in
 * how many is the sum at least as far from 0? It presumes nothing about how the differences are distributed.
 */
import type { ExactTest } from "./exact_test.ts";

/** With more pairs there are too many ways to count, and Student's t leans on nothing but their number. */
export const MOST_PAIRS = 16;

/** Sums of the same differences in another order may be off by their last digits. */
const ROUNDING = 1e-12;

/** Costs 2ⁿ⁻¹ for n differences: a fifth of a millisecond for 16. p is 1 of none. */
export function signFlip(differences: readonly number[]): ExactTest {
  const sums = new Float64Array(2 ** Math.max(0, differences.length - 1));
  const [first = 0, ...others] = differences;
  sums[0] = first;
  // The first keeps its sign: the other half of all ways mirrors this one.
  others.forEach((difference, i) => {
    const known = 2 ** i;
    for (let way = 0; way < known; way++) {
      sums[known + way] = sums[way] - difference;
      sums[way] += difference;
    }
  });
  const size = differences.reduce((sum, difference) => sum + Math.abs(difference), 0);
  const found = Math.abs(sums[0]) - ROUNDING * size;
  const extreme = sums.reduce((count, sum) => Math.abs(sum) >= found ? count + 1 : count, 0);
  return { p: extreme / sums.length, leastP: 1 / sums.length };
}
