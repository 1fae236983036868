/**
 * How much of the differences between runs each factor explains: the analysis of variance of a full factorial plan (R.
 * A. Fisher, 1925; D. C. Montgomery, "Design and Analysis of Experiments", ch. 5). The sum of squares about the mean is
 * exactly the sum of three kinds of parts: of each factor alone, of factors together (an interaction, in which the
 * effect of one factor depends on another), and of runs of the same cell. Their shares of the whole are called η². If
 * the values are logarithms, "twice as much" has the same weight everywhere.
 *
 * Each cell counts once, however many runs it has. It contributes its mean, and the variance of its runs about that
 * mean.
 *
 * η² credits a factor without effect with the differences that chance makes between its values: with 13 to 44 % for two
 * factors of three values each, run three times. So `sharesShown` subtracts from each sum what noise is expected to add
 * (W. L. Hays, "Statistics for Psychologists", 1963: ω²). It computes intervals of the shares over repetitions by the
 * jackknife (J. W. Tukey, 1958), and shows a share only if noise alone is unlikely to cause it.
 */
import { tQuantile } from "../confidence/student_t.ts";
import { meanOf } from "../quantile.ts";

export interface FactorialCell {
  /** The cell's value of each factor, in the same order of factors in all cells. */
  readonly levels: readonly string[];
  /** Finite values of the runs, at least one. */
  readonly values: readonly number[];
}

/** Shares of the variance of all runs, 0–1. They add up to 1. */
export interface VarianceExplained {
  /** The share of each factor alone. */
  readonly factors: readonly number[];
  /** The share of interactions of all orders. */
  readonly together: number;
  /**
   * The share of differences between runs of the same cell; 0 if each cell has a single run, which does not show them.
   */
  readonly runs: number;
}

/** @returns Null if a combination of the factors' values is missing or occurs twice, or if all values are equal. */
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
    // Not below 0, because adding the same squares in another order may change the last digit.
    together: Math.max(0, between - alone) / total,
    runs: within / total,
  };
}

/** A share (0–1) with its interval. */
interface Share {
  readonly value: number;
  readonly interval: { readonly low: number; readonly high: number };
}

/** Estimated shares of the variance of future runs, without what chance adds in this sample. */
export interface SharesShown {
  /** One for each factor; null if its interval includes 0, because noise alone may then be the cause. */
  readonly factors: readonly (Share | null)[];
  readonly together: Share | null;
  readonly runs: Share | null;
}

/** The jackknife leaves out one repetition at a time, and needs at least two others. */
const LEAST_REPETITIONS = 3;

/** @returns Null under the same conditions as in `varianceExplained`, or if a cell has fewer than three runs. */
export function sharesShown(
  cells: readonly FactorialCell[],
  confidence = 0.95,
): SharesShown | null {
  const runs = Math.min(...cells.map(({ values }) => values.length));
  const all = runs < LEAST_REPETITIONS ? null : lessNoise(cells);
  if (all === null) return null;
  const left = Array.from(
    { length: runs },
    (_, run) =>
      lessNoise(cells.map(({ levels, values }) => ({
        levels,
        values: values.filter((_, i) => i !== run),
      }))),
  ).filter((shares) => shares !== null);
  const shown = all.map((value, i) =>
    left.length < runs ? null : jackknifed(value, left.map((shares) => shares[i]), confidence)
  );
  return {
    factors: shown.slice(0, -2),
    together: shown[shown.length - 2],
    runs: shown[shown.length - 1],
  };
}

/**
 * Shares of each factor, of interactions and of runs, minus the part that noise is expected to add. A share smaller
 * than that part becomes negative.
 */
function lessNoise(cells: readonly FactorialCell[]): number[] | null {
  const explained = varianceExplained(cells);
  if (explained === null) return null;
  // The variance within cells is that of the given n runs, which is (n − 1) / n of that of future
  // runs.
  const noise = explained.runs *
    meanOf(cells.map(({ values: { length } }) => length / (length - 1)));
  const ofMeans = noise * meanOf(cells.map(({ values }) => 1 / values.length)) / cells.length;
  const freedoms = cells[0].levels.map((_, factor) =>
    new Set(cells.map(({ levels }) => levels[factor])).size - 1
  );
  const rest = cells.length - 1 - freedoms.reduce((sum, freedom) => sum + freedom, 0);
  const parts = [
    ...explained.factors.map((share, factor) => share - freedoms[factor] * ofMeans),
    explained.together - rest * ofMeans,
    noise,
  ];
  const total = parts.reduce((sum, part) => sum + Math.max(0, part), 0);
  return parts.map((part) => part / total);
}

/** @param others The value without the first repetition, without the second, and so on. */
function jackknifed(value: number, others: readonly number[], confidence: number): Share | null {
  const { length: runs } = others;
  const values = others.map((other) => runs * value - (runs - 1) * other);
  const mean = meanOf(values);
  const squares = values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const reach = tQuantile(confidence, runs - 1) * Math.sqrt(squares / (runs - 1) / runs);
  const [low, high] = [value - reach, value + reach];
  return low > 0 ? { value, interval: { low, high: Math.min(1, high) } } : null;
}

/** Whether each combination of the factors' values occurs exactly once. */
function isFullFactorial(cells: readonly Pick<FactorialCell, "levels">[]): boolean {
  if (cells.length === 0) return false;
  const combinations = cells[0].levels.reduce(
    (count, _, factor) => count * new Set(cells.map(({ levels }) => levels[factor])).size,
    1,
  );
  const there = new Set(cells.map(({ levels }) => JSON.stringify(levels)));
  return there.size === combinations && cells.length === combinations;
}

/** Variance, between the values of a factor, of the mean of all cells with that value. */
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
