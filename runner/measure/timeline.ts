/**
 * The intervals of all workers put together, as they come in. An interval is whole once every
 * reporting worker has sent its part. That is for those who watch: a part that comes later counts all the same.
 */
import type { IntervalPart } from "../load/recording/intervals.ts";
import { ERRORS } from "../result/outcome.ts";
import type { BoundedTimes } from "./bounded_times.ts";
import { mergeHistograms, type SparseHistogram } from "../stats/histogram/histogram.ts";
import { HistogramSum } from "../stats/histogram/histogram.ts";

/** Some of the workers, which stand next to each other. */
interface WorkerRange {
  readonly firstWorker: number;
  readonly workers: number;
}

const ALL: WorkerRange = { firstWorker: 0, workers: Infinity };

/** An interval once it is whole, with what was reported of it by then. */
export interface WholeInterval {
  readonly index: number;
  readonly completed: number;
  readonly failed: number;
  readonly latency: SparseHistogram;
  /** Of the run, as far as it is whole. */
  readonly completedSoFar: number;
}

/** What was reported of an interval so far. */
export interface IntervalSum {
  /** Workers that have reported a part. */
  reported: number;
  /** Whether it was published as whole. */
  isPublished: boolean;
  completed: number;
  failed: number;
  /** In the order of ERRORS. */
  errors: number[];
  wrong: number;
  bytesIn: number;
  readonly latency: HistogramSum;
  /** The values of `latency` that are lower bounds. */
  readonly censored: HistogramSum;
}

/** One worker's, over all intervals. */
interface WorkerSeries {
  readonly completed: number[];
  readonly latency: HistogramSum;
  readonly censored: HistogramSum;
}

export class Timeline {
  // Sums alone are kept: the parts of a thousand workers would fill the memory within a minute.
  readonly #intervals: IntervalSum[] = [];
  readonly #series = new Map<number, WorkerSeries>();
  /** The interval that each worker reported last: each reports them in order. */
  readonly #last = new Map<number, number>();
  /** Parts that make an interval whole. */
  #reporting = Infinity;
  /** In the intervals that were given. */
  #completed = 0;

  get intervals(): readonly IntervalSum[] {
    return this.#intervals;
  }

  /** So many workers report from now on; gives the intervals that are whole by that. */
  setReportingWorkers(workers: number): WholeInterval[] {
    this.#reporting = workers;
    return this.#intervals.flatMap((_, index) => this.#giveWhole(index) ?? []);
  }

  /** Adds a worker's part; gives the interval, once, when it is whole. */
  add(worker: number, part: IntervalPart): WholeInterval | null {
    const { index, completed, failed, errors, wrong, bytesIn, latency, censored } = part;
    const interval = this.#intervals[index] ??= {
      reported: 0,
      isPublished: false,
      completed: 0,
      failed: 0,
      errors: ERRORS.map(() => 0),
      wrong: 0,
      bytesIn: 0,
      latency: new HistogramSum(),
      censored: new HistogramSum(),
    };
    if (index > (this.#last.get(worker) ?? -1)) {
      this.#last.set(worker, index);
      interval.reported++;
    }
    interval.completed += completed;
    interval.failed += failed;
    interval.wrong += wrong;
    errors?.forEach((count, kind) => interval.errors[kind] += count);
    interval.bytesIn += bytesIn;
    interval.latency.add(latency);
    interval.censored.add(censored);
    const series = this.#seriesOfWorker(worker);
    series.completed[index] = (series.completed[index] ?? 0) + completed;
    series.latency.add(latency);
    series.censored.add(censored);
    if (interval.isPublished) this.#completed += completed;
    return this.#giveWhole(index);
  }

  #giveWhole(index: number): WholeInterval | null {
    const interval = this.#intervals[index];
    if (interval.isPublished || interval.reported < this.#reporting) return null;
    interval.isPublished = true;
    this.#completed += interval.completed;
    return {
      index,
      completed: interval.completed,
      failed: interval.failed,
      latency: interval.latency.whole(),
      completedSoFar: this.#completed,
    };
  }

  /** Latencies of the whole run. */
  latency(of: WorkerRange = ALL): BoundedTimes {
    const all = this.#seriesOf(of);
    return {
      all: mergeHistograms(all.map(({ latency }) => latency.whole())).toSparse(),
      censored: mergeHistograms(all.map(({ censored }) => censored.whole())).toSparse(),
    };
  }

  /** Completed in each interval. */
  completed(of: WorkerRange = ALL): number[] {
    const all = this.#seriesOf(of);
    return this.#intervals.map((_, index) =>
      all.reduce((sum, { completed }) => sum + (completed[index] ?? 0), 0)
    );
  }

  #seriesOfWorker(worker: number): WorkerSeries {
    const known = this.#series.get(worker) ??
      { completed: [], latency: new HistogramSum(), censored: new HistogramSum() };
    this.#series.set(worker, known);
    return known;
  }

  #seriesOf({ firstWorker, workers }: WorkerRange): WorkerSeries[] {
    return [...this.#series].flatMap(([worker, series]) =>
      worker >= firstWorker && worker < firstWorker + workers ? [series] : []
    );
  }
}
