/**
 * The outcomes of the exchanges of each step, that is, of each request of a flow, a mix or a page. This module reads no
 * clock: times are arguments. Counting a completed exchange allocates no memory, except for one number per second in
 * each step, at most 1,800 per step.
 */
import { type ErrorKind, ERRORS } from "../../result/outcome.ts";
import {
  CompactHistogram,
  EMPTY,
  type Histogram,
  type SparseHistogram,
} from "../../stats/histogram/histogram.ts";
import type { Extent } from "./message_counts.ts";
import { SecondCounts, type SecondPart, type SecondSeries } from "./second_counts.ts";

/** Totals of the whole run. The first four counts add up to the number of exchanges that were due. */
export interface StepTotals {
  readonly completed: number;
  readonly failed: number;
  readonly unfinished: number;
  readonly dropped: number;
  /** Completed requests with an unexpected response. */
  readonly wrong: number;
  /** Completed requests with a status of 100 to 199, 200 to 299, … */
  readonly classes: readonly number[];
  /** Failed requests by kind, in the order of ERRORS. */
  readonly errors: readonly number[];
  /** Requests completed in each second, until the deadline. */
  readonly seconds: SecondSeries;
  readonly latency: SparseHistogram;
  /** The values of `latency` that are lower bounds. */
  readonly censored: SparseHistogram;
}

/** A step that has changed since it was last handed on, or that has requests in flight. */
export interface StepPart {
  readonly step: number;
  /**
   * Counts since the start of the run, without requests in flight, and the latencies recorded since the previous part.
   */
  readonly totals: Omit<StepTotals, "seconds">;
  readonly seconds: SecondPart;
  /** Latencies so far of the step's requests in flight. */
  readonly open: SparseHistogram;
}

/** Number of classes of status, 1xx to 9xx. */
export const CLASSES = 9;
const SECOND_US = 1_000_000;

class Step {
  completed = 0;
  failed = 0;
  unfinished = 0;
  dropped = 0;
  wrong = 0;
  readonly classes = new Float64Array(CLASSES);
  readonly errors = new Float64Array(ERRORS.length);
  readonly seconds = new SecondCounts();
  readonly latency = new CompactHistogram();
  /** Null while there is no lower bound. */
  censored: CompactHistogram | null = null;
  /** Whether the step may have changed since the last `take`. */
  isChanged = true;

  bound(latencyUs: number): void {
    this.latency.fresh.record(latencyUs);
    (this.censored ??= new CompactHistogram()).fresh.record(latencyUs);
    this.isChanged = true;
  }

  totals(extent: Extent): StepPart["totals"] {
    const { completed, failed, unfinished, dropped, wrong, classes, errors } = this;
    return {
      ...{ completed, failed, unfinished, dropped, wrong },
      classes: [...classes],
      errors: [...errors],
      latency: this.latency[extent](),
      censored: this.censored?.[extent]() ?? EMPTY,
    };
  }
}

export class StepRecorder {
  readonly #steps: readonly Step[];
  #deadlineUs = Infinity;

  constructor(count: number) {
    this.#steps = Array.from({ length: count }, () => new Step());
  }

  // hot: runs for every completed exchange of a load with several steps.
  complete(
    at: number,
    status: number,
    doneUs: number,
    latencyUs: number,
    isRight: boolean | null,
  ): void {
    const step = this.#steps[at];
    step.completed++;
    step.classes[(status / 100 | 0) - 1]++;
    if (isRight === false) step.wrong++;
    step.latency.fresh.record(latencyUs);
    step.isChanged = true;
    if (doneUs <= this.#deadlineUs) step.seconds.add(Math.floor(doneUs / SECOND_US));
  }

  /** @param latencyUs Lower bound from a time-out; null: the failure says nothing about latency. */
  fail(at: number, kind: ErrorKind, latencyUs: number | null): void {
    const step = this.#steps[at];
    step.failed++;
    step.errors[ERRORS.indexOf(kind)]++;
    step.isChanged = true;
    if (latencyUs !== null) step.bound(latencyUs);
  }

  leaveUnfinished(at: number, latencyUs: number): void {
    this.#steps[at].unfinished++;
    this.#steps[at].bound(latencyUs);
  }

  drop(at: number, latencyUs: number): void {
    this.#steps[at].dropped++;
    this.#steps[at].bound(latencyUs);
  }

  /** Called at the deadline: later completions count in no second. */
  seal(endUs: number): void {
    this.#deadlineUs = endUs;
  }

  totals(): StepTotals[] {
    return this.#steps.map((step) => ({
      ...step.totals("whole"),
      seconds: step.seconds.series,
    }));
  }

  /**
   * The steps that changed since the last call, or have requests in flight.
   * @param open Latencies so far of those requests, by step.
   */
  take(open: ReadonlyMap<number, Histogram>): StepPart[] {
    return this.#steps.flatMap((step, at) => {
      const waits = open.get(at)?.drain() ?? EMPTY;
      if (!step.isChanged && waits.count === 0) return [];
      step.isChanged = waits.count > 0;
      const { seconds } = step;
      return [{ step: at, totals: step.totals("take"), seconds: seconds.take(), open: waits }];
    });
  }
}
