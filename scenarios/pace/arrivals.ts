/**
 * The arrivals of an open loop, one after the other: evenly spread, or as a Poisson process. Every
 * worker walks the same endless list and takes each `stride`-th, so that any number of workers makes
 * the same schedule between them.
 */
import { streamBy } from "../../base/random.ts";
import type { Profile } from "./profile.ts";

export interface ArrivalOptions {
  readonly kind: "uniform" | "poisson";
  readonly seed: number;
  /** This worker takes arrivals `first`, `first + stride`, … (counted from 0). */
  readonly first: number;
  readonly stride: number;
}

/**
 * Due moments of this worker's arrivals, in order, microseconds since the start; Infinity after the
 * last. Poisson by time change: unit-rate exponential steps, mapped through the inverse of the expected
 * count, which is exact for any profile (Lewis & Shedler 1979, §1).
 */
export class Arrivals {
  readonly #step: () => number;
  #position: number;

  constructor(private readonly profile: Profile, private readonly options: ArrivalOptions) {
    const random = streamBy(options.seed, "arrivals");
    // 1 − u is in (0, 1], so the logarithm is finite; 32 random bits are finer than a nanosecond here.
    this.#step = options.kind === "uniform"
      ? () => 1
      : () => -Math.log(1 - (random.next() >>> 0) / 2 ** 32);
    this.#position = options.kind === "uniform" ? 0 : this.#step();
    for (let i = 0; i < options.first; i++) this.#position += this.#step();
  }

  next(): number {
    const dueUs = this.profile.dueUs(this.#position);
    for (let i = 0; i < this.options.stride; i++) this.#position += this.#step();
    return dueUs;
  }
}
