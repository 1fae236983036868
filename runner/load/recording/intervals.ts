/**
 * The counts and latencies of a run, by interval and by second; each interval is handed over as soon as it ends. This
 * module reads no clock: times are arguments. The last interval is sealed at the deadline, and then takes only
 * latencies. In a load that takes turns with another load (`slices.ts`), intervals are in the load's own time, which
 * passes only while its slices are measured.
 */
import { type ErrorKind, ERRORS } from "../../result/outcome.ts";
import { EMPTY, Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";
import type { MessagePart } from "./message_counts.ts";
import type { Slices } from "./slices.ts";

/** One worker's part of one interval. */
export interface IntervalPart {
  /** 0 for the first interval of the run. */
  readonly index: number;
  readonly completed: number;
  readonly failed: number;
  /** Failed requests by kind, in the order of ERRORS; null if none failed. */
  readonly errors: readonly number[] | null;
  /** Completed requests with an unexpected response. */
  readonly wrong: number;
  readonly bytesIn: number;
  /** `completed` by second of the run, beginning with the second in which the interval begins. */
  readonly secondCompleted: readonly number[];
  /** `bytesIn` by second of the run, beginning as `secondCompleted` does. */
  readonly secondBytes: readonly number[];
  readonly latency: SparseHistogram;
  /** The values of `latency` that are lower bounds. */
  readonly censored: SparseHistogram;
  /** Absent if no exchange of the load is a stream or a WebSocket. */
  readonly messages?: MessagePart;
}

/** @param nowUs How far the run has come, at or after the end of the interval. */
export type OnInterval = (part: IntervalPart, nowUs: number) => void;

const SECOND_US = 1_000_000;
/** Taken off the end of the run, so that no empty interval begins there. */
const LAST_US = 1;

type Counts = Omit<IntervalPart, "latency" | "censored" | "messages">;

export class Intervals {
  /** Latencies of the current interval. */
  readonly latency = new Histogram();
  readonly #censored = new Histogram();
  /** Requests completed since the last boundary: the end of an interval, a second, or a part of a slice. */
  completed = 0;
  bytesIn = 0;
  /** Wrong responses of the current interval. */
  wrong = 0;
  #failed = 0;
  readonly #errors = new Float64Array(ERRORS.length);
  /** The next boundary. Before an event at or after this time is counted, `advance` must be called. */
  boundaryUs: number;
  #interval = 0;
  #second = 0;
  /** Completed requests of the current interval, by second. */
  #secondCompleted = [0];
  #secondBytes = [0];
  /** Counts of the last interval, once sealed. */
  #sealed: Counts | null = null;

  constructor(
    private readonly intervalUs: number,
    private readonly onInterval: OnInterval,
    private readonly slices: Slices | null = null,
  ) {
    this.boundaryUs = this.#nextUs();
  }

  get #intervalEndUs(): number {
    return this.#whenUs((this.#interval + 1) * this.intervalUs);
  }

  get #secondEndUs(): number {
    return this.#whenUs((this.#second + 1) * SECOND_US);
  }

  #whenUs(ownUs: number): number {
    return this.slices === null ? ownUs : this.slices.turns.whenUs(ownUs);
  }

  #nextUs(): number {
    return Math.min(this.#intervalEndUs, this.#secondEndUs, this.slices?.nextUs ?? Infinity);
  }

  fail(kind: ErrorKind): void {
    this.#failed++;
    this.#errors[ERRORS.indexOf(kind)]++;
  }

  /** Records a latency that is a lower bound. */
  recordBound(latencyUs: number): void {
    this.latency.record(latencyUs);
    this.#censored.record(latencyUs);
  }

  /** Closes intervals and seconds that have ended by `nowUs`, and hands on the intervals. */
  advance(nowUs: number): void {
    while (nowUs >= this.boundaryUs) {
      const endUs = this.boundaryUs;
      this.#addCounts();
      if (endUs === this.#intervalEndUs) this.#handOn(this.#takeCounts(), nowUs);
      if (endUs === this.#secondEndUs) this.#beginSecond();
      if (endUs === this.slices?.nextUs) this.slices.turn();
      this.boundaryUs = this.#nextUs();
    }
  }

  /** Ends the counting at the end of the run: the last interval and its second take no more counts. */
  seal(endUs: number): void {
    if (this.#sealed !== null) return;
    this.advance(endUs - LAST_US);
    this.#addCounts();
    this.#sealed = this.#takeCounts();
    this.boundaryUs = Infinity;
  }

  /** Hands on the last, perhaps shorter, interval. */
  finish(endUs: number): void {
    this.seal(endUs);
    if (this.#sealed !== null) this.#handOn(this.#sealed, endUs);
  }

  /**
   * Begins a second. If an interval has ended at the same moment, nothing needs to be added, because the new interval
   * begins with an entry for this second.
   */
  #beginSecond(): void {
    this.#second++;
    if (this.#second * SECOND_US === this.#interval * this.intervalUs) return;
    this.#secondCompleted.push(0);
    this.#secondBytes.push(0);
  }

  #addCounts(): void {
    if (this.slices?.isMeasuring === false) {
      this.slices.outside.completed += this.completed;
      this.slices.outside.bytesIn += this.bytesIn;
    } else {
      const last = this.#secondCompleted.length - 1;
      this.#secondCompleted[last] += this.completed;
      this.#secondBytes[last] += this.bytesIn;
    }
    this.completed = this.bytesIn = 0;
  }

  #takeCounts(): Counts {
    const counts = {
      index: this.#interval++,
      completed: sumOf(this.#secondCompleted),
      failed: this.#failed,
      errors: this.#failed === 0 ? null : [...this.#errors],
      wrong: this.wrong,
      bytesIn: sumOf(this.#secondBytes),
      secondCompleted: this.#secondCompleted,
      secondBytes: this.#secondBytes,
    };
    if (this.#failed > 0) this.#errors.fill(0);
    this.#failed = this.wrong = 0;
    this.#secondCompleted = [0];
    this.#secondBytes = [0];
    return counts;
  }

  /**
   * Hands on an interval. Called when all events of this interval and of earlier ones have been counted, and none of
   * later ones.
   */
  #handOn(counts: Counts, nowUs: number): void {
    const censored = this.#censored.count === 0 ? EMPTY : this.#censored.drain();
    this.onInterval({ ...counts, latency: this.latency.drain(), censored }, nowUs);
  }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
