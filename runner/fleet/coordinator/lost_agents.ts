/**
 * When an agent of a fleet counts as lost: it has been silent although Redis would have delivered its messages, and the
 * load is over for it. Pure but for the number of unread messages, which is looked up last.
 */
import { LONGEST_DRAIN_US } from "../../load/engine/ending.ts";
import { WORKER_GRACE_MS as GRACE_OF_WORKERS_MS } from "../../load/worker/overdue.ts";
import type { FleetAgent } from "./agent_stream.ts";

/** Once all other agents are done, an agent that has been silent for longer than this is not waited for. */
const GRACE_MS = 2_000;
/** Time allowed beyond the drain: Redis may be away, and a thousand agents may have a lot to send. */
const LATE_MS = 60_000;
/** Longest time after the deadline: an agent waits for requests in flight, then ends workers that are stuck. */
const LONGEST_END_MS = LONGEST_DRAIN_US / 1_000 + 1.5 * GRACE_OF_WORKERS_MS;

/** Redis as the coordinator sees it (`RunStateKeeper`). */
export interface Touch {
  readonly inTouchSinceMs: number;
  readonly silentMs: number;
}

/** A load while its coordinator waits for the agents' last messages. Milliseconds by any one clock. */
interface Wait {
  readonly nowMs: number;
  readonly touch: Touch;
  readonly reportEveryMs: number;
  /** The deadline of the load; null if it ends by count. */
  readonly endMs: number | null;
  /** When the last request may be sent: at a fixed deadline, or when the run was ended early; Infinity if unknown. */
  readonly lastMs: number;
  /** Whether the run was ended early. */
  readonly isStopped: boolean;
  /** Number of agents' messages that have arrived and are not yet read. */
  readonly unread: () => Promise<number>;
}

/**
 * The agents that are not waited for any longer. A minute after the last request could be sent, not even agents that
 * still report are waited for.
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
  // Messages may wait here, unread, or in a Redis that does not respond.
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
 * Whether the load is over for an agent. An agent heard from until the deadline may wait silently for its last
 * responses.
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
