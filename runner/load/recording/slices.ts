/**
 * The slices of a load that two sides get in turns. A part of each slice is measured, and what was due in it is the slice's, whenever it ends: counted by its end, a request that takes longer than a slice would seldom be in any, and the
 * slower it is, the seldomer. The timeline counts by ends, as any does: what ends outside the measured parts is in no rate of it.
 */
import { Turns, type TurnsSpec } from "../../../scenarios/pace/slices.ts";
import { EMPTY, Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";

/** Totals of one worker: one number a slice, in the order of pairs; a load that is stopped has fewer. */
export interface SliceTotals {
  /** Completed requests that were due in its measured part. */
  readonly completed: readonly number[];
  readonly failed: readonly number[];
  /** Service times, lower bounds too. */
  readonly serviceSumUs: readonly number[];
  /** Completed from the slice's beginning to the next one's: with its cut and with what was waited for. */
  readonly served: readonly number[];
  /** Latencies of what was due in the measured parts. */
  readonly latency: SparseHistogram;
  /** The values of `latency` that are lower bounds. */
  readonly censored: SparseHistogram;
}

export class Slices {
  readonly turns: Turns;
  /** Ended while no slice was measured. */
  readonly outside = { completed: 0, bytesIn: 0 };
  isMeasuring = false;
  /** When the next part begins: its cut, what is measured, what is not. */
  nextUs: number;
  #pair = 0;
  #counted: { readonly completed: number } = { completed: 0 };
  readonly #measuredFromUs: Float64Array;
  readonly #completed: Float64Array;
  readonly #failed: Float64Array;
  readonly #serviceSumUs: Float64Array;
  /** Completed at the beginning of each slice. */
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

  /** @param counted Since the start of the load, by the recorder. */
  follow(counted: { readonly completed: number }): void {
    this.#counted = counted;
  }

  /** The slice in whose measured part the moment is; -1: in none. */
  #measuredAt(nowUs: number): number {
    const { sliceUs, pauseUs } = this.turns.spec;
    const pair = Math.floor(nowUs / (2 * (sliceUs + pauseUs)));
    const passedUs = nowUs - this.#measuredFromUs[pair];
    return passedUs >= 0 && passedUs < this.turns.measuredUs ? pair : -1;
  }

  // hot: beside every completed exchange; nothing here may allocate.
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

  /** A request that would have taken longer than until `endUs`. @param sentUs Null where it never was. */
  recordBound(dueUs: number, sentUs: number | null, endUs: number): void {
    const pair = this.#measuredAt(dueUs);
    if (pair < 0) return;
    if (sentUs !== null) this.#serviceSumUs[pair] += endUs - sentUs;
    this.#latency.record(endUs - dueUs);
    this.#censored.record(endUs - dueUs);
  }

  /** Called at `nextUs`, when everything before it is counted. */
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
