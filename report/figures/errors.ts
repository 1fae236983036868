/**
 * How many requests succeeded, and how many did not: the one place that decides it for every table, threshold, claim
 * and comparison. A request that was due and never sent is an error; one still under way at the end is neither.
 */
import { wrongResponsesOf } from "../../runner/result/outcome.ts";
import type { Measurement } from "../../runner/result/result.ts";
import type { Proportion } from "../../runner/stats/confidence/proportion_interval.ts";
import { sum } from "../writing/spread.ts";

export type EndedRequests = Pick<Measurement, "requests" | "checks" | "status">;

/** Requests that failed, were never sent, or got a wrong response, out of all that ended or were never sent. */
export function errorsOf(runs: readonly EndedRequests[]): Proportion {
  return {
    count: sum(runs, (run) => run.requests.failed + run.requests.dropped + wrongResponsesOf(run)),
    of: sum(runs, ({ requests: { completed, failed, dropped } }) => completed + failed + dropped),
  };
}

/** Requests that succeeded. */
export function successesOf(runs: readonly EndedRequests[]): Proportion {
  const { count, of } = errorsOf(runs);
  return { count: of - count, of };
}

/** The share of requests that are errors, 0–1; null if no request ended. */
export function errorRatioOf(runs: readonly EndedRequests[]): number | null {
  const { count, of } = errorsOf(runs);
  return of === 0 ? null : count / of;
}
