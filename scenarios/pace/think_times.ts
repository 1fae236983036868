/** Random think times of virtual users. Pure. */
import { streamBy } from "../../base/random.ts";

/**
 * exponential: as between independent events; lognormal: as people read pages, mostly short and sometimes long, with a
 * standard deviation as large as the mean; uniform: anything from 0 to twice the mean.
 */
export const THINK_SHAPES = ["exponential", "lognormal", "uniform"] as const;
export type ThinkShape = typeof THINK_SHAPES[number];

/** Variance of the logarithm of a log-normal distribution whose standard deviation equals its mean. */
const LOG_VARIANCE = Math.LN2;

export class ThinkTimes {
  readonly #bits: { next(): number };

  constructor(seed: number) {
    this.#bits = streamBy(seed, "thinking");
  }

  /** Draws a random time with the given mean, in the same unit. */
  take(mean: number, shape: ThinkShape): number {
    if (shape === "uniform") return 2 * mean * this.#share();
    if (shape === "exponential") return mean * this.#exponential();
    return mean * Math.exp(Math.sqrt(LOG_VARIANCE) * this.#normal() - LOG_VARIANCE / 2);
  }

  /** Draws a uniform number from 0 up to, but not including, 1. */
  #share(): number {
    return (this.#bits.next() >>> 0) / 2 ** 32;
  }

  /** Draws an exponentially distributed number with mean 1. */
  #exponential(): number {
    return -Math.log(1 - this.#share());
  }

  /** Draws a standard normal number (G. E. P. Box and M. E. Muller, 1958). */
  #normal(): number {
    return Math.sqrt(2 * this.#exponential()) * Math.cos(2 * Math.PI * this.#share());
  }
}
