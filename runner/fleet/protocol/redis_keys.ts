/**
 * What a fleet keeps in Redis, and for how long. Queues are BullMQ's; plain keys die by themselves when
 * nobody renews them, so whoever is gone is soon forgotten.
 */

/** Everything of a fleet begins with this. */
export const PREFIX = "plateau:fleet";

/** Jobs for one agent, from its coordinator. */
export function agentQueue(agent: string): string {
  return `agent-${agent}`;
}

/** Agents' messages to one coordinator. */
export function messageQueue(coordinator: string): string {
  return `messages-${coordinator}`;
}

const PRESENCE = `${PREFIX}:presence:`;
/** Pattern of all agents' presence keys. */
export const ALL_PRESENCES = `${PRESENCE}*`;

/** Key of an agent's presence, which the agent renews. */
export function presenceKey(agent: string): string {
  return PRESENCE + agent;
}

/** Key of the claim on an agent, which the coordinator that has it renews. */
export function claimKey(agent: string): string {
  return `${PREFIX}:claim:${agent}`;
}

/** The run that a coordinator announces to its agents; renewed by the coordinator. */
export function runStateKey(coordinator: string): string {
  return `${PREFIX}:run-state:${coordinator}`;
}

export const PRESENCE_MS = { renewed: 1_000, lives: 3_000 } as const;
/** How often a run state is renewed, and how long it lives; claims likewise, as they end with their coordinator. */
export const RUN_STATE_MS = { renewed: 400, lives: 1_500 } as const;
/** How often an agent reads its coordinator's run state. */
export const POLL_MS = { waiting: 50, loading: 250 } as const;
/** Redis takes longer to respond: it does not. */
export const REPLY_MS = 1_000;
/** An agent gives up if Redis has not responded for this long, because its messages reach nobody. */
export const OUT_OF_TOUCH_MS = 10_000;
