/** Law 1: nothing leaves the data. */
import type { WorkerTotals } from "../load/recording/totals.ts";
import { ERRORS } from "../result/outcome.ts";
import { requestsOf, sumOf } from "./totals.ts";

/** How many there are in all intervals. */
export interface Latencies {
  readonly values: number;
  /** Those of them that are lower bounds. */
  readonly bounds: number;
}

/** The first law that workers' counts break, and how; null when they add up. */
export function breachOf(totals: readonly WorkerTotals[], latencies: Latencies): string | null {
  const { due, completed, failed, unfinished, dropped } = requestsOf(totals);
  const statuses = sumOf(totals, ({ status }) => sum(status));
  const errors = sumOf(totals, ({ errors }) => sum(errors));
  const timeouts = sumOf(totals, ({ errors }) => errors[ERRORS.indexOf("timeout")]);
  const seconds = sumOf(totals, ({ secondCompleted }) => sum(secondCompleted));
  const late = sumOf(totals, ({ drain }) => drain.completed);
  const bounds = timeouts + unfinished + dropped;
  const fates = completed + failed + unfinished + dropped;
  const laws: [string, number, number][] = [
    ["due = completed + failed + unfinished + dropped", due, fates],
    ["the statuses sum to completed", statuses, completed],
    ["the errors sum to failed", errors, failed],
    ["the seconds sum to what completed by the deadline", seconds, completed - late],
    [
      "latency counts completed, timed out, unfinished and dropped",
      latencies.values,
      completed + bounds,
    ],
    ["its lower bounds are timed out, unfinished and dropped", latencies.bounds, bounds],
  ];
  const [broken] = laws.filter(([, left, right]) => left !== right);
  if (broken === undefined) return null;
  const [law, left, right] = broken;
  return `${law}, but ${left} is not ${right}`;
}

function sum(counts: Iterable<number>): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}
