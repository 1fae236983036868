/**
 * Turns of two sides that are loaded by one generator: slices of one length with a pause between them, two in a pair,
 * one for each side, in an order that is drawn (A. Bulej and others, "Duet benchmarking", ICPE 2020). Pairs come in
 * twos, as AB BA or BA AB, so that neither side is first more often and a drift affects both alike. Pure: moments are
 * microseconds since the start of the load, the same for both sides.
 */
import { derivedSeed } from "../../base/random.ts";

/** The lengths of a slice, of its parts, and of the pause after it. */
export interface SliceLengths {
  /** The time for which a side is loaded. */
  readonly sliceUs: number;
  /** The beginning of the slice, which no figure includes, because the target comes back from its rest. */
  readonly cutUs: number;
  /**
   * The largest shift of the measured part, which begins and ends later by a time drawn for each slice. The requests of
   * a closed loop are in step at the beginning of a slice, so a part that always began there would hold whole rounds of
   * them, such as five of requests that take 50 ms, but only four of requests that take 51 ms.
   */
  readonly shiftUs: number;
  /** The time after the slice in which requests in flight may end and no side is loaded. */
  readonly pauseUs: number;
}

/** The turns of one side. */
export interface TurnsSpec extends SliceLengths {
  readonly seed: number;
  readonly side: 0 | 1;
  /** The number of pairs of slices; each pair holds one slice of each side. */
  readonly pairs: number;
  /** The number of first pairs that are loaded but in no figure, because new connections make their slices slower. */
  readonly warmPairs: number;
  /** Length of all slices and pauses of both sides. */
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

/** The golden ratio's fraction: the fractions of its multiples lie evenly between 0 and 1, however many there are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export class Turns {
  /** The length of the part of a slice that every figure covers. */
  readonly measuredUs: number;
  readonly #periodUs: number;
  /** The share of the shift that the side's first slice gets. */
  readonly #firstShare: number;

  constructor(readonly spec: TurnsSpec) {
    this.measuredUs = spec.sliceUs - spec.cutUs - spec.shiftUs;
    this.#periodUs = spec.sliceUs + spec.pauseUs;
    this.#firstShare = derivedSeed(derivedSeed(spec.seed, spec.side), spec.pairs) / 2 ** 32;
  }

  /** Whether the side is the first (0) or the second (1) of its pair. */
  place(pair: number): 0 | 1 {
    const { seed, side, warmPairs } = this.spec;
    // Two measured pairs in a row mirror each other.
    const at = pair + (warmPairs & 1);
    const isSwapped = (derivedSeed(seed, at >> 1) & 1) ^ (at & 1);
    return (side ^ isSwapped) === 0 ? 0 : 1;
  }

  /** The moment at which the side's slice of the pair begins; Infinity after the last pair. */
  startUs(pair: number): number {
    return pair < this.spec.pairs ? (2 * pair + this.place(pair)) * this.#periodUs : Infinity;
  }

  /** When the measured part of the pair's slice begins; Infinity if none of it is measured. */
  measuredFromUs(pair: number): number {
    if (pair < this.spec.warmPairs) return Infinity;
    const share = (this.#firstShare + pair * GOLDEN) % 1;
    return this.startUs(pair) + this.spec.cutUs + Math.floor(share * this.spec.shiftUs);
  }

  /** The side's own time at `nowUs`, that is, for how long it has been measured; figures are over this time. */
  ownUs(nowUs: number): number {
    const pair = this.#pairAt(nowUs);
    const before = Math.max(0, pair - this.spec.warmPairs);
    return partOf(nowUs - this.measuredFromUs(pair), this.measuredUs, before);
  }

  /** For how long the side has been loaded at `nowUs`. */
  loadedUs(nowUs: number): number {
    const pair = this.#pairAt(nowUs);
    return partOf(nowUs - this.startUs(pair), this.spec.sliceUs, pair);
  }

  /** Whether the side is measured at that moment. */
  isMeasuredAt(nowUs: number): boolean {
    const passedUs = nowUs - this.measuredFromUs(this.#pairAt(nowUs));
    return passedUs >= 0 && passedUs < this.measuredUs;
  }

  #pairAt(nowUs: number): number {
    const pair = Math.floor(nowUs / (2 * this.#periodUs));
    return Math.min(this.spec.pairs - 1, Math.max(0, pair));
  }

  /**
   * The moment at which the side's own time is `ownUs`; between two slices, the end of the earlier one. Infinity after
   * the last slice.
   */
  whenUs(ownUs: number): number {
    const { pairs, warmPairs } = this.spec;
    if (ownUs >= (pairs - warmPairs) * this.measuredUs) return Infinity;
    const before = Math.max(0, Math.ceil(ownUs / this.measuredUs) - 1);
    return this.measuredFromUs(warmPairs + before) + ownUs - before * this.measuredUs;
  }

  /**
   * The moment at which the side has been loaded for `loadedUs`; between two slices, the beginning of the later one,
   * where anything that is due then can begin.
   */
  whenLoadedUs(loadedUs: number): number {
    const { sliceUs, pairs } = this.spec;
    if (loadedUs >= pairs * sliceUs) return Infinity;
    const pair = Math.floor(loadedUs / sliceUs);
    return this.startUs(pair) + loadedUs - pair * sliceUs;
  }
}

/** Adds up time in parts of equal length: the `before` whole parts, and what has passed of the current part. */
function partOf(passedUs: number, lengthUs: number, before: number): number {
  return before * lengthUs + Math.min(lengthUs, Math.max(0, passedUs));
}
