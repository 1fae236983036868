/** Latencies as a histogram of rows with bars, for terminals. */
import type { Histogram } from "../../../runner/stats/histogram/histogram.ts";
import { timeUnit } from "../../writing/units.ts";
import * as column from "./column.ts";
import { type Table, tableOf } from "./table.ts";

/** The first step contains the fastest values up to this percentile, so that outliers take only one line. */
const FIRST_STEP_UP_TO = 1;

/**
 * A row for each step, with its share as a bar.
 * @param histogram Not empty.
 * @param steps Number of steps, all with the same ratio of their ends.
 * @param label Heading above the upper ends of the steps.
 * @param of Heading above the shares: the things that have these times.
 */
export function histogramTable(
  histogram: Histogram,
  { steps = 11, caption = "Latency histogram", label = "Up to", of = "Requests" } = {},
): Table {
  let endUs = 0; // end of the last bucket, which may be above the largest value
  histogram.forEachBucket((_lowUs, highUs) => endUs = highUs);
  const lowUs = histogram.valueAtPercentile(FIRST_STEP_UP_TO);
  // Values are in whole microseconds, so that 0 begins half a microsecond earlier.
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

/** `steps` + 1 edges of equal ratio from `lowUs` to the end of the bucket that ends with `highUs`. */
function equalRatioEdgesUs(lowUs: number, highUs: number, steps: number): number[] {
  const from = Math.max(1, lowUs);
  const ratio = (highUs + 0.5) / from;
  return Array.from({ length: steps + 1 }, (_, i) => from * ratio ** (i / steps));
}

/**
 * Share of all values between each two edges. A bucket of whole microseconds [low, high] covers low − ½ … high + ½. If
 * it lies across an edge, it is split by width, because short times would otherwise look like a comb.
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
