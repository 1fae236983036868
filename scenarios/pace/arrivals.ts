/**
 * The arrivals of an open loop, one after the other: evenly spread, or as a Poisson process. Every
 * worker goes through the same endless list and takes each `stride`-th, so that any number of workers makes
 * the same schedule between them.
 */
import { streamBy } from "../../base/random.ts";

export interface ArrivalOptions {
  readonly kind: "uniform" | "poisson";
  readonly seed: number;
  /** The index of the worker's first arrival, counted from 0; `first + stride` is the next, and so on. */
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

/** Arrivals whose moments are known one by one, such as those of a log. */
export interface RecordedArrivals {
  /** The due moments of all workers' arrivals, in order. */
  readonly dueUs: Float64Array<SharedArrayBuffer>;
  readonly first: number;
  readonly stride: number;
}

/** The due moments of this worker's share of recorded arrivals; Infinity after the last. */
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

// How many arrivals are due by a moment, and when a given one is due: plain mathematics over phases whose rate r is
// constant or changes in a straight line. No clock; times are microseconds since the start. A(t) = ∫₀ᵗ r is the number
// of arrivals due by t, and its inverse A⁻¹(x) is the moment at which arrival x is due. In one phase of length T, whose
// rate goes from r₀ to r₁, A(t) = r₀·t + k·t²/2 with k = (r₁ − r₀)/T, so A⁻¹(x) = 2x / (r₀ + √(r₀² + 2·k·x)). This form
// of the root loses no digits for small k, and is exact for k = 0.

export interface Phase {
  readonly durationUs: number;
  /** Arrivals per second at the start and at the end of the phase. */
  readonly fromPerSec: number;
  readonly toPerSec: number;
}

interface Piece {
  readonly startUs: number;
  /** The number of arrivals due before the piece starts, and within it. */
  readonly before: number;
  readonly within: number;
  readonly fromPerUs: number;
  readonly slopePerUs2: number;
}

/** The rounding error of a number of arrivals, relative to that number; a fraction below it makes no arrival. */
const ROUNDING_RATIO = 8 * Number.EPSILON;

export class Profile {
  readonly durationUs: number;
  /** The number of arrivals in the whole profile, with its fraction. */
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

  /** The moment at which the expected number of arrivals reaches `x`; Infinity if it never does. */
  dueUs(x: number): number {
    for (const piece of this.#pieces) {
      const ahead = x - piece.before;
      // An arrival at the very end of a phase belongs to the next one that has any.
      if (ahead >= piece.within - x * ROUNDING_RATIO) continue;
      if (ahead <= 0) return piece.startUs;
      const root = Math.sqrt(piece.fromPerUs ** 2 + 2 * piece.slopePerUs2 * ahead);
      return piece.startUs + 2 * ahead / (piece.fromPerUs + root);
    }
    return Infinity;
  }
}
