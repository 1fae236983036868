/** Latencies as a histogram for terminals, in which each row is a bar. */
import type { Histogram } from "../../../runner/stats/histogram/histogram.ts";
import { timeUnit } from "../../writing/units.ts";
import * as column from "./column.ts";
import { type Table, tableOf } from "./table.ts";

/** The first row covers the fastest values up to this percentile, so that fast outliers take only one row. */
const FIRST_STEP_UP_TO = 1;

/**
 * A row for each step, with its share as a bar.
 * @param histogram Must not be empty.
 * @param steps Number of steps. All but the first span the same ratio.
 * @param label Heading above the upper ends of the steps.
 * @param of Heading above the shares: what has these times, such as `Requests`.
 */
export function histogramTable(
  histogram: Histogram,
  { steps = 11, caption = "Latency histogram", label = "Up to", of = "Requests" } = {},
): Table {
  let endUs = 0; // end of the last bucket, which may lie above the largest value
  histogram.forEachBucket((_lowUs, highUs) => endUs = highUs);
  const lowUs = histogram.valueAtPercentile(FIRST_STEP_UP_TO);
  // Values are whole microseconds, so the bucket of 0 begins at minus half a microsecond.
  const edgesUs = [-0.5, ...equalRatioEdgesUs(lowUs, endUs, steps - 1)];
  const unit = timeUnit(edgesUs.map((us) => us / 1_000));
  const rows = sharesBetween(histogram, edgesUs).map((share, i) => ({
    upToMs: edgesUs[i + 1] / 1_000,
    share,
  }));
  return tableOf({ caption }, rows, [
    column.number(label, ({ upToMs }) => upToMs, unit),
    { label: "", kind: "bar", cell: ({ share }) => ({ text: "", value: share }) },
    column.number(of, ({ share }) => share, "share"),
  ]);
}

/**
 * `steps` + 1 edges with equal ratios between them, from `lowUs` to the end of the bucket whose highest value is
 * `highUs`.
 */
function equalRatioEdgesUs(lowUs: number, highUs: number, steps: number): number[] {
  const from = Math.max(1, lowUs);
  const ratio = (highUs + 0.5) / from;
  return Array.from({ length: steps + 1 }, (_, i) => from * ratio ** (i / steps));
}

/**
 * The share of all values between each edge and the next. A bucket of whole microseconds [low, high] covers low − ½ …
 * high + ½. If an edge cuts a bucket, the bucket's count is split by width, because short times would otherwise look
 * like a comb.
 */
export function sharesBetween(histogram: Histogram, edgesUs: readonly number[]): number[] {
  const shares = new Float64Array(edgesUs.length - 1);
  let first = 0;
  histogram.forEachBucket((lowUs, highUs, count) => {
    const from = lowUs - 0.5;
    const to = highUs + 0.5;
    while (first < shares.length && edgesUs[first + 1] <= from) first++;
    for (let step = first; step < shares.length && edgesUs[step] < to; step++) {
      const overlapUs = Math.min(to, edgesUs[step + 1]) - Math.max(from, edgesUs[step]);
      shares[step] += count * overlapUs / (to - from);
    }
  });
  return Array.from(shares, (share) => histogram.count === 0 ? 0 : share / histogram.count);
}
