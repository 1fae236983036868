/** Law 1, that nothing leaves the data, for the messages of streams. */
import type { MessageTotals } from "../load/recording/messages.ts";
import type { WorkerTotals } from "../load/recording/totals.ts";

/** Of the workers whose load has streams. */
export function messagesOf(totals: readonly WorkerTotals[]): MessageTotals[] {
  return totals.flatMap(({ messages }) => messages ?? []);
}

/** Each law, with both of its sides. */
export function messageLaws(
  totals: readonly WorkerTotals[],
): (readonly [law: string, left: number, right: number])[] {
  return messagesOf(totals).flatMap((part) => {
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
    ] as const;
  });
}
