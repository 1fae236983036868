/** Messages received in a run, from streams and WebSockets. */
import type { Measurement } from "../../runner/result/result.ts";
import { sum } from "../writing/spread.ts";

type Received = Pick<Measurement, "streams" | "sockets">;

/** Messages per second until the deadline. Null if no response is a stream, and no request opens a WebSocket. */
export function receivedPerSecOf(
  { steps = [], ...run }: Received & Pick<Measurement, "steps">,
): number | null {
  if (run.streams === undefined && run.sockets === undefined) return null;
  return sum(steps.length > 0 ? steps : [run], ofStep);
}

/** Messages of a step; those that a WebSocket receives without a request count as messages of streams. */
function ofStep({ streams, sockets }: Received): number {
  return sockets?.messagesPerSec ?? streams?.eventsPerSec ?? 0;
}
