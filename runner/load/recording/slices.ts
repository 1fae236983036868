/**
 * The slices of a load that two sides get in turns: how far each has come at the changes, read from what the recorder
 * counts anyway, so that no request costs more. A slice is measured from its cut to its end; what ends outside, when the target
 * comes back from its rest or nothing new is sent, is in the totals and in no rate, as after a deadline.
 */
import { Turns, type TurnsSpec } from "../../../scenarios/pace/slices.ts";
import { Histogram, type SparseHistogram } from "../../stats/histogram/histogram.ts";

/** Of one worker. A number a slice, in the order of pairs; a load that is stopped has fewer. */
export interface SliceTotals {
  readonly completed: readonly number[];
  readonly failed: readonly number[];
  /** Of the service times of those that ended in it, lower bounds too. */
  readonly serviceSumUs: readonly number[];
  /** Completed from the slice's beginning to the next one's: with its cut and with what was waited for. */
  readonly served: readonly number[];
  /** Latencies of the measured parts. */
  readonly latency: SparseHistogram;
}

/** What is counted beside: by the recorder, since the start. */
export interface Counted {
  readonly completed: number;
  readonly failed: number;
  readonly service: { readonly sumUs: number };
}

type Counts = { readonly [Key in "completed" | "failed" | "serviceSumUs"]: number };

export class Slices {
  readonly turns: Turns;
  /** Ended while no slice was measured. */
  readonly outside = { completed: 0, bytesIn: 0 };
  isMeasuring = false;
  /** When the next part begins: its cut, what is measured, what is not. */
  nextUs: number;
  #pair = 0;
  #counted: Counted = { completed: 0, failed: 0, service: { sumUs: 0 } };
  #before: Counts = { completed: 0, failed: 0, serviceSumUs: 0 };
  readonly #columns = {
    completed: [] as number[],
    failed: [] as number[],
    serviceSumUs: [] as number[],
  };
  /** Completed at the beginning of each slice. */
  readonly #begun: number[] = [];
  readonly #latency = new Histogram();
  /** Of the interval at hand, all latencies that are no longer where they were recorded. */
  readonly #pending = new Histogram();

  constructor(spec: TurnsSpec) {
    this.turns = new Turns(spec);
    this.nextUs = this.turns.startUs(0);
  }

  follow(counted: Counted): void {
    this.#counted = counted;
  }

  /** At `nextUs`, when everything before it is counted and gathered. */
  turn(): void {
    const startUs = this.turns.startUs(this.#pair);
    const { cutUs, sliceUs } = this.turns.spec;
    if (this.isMeasuring) return this.#endSlice();
    if (this.nextUs === startUs) this.#begun.push(this.#counted.completed);
    if (this.nextUs < startUs + cutUs) {
      this.nextUs = startUs + cutUs;
    } else {
      this.isMeasuring = true;
      this.#before = this.#counts();
      this.nextUs = startUs + sliceUs;
    }
  }

  #endSlice(): void {
    const now = this.#counts();
    for (const key of ["completed", "failed", "serviceSumUs"] as const) {
      this.#columns[key].push(now[key] - this.#before[key]);
    }
    this.isMeasuring = false;
    this.nextUs = this.turns.startUs(++this.#pair);
  }

  #counts(): Counts {
    const { completed, failed, service } = this.#counted;
    return { completed, failed, serviceSumUs: service.sumUs };
  }

  /** Takes what was recorded since the last call, or turn. */
  gather(latency: Histogram): void {
    const part = latency.drain();
    this.#pending.addSparse(part);
    if (this.isMeasuring) this.#latency.addSparse(part);
  }

  /** The latencies of the interval at hand, whole. */
  take(latency: Histogram): SparseHistogram {
    this.gather(latency);
    return this.#pending.drain();
  }

  totals(): SliceTotals {
    const whole = this.#columns.completed.length;
    const ends = [...this.#begun.slice(1), this.#counted.completed];
    const served = this.#begun.slice(0, whole).map((begun, pair) => ends[pair] - begun);
    return { ...this.#columns, served, latency: this.#latency.toSparse() };
  }
}
