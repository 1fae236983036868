/** Latencies as a histogram of rows, each with a bar, for terminals. */
import type { Histogram } from "../../../runner/stats/histogram/histogram.ts";
import { timeUnit } from "../../writing/units.ts";
import { equalRatioEdgesUs, sharesBetween } from "../charts/density.ts";
import { column, type Table, tableOf } from "./table.ts";

/** The first step takes the fastest values up to this percentile, so that outliers cost one line. */
const FIRST_STEP_UP_TO = 1;

/** @param histogram Not empty. @param steps Of equal ratio. @param label Above their upper ends. */
export function histogramTable(histogram: Histogram, steps: number, label = "Up to"): Table {
  let endUs = 0; // of the last bucket, which the largest value may not fill
  histogram.forEachBucket((_lowUs, highUs) => endUs = highUs);
  const lowUs = histogram.valueAtPercentile(FIRST_STEP_UP_TO);
  // Whole microseconds begin half a microsecond before 0.
  const edgesUs = [-0.5, ...equalRatioEdgesUs(lowUs, endUs, steps - 1)];
  const unit = timeUnit(edgesUs.map((us) => us / 1_000));
  const rows = sharesBetween(histogram, edgesUs).map((share, i) => ({
    upToMs: edgesUs[i + 1] / 1_000,
    share,
  }));
  return tableOf({ caption: "Latency histogram" }, rows, [
    column(label, ({ upToMs }) => upToMs, unit),
    { label: "", kind: "bar", cell: ({ share }) => ({ text: "", value: share }) },
    column("Requests", ({ share }) => share, "share"),
  ]);
}
