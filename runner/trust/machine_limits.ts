/** What shows that the machine was the limit: too few cores, a limit on them, or nothing left to connect with. */
import {
  busiestOf,
  type Case,
  counted,
  type Finding,
  levelOf,
  type Limits,
  millis,
  occupiedShare,
  percent,
} from "./finding.ts";
import { OCCUPIED } from "./generator_limits.ts";

/** From here on the cores are full: the idle rest is rounding, and moments between two threads. */
export const FULL = 0.95;
/**
 * Share of the run in which a worker stood in line for a core. Being woken takes some 20 to 50 µs, which
 * counts too, so it means something only where the cores are full. A worker that is kept to one core with
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

/** Of the run. A limit that was felt at all was felt at a bad moment. */
const THROTTLED: Limits = { suspect: Number.MIN_VALUE, invalid: 0.05 };

/** Of the requests that were due. */
const SHORT_OF: Limits = { suspect: Number.MIN_VALUE, invalid: 0.01 };

const COARSE_TIMER_MS = 1;

export function machineFindings(given: Case): Finding[] {
  return [crowded, linedUp, stolen, throttled, coarse].flatMap((check) => check(given) ?? []);
}

function crowded({ evidence, sharesMachine }: Case): Finding | null {
  const { busy, cores } = evidence.hostActivity;
  const { waiting } = busiestOf(evidence);
  if (busy === null || cores === null || busy < FULL) return null;
  const level = waiting === null ? "suspect" : levelOf(waiting, WAITING);
  if (level === null) return null;
  const who = sharesMachine ? "the generator and the target or others" : "other programs";
  const waited = waiting === null
    ? ""
    : `, and the busiest worker waited for one ${percent(waiting)} of the time`;
  return {
    level,
    cause: "shared-cores",
    reason: `${cores === 1 ? "The only core" : `All ${cores} cores`} that Plateau may use ` +
      `${cores === 1 ? "was" : "were"} busy (${percent(busy)})${waited}: ${who} took ` +
      `${sharesMachine ? "them from each other" : "them from the generator"}; ${
        advice(sharesMachine)
      }.`,
  };
}

/** In an open loop that keeps up, being late tells more. */
function linedUp({ evidence, run: { load, requests } }: Case): Finding | null {
  const { busy } = evidence.hostActivity;
  const worker = busiestOf(evidence);
  const occupied = occupiedShare(worker);
  const isTold = (busy !== null && busy >= FULL) || levelOf(occupied, OCCUPIED) !== null;
  const asksAll = load.kind === "closed" || requests.dropped > 0;
  if (worker.waiting === null || isTold || !asksAll) return null;
  if (worker.waiting < LINED_UP.waiting || occupied < LINED_UP.occupied) return null;
  return {
    level: "suspect",
    cause: "shared-cores",
    reason:
      `The busiest worker used ${percent(worker.cpu - worker.spinning)} of a core and waited ` +
      `for one ${
        percent(worker.waiting)
      } of the time, though not all cores were busy: the system ` +
      "kept it on a core with others; give target and generator cores of their own, or run again.",
  };
}

function advice(sharesMachine: boolean): string {
  return sharesMachine
    ? "end other programs, give target and generator cores of their own, or use a larger machine"
    : "end them, or use another machine";
}

function stolen(
  { evidence: { hostActivity: { steal } }, run: { elapsedS } }: Case,
): Finding | null {
  const level = steal === null ? null : levelOf(steal, STOLEN);
  if (steal === null || level === null || elapsedS < SHORTEST_FOR_TICKS_S) return null;
  return {
    level,
    cause: "steal",
    reason: `The hypervisor gave ${percent(steal)} of the cores' time to other machines (steal): ` +
      "repeat the run when they are quiet, or use a machine of your own.",
  };
}

function throttled(
  { evidence: { hostActivity }, run: { elapsedS } }: Case,
): Finding | null {
  if (hostActivity.throttled === null || elapsedS === 0) return null;
  const level = levelOf(hostActivity.throttled / 1_000 / elapsedS, THROTTLED);
  if (level === null) return null;
  return {
    level,
    cause: "throttled",
    reason:
      `A CPU limit (cgroup) held the generator back for ${millis(hostActivity.throttled)} of ` +
      `${millis(elapsedS * 1_000)}: raise or lift the limit.`,
  };
}

function coarse({ evidence: { timer } }: Case): Finding | null {
  if (timer <= COARSE_TIMER_MS) return null;
  return {
    level: "suspect",
    cause: "coarse-clock",
    reason:
      `The clock here goes in steps of ${millis(timer)}: shorter times can't be told apart; ` +
      "use another machine.",
  };
}

/** What the systems say when something has run out, and what to do. */
const SHORTAGES = [
  {
    said: /cannot assign requested address|address not available|os error 99\b|EADDRNOTAVAIL/i,
    cause: "ports",
    what: "ports for new connections",
    fix: "keep connections open, use fewer, or widen net.ipv4.ip_local_port_range",
  },
  {
    said: /too many open files|no file descriptors available|os error 24\b|EMFILE|ENFILE/i,
    cause: "open-files",
    what: "open files, of which every connection is one",
    fix: "raise the limit with ulimit -n, or use fewer connections",
  },
] as const;

export function shortageFindings({ run: { requests, reasons } }: Case): Finding[] {
  return SHORTAGES.flatMap(({ said, cause, what, fix }) => {
    const count = Object.entries(reasons).reduce(
      (sum, [reason, count]) => said.test(reason) ? sum + count : sum,
      0,
    );
    const level = requests.due === 0 ? null : levelOf(count / requests.due, SHORT_OF);
    if (level === null) return [];
    const reason = `${
      counted(count, "request")
    } failed as this machine ran out of ${what}: ${fix}.`;
    return [{ level, cause, reason }];
  });
}
