/**
 * Whether a target served everything that an open loop sent, so that the load was the limit and not the target. Pure.
 */
import type { Measurement } from "../result/result.ts";

/** Share of the due requests that must be served. */
const SERVED = 0.99;
/** With fewer requests beyond a percentile, a wait may be bad luck: a machine or generator that paused for a moment. */
const LEAST_BEYOND = 10;
/**
 * Latency since a request was due, divided by the latency since it was sent: a larger ratio means a queue for
 * connections.
 */
const QUEUED_TIMES = 2;
/** A shorter wait comes from a wake-up. */
const SHORT_MS = 2;
/** Requests in flight at the end, over the usual number: a queue that grows all the time ends at 2. */
const GROWN_TIMES = 1.5;

type LoadedRun = Pick<
  Measurement,
  "load" | "requests" | "latency" | "service" | "drain" | "rate" | "elapsedS"
>;

/** Whether nearly everything was served, without a queue for connections or in the target. */
export function isServed(run: LoadedRun): boolean {
  const { load, requests: { due, completed } } = run;
  return load.kind !== "closed" && completed >= SERVED * due && !hasGrownQueue(run) &&
    !hasWaited(run);
}

/** Whether requests waited for connections, by more than bad luck explains. */
function hasWaited({ requests: { completed }, ...run }: LoadedRun): boolean {
  const high = completed >= 100 * LEAST_BEYOND ? "99" : "95";
  const [latency, service] = [run.latency.percentiles[high], run.service.percentiles[high]];
  return latency >= QUEUED_TIMES * service && latency - service >= SHORT_MS;
}

/**
 * Whether a queue has grown in the target. With many connections, requests that come too fast wait in the target, and
 * are served after the end. By Little's law, the average number under way is the rate times the service time. If more
 * requests are under way at the end than this average and chance explain, the target was late.
 */
function hasGrownQueue({ load, requests, drain, rate, service }: LoadedRun): boolean {
  const left = (drain?.completed ?? 0) + (drain?.failed ?? 0) + requests.unfinished;
  const usual = endRatioOf(load) * rate * service.mean / 1_000;
  return left > (1 - SERVED) * requests.due && left > GROWN_TIMES * usual + 3 * Math.sqrt(usual);
}

/** Arrival rate at the end over the mean of the whole run: phases may end with their highest rate. */
function endRatioOf(load: LoadedRun["load"]): number {
  if (load.kind !== "phases") return 1;
  const arrivals = load.phases.reduce(
    (sum, { durationS, from, to }) => sum + durationS * (from + to) / 2,
    0,
  );
  const wholeS = load.phases.reduce((sum, { durationS }) => sum + durationS, 0);
  const last = load.phases.at(-1)?.to ?? 0;
  return arrivals === 0 ? 1 : Math.max(1, last / (arrivals / wholeS));
}
