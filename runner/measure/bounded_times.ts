/** Figures of the result file from times of which some are only lower bounds. */
import type { Distribution, Measurement } from "../result/result.ts";
import { isMovable, productLimitUs, withoutBounds } from "../stats/histogram/censoring.ts";
import { type SparseHistogram, valueAtPercentile } from "../stats/histogram/histogram.ts";
import { PERCENTILES } from "../stats/quantile.ts";

type LatencyClock = Measurement["latency"]["clock"];

export interface BoundedTimes {
  readonly all: SparseHistogram;
  /** The values of `all` that are lower bounds. */
  readonly censored: SparseHistogram;
}

/** The moment from which a load's latencies are measured. */
export function clockOf({ kind }: Pick<Measurement["load"], "kind">): LatencyClock {
  return kind === "closed" ? "sent" : "intended";
}

/** Estimates a percentile, microseconds. */
type PercentileEstimate = (times: BoundedTimes, percentile: number) => number;

/**
 * How percentiles of a latency are estimated, in microseconds. In a closed loop ("sent"), a request is cut off when a
 * fixed time is over (a time-out, a stop, or 5 s after the deadline), whatever the server is doing. So the product-limit
 * estimate, which spreads the weight of cut-off requests over longer times, is valid there. In an open loop ("intended")
 * it is not: a request that still waits at the end waits because the server is slow just then, or frozen, and earlier
 * times say nothing about that. So in an open loop a lower bound counts as if it were the latency, and a figure that
 * depends on such bounds is itself a lower bound.
 */
export function estimateOf(clock: LatencyClock): PercentileEstimate {
  return clock === "sent" ? productLimit : asValues;
}

export const productLimit: PercentileEstimate = ({ all, censored }, percentile) =>
  productLimitUs(all, censored, percentile);

const asValues: PercentileEstimate = ({ all }, percentile) => valueAtPercentile(all, percentile);

/** Names of the figures that lower bounds make too small, or may make too small. */
interface Bounds {
  readonly lowerBounds?: string[];
}

/** The mean and the deviation include lower bounds. The minimum leaves them out, unless all values are lower bounds. */
export function boundedDistributionOf(
  times: BoundedTimes,
  estimate: PercentileEstimate,
): Distribution & Bounds {
  const { all, all: { count, sumUs, sumSquaresUs, maxUs } } = times;
  const meanUs = count === 0 ? 0 : sumUs / count;
  const varianceUs = count === 0 ? 0 : Math.max(0, sumSquaresUs / count - meanUs ** 2);
  const { minUs } = hasBoundsAlone(times) ? all : withoutBounds(all, times.censored);
  return {
    count,
    min: count === 0 ? 0 : minUs / 1_000,
    mean: meanUs / 1_000,
    stdev: Math.sqrt(varianceUs) / 1_000,
    max: maxUs / 1_000,
    percentiles: Object.fromEntries(
      PERCENTILES.map((percentile) => [percentile, estimate(times, percentile) / 1_000]),
    ) as Distribution["percentiles"],
    ...boundsOf(times),
  };
}

function boundsOf({ all, censored }: BoundedTimes): Bounds {
  if (censored.count === 0) return {};
  const moving = PERCENTILES.filter((percentile) => isMovable(all, censored, percentile));
  const least = hasBoundsAlone({ all, censored }) ? ["min"] : [];
  return { lowerBounds: [...moving.map(String), ...least, "mean", "max"] };
}

function hasBoundsAlone({ all, censored }: BoundedTimes): boolean {
  return all.count === censored.count;
}
