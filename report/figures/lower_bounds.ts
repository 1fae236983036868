/**
 * Figures of times, some of which are only lower bounds: requests that timed out, were unfinished at the end or were
 * never sent took at least as long as they were watched. The page's client uses this file, too.
 */
import {
  isMovable,
  mostUs,
  productLimitUs,
  withoutBounds,
} from "../../runner/stats/histogram/censoring.ts";
import {
  type SparseHistogram,
  sumOfSparse,
  valueAtPercentile,
} from "../../runner/stats/histogram/histogram.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { sum } from "../writing/spread.ts";
import { formatCount } from "../writing/units.ts";
import { listed } from "../writing/words.ts";

export interface Bounded {
  readonly value: number;
  /** Whether the true value may be visibly larger, because of lower bounds: it is then shown with ≥. */
  readonly isAtLeast: boolean;
  /**
   * The most that the value can be, whatever the bounds turn out to be: Infinity if it may be one of them, and the
   * value itself if they can't affect it.
   */
  readonly atMost: number;
}

/** A value, with whether the true value may be larger. */
export function bounded(value: number, isAtLeast = false): Bounded {
  return { value, isAtLeast, atMost: isAtLeast ? Infinity : value };
}

/** Latencies, with those among them that are known to be lower bounds. */
export interface Sample {
  /** Clock of the latencies: from the actual send in a closed loop, from the intended start in an open one. */
  readonly clock: "intended" | "sent";
  /** Every value. */
  readonly all: SparseHistogram;
  /** The lower bounds among them. */
  readonly bounds: SparseHistogram;
  /** The values that are not bounds: those of completed requests. */
  readonly ended: SparseHistogram;
}

/** Parts of a sample as one. */
export function sampleOver(parts: readonly Omit<Sample, "ended">[]): Sample {
  const all = sumOfSparse(parts.map((part) => part.all));
  const bounds = sumOfSparse(parts.map((part) => part.bounds));
  const clock = parts.every((part) => part.clock === "sent") ? "sent" : "intended";
  return { clock, all, bounds, ended: withoutBounds(all, bounds) };
}

/**
 * A percentile (0–100), ms. In a closed loop it is estimated by the product limit, because the end of the load cuts
 * requests off however long they take. In an open loop bounds count as values, because the requests that a slow server
 * leaves unfinished have waited the longest.
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

/** A percentile, and the most that it may be given the lower bounds. @param valueMs The percentile, if already known. */
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

/** How the requests of runs ended. */
type Ended = Pick<Measurement, "requests" | "errors">;

/** Reasons why latencies are lower bounds, each with the number of a run's latencies affected. */
const WHY_BOUND: readonly (readonly [why: string, count: (run: Ended) => number])[] = [
  ["timed out", ({ errors }) => errors.timeout ?? 0],
  ["were unfinished at the end", ({ requests }) => requests.unfinished],
  ["were never sent", ({ requests }) => requests.dropped],
];

/** The meaning of ≥; "" without lower bounds. @param runs The runs with these latencies; empty if unknown. */
export function lowerBoundsText(censored: number, runs: readonly Ended[] = []): string {
  if (censored === 0) return "";
  const what = censored === 1 ? "latency is a lower bound" : "latencies are lower bounds";
  const known = WHY_BOUND.filter(([, count]) => sum(runs, count) > 0);
  const why = (known.length > 0 ? known : WHY_BOUND).map(([why]) => why);
  return `${formatCount(censored)} ${what}, because requests ${listed(why, "or")}. ` +
    "Figures that these lower bounds could raise are marked ≥.";
}

/**
 * The meaning of ≥, and what histograms leave out; "" without lower bounds.
 * @param runs The runs with these latencies.
 */
export function boundsNote(
  latencies: readonly Readonly<Record<"count" | "censored" | "endedCount", number>>[],
  runs: readonly Ended[],
): string {
  const censored = sum(latencies, (one) => one.censored);
  if (censored === 0) return "";
  const left = sum(latencies, ({ count, endedCount }) => count - endedCount);
  const which = left === censored ? "these lower bounds" : `${formatCount(left)} of them`;
  return `${lowerBoundsText(censored, runs)} Histograms do not show ${which}.`;
}
