/**
 * Signs that the machine was the limit: there were too few cores, other programs took cores from the target or the
 * generator, a CPU limit applied, or no ports or files were left for connections.
 */
import type { Contention, TrustFinding } from "../result/findings.ts";
import type { HostActivity, TargetUse } from "../result/generator.ts";
import { adviceFor } from "./advice.ts";
import { busiestOf, type Case, type Limits, occupiedShare, severityOf } from "./evidence.ts";
import { OCCUPIED } from "./generator_limits.ts";

/** If at least this share of the cores is in use, they are full; the rest is rounding, and gaps between threads. */
const FULL = 0.95;

/**
 * If other programs use at least this many cores, they matter; a neighbour that computes uses 0.9 to 1. Busy time that
 * belongs to no process counts too: on a quiet machine with 2 cores it is 0.02 to 0.08, and up to 0.16 if cores go to
 * sleep and wake up 20,000 times a second.
 */
const OTHERS_CORES = 0.3;

/**
 * Share of the run for which a worker waited for a core. Each wake-up counts as a wait of 20 to 50 µs, so the share
 * matters only if the cores are full. A worker that shares one core with its target waits for 6 to 40 % of the time.
 */
const WAITING: Limits = { suspect: 0.03, invalid: 0.2 };

/**
 * If cores are free, a worker waits for long only if the system keeps it on the same core as its target. The waits of a
 * worker that is rarely busy prove nothing, because they may be for a sleeping core to wake up.
 */
const LINED_UP = { waiting: 0.15, occupied: 0.7 };

/**
 * If all cores are in use and at least this many threads wait for one on average, other programs are to blame. A target
 * that computes has up to 0.015 waiting threads on a quiet machine, and 0.066 beside a neighbour; targets with more to
 * do have 0.4 beside a neighbour.
 */
const WAITING_FOR_FULL_CORES = 0.03;
/**
 * If cores are free, a target or worker was held back only if it reaches both limits: the average number of its waiting
 * threads, and the share of waits in the time for which it wants a core. Each wake-up takes 4 to 65 µs and counts as a
 * wait. Together, wake-ups reach up to 0.06 threads, and a share of up to 0.46 in a target at low load. A target that
 * shares one core with a neighbour exceeds both limits.
 */
const HELD_BACK = { threads: 0.1, ofWanted: 0.3 };

const STOLEN: Limits = { suspect: 0.02, invalid: 0.1 };
/** Seconds. The system counts in steps of 10 ms, so in a much shorter time a single step would reach the limit. */
const SHORTEST_FOR_TICKS_S = 1;

/**
 * Share of the run for which a CPU limit paused the generator. Any pause makes the run suspect, because the limit is
 * reached when there is most to do.
 */
const THROTTLED: Limits = { suspect: Number.MIN_VALUE, invalid: 0.05 };

/** Share of the due requests that failed for lack of ports or files; any such failure makes the run suspect. */
const SHORT_OF: Limits = { suspect: Number.MIN_VALUE, invalid: 0.01 };

const COARSE_TIMER_MS = 1;

export function machineFindings(given: Case): TrustFinding[] {
  const checks = [crowded, linedUp, stolen, throttled, coarse, crowdedOut];
  return checks.flatMap((check) => check(given) ?? []);
}

function crowded(given: Case): TrustFinding | null {
  const { evidence } = given;
  const { busy, cores, others = null } = evidence.hostActivity;
  const { waiting } = busiestOf(evidence);
  if (busy === null || cores === null || busy < FULL) return null;
  const severity = waiting === null ? "suspect" : severityOf(waiting, WAITING);
  if (severity === null) return null;
  return {
    code: "shared-cores",
    severity,
    evidence: { cores, busy, waiting },
    advice: adviceFor(
      [
        // Without other programs to stop, the generator and the target themselves fill the cores.
        ...others === null || others >= OTHERS_CORES ? ["stop-other-programs"] as const : [],
        "fit",
      ],
      given,
    ),
  };
}

/** A finding if other programs used cores that the generator or the target waited for. */
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
  return waiting >= HELD_BACK.threads && waiting / (waiting + cpu) >= HELD_BACK.ofWanted;
}

function workerHadToWait({ evidence }: Case): boolean {
  const { cpu, spinning, waiting } = busiestOf(evidence);
  if (waiting === null) return false;
  if (isFull(evidence.hostActivity) && waiting >= WAITING_FOR_FULL_CORES) return true;
  const wanted = Math.max(0, cpu - spinning) + waiting;
  return waiting >= HELD_BACK.threads && waiting / wanted >= HELD_BACK.ofWanted;
}

function isFull({ busy }: HostActivity): boolean {
  return busy !== null && busy >= FULL;
}

/**
 * A finding if a worker and its target share a core although others are free. There is none for an open loop that sends
 * every request, because a finding about its lateness says more.
 */
function linedUp(given: Case): TrustFinding | null {
  const { evidence, run: { load, requests } } = given;
  const { busy } = evidence.hostActivity;
  const { cpu, spinning, waiting, ...rest } = busiestOf(evidence);
  const occupied = occupiedShare({ cpu, spinning, waiting, ...rest });
  const isKnown = (busy !== null && busy >= FULL) || severityOf(occupied, OCCUPIED) !== null;
  const sendsAll = load.kind === "closed" || requests.dropped > 0;
  if (waiting === null || isKnown || !sendsAll) return null;
  if (waiting < LINED_UP.waiting || occupied < LINED_UP.occupied) return null;
  return {
    code: "crowded-core",
    severity: "suspect",
    evidence: { cpu: Math.max(0, cpu - spinning), waiting },
    advice: adviceFor(["apart", "repeat-run"], given),
  };
}

function stolen(
  { evidence: { hostActivity: { steal } }, run: { elapsedS } }: Case,
): TrustFinding | null {
  const severity = steal === null ? null : severityOf(steal, STOLEN);
  if (steal === null || severity === null || elapsedS < SHORTEST_FOR_TICKS_S) return null;
  return { code: "steal", severity, evidence: { steal }, advice: ["repeat-run", "own-host"] };
}

function throttled(
  { evidence: { hostActivity: { throttled } }, run: { elapsedS } }: Case,
): TrustFinding | null {
  if (throttled === null || elapsedS === 0) return null;
  const severity = severityOf(throttled / 1_000 / elapsedS, THROTTLED);
  if (severity === null) return null;
  const evidence = { throttled, elapsedS };
  return { code: "throttled", severity, evidence, advice: ["raise-cpu-limit"] };
}

function coarse({ evidence: { timer } }: Case): TrustFinding | null {
  if (timer <= COARSE_TIMER_MS) return null;
  const evidence = { timer };
  return { code: "coarse-clock", severity: "suspect", evidence, advice: ["other-machine"] };
}

/** Messages of operating systems that have run out of ports or files. */
const SHORTAGES = [
  {
    message: /cannot assign requested address|address not available|os error 99\b|EADDRNOTAVAIL/i,
    code: "ports",
    advice: "reuse-connections",
  },
  {
    message: /too many open files|no file descriptors available|os error 24\b|EMFILE|ENFILE/i,
    code: "open-files",
    advice: "raise-open-files",
  },
] as const;

export function shortageFindings({ run: { requests, reasons } }: Case): TrustFinding[] {
  return SHORTAGES.flatMap(({ message, code, advice }) => {
    const failed = Object.entries(reasons).reduce(
      (sum, [reason, count]) => message.test(reason) ? sum + count : sum,
      0,
    );
    const severity = requests.due === 0 ? null : severityOf(failed / requests.due, SHORT_OF);
    if (severity === null) return [];
    return [{ code, severity, evidence: { failed }, advice: [advice] }];
  });
}
