/**
 * The keys that a fleet has in Redis, and how long they last. BullMQ manages the queues; plain keys expire unless they
 * are renewed, so a process that is gone is soon forgotten.
 */

/** Prefix of all keys of a fleet. */
export const PREFIX = "plateau:fleet";

/** Name of the queue with the jobs that a coordinator sends to one agent. */
export function agentQueue(agent: string): string {
  return `agent-${agent}`;
}

/** Name of the queue with the messages that agents send to one coordinator. */
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

/** Key of the claim on an agent, which the claiming coordinator renews. */
export function claimKey(agent: string): string {
  return `${PREFIX}:claim:${agent}`;
}

/** Key of the run that a coordinator announces to its agents, which the coordinator renews. */
export function runStateKey(coordinator: string): string {
  return `${PREFIX}:run-state:${coordinator}`;
}

export const PRESENCE_MS = { renewed: 1_000, lives: 3_000 } as const;
/** How often a run state is renewed, and how long it lives without renewal, ms. The same times apply to claims. */
export const RUN_STATE_MS = { renewed: 400, lives: 1_500 } as const;
/** How often an agent reads its coordinator's run state, ms. */
export const POLL_MS = { waiting: 50, loading: 250 } as const;
/** If Redis takes longer than this to reply, it counts as not responding. */
export const REPLY_MS = 1_000;
/** An agent gives up when Redis has not responded for this long, because nobody receives its messages. */
export const OUT_OF_TOUCH_MS = 10_000;
