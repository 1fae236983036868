/**
 * Signs that the target was held back: a CPU limit paused it, or all connections were busy. Also tells when the latency
 * is mostly the generator's own.
 */
import { adviceFor } from "./advice.ts";
import type { TrustFinding } from "../result/findings.ts";
import { type Case, harmlessDelay, type Limits, severityOf } from "./evidence.ts";

/**
 * Share of the run for which a CPU limit paused the target. Any pause makes the run suspect, because the limit is
 * reached when there is most to do.
 */
const THROTTLED: Limits = { suspect: Number.MIN_VALUE, invalid: 0.05 };

/** If on average at least this share of the connections is busy, a due request usually finds none free. */
const ALL_BUSY = 0.9;

/**
 * If the latency of a server that does nothing is at least the share `ofMedian` of the p50, the p50 is mostly the
 * generator's own. It is not if more than `atOnce` requests are in flight on average, because a queue may then explain
 * it.
 */
const BASELINE = { ofMedian: 0.5, atOnce: 1.05 };

export function targetFindings(given: Case): TrustFinding[] {
  const checks = [targetThrottled, connectionsBusy, nearBaseline];
  return checks.flatMap((check) => check(given) ?? []);
}

function targetThrottled(
  { evidence: { target }, run: { elapsedS } }: Case,
): TrustFinding | null {
  const throttled = target?.throttled ?? 0;
  const severity = elapsedS > 0 ? severityOf(throttled / 1_000 / elapsedS, THROTTLED) : null;
  if (severity === null) return null;
  const evidence = { throttled, elapsedS };
  return { code: "target-throttled", severity, evidence, advice: ["raise-cpu-limit"] };
}

/**
 * Little's law: the average number of busy connections is the request rate times the time that a request takes,
 * including dialling.
 */
function busyConnections({ load, rate, service, connect }: Case["run"]): number {
  const dialMs = load.keepAlive ? 0 : connect.mean;
  return rate * (service.mean + dialMs) / 1_000;
}

/**
 * A finding for a load of kind `rate` if requests waited for a connection and nearly all connections were busy on
 * average.
 */
function connectionsBusy(given: Case): TrustFinding | null {
  const { evidence: { lag, delay }, run } = given;
  const { load } = run;
  if (load.kind !== "rate") return null;
  const { connections } = load;
  const { suspect } = harmlessDelay(run);
  const busy = busyConnections(run);
  // Delays within the worker do not count as waits for a connection.
  if (lag.p99 - delay.p99 < suspect || busy < ALL_BUSY * connections) return null;
  return {
    code: "connections",
    severity: "suspect",
    evidence: { connections, busy, lag: lag.p50 },
    advice: adviceFor(["more-connections", "less-load"], given),
  };
}

/**
 * A finding if a server that does nothing has about the same latency, so that the figures are those of the generator
 * and the kernel. Made only for a closed loop, which measures how fast the target is; an open loop measures whether the
 * target keeps up with a rate.
 */
function nearBaseline(
  { evidence: { baselineLatency }, run, sharesMachine }: Case,
): TrustFinding | null {
  const latency = run.service.percentiles["50"];
  const isMeasured = run.load.kind === "closed" && run.requests.completed > 0;
  if (!isMeasured || baselineLatency === null || !sharesMachine) return null;
  const isFar = baselineLatency < BASELINE.ofMedian * latency;
  if (isFar || busyConnections(run) > BASELINE.atOnce) return null;
  return {
    code: "near-baseline-latency",
    severity: "suspect",
    evidence: { baselineLatency, latency },
    advice: ["compare-differences", "heavier-requests"],
  };
}
