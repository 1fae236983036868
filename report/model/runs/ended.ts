/** Latencies of the requests of a run that ended: what percentiles below the median are of. */
import { highestUsOf, type SparseHistogram } from "../../../runner/stats/histogram/histogram.ts";
import { sum } from "../numbers/spread.ts";

/**
 * Without what lies below the fastest answer: requests that were under way at the end of the run, which have
 * only begun and would pass for the fastest.
 *
 * @param fastestMs Of the run, as in its results: 0 where nothing was answered.
 */
export function endedLatency(latency: SparseHistogram, fastestMs: number): SparseHistogram {
  const fastestUs = Math.floor(fastestMs * 1_000);
  const first = fastestMs === 0
    ? -1
    : latency.indices.findIndex((index) => highestUsOf(index) >= fastestUs);
  const from = first < 0 ? latency.indices.length : first;
  const counts = latency.counts.slice(from);
  return {
    ...latency,
    indices: latency.indices.slice(from),
    counts,
    count: sum([...counts], (count) => count),
  };
}
