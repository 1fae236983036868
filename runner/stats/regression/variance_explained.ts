/**
 * Which factor explains how much of the differences between runs: the analysis of variance of a full factorial
 * plan (R. A. Fisher, 1925; D. C. Montgomery, "Design and Analysis of Experiments", ch. 5). The sum of squares
 * about the mean falls apart, without a rest, into those of each factor alone, of factors together (an
 * interaction: what one does depends on the other), and of runs of the same cell. Shares of the whole are
 * called η². With logarithms of a figure as values, "twice as much" weighs the same everywhere.
 *
 * Each cell counts once, however many runs it has: its mean, and the variance of its runs about that.
 */
import { meanOf } from "../quantile.ts";

export interface FactorialCell {
  /** One value for each factor, in the same order in every cell. */
  readonly levels: readonly string[];
  /** Of each run, at least one; finite. */
  readonly values: readonly number[];
}

/** Shares of the variance of all runs, 0–1; they sum to 1. */
export interface VarianceExplained {
  /** One for each factor. */
  readonly factors: readonly number[];
  /** Interactions of all orders. */
  readonly together: number;
  /** Differences between runs of one cell; 0 with a single run each, which is unknown then. */
  readonly runs: number;
}

/** @returns Null where a combination of values is missing, or nothing differs. */
export function varianceExplained(cells: readonly FactorialCell[]): VarianceExplained | null {
  if (!isFullFactorial(cells)) return null;
  const means = cells.map(({ values }) => meanOf(values));
  const mean = meanOf(means);
  const between = meanOf(means.map((value) => (value - mean) ** 2));
  const within = meanOf(
    cells.map(({ values }, i) => meanOf(values.map((value) => (value - means[i]) ** 2))),
  );
  const total = between + within;
  if (!(total > 0)) return null;
  const factors = cells[0].levels.map((_, factor) => mainEffect(cells, means, factor));
  const alone = factors.reduce((sum, share) => sum + share, 0);
  return {
    factors: factors.map((variance) => variance / total),
    // A sum of the same squares in another order may be off by their last digit.
    together: Math.max(0, between - alone) / total,
    runs: within / total,
  };
}

/** Whether each combination of the factors' values is there, once. */
function isFullFactorial(cells: readonly Pick<FactorialCell, "levels">[]): boolean {
  if (cells.length === 0) return false;
  const combinations = cells[0].levels.reduce(
    (count, _, factor) => count * new Set(cells.map(({ levels }) => levels[factor])).size,
    1,
  );
  const there = new Set(cells.map(({ levels }) => JSON.stringify(levels)));
  return there.size === combinations && cells.length === combinations;
}

/** Variance of the means at each value of a factor, over all that else varies. */
function mainEffect(
  cells: readonly FactorialCell[],
  means: readonly number[],
  factor: number,
): number {
  const mean = meanOf(means);
  const levels = Map.groupBy(means.keys(), (i) => cells[i].levels[factor]);
  return [...levels.values()].reduce(
    (sum, at) => sum + at.length * (meanOf(at.map((i) => means[i])) - mean) ** 2,
    0,
  ) / cells.length;
}
