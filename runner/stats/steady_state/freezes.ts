/**
 * Times in which a server sends no response, or next to nothing, and then goes on: a stop-the-world collection, a lock,
 * a disk that syncs. Median latencies of intervals do not show freezes, because hardly any request ends during one.
 */
import { medianOf } from "../quantile.ts";

export interface Freezes {
  readonly count: number;
  readonly longestS: number;
  /** Share of the run's time. */
  readonly shareRatio: number;
  /**
   * Time from the start of one freeze to the start of the next; null if these times differ, or there is only one
   * freeze.
   */
  readonly periodS: number | null;
}

/** The requests that ended in an interval: a freeze is seen as their absence. */
export interface Completions {
  readonly seconds: number;
  readonly completed: number;
}

/** An interval with less than this share of the median interval's requests counts as frozen. */
const NEXT_TO_NOTHING = 0.05;
/** With fewer requests than this in the median interval, some intervals are empty by chance. */
const LEAST_COMPLETED = 5;
/** Seconds without responses that make a freeze: two intervals of 250 ms, so that a single late interval is not one. */
const LEAST_S = 0.5;
/**
 * A freeze lasts longer than this many times the latency of a typical request, because slow responses on many
 * connections come in bursts.
 */
const LEAST_REQUESTS = 4;
/** A single freeze counts only from about a second on: a shorter one is an outlier. */
const LEAST_ALONE_S = 0.9;
/** Freezes are periodic if the distances between them differ by less than this share. */
const SAME_RATIO = 0.15;

/** Start and length of a freeze, in seconds. */
interface Freeze {
  readonly fromS: number;
  readonly seconds: number;
}

/**
 * @param latencyMs Latency of a typical request.
 * @returns Null if there is no freeze; silence from the start, or to the end, is not one.
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
 * Stretches of true flags between false ones: silence at the start belongs to the start-up, and silence at the end to
 * the end of the run.
 */
function frozenParts(flags: readonly boolean[]): { from: number; to: number }[] {
  return [...flags.keys()]
    .filter((index) => flags[index] && index > 0 && !flags[index - 1])
    .map((from) => ({ from, to: flags.indexOf(false, from) }))
    .filter(({ to }) => to > 0);
}

/** A freeze extends into the neighbouring intervals, by as much as they fall short of the usual rate. */
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
