/**
 * Finds out whether requests queued for something that serves few of them at once, such as a lock. At the start of a
 * closed loop, all connections send at the same moment. The first response then takes one turn (the mean time between
 * two responses), the next takes two turns, and so on. The last of them takes as many turns as there are connections,
 * and so does every later response, because each later request waits for those of all other connections. A program's
 * very first request is slower than the next ones, which delays the whole queue. Only such a queue leaves as many quick
 * requests as there are connections, evenly spread over the usual service time. Pure.
 */
import type { Measurement } from "../result/result.ts";
import { highestUsOf } from "../stats/histogram/histogram_counts.ts";
import type { SparseHistogram } from "../stats/histogram/histogram.ts";
import { decodeSparse } from "../stats/histogram/hdr.ts";

/** With fewer connections, three quick requests may be due to chance. */
const LEAST_CONNECTIONS = 4;
/** The fewest requests per connection. With fewer, too large a part of the run is the queue at its start. */
const LEAST_ROUNDS = 4;
/**
 * Shares of the median service time. At each, the number of quicker responses is compared with that expected for a
 * queue.
 */
const LAST_MARK = 0.8;
const MARKS = [0.3, 0.55, LAST_MARK];
/**
 * Allowed deviation of the number of quick responses at each mark, as a share of the connections. A deviation of one
 * response is always allowed.
 */
const TOLERATED = 0.2;
/** A queue whose first request was slow is recognised only if at least this many quick requests are expected in it. */
const LEAST_QUICK = 3;
/**
 * If requests are served one at a time, responses are at least this share of a turn apart. A pool sends several
 * responses at once.
 */
const APART = 0.5;
/**
 * A service time within these multiples of a turn is taken for one turn. Several requests may take one turn, because a
 * request that arrives just as another finishes may skip the queue.
 */
const [LEAST_TURN, MOST_TURN] = [0.8, 1.3];

/**
 * How many requests were served at a time; null if they did not queue, or if the figures do not suffice to tell.
 *
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
  // The gaps between the quick requests are more reliable than the time of the first request, which
  // may be late.
  const isOne = quick.every((ms, i) => i === 0 || ms - quick[i - 1] >= APART * turnMs);
  return isOne ? 1 : service.min / turnMs;
}

interface Marked {
  readonly belowMs: number;
  readonly turnMs: number;
  /** More quick requests than this rule out a queue. */
  readonly most: number;
}

/**
 * Service times in milliseconds, fastest first. Of those that take about one turn, only the longest is kept, because
 * the others may be of requests that skipped the queue.
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
