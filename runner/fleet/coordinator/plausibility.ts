/**
 * Recognises messages with contents that no agent can have measured. Such a message is ignored, as if it had not come.
 * If the agent sends no valid message instead, it is lost, and the reason given here is shown. Pure.
 */
import type { IntervalPart } from "../../load/recording/intervals.ts";
import type { AssignedWorkers } from "../../measure/share.ts";
import type { AgentMessageOf } from "../protocol/agent_message.ts";

type Bundle = AgentMessageOf<"bundle">;

/** Why a bundle is implausible by itself; null if it is plausible. */
export function implausibleBundle(
  { parts, soFar }: Bundle,
  { firstWorker, own }: AssignedWorkers,
): string | null {
  if (parts.some(({ worker }) => worker < firstWorker || worker >= firstWorker + own)) {
    return "it reported results for workers that are not its own";
  }
  if (soFar.length !== own) return "its report lacks the totals of some of its workers";
  for (const { part } of parts) {
    const why = implausibleCounts(part);
    if (why !== null) return why;
  }
  return null;
}

/**
 * Why the counts of a part are implausible; null if they are plausible. There is a latency for each completed request
 * and for each lower bound; the last interval has further latencies, of requests that ended after the deadline.
 */
function implausibleCounts(
  { completed, failed, errors, latency, censored, secondCompleted }: IntervalPart,
): string | null {
  if (latency.count < completed + censored.count) {
    return `it reported ${completed} completed requests, but ${latency.count} latencies`;
  }
  const inSeconds = secondCompleted.reduce((sum, count) => sum + count, 0);
  if (inSeconds !== completed) {
    return `it reported ${completed} completed requests, but ${inSeconds} when counted by the second`;
  }
  const sum = errors?.reduce((sum, count) => sum + count, 0) ?? 0;
  return sum === failed ? null : `it reported ${failed} failed requests, but ${sum} errors`;
}

/**
 * Why a bundle whose turn has come is implausible; null if it is plausible. Each worker reports its intervals in order,
 * and none before the interval has ended.
 * @param lastOf Returns the index of the last interval that a worker reported; −1 if it reported none.
 * @param most The index of the last interval that can have ended by now.
 */
export function implausibleOrder(
  { parts }: Bundle,
  lastOf: (worker: number) => number,
  most: number,
): string | null {
  const last = new Map<number, number>();
  for (const { worker, part } of parts) {
    const { index } = part;
    const before = last.get(worker) ?? lastOf(worker);
    if (index !== before + 1 && index <= most && isLowerBounds(part)) continue;
    if (index !== before + 1) return outOfOrder(index, before);
    if (index > most) return `it reported interval ${index}, which is still to come`;
    last.set(worker, index);
  }
  return null;
}

/**
 * Whether a part has nothing but lower bounds of latencies, for requests that a worker had in flight or dropped when it
 * was ended. Such a part belongs to an interval that the worker has reported already.
 */
function isLowerBounds({ completed, failed, latency, censored }: IntervalPart): boolean {
  return completed + failed === 0 && latency.count > 0 && latency.count === censored.count;
}

function outOfOrder(index: number, before: number): string {
  const where = before < 0 ? "as the first" : `right after interval ${before}`;
  return `it reported interval ${index} ${where}`;
}

/**
 * The most by which a reported start may differ from the run's. Clocks may be wrong by minutes, but a start that is
 * further away can't be the start of this run.
 */
const MOST_OFF_MS = 600_000;

/** Why a reported start is implausible; null if it is plausible. Both moments are by Redis's clock. */
export function implausibleStart(startedAtMs: number, startAtMs: number): string | null {
  const offMs = Math.abs(startedAtMs - startAtMs);
  return offMs <= MOST_OFF_MS
    ? null
    : `it reported a start that is ${
      Math.round(offMs / 1_000).toLocaleString("en")
    } s from the run's start`;
}
