/**
 * Tells whether runs fall into two groups, as when one server start in five gets a slower memory layout, another core
 * or a colder cache. The mean of such runs is the value of neither group, and an interval from few runs does not cover
 * what the next runs do: with one slow run in five, 95 % intervals from 5 runs cover the true value in only 67 % of
 * cases. A small sample may not show the groups at all: if 20 % of runs are slow, 33 % of samples of 5 runs contain no
 * slow run, 11 % of samples of 10, and 4 % of samples of 14.
 *
 * The test looks for a gap between neighbouring values, measured in standard deviations within the two groups that the
 * gap separates (cf. J. A. Hartigan, "Clustering Algorithms", 1975, ch. 4). A long tail also has wide gaps, but at its
 * end, so the required gap depends on how many runs lie beyond the gap. A single run counts as a group only if its gap
 * is far wider than the gaps of a tail.
 */
import { meanOf } from "../quantile.ts";

export interface RunCluster {
  readonly count: number;
  /** Geometric mean of the group's runs. */
  readonly value: number;
}

/** The larger group comes first. */
export type TwoGroups = readonly [RunCluster, RunCluster];

/** Two groups whose values differ by less than this ratio make no material difference. */
export const MATERIAL_RATIO = 1.05;

/**
 * The least gap, in standard deviations, that separates a group of one run, of two, or of three and more from the other
 * runs, for each number of runs. Of 40,000 simulated samples of each kind, at most 4.8 % have so wide a gap if the
 * logarithms are skewed (gamma of shape 0.5 to 4, exponential, or log-normal with σ 0.5 to 1: skewness up to 6.2), and
 * at most 1.1 % if they are normal. `bench/statistics/skewed.ts` measures this, and how often real groups are found.
 */
const GAPS = [
  [4, [50, 18, Infinity]],
  [5, [29, 14.8, Infinity]],
  [6, [22.2, 12.9, 6.7]],
  [7, [18, 11, 6.9]],
  [10, [14.8, 8.2, 6]],
  [14, [13.8, 6.9, 5.4]],
  [20, [13.4, 6.6, 4.9]],
  [28, [13.4, 6.6, 4.5]],
  [56, [13.4, 6.6, 4.2]],
] as const;

const FEWEST = GAPS[0][0];

/**
 * @param values One per run, above 0.
 * @returns Null if the values form a single group, or are too few to tell.
 */
export function twoGroupsOf(values: readonly number[]): TwoGroups | null {
  const logs = values.map(Math.log).sort((a, b) => a - b);
  if (logs.length < FEWEST || !logs.every(Number.isFinite)) return null;
  let best = { excess: 1, at: 0 };
  for (let at = 1; at < logs.length; at++) {
    const gap = logs[at] - logs[at - 1];
    const least = leastGap(logs.length, Math.min(at, logs.length - at)) * spreadWithin(logs, at);
    if (gap >= least && gap > 0 && gap / least > best.excess) best = { excess: gap / least, at };
  }
  return best.at === 0 ? null : clustersOf([logs.slice(0, best.at), logs.slice(best.at)]);
}

/**
 * Summarizes two groups of runs that are known to differ for a reason other than their values.
 *
 * @param parts The values of each group, above 0.
 * @returns Null if a group has no values, or if the groups are too close to matter.
 */
export function knownGroupsOf(parts: readonly [number[], number[]]): TwoGroups | null {
  const [one, other] = parts.map((values) => values.map(Math.log));
  return one.length === 0 || other.length === 0 ? null : clustersOf([one, other]);
}

function clustersOf(logs: readonly [number[], number[]]): TwoGroups | null {
  const groups = logs.map((part) => ({ count: part.length, value: Math.exp(meanOf(part)) }));
  const [first, second] = groups.toSorted((a, b) => b.count - a.count);
  const apart = Math.max(first.value / second.value, second.value / first.value);
  return apart < MATERIAL_RATIO ? null : [first, second];
}

/** Pooled standard deviation of the values before index `at` and of the other values, each part around its own mean. */
function spreadWithin(logs: readonly number[], at: number): number {
  const squares = [logs.slice(0, at), logs.slice(at)].reduce((sum, part) => {
    const mean = meanOf(part);
    return part.reduce((inner, log) => inner + (log - mean) ** 2, sum);
  }, 0);
  return Math.sqrt(squares / (logs.length - 2));
}

/**
 * The least gap that separates two groups among this many runs, interpolated linearly between the entries of `GAPS`.
 * @param beyond Number of runs on the smaller side of the gap.
 */
function leastGap(runs: number, beyond: number): number {
  const kind = Math.min(beyond, 3) - 1;
  const next = GAPS.findIndex(([count]) => count >= runs);
  if (next <= 0) return GAPS[next === 0 ? 0 : GAPS.length - 1][1][kind];
  const [[fewer, wide], [more, narrow]] = [GAPS[next - 1], GAPS[next]];
  if (more === runs) return narrow[kind];
  return wide[kind] + (narrow[kind] - wide[kind]) * (runs - fewer) / (more - fewer);
}
