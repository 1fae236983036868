/**
 * Decides when an agent of a fleet counts as lost: when it has been silent although Redis would have delivered its
 * messages, and the load is over for it. Pure, except that it asks for the number of unread messages.
 */
import { LONGEST_DRAIN_US } from "../../load/engine/ending.ts";
import { WORKER_GRACE_MS as GRACE_OF_WORKERS_MS } from "../../load/worker/overdue.ts";
import type { FleetAgent } from "./agent_stream.ts";

/**
 * How long an agent may be silent before it can count as lost; the interval between its reports and a margin for its
 * clock are added.
 */
const GRACE_MS = 2_000;
/**
 * The longest wait for agents after the last request could be sent. It includes the wait for requests in flight, and is
 * long because Redis may be away, and because a thousand agents may have a lot to send.
 */
const LATE_MS = 60_000;
/**
 * The longest that an agent may take after the deadline: it waits for requests in flight, then ends workers that are
 * stuck.
 */
const LONGEST_END_MS = LONGEST_DRAIN_US / 1_000 + 1.5 * GRACE_OF_WORKERS_MS;

/**
 * The moment since which Redis has responded without a gap, and how long ago it last responded; see `RunStateKeeper`.
 */
export interface Touch {
  readonly inTouchSinceMs: number;
  readonly silentMs: number;
}

/** A load while its coordinator waits for the agents' last messages. All times are milliseconds of the same clock. */
interface Wait {
  readonly nowMs: number;
  readonly touch: Touch;
  readonly reportEveryMs: number;
  /** The deadline of the load; null if it ends after a number of requests. */
  readonly endMs: number | null;
  /** When the last request may be sent: at a fixed deadline, or when the run was ended early; Infinity if unknown. */
  readonly lastMs: number;
  /** Whether the run was ended early. */
  readonly isStopped: boolean;
  /** Number of agents' messages that have arrived and have not been read yet. */
  readonly unread: () => Promise<number>;
}

/**
 * The agents that are not waited for any longer. From a minute after the last request could be sent, they include
 * agents that still report.
 * @param open All agents that are not done.
 */
export async function lostAgents(
  open: readonly FleetAgent[],
  wait: Wait,
): Promise<readonly FleetAgent[]> {
  if (wait.nowMs > wait.lastMs + LATE_MS) return open;
  const silent = open.filter((agent) => silentMsOf(agent, wait) > graceMs(agent, wait));
  const given = wait.isStopped
    ? silent
    : silent.filter((agent) => isOver(agent, wait, silent.length === open.length));
  if (given.length === 0) return [];
  // Messages of these agents may still be unread here, or be in a Redis that does not respond.
  const mayStillArrive = wait.touch.inTouchSinceMs === Infinity ||
    await wait.unread().catch(() => 1) > 0;
  return mayStillArrive ? [] : given;
}

/** How long an agent has been silent although Redis would have delivered its messages, milliseconds. */
export function silentMsOf(
  { stream }: FleetAgent,
  { nowMs, touch }: Pick<Wait, "nowMs" | "touch">,
): number {
  return nowMs - Math.max(stream.lastMs, touch.inTouchSinceMs);
}

/**
 * Whether the load is over for an agent. If the agent reported until the deadline, it is given more time, because it
 * may be waiting silently for its last responses. A load without a deadline is over once all agents are silent.
 */
function isOver(agent: FleetAgent, wait: Wait, areAllSilent: boolean): boolean {
  const { nowMs, endMs } = wait;
  if (endMs === null) return areAllSilent;
  const wasThere = agent.stream.lastMs > endMs - graceMs(agent, wait);
  return nowMs > endMs + (wasThere ? LONGEST_END_MS : 0);
}

function graceMs({ ready }: FleetAgent, { reportEveryMs }: Wait): number {
  return GRACE_MS + reportEveryMs + (ready?.clock.uncertaintyMs ?? 0) * 4;
}
