/**
 * Signs that the target was held back: others took its cores, a limit paused it, our connections were all busy, or the
 * latency is mostly that of the generator itself.
 */
import { adviceFor } from "./advice.ts";
import type { Contention, TrustFinding } from "../result/findings.ts";
import type { HostActivity, TargetUse } from "../result/generator.ts";
import { busiestOf, type Case, harmlessDelay, type Limits, severityOf } from "./evidence.ts";
import { FULL, OTHERS_CORES } from "./machine_limits.ts";

/**
 * How long threads stand in line although nobody else is there. Where all cores are in use, quiet runs have
 * up to 0.015 for a target that computes; beside a neighbour that target has 0.066, busier ones 0.4.
 */
const WAITING_FOR_FULL_CORES = 0.03;
/**
 * Where cores are free, each wake-up takes 4 to 65 µs and counts as a wait: up to 0.06 in all, and up to
 * 0.46 of the time that a target at low load wants a core. One that is kept on a core with a neighbour has
 * more of both.
 */
const WAITING = { threads: 0.1, ofWanted: 0.3 };

/** Share of the run. A limit that was felt at all was felt at a bad moment. */
const THROTTLED: Limits = { suspect: Number.MIN_VALUE, invalid: 0.05 };

/** Share of the connections, on average, from which a due request usually finds none free. */
const ALL_BUSY = 0.9;

/** The p50 is mostly our own from here on; it is not a queue's while no more than one request is out at once. */
const BASELINE = { ofMedian: 0.5, atOnce: 1.05 };

export function targetFindings(given: Case): TrustFinding[] {
  const checks = [targetThrottled, crowdedOut, connectionsBusy, nearBaseline];
  return checks.flatMap((check) => check(given) ?? []);
}

/** Others used the cores, and generator or target waited for them. */
function crowdedOut(given: Case): TrustFinding | null {
  const { hostActivity, target } = given.evidence;
  const { others = null, busiest = [] } = hostActivity;
  if (others === null || others < OTHERS_CORES) return null;
  const contention = { others, busiest };
  if (target !== undefined && hadToWait(target, hostActivity)) {
    return targetCrowdedOut(target, contention, given);
  }
  if (!workerHadToWait(given)) return null;
  const waiting = busiestOf(given.evidence).waiting ?? 0;
  return {
    code: "neighbour",
    severity: "suspect",
    evidence: { ...contention, waiting, waiter: "generator" },
    advice: adviceFor(["stop-other-programs", "apart"], given),
  };
}

function targetCrowdedOut(
  { waiting, cpu, nice }: TargetUse,
  contention: Contention,
  given: Case,
): TrustFinding {
  const evidence = { ...contention, waiting: waiting / (waiting + cpu) };
  return nice > 0
    ? {
      code: "low-priority",
      severity: "suspect",
      evidence: { ...evidence, nice },
      advice: ["raise-priority", "stop-other-programs"],
    }
    : {
      code: "neighbour",
      severity: "suspect",
      evidence: { ...evidence, waiter: "target" },
      advice: adviceFor(["stop-other-programs", "apart"], given),
    };
}

function hadToWait({ waiting, cpu }: TargetUse, hostActivity: HostActivity): boolean {
  if (isFull(hostActivity) && waiting >= WAITING_FOR_FULL_CORES) return true;
  return waiting >= WAITING.threads && waiting / (waiting + cpu) >= WAITING.ofWanted;
}

function workerHadToWait({ evidence }: Case): boolean {
  const { cpu, spinning, waiting } = busiestOf(evidence);
  if (waiting === null) return false;
  if (isFull(evidence.hostActivity) && waiting >= WAITING_FOR_FULL_CORES) return true;
  const wanted = Math.max(0, cpu - spinning) + waiting;
  return waiting >= WAITING.threads && waiting / wanted >= WAITING.ofWanted;
}

function isFull({ busy }: HostActivity): boolean {
  return busy !== null && busy >= FULL;
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

/** Little's law: requests on their way, on average, are their rate times the time that each takes. */
function busyConnections({ load, rate, service, connect }: Case["run"]): number {
  const dialMs = load.keepAlive ? 0 : connect.mean;
  return rate * (service.mean + dialMs) / 1_000;
}

/** In an open loop: more arrived than the connections could take, for most of the run. */
function connectionsBusy(given: Case): TrustFinding | null {
  const { evidence: { lag, delay }, run } = given;
  const { load } = run;
  if (load.kind !== "rate") return null;
  const { connections } = load;
  const { suspect } = harmlessDelay(run);
  const busy = busyConnections(run);
  // The worker's own delay is not a wait for a connection.
  if (lag.p99 - delay.p99 < suspect || busy < ALL_BUSY * connections) return null;
  return {
    code: "connections",
    severity: "suspect",
    evidence: { connections, busy, lag: lag.p50 },
    advice: adviceFor(["more-connections", "less-load"], given),
  };
}

/**
 * A server that does nothing is as slow: the figures are of this generator and the kernel. Only of a closed loop, which
 * measures how fast the target is; an open loop measures whether a rate is kept.
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
