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
  return noted.flatMap((of) =>
    dueMomentsMs(of, everyMs).map((dueMs) => thawed(dueMs + plan.delayMs, freezes) - dueMs)
  );
}

/** For each message on a WebSocket, how long after its due moment it reached the server. */
export function sentLateMs(noted: readonly Noted[], everyMs: number): number[] {
  return noted.flatMap((of) => {
    const due = dueMomentsMs(of, everyMs);
    return of.cameMs.map((ms, k) => ms - due[k]);
  });
}

/** When each message on a WebSocket was due. */
function dueMomentsMs({ cameMs }: Noted, everyMs: number): number[] {
  // No message comes before it is due, and the promptest is taken to come exactly when it is due.
  const openMs = Math.min(...cameMs.map((ms, k) => ms - k * everyMs));
  return cameMs.map((_, k) => openMs + k * everyMs);
}
