/**
 * What the requests of an idle target wait for, where that was seen: storage, name look-ups, or to be accepted. By
 * Little's law (1961), the requests under way are the rate times the time of a request, and those that wait for a thing
 * are the rate times that wait. So the second number over the first is the wait's share of a request's time. Pure.
 */
import type { Bottleneck } from "../result/findings.ts";
import type { Measurement } from "../result/result.ts";

type WaitingRun = Pick<Measurement, "load" | "rate" | "requests" | "errors" | "generator">;

export interface WaitedFor extends Pick<Bottleneck, "underWay" | "sleeping" | "lookups" | "taken"> {
  readonly kind: "storage" | "names" | "connection-cap";
}

/**
 * If at least this share of the requests wait for storage, it is the bottleneck. The share is of the requests in flight
 * that use no core or, with a queue, of those served at a time.
 */
const MOSTLY_STORAGE = 0.5;
/** Higher than for storage, because a program may look up both kinds of addresses at once, with a socket each. */
const MOSTLY_NAMES = 0.6;
/** With fewer requests in flight, the mean of the samples says little. */
const LEAST_UNDER_WAY = 0.5;
/** Share of the failures that are closed connections: a target at its limit accepts a connection, then closes it. */
const MOSTLY_CLOSED = 0.8;

/**
 * What requests waited for; null if nothing that was observed explains most of a request's time.
 * @param atOnce How many queued requests are served at a time; the others wait for these.
 */
export function waitedFor(run: WaitingRun, serviceMs: number, atOnce?: number): WaitedFor | null {
  const { generator: { target }, rate } = run;
  const waits = target?.waits;
  if (waits === undefined) return null;
  const taken = connectionCapOf(run);
  if (taken !== null) return { kind: "connection-cap", ...taken };
  const underWay = rate * serviceMs / 1_000;
  // A thread that computes, or waits for a core, waits for nothing else.
  const onCores = (target?.cpu ?? 0) + (target?.waiting ?? 0);
  const served = atOnce ?? underWay - onCores;
  const { sleeping, storageBytes, lookups } = waits;
  if (served < LEAST_UNDER_WAY) return null;
  // Threads also sleep like this for other reasons, such as the kernel's own locks; then nothing is read or written.
  if ((storageBytes ?? 0) > 0 && sleeping >= MOSTLY_STORAGE * served) {
    return { kind: "storage", underWay, sleeping };
  }
  return lookups !== null && lookups >= MOSTLY_NAMES * served
    ? { kind: "names", underWay, lookups }
    : null;
}

/**
 * Null if connections are accepted; otherwise a cap: either some connections are accepted in no sample, or all beyond a
 * certain number are closed.
 */
function connectionCapOf(
  { load: { connections }, requests, errors, generator: { target } }: WaitingRun,
): Pick<Bottleneck, "taken"> | null {
  const seen = target?.waits?.connections ?? null;
  if (seen === null) return null;
  const { leastQueued, accepted } = seen;
  if (leastQueued > 0) return { ...accepted !== null && { taken: accepted.most } };
  if (accepted === null || accepted.least < accepted.most) return null;
  const beyond = connections - accepted.most;
  const closed = (errors.reset ?? 0) + (errors.closed ?? 0);
  const isClosing = beyond > 0 && closed >= beyond && closed >= MOSTLY_CLOSED * requests.failed;
  return isClosing && accepted.most > 0 ? { taken: accepted.most } : null;
}
