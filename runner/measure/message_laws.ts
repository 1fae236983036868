/** Law 1, that nothing leaves the data, for the messages of streams and of WebSockets. */
import type { MessageTotals } from "../load/recording/messages.ts";
import type { SocketTotals } from "../load/recording/socket_messages.ts";
import type { WorkerTotals } from "../load/recording/totals.ts";

/** Messages of the workers whose load has streams. */
export function messagesOf(totals: readonly WorkerTotals[]): MessageTotals[] {
  return totals.flatMap(({ messages }) => messages ?? []);
}

/** Messages of the workers whose load has WebSockets. */
export function socketsOf(totals: readonly WorkerTotals[]): SocketTotals[] {
  return totals.flatMap(({ sockets }) => sockets ?? []);
}

/** Each law, with both of its sides. */
export function messageLaws(
  totals: readonly WorkerTotals[],
): Law[] {
  return [
    ...messagesOf(totals).flatMap(lawsOfStreams),
    ...socketsOf(totals).flatMap(lawsOfSockets),
  ];
}

type Law = readonly [law: string, left: number, right: number];

function lawsOfStreams(part: MessageTotals): Law[] {
  const { due, received, failed, unfinished, dropped, names, first, gap } = part;
  const named = names.reduce((total, one) => total + one.received, 0);
  const times = first.all.count - first.censored.count + gap.all.count - gap.censored.count;
  return [
    [
      "messages due = received + failed + unfinished + dropped",
      due,
      received + failed + unfinished + dropped,
    ],
    ["messages by name sum to received", named, received],
    ["every message received has a time", times, received],
  ];
}

function lawsOfSockets(part: SocketTotals): Law[] {
  const { due, received, failed, unfinished, dropped, latency, came, unmatched } = part;
  return [
    [
      "messages of sockets due = received + failed + unfinished + dropped",
      due,
      received + failed + unfinished + dropped,
    ],
    ["every answer has a time", latency.all.count - latency.censored.count, received],
    ["no more answers and others than messages came", Math.max(received + unmatched, came), came],
  ];
}
