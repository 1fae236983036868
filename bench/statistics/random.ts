/** Seeded noise of the kinds that occur in load tests. */
import { streamBy } from "../../base/random.ts";

export class Random {
  readonly #bits: { next(): number };
  #spare: number | null = null;

  constructor(seed: number) {
    this.#bits = streamBy(seed, "simulations");
  }

  /** Draws a number that is uniform between `low` (included) and `high` (excluded). */
  uniform(low = 0, high = 1): number {
    return low + (high - low) * (this.#bits.next() >>> 0) / 2 ** 32;
  }

  /** Draws a whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return Math.floor(this.uniform(low, high + 1));
  }

  /** Draws an exponential number with mean 1. */
  exponential(): number {
    return -Math.log(1 - this.uniform());
  }

  /**
   * Draws a standard normal number. The method makes two at a time and keeps the second for the next call (G. E. P. Box
   * and M. E. Muller, 1958).
   */
  normal(): number {
    const spare = this.#spare;
    this.#spare = null;
    if (spare !== null) return spare;
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  /** Normal noise in waves, an AR(1) process: consecutive values have the correlation `correlation`. */
  waves(length: number, { stdev, correlation }: { stdev: number; correlation: number }): number[] {
    const values: number[] = [];
    for (let value = this.normal(); values.length < length;) {
      values.push(stdev * value);
      value = correlation * value + Math.sqrt(1 - correlation ** 2) * this.normal();
    }
    return values;
  }
}
