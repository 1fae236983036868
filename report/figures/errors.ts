/**
 * Counts the requests that succeeded and those that did not. Every table, threshold, claim and comparison uses these
 * counts. A request that was due but never sent is an error; one still in flight at the end is neither error nor
 * success.
 */
import { wrongResponsesOf } from "../../runner/result/outcome.ts";
import type { Measurement } from "../../runner/result/result.ts";
import type { Proportion } from "../../runner/stats/confidence/proportion_interval.ts";
import { sum } from "../writing/spread.ts";

export type EndedRequests = Pick<Measurement, "requests" | "checks" | "status">;

/**
 * Requests that failed, were never sent, or got a wrong response, out of all requests that ended or were never sent.
 */
export function errorsOf(runs: readonly EndedRequests[]): Proportion {
  return {
    count: sum(runs, (run) => run.requests.failed + run.requests.dropped + wrongResponsesOf(run)),
    of: sum(runs, ({ requests: { completed, failed, dropped } }) => completed + failed + dropped),
  };
}

/** Requests that succeeded, out of the same requests as in `errorsOf`. */
export function successesOf(runs: readonly EndedRequests[]): Proportion {
  const { count, of } = errorsOf(runs);
  return { count: of - count, of };
}

/** The share of requests that are errors, 0–1; null if no request ended or was dropped. */
export function errorRatioOf(runs: readonly EndedRequests[]): number | null {
  const { count, of } = errorsOf(runs);
  return of === 0 ? null : count / of;
}
