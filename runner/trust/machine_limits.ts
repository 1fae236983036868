/** Signs that the machine was the limit: too few cores, a limit on them, or nothing left to connect with. */
import type { TrustFinding } from "../result/findings.ts";
import { adviceFor } from "./advice.ts";
import { busiestOf, type Case, type Limits, occupiedShare, severityOf } from "./evidence.ts";
import { OCCUPIED } from "./generator_limits.ts";

/** From here on the cores are full: the idle rest is rounding, and moments between two threads. */
export const FULL = 0.95;

/**
 * Cores that others use from here on matter; a neighbour that computes has 0.9 to 1. What is not idle and
 * nobody's CPU time is counted to others, too: on a quiet machine of 2 cores 0.02 to 0.08 and, where they
 * go to sleep and wake 20,000 times a second, up to 0.16 for that.
 */
export const OTHERS_CORES = 0.3;

/**
 * Share of the run in which a worker stood in line for a core. Being woken takes some 20 to 50 µs, which
 * counts too, so it matters only where the cores are full. A worker that is kept to one core with
 * its target waits for 6 to 40 % of the time.
 */
const WAITING: Limits = { suspect: 0.03, invalid: 0.2 };

/**
 * Where cores are free, a worker waits long only if the system keeps it on a core with its target. A
 * worker that seldom has anything to do may seem to: what it waits for is the core to wake.
 */
const LINED_UP = { waiting: 0.15, occupied: 0.7 };

const STOLEN: Limits = { suspect: 0.02, invalid: 0.1 };
/** Seconds. The system counts in steps of 10 ms: in less, one step is as much as the limit. */
const SHORTEST_FOR_TICKS_S = 1;

/** Share of the run. A limit that was felt at all was felt at a bad moment. */
const THROTTLED: Limits = { suspect: Number.MIN_VALUE, invalid: 0.05 };

/** Share of the requests that were due. */
const SHORT_OF: Limits = { suspect: Number.MIN_VALUE, invalid: 0.01 };

const COARSE_TIMER_MS = 1;

export function machineFindings(given: Case): TrustFinding[] {
  return [crowded, linedUp, stolen, throttled, coarse].flatMap((check) => check(given) ?? []);
}

function crowded(given: Case): TrustFinding | null {
  const { evidence, sharesMachine } = given;
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
        // Generator and target may fill the cores by themselves.
        ...others === null || others >= OTHERS_CORES ? ["stop-other-programs"] as const : [],
        ...sharesMachine ? ["apart", "larger-machine"] as const : ["other-machine"] as const,
      ],
      given,
    ),
  };
}

/** In an open loop that keeps up, its lateness says more. */
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

/** Messages of the systems when something has run out. */
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
