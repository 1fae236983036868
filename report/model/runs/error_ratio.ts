/**
 * How many requests succeeded, and how many did not: the one place that decides it for every table, threshold, claim
 * and comparison. A request that was due and never sent is an error; one still under way at the end is neither.
 */
import type { Measurement } from "../../../runner/result/result.ts";
import type { Proportion } from "../../../runner/stats/confidence/proportion_interval.ts";
import { sum } from "../numbers/spread.ts";

export type EndedRequests = Pick<Measurement, "requests" | "checks" | "status">;

/**
 * Failed, never sent, or answered wrong, as a share of all that were due but those still under way at the end;
 * null where no request ended.
 */
export function errorRatioOf(runs: readonly EndedRequests[]): number | null {
  const judged = judgedOf(runs);
  return judged === 0 ? null : erroneousOf(runs) / judged;
}

/** How many requests the ratio is of. */
export function judgedOf(runs: readonly EndedRequests[]): number {
  return sum(runs, ({ requests: { completed, failed, dropped } }) => completed + failed + dropped);
}

/** How many of them have no right answer. */
export function erroneousOf(runs: readonly EndedRequests[]): number {
  return sum(
    runs,
    (run) => run.requests.failed + run.requests.dropped + wrongResponsesOf(run),
  );
}

/** Requests with a right response: the one success that figures, thresholds and claims share. */
export function successesOf(runs: readonly EndedRequests[]): Proportion {
  const of = judgedOf(runs);
  return { count: of - erroneousOf(runs), of };
}

/** Where nothing was expected of the answers, those outside 2xx and 3xx are wrong. */
export function wrongResponsesOf({ checks, status }: EndedRequests): number {
  if (checks.passed + checks.failed > 0) return checks.failed;
  return sum(Object.entries(status), ([code, count]) => /^[23]/.test(code) ? 0 : count);
}
