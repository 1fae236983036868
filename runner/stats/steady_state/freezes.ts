/**
 * Times in which a server sends no response, or hardly any, and then continues, because of a stop-the-world collection,
 * a lock, or a disk that syncs. The median latencies of intervals don't show freezes, because hardly any requests end
 * during a freeze.
 */
import { medianOf } from "../quantile.ts";

export interface Freezes {
  readonly count: number;
  readonly longestS: number;
  /** Share of the run's time that was frozen. */
  readonly shareRatio: number;
  /**
   * Time from the start of one freeze to the start of the next. Null if these times differ, or if there is only one
   * freeze.
   */
  readonly periodS: number | null;
}

/** Number of requests that ended in an interval. Their absence shows a freeze. */
export interface Completions {
  readonly seconds: number;
  readonly completed: number;
}

/** An interval with less than this share of the median interval's requests counts as frozen. */
const NEXT_TO_NOTHING = 0.05;
/**
 * With fewer requests than this in the median interval, some intervals are empty by chance, so no freezes are sought.
 */
const LEAST_COMPLETED = 5;
/** Least length of a freeze, in seconds: two intervals of 250 ms, so that a single late interval does not count. */
const LEAST_S = 0.5;
/**
 * Least length of a freeze, as a multiple of the latency of a typical request. Shorter gaps may occur because slow
 * responses on many connections come in bursts.
 */
const LEAST_REQUESTS = 4;
/** Least length, in seconds, of a freeze that is the only one. A shorter one counts as an outlier. */
const LEAST_ALONE_S = 0.9;
/** Freezes are periodic if the times between them differ by less than this share. */
const SAME_RATIO = 0.15;

interface Freeze {
  readonly fromS: number;
  readonly seconds: number;
}

/**
 * @param latencyMs Latency of a typical request.
 * @returns Null if there is no freeze, or too few requests to tell. Silence at the start or the end of the run is not a
 * freeze.
 */
export function findFreezes(
  intervals: readonly Completions[],
  latencyMs: number,
): Freezes | null {
  const rates = intervals.map(({ seconds, completed }) => completed / seconds);
  const usual = medianOf(rates);
  if (intervals.length === 0 || usual * intervals[0].seconds < LEAST_COMPLETED) return null;
  const least = Math.max(LEAST_S, LEAST_REQUESTS * latencyMs / 1_000);
  const found = frozenParts(rates.map((rate) => rate < NEXT_TO_NOTHING * usual))
    .filter(({ from, to }) => secondsOf(intervals.slice(from, to)) >= least - 1e-6)
    .map(({ from, to }) => freezeOf(intervals, { from, to, usual }));
  const longestS = Math.max(...found.map(({ seconds }) => seconds));
  if (found.length === 0 || (found.length === 1 && longestS < LEAST_ALONE_S)) return null;
  return {
    count: found.length,
    longestS,
    shareRatio: found.reduce((sum, { seconds }) => sum + seconds, 0) / secondsOf(intervals),
    periodS: periodOf(found),
  };
}

/**
 * Stretches of consecutive true flags with a false flag on both sides. Silence at the start of a run belongs to its
 * start-up, and silence at the end to its end.
 */
function frozenParts(flags: readonly boolean[]): { from: number; to: number }[] {
  return [...flags.keys()]
    .filter((index) => flags[index] && index > 0 && !flags[index - 1])
    .map((from) => ({ from, to: flags.indexOf(false, from) }))
    .filter(({ to }) => to > 0);
}

/** A freeze extends into the intervals next to it, by as much as these fall short of the usual rate. */
function freezeOf(
  intervals: readonly Completions[],
  { from, to, usual }: { from: number; to: number; usual: number },
): Freeze {
  const missing = ({ seconds, completed }: Completions): number =>
    Math.max(0, seconds - completed / usual);
  const before = missing(intervals[from - 1]);
  const within = intervals.slice(from, to).reduce((sum, one) => sum + missing(one), 0);
  return {
    fromS: secondsOf(intervals.slice(0, from)) - before,
    seconds: before + within + missing(intervals[to]),
  };
}

function periodOf(freezes: readonly Freeze[]): number | null {
  const distances = freezes.slice(1).map(({ fromS }, i) => fromS - freezes[i].fromS);
  if (distances.length === 0) return null;
  const middle = medianOf(distances);
  const isRegular = distances.every((one) => Math.abs(one / middle - 1) <= SAME_RATIO);
  return isRegular ? middle : null;
}

function secondsOf(intervals: readonly Completions[]): number {
  return intervals.reduce((sum, { seconds }) => sum + seconds, 0);
}
