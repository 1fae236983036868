/** Messages that came in a run, of streams and of WebSockets. */
import type { Measurement } from "../../runner/result/result.ts";
import { sum } from "../writing/spread.ts";

type Received = Pick<Measurement, "streams" | "sockets">;

/** By the deadline. Null where no response is a stream, and no request opens a WebSocket. */
export function receivedPerSecOf(
  { steps = [], ...run }: Received & Pick<Measurement, "steps">,
): number | null {
  if (run.streams === undefined && run.sockets === undefined) return null;
  return sum(steps.length > 0 ? steps : [run], ofStep);
}

/** What a WebSocket gets without being asked is counted with streams, too. */
function ofStep({ streams, sockets }: Received): number {
  return sockets?.messagesPerSec ?? streams?.eventsPerSec ?? 0;
}
