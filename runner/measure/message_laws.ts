/**
 * What the counts of messages of streams and WebSockets must obey, by step: due = received + failed + unfinished +
 * dropped, and the other counts agree with that.
 */
import type { MessageCounts } from "../load/recording/message_counts.ts";
import type { MessageTotals } from "../load/recording/messages.ts";
import type { SocketTotals } from "../load/recording/socket_messages.ts";
import type { WorkerTotals } from "../load/recording/totals.ts";

type Law = readonly [law: string, left: number, right: number];

/** Each law in words, with the counts on both of its sides. */
export function messageLaws(totals: readonly WorkerTotals[]): Law[] {
  return totals.flatMap(({ messages = [], sockets = [] }) => [
    ...messages.flatMap((part) => [lawOfFates(part, "streams"), ...lawsOfStreams(part)]),
    ...sockets.flatMap((part) => [lawOfFates(part, "WebSockets"), ...lawsOfSockets(part)]),
  ]);
}

function lawOfFates(
  { due, received, failed, unfinished, dropped }: MessageCounts,
  of: "streams" | "WebSockets",
): Law {
  const fates = received + failed + unfinished + dropped;
  return [`messages of ${of} due = received + failed + unfinished + dropped`, due, fates];
}

function lawsOfStreams({ received, names, first, gap }: MessageTotals): Law[] {
  const named = names.reduce((total, one) => total + one.received, 0);
  const times = first.all.count - first.censored.count + gap.all.count - gap.censored.count;
  return [
    ["the messages by name must sum to all received", named, received],
    ["every received message must have a time", times, received],
  ];
}

function lawsOfSockets({ received, latency, came, unmatched }: SocketTotals): Law[] {
  return [
    ["every answer must have a time", latency.all.count - latency.censored.count, received],
    [
      "answers and other messages must be at most all messages",
      Math.max(received + unmatched, came),
      came,
    ],
  ];
}
