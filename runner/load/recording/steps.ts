/**
 * What became of the exchanges of each step: of each request of a flow, a mix or a page. It knows no clock, and
 * allocates nothing while it counts, but for one number a second and step, 1,800 at most.
 */
import { type ErrorKind, ERRORS } from "../../result/outcome.ts";
import {
  addSparse,
  EMPTY,
  Histogram,
  type SparseHistogram,
} from "../../stats/histogram/histogram.ts";
import { SecondCounts, type SecondSeries } from "./second_counts.ts";

/** Totals of the whole run. Exchanges that were due ended in one of the first four ways. */
export interface StepTotals {
  readonly completed: number;
  readonly failed: number;
  readonly unfinished: number;
  readonly dropped: number;
  /** Completed with a response that was not expected. */
  readonly wrong: number;
  /** Completed with a status of 100 to 199, 200 to 299, … */
  readonly classes: readonly number[];
  /** Failed, in the order of ERRORS. */
  readonly errors: readonly number[];
  /** Completed by the deadline. */
  readonly seconds: SecondSeries;
  readonly latency: SparseHistogram;
  /** The values of `latency` that are lower bounds. */
  readonly censored: SparseHistogram;
}

/** Classes of status, from 1xx on; a status has three digits. */
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
  readonly latency = new Histogram();
  /** Null while there is no lower bound. */
  censored: Histogram | null = null;
}

export class StepRecorder {
  readonly #steps: readonly Step[];
  #deadlineUs = Infinity;

  constructor(count: number) {
    this.#steps = Array.from({ length: count }, () => new Step());
  }

  // hot: once a completed exchange of a load with several steps.
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
    step.latency.record(latencyUs);
    if (doneUs <= this.#deadlineUs) step.seconds.add(Math.floor(doneUs / SECOND_US));
  }

  /** @param latencyUs Of a time-out, which is a lower bound; null: the failure says nothing about the latency. */
  fail(at: number, kind: ErrorKind, latencyUs: number | null): void {
    const step = this.#steps[at];
    step.failed++;
    step.errors[ERRORS.indexOf(kind)]++;
    if (latencyUs !== null) bound(step, latencyUs);
  }

  leaveUnfinished(at: number, latencyUs: number): void {
    this.#steps[at].unfinished++;
    bound(this.#steps[at], latencyUs);
  }

  drop(at: number, latencyUs: number): void {
    this.#steps[at].dropped++;
    bound(this.#steps[at], latencyUs);
  }

  /** The deadline: what completes after it is in no second. */
  seal(endUs: number): void {
    this.#deadlineUs = endUs;
  }

  totals(): StepTotals[] {
    return this.#steps.map(({ classes, errors, seconds, latency, censored, ...counts }) => ({
      ...counts,
      classes: [...classes],
      errors: [...errors],
      seconds: seconds.series,
      latency: latency.toSparse(),
      censored: censored?.toSparse() ?? EMPTY,
    }));
  }
}

function bound(step: Step, latencyUs: number): void {
  step.latency.record(latencyUs);
  (step.censored ??= new Histogram()).record(latencyUs);
}

/** The totals with what is in flight as unfinished. @param open Its latencies so far, by step. */
export function withOpen(
  totals: readonly StepTotals[],
  open: ReadonlyMap<number, Histogram>,
): StepTotals[] {
  return totals.map((step, at) => {
    const times = open.get(at)?.drain() ?? EMPTY;
    if (times.count === 0) return step;
    return {
      ...step,
      unfinished: step.unfinished + times.count,
      latency: addSparse(step.latency, times),
      censored: addSparse(step.censored, times),
    };
  });
}
