/** Law 1: nothing leaves the data. */
import type { WorkerTotals } from "./load/recorder.ts";
import { ERRORS } from "./outcome.ts";
import { requestsOf, sumOf } from "./totals.ts";

/** The first law that workers' counts break, and how; null when they add up. @param latencies In all intervals. */
export function breachOf(totals: readonly WorkerTotals[], latencies: number): string | null {
  const { due, completed, failed, unfinished, dropped } = requestsOf(totals);
  const statuses = sumOf(totals, ({ status }) => sum(status));
  const errors = sumOf(totals, ({ errors }) => sum(errors));
  const timeouts = sumOf(totals, ({ errors }) => errors[ERRORS.indexOf("timeout")]);
  const fates = completed + failed + unfinished + dropped;
  const laws: [string, number, number][] = [
    ["due = completed + failed + unfinished + dropped", due, fates],
    ["the statuses sum to completed", statuses, completed],
    ["the errors sum to failed", errors, failed],
    [
      "latency counts completed, timed out and unfinished",
      latencies,
      completed + timeouts + unfinished,
    ],
  ];
  const [broken] = laws.filter(([, left, right]) => left !== right);
  if (broken === undefined) return null;
  const [law, left, right] = broken;
  return `${law}, but ${left} is not ${right}`;
}

function sum(counts: Float64Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
