/**
 * The slices of one side, that is, the times in which one of two loads that take turns may send. A part of each slice
 * is measured, and requests that are due in that part belong to the slice, whenever they end. If they were counted by
 * when they end, requests that take longer than a slice would rarely fall in a measured part, and the slower they are,
 * the more rarely. The timeline counts requests when they end, like any timeline, so requests that end outside the
 * measured parts are missing from its rates.
 */
import { Turns, type TurnsSpec } from "../../../scenarios/pace/slices.ts";
import { EMPTY, Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";

/** Totals of one worker. The lists have a number for each slice of this side; fewer if the load was stopped. */
export interface SliceTotals {
  /** By slice: completed requests that were due in its measured part. */
  readonly completed: readonly number[];
  readonly failed: readonly number[];
  /** By slice: sum of service times, including lower bounds. */
  readonly serviceSumUs: readonly number[];
  /** By slice: requests completed from its beginning to the beginning of this side's next slice. */
  readonly served: readonly number[];
  /** Latencies of requests that were due in the measured parts. */
  readonly latency: SparseHistogram;
  /** The values of `latency` that are lower bounds. */
  readonly censored: SparseHistogram;
}

export class Slices {
  readonly turns: Turns;
  /** Requests completed and bytes received outside of all measured parts. */
  readonly outside = { completed: 0, bytesIn: 0 };
  isMeasuring = false;
  /** When the next part of the slice begins; the parts are an unmeasured start, the measured part, and the rest. */
  nextUs: number;
  #pair = 0;
  #counted: { readonly completed: number } = { completed: 0 };
  readonly #measuredFromUs: Float64Array;
  readonly #completed: Float64Array;
  readonly #failed: Float64Array;
  readonly #serviceSumUs: Float64Array;
  /** Requests completed before the beginning of each slice. */
  readonly #begun: number[] = [];
  readonly #latency = new Histogram();
  readonly #censored = new Histogram();

  constructor(spec: TurnsSpec) {
    this.turns = new Turns(spec);
    this.nextUs = this.turns.startUs(0);
    this.#measuredFromUs = Float64Array.from(
      { length: spec.pairs },
      (_, pair) => this.turns.measuredFromUs(pair),
    );
    this.#completed = new Float64Array(spec.pairs);
    this.#failed = new Float64Array(spec.pairs);
    this.#serviceSumUs = new Float64Array(spec.pairs);
  }

  /** @param counted The recorder's counts since the start of the load. */
  follow(counted: { readonly completed: number }): void {
    this.#counted = counted;
  }

  /** The slice whose measured part contains the moment; −1: none. */
  #measuredAt(nowUs: number): number {
    const { sliceUs, pauseUs } = this.turns.spec;
    const pair = Math.floor(nowUs / (2 * (sliceUs + pauseUs)));
    const passedUs = nowUs - this.#measuredFromUs[pair];
    return passedUs >= 0 && passedUs < this.turns.measuredUs ? pair : -1;
  }

  // hot: runs for every completed exchange; nothing here may allocate.
  complete(dueUs: number, sentUs: number, doneUs: number): void {
    const pair = this.#measuredAt(dueUs);
    if (pair < 0) return;
    this.#completed[pair]++;
    this.#serviceSumUs[pair] += doneUs - sentUs;
    this.#latency.record(doneUs - dueUs);
  }

  fail(dueUs: number): void {
    const pair = this.#measuredAt(dueUs);
    if (pair >= 0) this.#failed[pair]++;
  }

  /** Records a request that had not completed at `endUs`. @param sentUs Null if it was never sent. */
  recordBound(dueUs: number, sentUs: number | null, endUs: number): void {
    const pair = this.#measuredAt(dueUs);
    if (pair < 0) return;
    if (sentUs !== null) this.#serviceSumUs[pair] += endUs - sentUs;
    this.#latency.record(endUs - dueUs);
    this.#censored.record(endUs - dueUs);
  }

  /**
   * Begins the next part of the slice, or the next slice. Called at `nextUs`, when everything before it has been
   * counted.
   */
  turn(): void {
    const startUs = this.turns.startUs(this.#pair);
    const fromUs = this.#measuredFromUs[this.#pair];
    if (this.isMeasuring) {
      this.isMeasuring = false;
      this.nextUs = this.turns.startUs(++this.#pair);
      return;
    }
    if (this.nextUs === startUs) this.#begun.push(this.#counted.completed);
    if (fromUs === Infinity) {
      this.nextUs = this.turns.startUs(++this.#pair);
    } else if (this.nextUs < fromUs) {
      this.nextUs = fromUs;
    } else {
      this.isMeasuring = true;
      this.nextUs = fromUs + this.turns.measuredUs;
    }
  }

  totals(): SliceTotals {
    const ends = [...this.#begun.slice(1), this.#counted.completed];
    const served = this.#begun.slice(0, this.#pair).map((begun, pair) => ends[pair] - begun);
    const whole = (values: Float64Array): number[] => [...values.subarray(0, this.#pair)];
    return {
      completed: whole(this.#completed),
      failed: whole(this.#failed),
      serviceSumUs: whole(this.#serviceSumUs),
      served,
      latency: this.#latency.toSparse(),
      censored: this.#censored.count === 0 ? EMPTY : this.#censored.toSparse(),
    };
  }
}
