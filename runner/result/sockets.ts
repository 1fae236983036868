/** WebSockets as result files have them: the sockets themselves are requests of the other figures, their messages are here. */
import * as z from "zod";
import { boundedTimes } from "./streams.ts";

const count = z.int().min(0);

export const sockets = z.strictObject({
  messages: z.strictObject({
    due: count,
    received: count,
    failed: count,
    unfinished: count,
    dropped: count,
  }).describe(
    "Messages that were sent, or due, and expect an answer: due = received + failed + unfinished + dropped, always. " +
      "received: its answer has come; failed: the socket was cut, closed or timed out before; " +
      "unfinished: the load ended; dropped: it was due and never sent",
  ),
  message: boundedTimes.describe(
    "Latency of a message: from when it was due to its answer; empty where none is expected",
  ),
  opened: count.describe("WebSockets whose opening handshake was right"),
  sent: count.describe("Messages sent, whether or not an answer is expected"),
  received: count.describe("Messages of the server, of whatever kind"),
  messagesPerSec: z.number().min(0).describe("Messages of the server by the deadline / elapsed"),
  unmatched: count.describe("Messages of the server that should have been answers, and are none"),
  closeCodes: z.record(z.string(), count).describe(
    "Sockets by the code of the server's close frame: 1005 for a frame without one, 1006 for no frame; " +
      "other: of all codes after the first 20",
  ),
});

export type SocketFigures = z.output<typeof sockets>;

/** Whether messages were due by a clock, in a closed loop too: more were sent than one for each WebSocket. */
export function arePaced(figures: Pick<SocketFigures, "sent" | "opened"> | undefined): boolean {
  return figures !== undefined && figures.sent > figures.opened;
}
