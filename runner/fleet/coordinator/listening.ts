/** One agent of a load, as its coordinator hears it. */
import type { Hearing } from "./agent_stream.ts";
import type { Member } from "./members.ts";
import type { ToldOf } from "../protocol/agent_message.ts";

/** How long preparing may take: a worker compiles its code, and names are looked up. */
export const READY_MS = 20_000;

export type Ready = ToldOf<"ready">;

export interface Listening {
  readonly member: Member;
  readonly hearing: Hearing;
  ready: Ready | null;
  /** Why it won't. */
  problems: readonly string[];
  lostWhy: string | null;
}

/** Whether its last word is still to come. */
export function isOpen({ hearing, lostWhy }: Listening): boolean {
  return hearing.whole === null && lostWhy === null;
}

/** Why it does not begin; nothing when it does. */
export function unready(name: string, { ready, problems }: Listening): string[] {
  if (problems.length > 0) return problems.map((problem) => `agent ${name}: ${problem}`);
  return ready === null ? [`agent ${name} was not ready within ${READY_MS / 1_000} s`] : [];
}
