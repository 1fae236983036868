/**
 * A figure of times of which some are only lower bounds: requests that timed out, were unfinished at the end or
 * were never sent took at least as long as they were watched. Runs in the browser too.
 */
import { isMovable, mostUs, productLimitUs } from "../../runner/stats/histogram/censoring.ts";
import { type SparseHistogram, valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { sum } from "../writing/spread.ts";
import { formatCount } from "../writing/units.ts";
import { listed } from "../writing/words.ts";

export interface Bounded {
  readonly value: number;
  /** Whether the bounds could turn out to be such that it is visibly larger: it is shown with ≥. */
  readonly isAtLeast: boolean;
  /**
   * The most that it can be, whatever the bounds turn out to be: Infinity where one of them would be it, the
   * value where they can't move it.
   */
  readonly atMost: number;
}

/** A value, with whether it may turn out to be larger. */
export function bounded(value: number, isAtLeast = false): Bounded {
  return { value, isAtLeast, atMost: isAtLeast ? Infinity : value };
}

/** Latencies, if it is known which of them are lower bounds. */
export interface Sample {
  /** Clock of the latencies: from the actual send in a closed loop, from the intended start in an open one. */
  readonly clock: "intended" | "sent";
  /** Every value. */
  readonly all: SparseHistogram;
  /** The lower bounds among them. */
  readonly bounds: SparseHistogram;
  /** The values of completed requests, which are no bounds. */
  readonly ended: SparseHistogram;
}

/**
 * A percentile (0–100), ms. In a closed loop by the product limit, as the clock ends the watch on requests
 * whatever they take. In an open loop bounds count as values: those that wait the longest are those that a slow
 * server leaves.
 */
export function percentileMs(
  { clock, all, bounds }: Omit<Sample, "ended">,
  percentile: number,
): number {
  const us = clock === "sent"
    ? productLimitUs(all, bounds, percentile)
    : valueAtPercentile(all, percentile);
  return us / 1_000;
}

/** @param valueMs The percentile, where it is known already. */
export function boundedPercentile(
  sample: Sample,
  percentile: number,
  valueMs = percentileMs(sample, percentile),
): Bounded {
  const { all, bounds, ended } = sample;
  if (!isMovable(all, bounds, percentile, ended)) return bounded(valueMs);
  const atMost = mostUs(all, bounds, percentile, ended) / 1_000;
  return { value: valueMs, isAtLeast: true, atMost };
}

/** How requests of runs ended. */
type Ended = Pick<Measurement, "requests" | "errors">;

/** Reasons why latencies are lower bounds, each with the number of a run's latencies to which it applies. */
const WHY_BOUND: readonly (readonly [why: string, count: (run: Ended) => number])[] = [
  ["timed out", ({ errors }) => errors.timeout ?? 0],
  ["were unfinished at the end", ({ requests }) => requests.unfinished],
  ["were never sent", ({ requests }) => requests.dropped],
];

/** What ≥ means; "" without lower bounds. @param runs The runs with these latencies; empty if it is unknown which runs count. */
export function lowerBoundsText(censored: number, runs: readonly Ended[] = []): string {
  if (censored === 0) return "";
  const what = censored === 1 ? "latency is a lower bound" : "latencies are lower bounds";
  const known = WHY_BOUND.filter(([, count]) => sum(runs, count) > 0);
  const why = (known.length > 0 ? known : WHY_BOUND).map(([why]) => why);
  return `${formatCount(censored)} ${what}: requests that ${listed(why, "or")}. ` +
    "Figures that they could make larger are marked ≥.";
}

/** What ≥ means, and what histograms leave out; "" without lower bounds. @param runs The runs with these latencies. */
export function boundsNote(
  latencies: readonly Readonly<Record<"count" | "censored" | "endedCount", number>>[],
  runs: readonly Ended[],
): string {
  const censored = sum(latencies, (one) => one.censored);
  if (censored === 0) return "";
  const left = sum(latencies, ({ count, endedCount }) => count - endedCount);
  const which = left === censored ? "them" : `${formatCount(left)} of them`;
  return `${lowerBoundsText(censored, runs)} Histograms do not show ${which}.`;
}
