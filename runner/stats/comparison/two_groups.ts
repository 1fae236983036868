/**
 * Whether runs fall into two groups, as where one start in five gets a slower layout of memory, another core or a
 * colder cache. The mean of such runs is nobody's, and no interval of few of them covers what the next ones do:
 * with one slow run in five, 95 % intervals of 5 runs cover in 67 %. What few runs do not show nobody can see: with
 * 20 % slow runs, 33 % of all groups of 5 hold none, and 11 % of 10, 4 % of 14.
 *
 * The test is the widest gap between neighbours, in standard deviations within the two groups that it makes
 * (cf. J. A. Hartigan, "Clustering Algorithms", 1975, ch. 4). One run apart from all others is a group of one.
 */
import { meanOf } from "../quantile.ts";

export interface RunCluster {
  readonly count: number;
  /** Geometric mean of its runs. */
  readonly value: number;
}

/** The larger group first. */
export type TwoGroups = readonly [RunCluster, RunCluster];

/** Groups that are nearer make no difference to speak of. */
const MATERIAL_RATIO = 1.05;

/**
 * Gaps that 5 % of groups reach whose figures are skewed as log-normal values are (σ 0.5: skewness 1.75), and
 * 2 to 4 % of normal ones, of 20,000 each: [runs, gap]. With the 5 % between the groups that are required as well,
 * false alarms are fewer wherever runs differ by less than some 5 %.
 */
const GAPS = [[4, 14.4], [5, 9.6], [7, 6.6], [10, 5.2], [14, 4.6], [20, 4.3], [28, 4], [
  56,
  3.6,
]] as const;

/** @param values One a run, above 0. @returns Null where they are one group, or too few. */
export function twoGroupsOf(values: readonly number[]): TwoGroups | null {
  const logs = values.map(Math.log).sort((a, b) => a - b);
  if (logs.length < GAPS[0][0] || !logs.every(Number.isFinite)) return null;
  const { gap, at } = widestGap(logs);
  const parts = [logs.slice(0, at), logs.slice(at)].map((part) => ({ part, mean: meanOf(part) }));
  const [below, above] = parts;
  if (above.mean - below.mean < Math.log(MATERIAL_RATIO)) return null;
  const squares = parts.reduce(
    (sum, { part, mean }) => part.reduce((inner, log) => inner + (log - mean) ** 2, sum),
    0,
  );
  const within = Math.sqrt(squares / (logs.length - 2));
  if (gap < leastGap(logs.length) * within) return null;
  const groups = parts.map(({ part, mean }) => ({ count: part.length, value: Math.exp(mean) }));
  const [first, second] = groups.toSorted((a, b) => b.count - a.count);
  return [first, second];
}

function widestGap(sorted: readonly number[]): { gap: number; at: number } {
  let best = { gap: -Infinity, at: 1 };
  for (let at = 1; at < sorted.length; at++) {
    const gap = sorted[at] - sorted[at - 1];
    if (gap > best.gap) best = { gap, at };
  }
  return best;
}

/** Between the counts that were simulated, by the straight line. */
function leastGap(runs: number): number {
  const next = GAPS.findIndex(([count]) => count >= runs);
  if (next <= 0) return GAPS[next === 0 ? 0 : GAPS.length - 1][1];
  const [[fewer, wide], [more, narrow]] = [GAPS[next - 1], GAPS[next]];
  return wide + (narrow - wide) * (runs - fewer) / (more - fewer);
}
