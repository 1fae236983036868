/**
 * What shows that the target was not measured as it is: others took its cores, a limit held it back, our
 * connections were all busy, or the latency is mostly that of the generator itself.
 */
import type { HostActivity, TargetUse } from "../result/generator.ts";
import {
  busiestOf,
  type Case,
  type Finding,
  harmlessDelay,
  levelOf,
  type Limits,
  millis,
  percent,
} from "./finding.ts";
import { FULL } from "./machine_limits.ts";

/**
 * Cores that others use from here on matter; a neighbour that computes has 0.9 to 1. What is not idle and
 * nobody's CPU time is counted to others, too: on a quiet machine of 2 cores 0.02 to 0.08 and, where they
 * go to sleep and wake 20,000 times a second, up to 0.16 for that.
 */
const OTHERS_CORES = 0.3;

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

/** Of the run. A limit that was felt at all was felt at a bad moment. */
const THROTTLED: Limits = { suspect: Number.MIN_VALUE, invalid: 0.05 };

/** Of the connections, on average: from here on a request that is due finds none free, as a rule. */
const ALL_BUSY = 0.9;

/** The p50 is mostly our own from here on; it is no queue's while no more than one request is out at once. */
const FLOOR = { ofMedian: 0.5, atOnce: 1.05 };

export function targetFindings(given: Case): Finding[] {
  const checks = [targetThrottled, crowdedOut, connectionsBusy, atFloor];
  return checks.flatMap((check) => check(given) ?? []);
}

/** Others used the cores, and generator or target stood in line for them. */
function crowdedOut(given: Case): Finding | null {
  const { evidence: { hostActivity, target } } = given;
  const { others = null } = hostActivity;
  if (others === null || others < OTHERS_CORES) return null;
  const isTargetLate = target !== undefined && hadToWait(target, hostActivity);
  if (!isTargetLate && !workerHadToWait(given)) return null;
  const who = isTargetLate ? `the target waited for one ${waitText(target)}` : workerText(given);
  const isLow = isTargetLate && target.nice > 0;
  return {
    level: "suspect",
    cause: isLow ? "low-priority" : "neighbour",
    reason: `Other programs${namesText(hostActivity)} used ${coresText(others)} of those that ` +
      `the target or the generator may use, and ${who}${
        isLow ? `, as it runs at nice ${target.nice}` : ""
      }: ${isTargetLate ? "the target" : "the generator"} had less than its cores; ${
        isLow ? "give it normal priority, and end" : "end"
      } them or keep them to other cores. ` +
      "What belongs to the target but was not started by Plateau, such as its database, counts here too.",
  };
}

function hadToWait({ waiting, cpu }: TargetUse, surroundings: HostActivity): boolean {
  if (isFull(surroundings) && waiting >= WAITING_FOR_FULL_CORES) return true;
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

/** `43 % of the time that it had work` */
function waitText({ waiting, cpu }: TargetUse): string {
  return `${percent(waiting / (waiting + cpu))} of the time that it had work`;
}

function workerText({ evidence }: Case): string {
  return `the busiest worker waited for one ${
    percent(busiestOf(evidence).waiting ?? 0)
  } of the time`;
}

/** `1.2 cores` */
function coresText(cores: number): string {
  const text = `${Number(cores.toPrecision(2))}`;
  return `${text} ${text === "1" ? "core" : "cores"}`;
}

/** ` (stress 0.91, node 0.2)` */
function namesText({ busiest = [] }: HostActivity): string {
  const names = busiest.map(({ name, cores }) => `${name} ${Number(cores.toPrecision(2))}`);
  return names.length === 0 ? "" : ` (${names.join(", ")})`;
}

function targetThrottled({ evidence: { target }, run: { elapsedS } }: Case): Finding | null {
  const throttled = target?.throttled ?? 0;
  const level = elapsedS > 0 ? levelOf(throttled / 1_000 / elapsedS, THROTTLED) : null;
  if (level === null) return null;
  return {
    level,
    cause: "target-throttled",
    reason: `A CPU limit (cgroup) held the target back for ${millis(throttled)} of ` +
      `${
        millis(elapsedS * 1_000)
      }: the limit was measured as much as the target; raise or lift it, ` +
      "or say that it is part of what you measure.",
  };
}

/** Little's law: requests on their way, on average, are their rate times the time that each takes. */
function busyConnections({ load, rate, service, connect }: Case["run"]): number {
  const dialMs = load.keepAlive ? 0 : connect.mean;
  return rate * (service.mean + dialMs) / 1_000;
}

/** In an open loop: more arrived than the connections could take, for most of the run. */
function connectionsBusy({ evidence: { lag, delay }, run }: Case): Finding | null {
  const { load } = run;
  if (load.kind !== "rate") return null;
  const { suspect } = harmlessDelay(run);
  const busy = busyConnections(run);
  // The worker's own delay is no wait for a connection.
  if (lag.p99 - delay.p99 < suspect || busy < ALL_BUSY * load.connections) return null;
  return {
    level: "suspect",
    cause: "connections",
    reason:
      `All ${load.connections} connections were busy (${
        busy.toPrecision(3)
      } on average), so requests ` +
      `waited ${millis(lag.p50)} (p50) for a free one: the target never had more than ` +
      `${load.connections} requests at once; give more connections (-c of bench, connections of a ` +
      "load), or lower the rate if the target can't do more.",
  };
}

/**
 * A server that does nothing is as slow: what is seen is this generator and the kernel. Of a closed loop, which is
 * there to see how fast the target is; who asks for a rate sees whether it is kept, and fast enough.
 */
function atFloor({ evidence: { baselineLatency }, run, sharesMachine }: Case): Finding | null {
  const p50 = run.service.percentiles["50"];
  if (
    run.load.kind !== "closed" || baselineLatency === null || !sharesMachine ||
    run.requests.completed === 0
  ) return null;
  if (baselineLatency < FLOOR.ofMedian * p50 || busyConnections(run) > FLOOR.atOnce) return null;
  return {
    level: "suspect",
    cause: "floor",
    reason:
      `A server that does nothing takes ${
        millis(baselineLatency)
      } here (p50, one connection), and this ` +
      `one takes ${millis(p50)}: most of the latency is that of generator and kernel; compare ` +
      "differences, not ratios, or send requests that take the target longer.",
  };
}
