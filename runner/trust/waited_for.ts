/**
 * Finds out what the requests of an idle target wait for, if it could be observed: storage, name look-ups, or their
 * connection being accepted. By Little's law (1961), the number of requests in flight is the rate times the time per
 * request, and the number waiting for one thing is the rate times the time of that wait. So the second number divided
 * by the first is that wait's share of a request's time. Pure.
 */
import type { Bottleneck } from "../result/findings.ts";
import type { Measurement } from "../result/result.ts";

type WaitingRun = Pick<Measurement, "load" | "rate" | "requests" | "errors" | "generator">;

export interface WaitedFor extends Pick<Bottleneck, "underWay" | "sleeping" | "lookups" | "taken"> {
  readonly kind: "storage" | "names" | "connection-cap";
}

/**
 * Storage is the bottleneck if at least this share of requests waits for it. The share refers to the requests in flight
 * that do not use a core; if requests queue, to those served at a time.
 */
const MOSTLY_STORAGE = 0.5;
/**
 * The same share for name look-ups. It is higher, because a program may look up IPv4 and IPv6 addresses at once, each
 * with its own socket.
 */
const MOSTLY_NAMES = 0.6;
/** With fewer requests in flight, the mean of the samples is unreliable. */
const LEAST_UNDER_WAY = 0.5;
/**
 * Share of the failures that are closed connections. A target that has reached its limit may accept a connection and
 * close it at once.
 */
const MOSTLY_CLOSED = 0.8;

/**
 * What requests waited for; null if no observed wait explains most of a request's time.
 *
 * @param atOnce How many requests are served at a time while the others queue; absent if there is no such queue.
 */
export function waitedFor(run: WaitingRun, serviceMs: number, atOnce?: number): WaitedFor | null {
  const { generator: { target }, rate } = run;
  const waits = target?.waits;
  if (waits === undefined) return null;
  const taken = connectionCapOf(run);
  if (taken !== null) return { kind: "connection-cap", ...taken };
  const underWay = rate * serviceMs / 1_000;
  // A thread that uses or waits for a core waits for nothing else.
  const onCores = (target?.cpu ?? 0) + (target?.waiting ?? 0);
  const served = atOnce ?? underWay - onCores;
  const { sleeping, storageBytes, lookups } = waits;
  if (served < LEAST_UNDER_WAY) return null;
  // Threads may be in uninterruptible sleep for other reasons, such as locks in the kernel, but
  // then no bytes are read or written.
  if ((storageBytes ?? 0) > 0 && sleeping >= MOSTLY_STORAGE * served) {
    return { kind: "storage", underWay, sleeping };
  }
  return lookups !== null && lookups >= MOSTLY_NAMES * served
    ? { kind: "names", underWay, lookups }
    : null;
}

/**
 * How many connections the target accepts, if a cap limits them; empty if there is a cap but this number is unknown.
 * There is a cap if some connections wait to be accepted in every sample, or if all connections beyond a certain number
 * are closed. Null if there is no cap.
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
