/**
 * Records a worker's exchanges: counters, distributions, and a small histogram for each interval, which is handed on as
 * soon as the interval ends. No clock is read: moments are arguments, microseconds since the start of the run.
 */
import { EMPTY, GrowingHistogram, Histogram } from "../../stats/histogram/histogram.ts";
import { Intervals, type OnInterval } from "./intervals.ts";
import type { RequestLog } from "./request_log.ts";
import type { Slices } from "./slices.ts";
import { Slowest } from "./slowest.ts";
import type { StepRecorder } from "./steps.ts";
import { NO_TAIL } from "./tail.ts";
import {
  drainSince,
  type Failure,
  Failures,
  ResponseGroups,
  type Sealed,
  type WorkerTotals,
} from "./totals.ts";

export const STATUS_CODES = 1_000;

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
  unsolicited = 0;
  bytesIn = 0;
  bytesOut = 0;
  /** End of the last exchange, microseconds. */
  lastUs = 0;
  readonly slowest = new Slowest();
  readonly groups = new ResponseGroups();
  #censored = 0;
  readonly #status = new Float64Array(STATUS_CODES);
  readonly #failures = new Failures();
  readonly service = new GrowingHistogram();
  readonly #serviceCensored = new Histogram();
  readonly #firstByte = new GrowingHistogram();
  readonly #connect = new Histogram();
  readonly #lag = new GrowingHistogram();
  #fastestUs = Infinity;
  readonly #intervals: Intervals;
  /** The deadline, and counts at that moment; null until then. */
  #sealed: Sealed | null = null;

  constructor(
    intervalUs: number,
    onInterval: OnInterval,
    private readonly log: RequestLog | null = null,
    /** Null if the load has a single step, whose figures are those of the whole load. */
    readonly steps: StepRecorder | null = null,
    /** Null if the load does not take turns with another. */
    private readonly slices: Slices | null = null,
  ) {
    this.#intervals = new Intervals(intervalUs, onInterval, slices);
    slices?.follow(this);
  }

  // hot: records the four moments of a completed exchange; nothing here may allocate.
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
    if (latencyUs > this.slowest.tail.leastUs) this.#keep(slot, status, dueUs, sentUs, doneUs);
    this.#intervals.latency.record(latencyUs);
    this.service.fresh.record(doneUs - sentUs);
    this.#firstByte.fresh.record(firstByteUs - sentUs);
    this.slices?.complete(dueUs, sentUs, doneUs);
    if (doneUs > this.lastUs) this.lastUs = doneUs;
    this.log?.add(status, dueUs, doneUs, slot);
  }

  #keep(slot: number, status: number, dueUs: number, sentUs: number, doneUs: number): void {
    const end = { outcome: "completed", status, ordinal: this.completed } as const;
    this.slowest.add(slot, end, dueUs, sentUs, doneUs);
  }

  // hot: counts bytes as they arrive.
  received(bytes: number, nowUs: number): void {
    if (nowUs >= this.#intervals.boundaryUs) this.advance(nowUs);
    this.bytesIn += bytes;
    this.#intervals.bytesIn += bytes;
  }

  // hot: records how late a due exchange was sent.
  sent(lagUs: number): void {
    this.#lag.fresh.record(lagUs);
  }

  connected(timeUs: number): void {
    this.#connect.record(timeUs);
  }

  /** Records whether a completed response was correct. */
  checked(right: boolean): void {
    if (right) {
      this.checksPassed++;
    } else {
      this.checksFailed++;
      this.#intervals.wrong++;
      this.slowest.wasWrong(this.completed);
    }
  }

  /** Drops a due exchange that was not sent by the end of the run: its wait is a lower bound of its latency. */
  drop(step: number, dueUs: number, endUs: number): void {
    this.due++;
    this.dropped++;
    this.#censored++;
    this.#intervals.recordBound(endUs - dueUs);
    this.slices?.recordBound(dueUs, null, endUs);
    this.steps?.drop(step, endUs - dueUs);
  }

  /** Records a failed exchange; only a time-out says something about latency. */
  fail(
    slot: number,
    step: number,
    failure: Failure,
    dueUs: number,
    sentUs: number,
    nowUs: number,
  ): void {
    if (nowUs >= this.#intervals.boundaryUs) this.advance(nowUs);
    this.failed++;
    this.#intervals.fail(failure.kind);
    this.slices?.fail(dueUs);
    this.#failures.add(failure);
    const isBound = failure.kind === "timeout";
    this.steps?.fail(step, failure.kind, isBound ? nowUs - dueUs : null);
    if (isBound) {
      this.#recordLowerBound(dueUs, sentUs, nowUs);
      this.slowest.add(slot, TIMED_OUT, dueUs, sentUs, nowUs);
    }
    this.lastUs = nowUs;
    this.log?.add(0, dueUs, nowUs, slot);
  }

  /** Records an exchange still in flight at the end of the run, after `seal`: its times so far are lower bounds. */
  leaveUnfinished(slot: number, step: number, dueUs: number, sentUs: number, endUs: number): void {
    this.unfinished++;
    this.steps?.leaveUnfinished(step, endUs - dueUs);
    this.#recordLowerBound(dueUs, sentUs, endUs);
    this.slowest.add(slot, UNFINISHED, dueUs, sentUs, endUs);
    this.lastUs = endUs;
    this.log?.add(0, dueUs, endUs, slot);
  }

  #recordLowerBound(dueUs: number, sentUs: number, nowUs: number): void {
    this.#censored++;
    this.#intervals.recordBound(nowUs - dueUs);
    this.slices?.recordBound(dueUs, sentUs, nowUs);
    this.service.fresh.record(nowUs - sentUs);
    this.#serviceCensored.record(nowUs - sentUs);
  }

  /** Hands on the intervals that have ended by `nowUs`. */
  advance(nowUs: number): void {
    this.#intervals.advance(nowUs);
  }

  /**
   * Called when sending ends. Rates refer to the time up to it; exchanges that end later count in the totals and in the
   * latency, but not in rates.
   */
  seal(endUs: number): void {
    if (this.#sealed !== null) return;
    this.#intervals.seal(endUs);
    this.steps?.seal(endUs);
    const { completed, failed, bytesIn } = this;
    this.#sealed = { atUs: endUs, completed, failed, bytesIn };
  }

  /** Hands on the last, perhaps shorter, interval and returns the totals. Nothing may be recorded afterwards. */
  finish(endUs: number): WorkerTotals {
    this.seal(endUs);
    this.#intervals.finish(endUs);
    this.log?.flush();
    const slices = this.slices && { slices: this.slices.totals() };
    return { ...this.totals(), tail: this.slowest.tail.times, ...slices };
  }

  /**
   * Current totals without the tail. They share arrays with this recorder, so they must be posted immediately.
   * @param times `take`: `service`, `firstByte` and `lag` have only values since the last `take`, and `steps` is empty.
   */
  totals(times: "whole" | "take" = "whole"): WorkerTotals {
    return {
      due: this.due,
      completed: this.completed,
      failed: this.failed,
      unfinished: this.unfinished,
      dropped: this.dropped,
      censored: this.#censored,
      drain: drainSince(this.#sealed, this, this.slices?.outside),
      checksPassed: this.checksPassed,
      checksFailed: this.checksFailed,
      reconnects: this.reconnects,
      unsolicited: this.unsolicited,
      bytesIn: this.bytesIn,
      bytesOut: this.bytesOut,
      status: this.#status,
      errors: this.#failures.errors,
      reasons: this.#failures.reasons,
      service: this.service[times](),
      serviceCensored: this.#serviceCensored.count === 0 ? EMPTY : this.#serviceCensored.toSparse(),
      firstByte: this.#firstByte[times](),
      connect: this.#connect.toSparse(),
      lag: this.#lag[times](),
      fastestUs: this.#fastestUs,
      slowest: this.slowest.exchanges,
      tail: NO_TAIL,
      lastUs: this.lastUs,
      groups: this.groups.toSparse(),
      steps: times === "whole" ? this.steps?.totals() ?? [] : [],
    };
  }
}
