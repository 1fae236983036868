/**
 * Turns of two sides, such as two targets, that one generator loads. A slice loads one side, and all slices have one
 * length, with a pause after each. A pair has one slice for each side, in an order that is drawn at random (A. Bulej
 * and others, "Duet benchmarking", ICPE 2020). Pairs come in twos, as AB BA or BA AB, so that neither side is first
 * more often and a drift affects both alike. Pure: moments are microseconds since the start of the load, which both
 * sides share.
 */
import { derivedSeed } from "../../base/random.ts";

/** Lengths of a slice, of its parts, and of the pause after it. */
export interface SliceLengths {
  /** The time for which one side is loaded. */
  readonly sliceUs: number;
  /** The beginning of the slice, which no figure includes, because the target has been idle before it. */
  readonly cutUs: number;
  /**
   * The largest shift of the measured part, which begins and ends later by a time drawn for each slice. The requests of
   * a closed loop are in step at the beginning of a slice. A part that always began there would hold whole rounds of
   * requests: for example, five rounds if they take 50 ms, but only four if they take 51 ms.
   */
  readonly shiftUs: number;
  /** The time after the slice in which no side is loaded, so that requests in flight can complete. */
  readonly pauseUs: number;
}

export interface TurnsSpec extends SliceLengths {
  readonly seed: number;
  readonly side: 0 | 1;
  /** Number of pairs of slices; each pair has one slice for each side. */
  readonly pairs: number;
  /**
   * Number of pairs at the beginning that are loaded but not measured, because new connections make their slices
   * slower.
   */
  readonly warmPairs: number;
  /** Total length of all slices and pauses of both sides. */
  readonly durationUs: number;
}

export function turnsOf(
  lengths: SliceLengths,
  { pairs, seed, warmPairs = 0 }:
    & Pick<TurnsSpec, "pairs" | "seed">
    & Partial<Pick<TurnsSpec, "warmPairs">>,
): Omit<TurnsSpec, "side"> {
  const durationUs = 2 * pairs * (lengths.sliceUs + lengths.pauseUs);
  return { ...lengths, pairs, warmPairs, seed, durationUs };
}

/**
 * The fractional part of the golden ratio. The fractional parts of its multiples are spread evenly between 0 and 1,
 * however many multiples there are.
 */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export class Turns {
  /** Length of the measured part of a slice. */
  readonly measuredUs: number;
  readonly #periodUs: number;
  /** How much the measured part of the side's first slice is shifted, as a share of `shiftUs`. */
  readonly #firstShare: number;

  constructor(readonly spec: TurnsSpec) {
    this.measuredUs = spec.sliceUs - spec.cutUs - spec.shiftUs;
    this.#periodUs = spec.sliceUs + spec.pauseUs;
    this.#firstShare = derivedSeed(derivedSeed(spec.seed, spec.side), spec.pairs) / 2 ** 32;
  }

  /** Whether the side's slice is the first (0) or the second (1) in the pair. */
  place(pair: number): 0 | 1 {
    const { seed, side, warmPairs } = this.spec;
    // Measured pairs come in twos that mirror each other, whether the number of warm pairs is even
    // or odd.
    const at = pair + (warmPairs & 1);
    const isSwapped = (derivedSeed(seed, at >> 1) & 1) ^ (at & 1);
    return (side ^ isSwapped) === 0 ? 0 : 1;
  }

  /** When the side's slice of the pair begins; Infinity after the last pair. */
  startUs(pair: number): number {
    return pair < this.spec.pairs ? (2 * pair + this.place(pair)) * this.#periodUs : Infinity;
  }

  /** When the measured part of the side's slice begins; Infinity if the slice is not measured. */
  measuredFromUs(pair: number): number {
    if (pair < this.spec.warmPairs) return Infinity;
    const share = (this.#firstShare + pair * GOLDEN) % 1;
    return this.startUs(pair) + this.spec.cutUs + Math.floor(share * this.spec.shiftUs);
  }

  /** The side's own time at `nowUs`, which is how long it has been measured until then. Figures refer to this time. */
  ownUs(nowUs: number): number {
    const pair = this.#pairAt(nowUs);
    const before = Math.max(0, pair - this.spec.warmPairs);
    return partOf(nowUs - this.measuredFromUs(pair), this.measuredUs, before);
  }

  /** How long the side has been loaded until `nowUs`. */
  loadedUs(nowUs: number): number {
    const pair = this.#pairAt(nowUs);
    return partOf(nowUs - this.startUs(pair), this.spec.sliceUs, pair);
  }

  /** Whether the side is being measured at `nowUs`. */
  isMeasuredAt(nowUs: number): boolean {
    const passedUs = nowUs - this.measuredFromUs(this.#pairAt(nowUs));
    return passedUs >= 0 && passedUs < this.measuredUs;
  }

  #pairAt(nowUs: number): number {
    const pair = Math.floor(nowUs / (2 * this.#periodUs));
    return Math.min(this.spec.pairs - 1, Math.max(0, pair));
  }

  /**
   * When the side's own time reaches `ownUs`. If that is between two slices, the result is the end of the earlier
   * measured part. Infinity after the last one.
   */
  whenUs(ownUs: number): number {
    const { pairs, warmPairs } = this.spec;
    if (ownUs >= (pairs - warmPairs) * this.measuredUs) return Infinity;
    const before = Math.max(0, Math.ceil(ownUs / this.measuredUs) - 1);
    return this.measuredFromUs(warmPairs + before) + ownUs - before * this.measuredUs;
  }

  /**
   * When the side has been loaded for `loadedUs`. If that is between two slices, the result is the beginning of the
   * later one, where anything that is due can begin. Infinity after the last slice.
   */
  whenLoadedUs(loadedUs: number): number {
    const { sliceUs, pairs } = this.spec;
    if (loadedUs >= pairs * sliceUs) return Infinity;
    const pair = Math.floor(loadedUs / sliceUs);
    return this.startUs(pair) + loadedUs - pair * sliceUs;
  }
}

/** Adds up time in parts of equal length: `before` whole parts, and what has passed of the current part. */
function partOf(passedUs: number, lengthUs: number, before: number): number {
  return before * lengthUs + Math.min(lengthUs, Math.max(0, passedUs));
}
