/** What `/user` costs: it takes as long as the database of the study, and counts how often it was asked. */
import { setTimeout as sleep } from "node:timers/promises";

/** Users 1 … USERS. */
export const USERS = 1_000;

export interface Origin {
  /** The user's JSON text, after the delay. Each call is one payment. */
  readonly ask: (id: number) => Promise<string>;
  /** Calls since the start. */
  readonly calls: () => number;
}

export function openOrigin(delayMs: number): Origin {
  let calls = 0;
  return {
    async ask(id): Promise<string> {
      calls++;
      if (delayMs > 0) await sleep(delayMs);
      return JSON.stringify(userOf(id));
    },
    calls: () => calls,
  };
}

function userOf(id: number): { id: number; name: string; email: string } {
  return { id, name: `User ${id}`, email: `user${id}@example.com` };
}
