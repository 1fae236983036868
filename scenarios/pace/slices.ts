/**
 * Turns of two sides that are loaded by one generator: slices of one length with a pause between them, two in a pair, one
 * for each side, in an order that is drawn (A. Bulej and others, "Duet benchmarking", ICPE 2020). Pairs stand in twos, as
 * AB BA or BA AB, so that neither side is first more often and a drift hits both alike. Pure: moments are microseconds
 * since the start of the load, the same for both sides.
 */
import { derivedSeed } from "../../base/random.ts";

/** Lengths of a slice and of what surrounds it. */
export interface SliceLengths {
  /** In which a side is loaded. */
  readonly sliceUs: number;
  /** Of its beginning, which is in no figure: the target comes back from its rest. */
  readonly cutUs: number;
  /** After it, in which what is in flight may end and nobody is loaded. */
  readonly pauseUs: number;
}

/** One side's turns. */
export interface TurnsSpec extends SliceLengths {
  readonly seed: number;
  readonly side: 0 | 1;
  /** Of slices: as many as the side has. */
  readonly pairs: number;
  /** Of all slices and pauses, of both sides. */
  readonly durationUs: number;
}

export function turnsOf(
  lengths: SliceLengths,
  { pairs, seed }: Pick<TurnsSpec, "pairs" | "seed">,
): Omit<TurnsSpec, "side"> {
  return { ...lengths, pairs, seed, durationUs: 2 * pairs * (lengths.sliceUs + lengths.pauseUs) };
}

export class Turns {
  /** Of a slice, in every figure. */
  readonly measuredUs: number;
  readonly #periodUs: number;

  constructor(readonly spec: TurnsSpec) {
    this.measuredUs = spec.sliceUs - spec.cutUs;
    this.#periodUs = spec.sliceUs + spec.pauseUs;
  }

  /** Whether the side is the first or the second of its pair. */
  place(pair: number): 0 | 1 {
    const { seed, side } = this.spec;
    const isSwapped = (derivedSeed(seed, pair >> 1) & 1) ^ (pair & 1);
    return (side ^ isSwapped) === 0 ? 0 : 1;
  }

  /** When the side's slice of the pair begins; Infinity after the last. */
  startUs(pair: number): number {
    return pair < this.spec.pairs ? (2 * pair + this.place(pair)) * this.#periodUs : Infinity;
  }

  /** How long the side was measured by then: its own time, in which its figures are. */
  ownUs(nowUs: number): number {
    return this.#timeUs(nowUs, this.spec.cutUs, this.measuredUs);
  }

  /** How long it was loaded by then. */
  loadedUs(nowUs: number): number {
    return this.#timeUs(nowUs, 0, this.spec.sliceUs);
  }

  #timeUs(nowUs: number, fromUs: number, lengthUs: number): number {
    const pair = Math.min(
      this.spec.pairs - 1,
      Math.max(0, Math.floor(nowUs / (2 * this.#periodUs))),
    );
    const inPairUs = nowUs - this.startUs(pair) - fromUs;
    return pair * lengthUs + Math.min(lengthUs, Math.max(0, inPairUs));
  }

  /** When its own time comes to `ownUs`: by the end of a slice, not the beginning of the next. Infinity from the last end on. */
  whenUs(ownUs: number): number {
    return this.#whenUs(ownUs, this.spec.cutUs, this.measuredUs);
  }

  /** When it was loaded for so long: for what is due in it, at the beginning of a slice rather than the end of the one before. */
  whenLoadedUs(loadedUs: number): number {
    const { sliceUs, pairs } = this.spec;
    if (loadedUs >= pairs * sliceUs) return Infinity;
    const pair = Math.floor(loadedUs / sliceUs);
    return this.startUs(pair) + loadedUs - pair * sliceUs;
  }

  #whenUs(timeUs: number, fromUs: number, lengthUs: number): number {
    if (timeUs >= this.spec.pairs * lengthUs) return Infinity;
    const pair = Math.max(0, Math.ceil(timeUs / lengthUs) - 1);
    return this.startUs(pair) + fromUs + timeUs - pair * lengthUs;
  }
}
