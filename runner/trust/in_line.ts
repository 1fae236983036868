/**
 * Whether requests stood in line for something that serves few of them at once, such as a lock. At the start of a
 * closed loop all connections send at the same moment: the first response then takes one turn, the next takes two, and
 * the last takes as long as every later one, because each later request waits for all others. The very first request of
 * a program is slower than those after it, and the whole line is late by that. Nothing else makes the quick requests of
 * a run as many as its connections and evenly spread. Pure.
 */
import type { Measurement } from "../result/result.ts";
import { highestUsOf } from "../stats/histogram/histogram_counts.ts";
import type { SparseHistogram } from "../stats/histogram/histogram.ts";
import { decodeSparse } from "../stats/histogram/hdr.ts";

/** With fewer connections, three fast requests may be chance. */
const LEAST_CONNECTIONS = 4;
/** Least number of requests per connection: with fewer, the queue at the start is too large a part of the run. */
const LEAST_ROUNDS = 4;
/** Shares of the usual time; for each it is checked how many responses took less. */
const LAST_MARK = 0.8;
const MARKS = [0.3, 0.55, LAST_MARK];
/** By how much the number of quick responses may be off at each mark: a share of the connections, but at least one. */
const TOLERATED = 0.2;
/** The least number of fast requests that reveal a queue, however late the first of them comes. */
const LEAST_QUICK = 3;
/**
 * Least distance between responses, as a share of a turn, if one request is served at a time; responses of a pool come
 * together.
 */
const APART = 0.5;
/**
 * Limits for a turn, as shares: a request that arrives just as another finishes may skip the queue, and then takes
 * about one turn.
 */
const [LEAST_TURN, MOST_TURN] = [0.8, 1.3];

/**
 * How many requests were served at a time; null if they did not queue, or if that can't be seen.
 * @param run A closed loop, from its start.
 */
export function servedAtOnce(
  { load, requests, service, histogram }: Pick<
    Measurement,
    "load" | "requests" | "service" | "histogram"
  >,
): number | null {
  const { connections } = load;
  const usualMs = service.percentiles["50"];
  const startsAtOnce = load.kind === "closed" && load.stages === undefined;
  if (!startsAtOnce || connections < LEAST_CONNECTIONS || usualMs === 0) return null;
  if (requests.completed < LEAST_ROUNDS * connections) return null;
  const turnMs = usualMs / connections;
  const marked = { belowMs: LAST_MARK * usualMs, turnMs, most: 2 * connections };
  const quick = quickTimes(decodeSparse(histogram), marked);
  const tolerated = Math.max(1, TOLERATED * connections);
  const isLineFrom = (lateTurns: number): boolean =>
    MARKS.every((mark) => {
      const sooner = quick.filter((ms) => ms < mark * usualMs).length;
      return Math.abs(sooner - (mark * connections - lateTurns)) <= tolerated;
    });
  const lateTurns = (quick[0] ?? Infinity) / turnMs - 1;
  const mayBeLate =
    lateTurns <= Math.min(MARKS[0] * connections, LAST_MARK * connections - LEAST_QUICK);
  if (!isLineFrom(0) && !(mayBeLate && isLineFrom(lateTurns))) return null;
  // The distances between the quick requests say more than the first of their times, which may be late.
  const isOne = quick.every((ms, i) => i === 0 || ms - quick[i - 1] >= APART * turnMs);
  return isOne ? 1 : service.min / turnMs;
}

interface Marked {
  readonly belowMs: number;
  readonly turnMs: number;
  /** With more fast requests than this, there is no queue. */
  readonly most: number;
}

/**
 * Service times in milliseconds, fastest first. Of the times of about one turn, only the longest is kept, because the
 * others may belong to requests that skipped the queue.
 */
function quickTimes(
  { indices, counts }: SparseHistogram,
  { belowMs, turnMs, most }: Marked,
): number[] {
  const isOneTurn = (ms = 0): boolean => ms >= LEAST_TURN * turnMs && ms <= MOST_TURN * turnMs;
  const times: number[] = [];
  for (let i = 0; i < indices.length && times.length <= most; i++) {
    const at = highestUsOf(indices[i]) / 1_000;
    if (at >= belowMs) break;
    if (isOneTurn(at) && isOneTurn(times.at(-1))) times.pop();
    const count = isOneTurn(at) ? 1 : Math.min(counts[i], most);
    for (let n = 0; n < count; n++) times.push(at);
  }
  return times;
}
