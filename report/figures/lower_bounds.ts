/**
 * Figures of times, some of which are only lower bounds: a request that timed out, was unfinished at the end or was
 * never sent took at least as long as it was watched. The page's client also uses this file.
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
  /** Whether the true value may be noticeably larger because of lower bounds. If so, it is shown with ≥. */
  readonly isAtLeast: boolean;
  /**
   * The most that the value can be, whatever the true times behind the lower bounds are: Infinity if the value itself
   * may be a lower bound, and `value` if lower bounds can't affect it.
   */
  readonly atMost: number;
}

/** A value. @param isAtLeast Whether the true value may be larger. */
export function bounded(value: number, isAtLeast = false): Bounded {
  return { value, isAtLeast, atMost: isAtLeast ? Infinity : value };
}

/** Latencies, including those that are known to be lower bounds. */
export interface Sample {
  /**
   * From when latencies are measured: from the actual send in a closed loop, and from the intended start in an open
   * loop.
   */
  readonly clock: "intended" | "sent";
  /** All latencies, including lower bounds. */
  readonly all: SparseHistogram;
  /** Those in `all` that are only lower bounds. */
  readonly bounds: SparseHistogram;
  /** Those in `all` that are not lower bounds, which are the latencies of completed requests. */
  readonly ended: SparseHistogram;
}

/** The sample that consists of these parts. */
export function sampleOver(parts: readonly Omit<Sample, "ended">[]): Sample {
  const all = sumOfSparse(parts.map((part) => part.all));
  const bounds = sumOfSparse(parts.map((part) => part.bounds));
  const clock = parts.every((part) => part.clock === "sent") ? "sent" : "intended";
  return { clock, all, bounds, ended: withoutBounds(all, bounds) };
}

/**
 * The value of a percentile (0–100), in ms. In a closed loop it is the product-limit (Kaplan–Meier) estimate, because
 * the end of the load cuts off requests regardless of how long they would take. In an open loop lower bounds count as
 * values, because the requests that a slow server leaves unfinished are those that have waited longest.
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

/**
 * A percentile, and the highest value that it may have in view of the lower bounds.
 * @param valueMs The percentile, if already known.
 */
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

type Ended = Pick<Measurement, "requests" | "errors">;

/** Reasons why latencies are lower bounds, each with the number of a run's requests that it affects. */
const WHY_BOUND: readonly (readonly [why: string, count: (run: Ended) => number])[] = [
  ["timed out", ({ errors }) => errors.timeout ?? 0],
  ["were unfinished at the end", ({ requests }) => requests.unfinished],
  ["were never sent", ({ requests }) => requests.dropped],
];

/**
 * Explains the mark ≥; "" if there are no lower bounds. @param runs The runs with these latencies; empty if unknown.
 */
export function lowerBoundsText(censored: number, runs: readonly Ended[] = []): string {
  if (censored === 0) return "";
  const what = censored === 1 ? "latency is a lower bound" : "latencies are lower bounds";
  const known = WHY_BOUND.filter(([, count]) => sum(runs, count) > 0);
  const why = (known.length > 0 ? known : WHY_BOUND).map(([why]) => why);
  return `${formatCount(censored)} ${what}, because requests ${listed(why, "or")}. ` +
    "Figures that these lower bounds could raise are marked ≥.";
}

/**
 * Explains the mark ≥, and says what histograms leave out; "" if there are no lower bounds.
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
