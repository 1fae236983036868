/**
 * The intervals of all workers put together, as they come in. An interval is whole once every worker
 * has told its part.
 */
import type { IntervalPart } from "./load/intervals.ts";
import { encodeHistogram } from "./stats/hdr.ts";
import { Histogram, mergeHistograms, type SparseHistogram } from "./stats/histogram.ts";
import type { Measurement } from "./result.ts";

type Point = Measurement["timeline"]["points"][number];

interface Interval {
  told: number;
  completed: number;
  failed: number;
  bytesIn: number;
  latency: SparseHistogram[];
}

export class Timeline {
  readonly #intervals: Interval[] = [];

  constructor(private readonly intervalMs: number, private readonly workers: number) {}

  /** Adds a worker's part; gives the interval's figures once it is whole. */
  add(
    part: IntervalPart,
  ): { index: number; completed: number; failed: number; latency: Histogram } | null {
    const { index, completed, failed, bytesIn, latency } = part;
    const interval = this.#intervals[index] ??= {
      told: 0,
      completed: 0,
      failed: 0,
      bytesIn: 0,
      latency: [],
    };
    interval.told++;
    interval.completed += completed;
    interval.failed += failed;
    interval.bytesIn += bytesIn;
    interval.latency.push(latency);
    if (interval.told < this.workers) return null;
    return {
      index,
      completed: interval.completed,
      failed: interval.failed,
      latency: mergeHistograms(interval.latency),
    };
  }

  /** Latencies of the whole run. */
  latency(): Histogram {
    return mergeHistograms(this.#intervals.flatMap((interval) => interval.latency));
  }

  /** @param elapsedUs End of the run: the last interval may be shorter than the others. */
  points(elapsedUs: number): Point[] {
    return this.#intervals.map((interval, index) => {
      const latency = mergeHistograms(interval.latency);
      const at = (percentile: number): number => latency.valueAtPercentile(percentile) / 1_000;
      return {
        t: Math.min((index + 1) * this.intervalMs * 1_000, elapsedUs) / 1e6,
        completed: interval.completed,
        failed: interval.failed,
        bytes: interval.bytesIn,
        p50: at(50),
        p75: at(75),
        p90: at(90),
        p99: at(99),
        max: latency.maxUs / 1_000,
        histogram: latency.count === 0 ? "" : encodeHistogram(latency.toSparse()),
      };
    });
  }
}
