/** Figures of WebSockets and of the messages that were sent on them, over all workers. */
import { codesOf, type SocketTotals } from "../load/recording/socket_messages.ts";
import type { WorkerTotals } from "../load/recording/totals.ts";
import type { Measurement } from "../result/result.ts";
import { estimateOf } from "./bounded_times.ts";
import { socketsOf } from "./message_laws.ts";
import { timesOf } from "./streams.ts";

/** Nothing where no request is for a WebSocket. */
export function socketFigures(
  totals: readonly WorkerTotals[],
  elapsedS: number,
): Pick<Measurement, "sockets"> {
  const parts = socketsOf(totals);
  if (parts.length === 0) return {};
  const sum = (of: (part: SocketTotals) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  return {
    sockets: {
      messages: {
        due: sum((part) => part.due),
        received: sum((part) => part.received),
        failed: sum((part) => part.failed),
        unfinished: sum((part) => part.unfinished),
        dropped: sum((part) => part.dropped),
      },
      // Each is due by a clock, whatever the load of the sockets.
      message: timesOf(parts.map(({ latency }) => latency), estimateOf("intended")),
      opened: sum((part) => part.opened),
      sent: sum((part) => part.sent),
      received: sum((part) => part.came),
      messagesPerSec: elapsedS > 0 ? sum((part) => part.cameInTime) / elapsedS : 0,
      unmatched: sum((part) => part.unmatched),
      closeCodes: codesOf(parts.map(({ closeCodes }) => closeCodes)),
    },
  };
}
