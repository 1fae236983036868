/**
 * Decides whether a target served everything that an open loop sent, so that the load and not the target was the limit.
 * Pure.
 */
import type { Measurement } from "../result/result.ts";

/** A target that served at least this share of the due requests counts as having served all. */
const SERVED = 0.99;
/**
 * The 99th percentile is used only if at least this many requests are beyond it, and otherwise the 95th, because a
 * single pause of the machine or the generator could decide a percentile with fewer.
 */
const LEAST_BEYOND = 10;
/**
 * Latency, which is measured from when a request was due, divided by the service time, which is measured from when it
 * was sent. A ratio of at least this means that requests queued for connections.
 */
const QUEUED_TIMES = 2;
/** Milliseconds. Shorter waits may be caused by wake-ups. */
const SHORT_MS = 2;
/**
 * Requests in flight at the end divided by their usual number. If a queue grows throughout the run, the ratio is about
 * 2.
 */
const GROWN_TIMES = 1.5;

type LoadedRun = Pick<
  Measurement,
  "load" | "requests" | "latency" | "service" | "drain" | "rate" | "elapsedS"
>;

/** Whether nearly all requests were served, without a queue for connections or in the target. */
export function isServed(run: LoadedRun): boolean {
  const { load, requests: { due, completed } } = run;
  return load.kind !== "closed" && completed >= SERVED * due && !hasGrownQueue(run) &&
    !hasWaited(run);
}

/** Whether requests waited for connections, beyond what chance explains. */
function hasWaited({ requests: { completed }, ...run }: LoadedRun): boolean {
  const high = completed >= 100 * LEAST_BEYOND ? "99" : "95";
  const [latency, service] = [run.latency.percentiles[high], run.service.percentiles[high]];
  return latency >= QUEUED_TIMES * service && latency - service >= SHORT_MS;
}

/**
 * Whether a queue has grown in the target. With many connections, requests that come too fast queue in the target and
 * are served after the end of the load. By Little's law, the average number in flight is the rate times the service
 * time. If clearly more are in flight at the end, the target has fallen behind.
 */
function hasGrownQueue({ load, requests, drain, rate, service }: LoadedRun): boolean {
  const left = (drain?.completed ?? 0) + (drain?.failed ?? 0) + requests.unfinished;
  const usual = endRatioOf(load) * rate * service.mean / 1_000;
  return left > (1 - SERVED) * requests.due && left > GROWN_TIMES * usual + 3 * Math.sqrt(usual);
}

/**
 * The arrival rate at the end divided by the mean rate of the run, or 1 if that is more. In a load with phases, the
 * rate may be highest at the end.
 */
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
