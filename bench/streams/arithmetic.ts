/**
 * The times that a server with a plan must show, by arithmetic from the plan. The server's notes are used only for the
 * moments at which streams were requested and WebSockets opened, because these determine which messages a freeze
 * delays.
 */
import { momentsOf, thawed } from "../../targets/apps/streams/schedule.ts";
import { freezesOf, type Noted, type Plan } from "./planting.ts";

/** The times between consecutive messages, over all streams. */
export function plannedGapsMs(plan: Plan, noted: readonly Noted[]): number[] {
  const momentOf = momentsOf(plan, freezesOf(plan, noted[0].askedMs));
  return noted.flatMap(({ askedMs }) => {
    const moments = Array.from({ length: plan.messages }, (_, k) => momentOf(askedMs, k));
    return moments.slice(1).map((ms, k) => ms - moments[k]);
  });
}

/** The latencies of all messages on WebSockets. On each WebSocket, a message is due every `everyMs`. */
export function plannedLatenciesMs(
  plan: Plan,
  noted: readonly Noted[],
  everyMs: number,
): number[] {
  const freezes = freezesOf(plan, noted[0].askedMs);
  return noted.flatMap(({ cameMs }) => {
    // No message arrives before it is due, so the one with the least delay is taken to arrive
    // exactly when due.
    const openMs = Math.min(...cameMs.map((ms, k) => ms - k * everyMs));
    return cameMs.map((_, k) => {
      const dueMs = openMs + k * everyMs;
      return thawed(dueMs + plan.delayMs, freezes) - dueMs;
    });
  });
}
