/**
 * The intervals of all workers put together, as they come in. An interval is complete once every reporting worker has
 * sent its part, and is then shown in the live view; a part that comes later still counts.
 *
 * What is kept does not grow with the run: when there are more intervals than may be kept, neighbours are merged in
 * pairs, so that every kept interval is twice as long. Counts and histograms are added, so nothing is lost but detail.
 */
import { INTERVAL_TIMES, ofIntervalTimes } from "../../base/figures/figure.ts";
import { mostIntervalsOf } from "../../base/intervals.ts";
import type { IntervalPart } from "../load/recording/intervals.ts";
import { ERRORS } from "../result/outcome.ts";
import type { BoundedTotals, MessagePart } from "../load/recording/message_counts.ts";
import type { BoundedTimes } from "./bounded_times.ts";
import {
  HistogramSum,
  mergeHistograms,
  type SparseHistogram,
} from "../stats/histogram/histogram.ts";

/** Largest product of the numbers of intervals and workers, because more values would bloat the result. */
const MOST_WORKER_INTERVALS = 2_000_000;
/** The timeline may have at least this many intervals, however many workers there are. */
const LEAST_INTERVALS = 40;
/** The most intervals that may wait for a silent worker's part: a minute's worth, at 250 ms an interval. */
const MOST_OPEN = 240;

const SECOND_US = 1_000_000;

/** A range of neighbouring workers. */
interface WorkerRange {
  readonly firstWorker: number;
  readonly workers: number;
}

const ALL: WorkerRange = { firstWorker: 0, workers: Infinity };

/** A complete interval, with everything that workers had reported of it when it became complete. */
export interface WholeInterval {
  readonly index: number;
  readonly completed: number;
  readonly failed: number;
  /** Completed requests with an unexpected response. */
  readonly wrong: number;
  readonly latency: SparseHistogram;
  /** Completed requests of the run in all intervals that are complete so far. */
  readonly completedSoFar: number;
  /** Absent if no response is a stream, and none opens a WebSocket. */
  readonly messages?: MessagePart;
}

/** The sum of everything reported of an interval so far. */
export interface IntervalSum {
  completed: number;
  failed: number;
  /** Counts in the order of ERRORS. */
  readonly errors: number[];
  wrong: number;
  bytesIn: number;
  readonly latency: HistogramSum;
  /** The values of `latency` that are lower bounds. */
  readonly censored: HistogramSum;
  /** Null if no response is a stream, and none opens a WebSocket. */
  messages: MessageSum | null;
}

/** An interval with missing parts. */
interface OpenInterval {
  readonly sum: IntervalSum;
  /** Number of workers that have reported their part. */
  reported: number;
}

/** The values of one worker in all intervals. */
interface WorkerSeries {
  /** Completed requests, by kept interval. */
  completed: number[];
  readonly latency: HistogramSum;
  readonly censored: HistogramSum;
}

export class Timeline {
  // Only sums are kept: the parts of a thousand workers would fill the memory within a minute.
  #kept: IntervalSum[] = [];
  /** How many of the workers' intervals one kept interval stands for. */
  #width = 1;
  /** Open intervals, by the index that workers give them. Earlier intervals are in `#kept`. */
  readonly #open = new Map<number, OpenInterval>();
  /** The index of the next interval to be opened. */
  #next = 0;
  readonly #series = new Map<number, WorkerSeries>();
  /** By worker, the interval that it reported last; workers report them in order. */
  readonly #last = new Map<number, number>();
  /** Number of parts that complete an interval. */
  #reporting = Infinity;
  /** Requests completed in the intervals that are no longer open. */
  #completed = 0;
  readonly #secondCompleted: number[] = [];
  readonly #secondBytes: number[] = [];
  /** @param reportedMs Length of the intervals that workers report. @param most The most intervals that are kept. */
  constructor(private readonly reportedMs: number, private most = mostIntervalsOf(reportedMs)) {}

  /** Length of the kept intervals. */
  get intervalMs(): number {
    return this.reportedMs * this.#width;
  }

  /** Whether kept intervals are longer than those that workers report. */
  get isWidened(): boolean {
    return this.#width > 1;
  }

  /**
   * The intervals so far. Intervals with missing parts are included as they are; parts that come later are added to
   * them.
   */
  get intervals(): readonly IntervalSum[] {
    for (const index of [...this.#open.keys()]) this.#keep(index);
    return this.#kept;
  }

  /** Requests completed by the deadline, for each second of the run. */
  get secondCompleted(): readonly number[] {
    return this.#secondCompleted;
  }

  /** Bytes received by the deadline, for each second of the run. */
  get secondBytes(): readonly number[] {
    return this.#secondBytes;
  }

  /** Sets how many workers report from now on; returns the intervals that this completes. */
  setReportingWorkers(workers: number): WholeInterval[] {
    this.#reporting = workers;
    const most = Math.floor(MOST_WORKER_INTERVALS / Math.max(1, workers));
    this.most = Math.min(this.most, Math.max(LEAST_INTERVALS, most));
    this.#widenToMost();
    return [...this.#open.keys()].flatMap((index) => this.#giveWhole(index) ?? []);
  }

  /** Adds a worker's part. Returns the interval if this part completes it, otherwise null. */
  add(worker: number, part: IntervalPart): WholeInterval | null {
    const { index, latency, censored } = part;
    while (this.#next <= index) this.#openNext();
    const open = this.#open.get(index);
    if (open !== undefined && index > (this.#last.get(worker) ?? -1)) open.reported++;
    this.#last.set(worker, Math.max(index, this.#last.get(worker) ?? -1));
    addTo(open?.sum ?? this.#keptAt(index), part);
    if (open === undefined) this.#completed += part.completed;
    this.#addSeconds(part);
    const series = this.#seriesOfWorker(worker);
    const at = Math.floor(index / this.#width);
    series.completed[at] = (series.completed[at] ?? 0) + part.completed;
    series.latency.add(latency);
    series.censored.add(censored);
    return open === undefined ? null : this.#giveWhole(index);
  }

  #openNext(): void {
    this.#open.set(this.#next++, { sum: emptySum(), reported: 0 });
    this.#widenToMost();
    if (this.#open.size <= MOST_OPEN) return;
    const [oldest] = this.#open.keys();
    this.#keep(oldest);
  }

  #addSeconds({ index, secondCompleted, secondBytes }: IntervalPart): void {
    const first = Math.floor(index * (this.reportedMs * 1_000) / SECOND_US); // in microseconds, as workers compute it
    addAt(this.#secondCompleted, first, secondCompleted);
    addAt(this.#secondBytes, first, secondBytes);
  }

  #giveWhole(index: number): WholeInterval | null {
    const { sum, reported } = this.#open.get(index) ?? NONE;
    if (sum === null || reported < this.#reporting) return null;
    this.#keep(index);
    return {
      index,
      completed: sum.completed,
      failed: sum.failed,
      wrong: sum.wrong,
      latency: sum.latency.whole(),
      completedSoFar: this.#completed,
      ...sum.messages !== null && { messages: sum.messages.whole() },
    };
  }

  /** Stops waiting for parts of an open interval: later parts are added to the kept interval. */
  #keep(index: number): void {
    const open = this.#open.get(index);
    if (open === undefined) return;
    this.#open.delete(index);
    this.#completed += open.sum.completed;
    merge(this.#keptAt(index), open.sum);
    const isLastOfKept = (index + 1) % this.#width === 0;
    if (!isLastOfKept) return;
    // Add up the histograms now, because a sum takes less memory than its addends.
    const kept = this.#keptAt(index);
    kept.latency.whole();
    kept.messages?.whole();
  }

  #keptAt(index: number): IntervalSum {
    const at = Math.floor(index / this.#width);
    while (this.#kept.length <= at) this.#kept.push(emptySum());
    return this.#kept[at];
  }

  /**
   * Doubles the length of the kept intervals while there are too many. Open intervals count, too, so that the length
   * does not change when they are kept.
   */
  #widenToMost(): void {
    while (this.#next > this.most * this.#width) this.#widen();
  }

  #widen(): void {
    this.#width *= 2;
    this.#kept = this.#kept.flatMap((sum, at) => {
      if (at % 2 === 1) return [];
      if (at + 1 < this.#kept.length) merge(sum, this.#kept[at + 1]);
      sum.latency.whole();
      sum.censored.whole();
      sum.messages?.whole();
      return [sum];
    });
    for (const series of this.#series.values()) series.completed = pairSums(series.completed);
  }

  /** Latencies of the whole run. */
  latency(of: WorkerRange = ALL): BoundedTimes {
    const all = this.#seriesOf(of);
    return {
      all: mergeHistograms(all.map(({ latency }) => latency.whole())).toSparse(),
      censored: mergeHistograms(all.map(({ censored }) => censored.whole())).toSparse(),
    };
  }

  /** Requests completed in each interval. */
  completed(of: WorkerRange = ALL): number[] {
    const all = this.#seriesOf(of);
    return this.intervals.map((_, index) =>
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

const NONE = { sum: null, reported: 0 } as const;

function emptySum(): IntervalSum {
  return {
    completed: 0,
    failed: 0,
    errors: ERRORS.map(() => 0),
    wrong: 0,
    bytesIn: 0,
    latency: new HistogramSum(),
    censored: new HistogramSum(),
    messages: null,
  };
}

/** An addend of a sum: a worker's part, or another sum. */
type Added =
  & Pick<IntervalPart, "completed" | "failed" | "errors" | "wrong" | "bytesIn" | "messages">
  & {
    readonly latency: SparseHistogram;
    readonly censored: SparseHistogram;
  };

function addTo(sum: IntervalSum, added: Added): void {
  sum.completed += added.completed;
  sum.failed += added.failed;
  sum.wrong += added.wrong;
  added.errors?.forEach((count, kind) => sum.errors[kind] += count);
  sum.bytesIn += added.bytesIn;
  sum.latency.add(added.latency);
  sum.censored.add(added.censored);
  if (added.messages !== undefined) (sum.messages ??= new MessageSum()).add(added.messages);
}

function merge(sum: IntervalSum, other: IntervalSum): void {
  addTo(sum, {
    ...other,
    latency: other.latency.whole(),
    censored: other.censored.whole(),
    messages: other.messages?.whole(),
  });
}

function addAt(all: number[], first: number, counts: readonly number[]): void {
  counts.forEach((count, at) => {
    while (all.length <= first + at) all.push(0);
    all[first + at] += count;
  });
}

function pairSums(counts: readonly (number | undefined)[]): number[] {
  return Array.from(
    { length: Math.ceil(counts.length / 2) },
    (_, at) => (counts[2 * at] ?? 0) + (counts[2 * at + 1] ?? 0),
  );
}

/** The messages of an interval, summed over all workers as their parts arrive. */
export class MessageSum {
  #received = 0;
  #failed = 0;
  readonly #times = ofIntervalTimes(() => new BoundedSum());

  add(part: MessagePart): void {
    this.#received += part.received;
    this.#failed += part.failed;
    for (const name of INTERVAL_TIMES) this.#times[name].add(part[name]);
  }

  whole(): MessagePart {
    return {
      received: this.#received,
      failed: this.#failed,
      ...ofIntervalTimes((name) => this.#times[name].whole()),
    };
  }
}

class BoundedSum {
  readonly #all = new HistogramSum();
  readonly #censored = new HistogramSum();

  add({ all, censored }: BoundedTotals): void {
    this.#all.add(all);
    this.#censored.add(censored);
  }

  whole(): BoundedTotals {
    return { all: this.#all.whole(), censored: this.#censored.whole() };
  }
}
