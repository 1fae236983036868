/**
 * What a worker remembers of its exchanges: counters, distributions, and one small histogram per
 * interval that is handed on as soon as the interval ends. It knows no clock: every moment is an
 * argument, in microseconds since the start of the run.
 */
import { type ErrorKind, ERRORS } from "../outcome.ts";
import { Intervals, type OnInterval } from "./intervals.ts";
import type { RequestLog } from "./request_log.ts";
import { Slowest, type SlowExchange } from "./slowest.ts";
import { Histogram, type SparseHistogram } from "../stats/histogram.ts";

/** What a worker saw in the whole run, beside its intervals. */
export interface WorkerTotals {
  readonly due: number;
  readonly completed: number;
  readonly failed: number;
  readonly unfinished: number;
  readonly dropped: number;
  /** Latencies that are lower bounds: timed out or unfinished. */
  readonly censored: number;
  readonly checksPassed: number;
  readonly checksFailed: number;
  readonly reconnects: number;
  /** Connections closed because bytes came on them while no request was out. */
  readonly unasked: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Completed responses, indexed by status code. */
  readonly status: Float64Array;
  /** Failed requests, in the order of ERRORS. */
  readonly errors: Float64Array;
  readonly reasons: ReadonlyMap<string, number>;
  /** Per whole second of the run. */
  readonly secondCompleted: readonly number[];
  readonly secondBytes: readonly number[];
  readonly service: SparseHistogram;
  readonly firstByte: SparseHistogram;
  readonly connect: SparseHistogram;
  /** Actual send minus due moment; empty in a closed loop. */
  readonly lag: SparseHistogram;
  /** Shortest latency of a completed request, without lower bounds; Infinity when none completed. */
  readonly fastestUs: number;
  /** Highest latencies, lower bounds among them; slowest first. */
  readonly slowest: readonly SlowExchange[];
  /** End of the last exchange. */
  readonly lastUs: number;
}

/** How a request ended in an error. */
export interface Failure {
  readonly kind: ErrorKind;
  /** In words, for people. */
  readonly reason: string;
}

export const STATUS_CODES = 1_000;
/** So that a server that breaks in ever new ways can't fill the memory. */
export const MAX_REASONS = 100;

const TIMED_OUT = { outcome: "timeout", status: 0, ordinal: 0 } as const;
const UNFINISHED = { outcome: "unfinished", status: 0, ordinal: 0 } as const;

export class Recorder {
  due = 0;
  completed = 0;
  failed = 0;
  unfinished = 0;
  dropped = 0;
  checksPassed = 0;
  checksFailed = 0;
  reconnects = 0;
  unasked = 0;
  bytesIn = 0;
  bytesOut = 0;
  /** End of the last exchange, microseconds. */
  lastUs = 0;
  readonly slowest = new Slowest();
  #censored = 0;
  readonly #status = new Float64Array(STATUS_CODES);
  readonly #errors = new Float64Array(ERRORS.length);
  readonly #reasons = new Map<string, number>();
  readonly #service = new Histogram();
  readonly #firstByte = new Histogram();
  readonly #connect = new Histogram();
  readonly #lag = new Histogram();
  #fastestUs = Infinity;
  readonly #intervals: Intervals;

  constructor(
    intervalUs: number,
    onInterval: OnInterval,
    private readonly log: RequestLog | null = null,
  ) {
    this.#intervals = new Intervals(intervalUs, onInterval);
  }

  // hot: the four moments of a completed exchange; nothing here may allocate.
  complete(
    slot: number,
    status: number,
    dueUs: number,
    sentUs: number,
    firstByteUs: number,
    doneUs: number,
  ): void {
    if (doneUs >= this.#intervals.boundaryUs) this.advance(doneUs);
    this.completed++;
    this.#intervals.completed++;
    this.#status[status]++;
    const latencyUs = doneUs - dueUs;
    if (latencyUs < this.#fastestUs) this.#fastestUs = latencyUs;
    if (latencyUs > this.slowest.leastUs) this.#keep(slot, status, dueUs, sentUs, doneUs);
    this.#intervals.latency.record(latencyUs);
    this.#service.record(doneUs - sentUs);
    this.#firstByte.record(firstByteUs - sentUs);
    this.lastUs = doneUs;
    this.log?.add(status, dueUs, doneUs, slot);
  }

  #keep(slot: number, status: number, dueUs: number, sentUs: number, doneUs: number): void {
    const end = { outcome: "answered", status, ordinal: this.completed } as const;
    this.slowest.add(slot, end, dueUs, sentUs, doneUs);
  }

  // hot: bytes as they arrive.
  received(bytes: number, nowUs: number): void {
    if (nowUs >= this.#intervals.boundaryUs) this.advance(nowUs);
    this.bytesIn += bytes;
    this.#intervals.bytesIn += bytes;
  }

  // hot: an exchange that was due has been sent.
  sent(lagUs: number): void {
    this.#lag.record(lagUs);
  }

  connected(timeUs: number): void {
    this.#connect.record(timeUs);
  }

  /** Whether a completed response was the right one. */
  checked(right: boolean): void {
    if (right) {
      this.checksPassed++;
    } else {
      this.checksFailed++;
      this.#intervals.wrong++;
      this.slowest.wasWrong(this.completed);
    }
  }

  /** Exchanges that were due and never sent. */
  drop(count: number): void {
    this.due += count;
    this.dropped += count;
  }

  /** An exchange that ended in an error; only a time-out says something about the latency. */
  fail(
    slot: number,
    { kind, reason }: Failure,
    dueUs: number,
    sentUs: number,
    nowUs: number,
  ): void {
    if (nowUs >= this.#intervals.boundaryUs) this.advance(nowUs);
    this.failed++;
    this.#intervals.fail(kind);
    this.#errors[ERRORS.indexOf(kind)]++;
    const known = this.#reasons.size < MAX_REASONS || this.#reasons.has(reason)
      ? reason
      : "other reasons";
    this.#reasons.set(known, (this.#reasons.get(known) ?? 0) + 1);
    if (kind === "timeout") {
      this.#recordLowerBound(dueUs, sentUs, nowUs);
      this.slowest.add(slot, TIMED_OUT, dueUs, sentUs, nowUs);
    }
    this.lastUs = nowUs;
    this.log?.add(0, dueUs, nowUs, slot);
  }

  /** An exchange in flight at the end of the run: it would have taken at least this long. */
  leaveUnfinished(slot: number, dueUs: number, sentUs: number, endUs: number): void {
    this.#intervals.advanceToEnd(endUs);
    this.unfinished++;
    this.#recordLowerBound(dueUs, sentUs, endUs);
    this.slowest.add(slot, UNFINISHED, dueUs, sentUs, endUs);
    this.lastUs = endUs;
    this.log?.add(0, dueUs, endUs, slot);
  }

  #recordLowerBound(dueUs: number, sentUs: number, nowUs: number): void {
    this.#censored++;
    this.#intervals.latency.record(nowUs - dueUs);
    this.#service.record(nowUs - sentUs);
  }

  /** Hands on the intervals that have ended by `nowUs`. */
  advance(nowUs: number): void {
    this.#intervals.advance(nowUs);
  }

  /** Hands on every interval but the last one, which ends with the run. */
  advanceToEnd(endUs: number): void {
    this.#intervals.advanceToEnd(endUs);
  }

  /** Hands on the last, perhaps shorter, interval and gives the totals. Nothing may be recorded after it. */
  finish(endUs: number): WorkerTotals {
    this.#intervals.finish(endUs);
    this.log?.flush();
    return this.totals();
  }

  /** As they stand. What is in them lives on: it is to be posted or read at once. */
  totals(): WorkerTotals {
    return {
      due: this.due,
      completed: this.completed,
      failed: this.failed,
      unfinished: this.unfinished,
      dropped: this.dropped,
      censored: this.#censored,
      checksPassed: this.checksPassed,
      checksFailed: this.checksFailed,
      reconnects: this.reconnects,
      unasked: this.unasked,
      bytesIn: this.bytesIn,
      bytesOut: this.bytesOut,
      status: this.#status,
      errors: this.#errors,
      reasons: this.#reasons,
      secondCompleted: this.#intervals.secondCompleted,
      secondBytes: this.#intervals.secondBytes,
      service: this.#service.toSparse(),
      firstByte: this.#firstByte.toSparse(),
      connect: this.#connect.toSparse(),
      lag: this.#lag.toSparse(),
      fastestUs: this.#fastestUs,
      slowest: this.slowest.exchanges,
      lastUs: this.lastUs,
    };
  }
}
