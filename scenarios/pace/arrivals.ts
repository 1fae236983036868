/**
 * The arrivals of an open loop, in order, either evenly spread or as a Poisson process. Every worker goes through the
 * same endless list and takes each `stride`-th arrival, so the schedule of all workers together does not depend on
 * their number.
 */
import { streamBy } from "../../base/random.ts";

export interface ArrivalOptions {
  readonly kind: "uniform" | "poisson";
  readonly seed: number;
  /** Index of the worker's first arrival, counted from 0. Its next one is `first + stride`, and so on. */
  readonly first: number;
  readonly stride: number;
}

/**
 * Due times of this worker's arrivals, in order, in microseconds since the start; Infinity after the last. For a
 * Poisson process, exponential steps of mean 1 are mapped through the inverse of the expected count, which is exact for
 * any profile (Lewis & Shedler 1979, §1).
 */
export class Arrivals {
  readonly #step: () => number;
  #position: number;

  constructor(private readonly profile: Profile, private readonly options: ArrivalOptions) {
    const random = streamBy(options.seed, "arrivals");
    // 1 − u is in (0, 1], so the logarithm is finite. 32 random bits resolve 2⁻³² of a mean step,
    // which is less than a nanosecond at rates above one arrival per second.
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

/** Arrivals whose due times are given one by one, such as those of a log. */
export interface RecordedArrivals {
  /** Due times of all workers' arrivals, in order, in microseconds since the start. */
  readonly dueUs: Float64Array<SharedArrayBuffer>;
  readonly first: number;
  readonly stride: number;
}

/** Due times of this worker's share of recorded arrivals; Infinity after the last. */
export class RecordedSchedule {
  #at: number;

  constructor(private readonly recorded: RecordedArrivals) {
    this.#at = recorded.first;
  }

  next(): number {
    const { dueUs, stride } = this.recorded;
    if (this.#at >= dueUs.length) return Infinity;
    const due = dueUs[this.#at];
    this.#at += stride;
    return due;
  }
}

// Computes how many arrivals are due by a moment, and when a given arrival is due. The rate r of
// each phase is constant or changes linearly. There is no clock; times are microseconds since the
// start. A(t) = ∫₀ᵗ r is the number of arrivals due by t, and its inverse A⁻¹(x) is the moment at
// which arrival x is due. In one phase of length T, whose rate goes from r₀ to r₁, A(t) = r₀·t +
// k·t²/2 with k = (r₁ − r₀)/T, so A⁻¹(x) = 2x / (r₀ + √(r₀² + 2·k·x)). This form of the root loses
// no digits for small k, and is exact for k = 0.

export interface Phase {
  readonly durationUs: number;
  /** Arrivals per second at the start and at the end of the phase. */
  readonly fromPerSec: number;
  readonly toPerSec: number;
}

interface Piece {
  readonly startUs: number;
  /**
   * Number of arrivals due before this piece, which is one phase, starts. `within` is the number due during the piece.
   */
  readonly before: number;
  readonly within: number;
  readonly fromPerUs: number;
  readonly slopePerUs2: number;
}

/**
 * Rounding error of a number of arrivals, relative to that number. An arrival this close to the end of a phase counts
 * as after it.
 */
const ROUNDING_RATIO = 8 * Number.EPSILON;

export class Profile {
  readonly durationUs: number;
  /** Number of arrivals in the whole profile, not rounded. */
  readonly arrivals: number;
  readonly #pieces: Piece[] = [];

  constructor(phases: readonly Phase[]) {
    let startUs = 0;
    let before = 0;
    for (const { durationUs, fromPerSec, toPerSec } of phases) {
      const within = (fromPerSec + toPerSec) / 2 * durationUs / 1e6;
      const slopePerUs2 = (toPerSec - fromPerSec) / 1e6 / durationUs;
      this.#pieces.push({ startUs, before, within, fromPerUs: fromPerSec / 1e6, slopePerUs2 });
      startUs += durationUs;
      before += within;
    }
    this.durationUs = startUs;
    this.arrivals = before;
  }

  /** When the expected number of arrivals reaches `x`; Infinity if it never does. */
  dueUs(x: number): number {
    for (const piece of this.#pieces) {
      const ahead = x - piece.before;
      // An arrival at the very end of a phase belongs to the next phase with any arrivals.
      if (ahead >= piece.within - x * ROUNDING_RATIO) continue;
      if (ahead <= 0) return piece.startUs;
      const root = Math.sqrt(piece.fromPerUs ** 2 + 2 * piece.slopePerUs2 * ahead);
      return piece.startUs + 2 * ahead / (piece.fromPerUs + root);
    }
    return Infinity;
  }
}
