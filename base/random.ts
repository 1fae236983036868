/** Random choices that are the same for the same seed. */
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import type { RandomGenerator } from "pure-rand/types/RandomGenerator";

/** A random whole number from `least` to `most`, all equally likely. */
export type Draw = (least: number, most: number) => number;

/** The uses of a seed. Each has its own stream of random numbers. */
const STREAMS = { draws: 0, arrivals: 1, simulations: 2, thinking: 3, scripts: 4 } as const;

/** 2³² over the golden ratio: the step between hashed values (G. L. Steele and others, 2014, SplitMix). */
const GOLDEN = 0x9e3779b9;

/**
 * Random numbers from a seed of 32 bits. All 128 bits of the state are hashed from the seed and its use. A generator
 * that starts from the bare seed would produce similar numbers for a while for neighbouring seeds, and equal ones for
 * two uses of one seed. The authors of xoroshiro demand such hashing (D. Blackman and S. Vigna, 2021, §9).
 */
export function streamBy(seed: number, stream: keyof typeof STREAMS): RandomGenerator {
  const words = [0, 1, 2, 3].map((at) => hashed(hashed(seed, at), 4 * STREAMS[stream] + at));
  return xoroshiro128plusFromState(words);
}

/** Mixes two numbers, so that neighbours of either give unrelated results. */
function hashed(value: number, salt: number): number {
  return finalized(value + Math.imul(GOLDEN, salt + 1));
}

/**
 * A bijection in which each bit of the input affects every bit of the result (A. Appleby, 2011, MurmurHash3's 32-bit
 * finalizer).
 */
function finalized(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ bits >>> 16, 0x85ebca6b);
  bits = Math.imul(bits ^ bits >>> 13, 0xc2b2ae35);
  return bits ^ bits >>> 16;
}

export function drawBy(seed: number): Draw {
  const random = streamBy(seed, "draws");
  return (least, most) => uniformInt(random, least, most);
}

/**
 * Derives one of many seeds from a seed, for example a seed for each repetition or worker. Hashed, because with plain
 * sums two neighbouring seeds would share all derived seeds but one.
 */
export function derivedSeed(seed: number, which: number): number {
  return hashed(hashed(seed, 0), which) >>> 0;
}

/** Fisher–Yates shuffle of a copy. */
export function shuffled<T>(items: readonly T[], draw: Draw): T[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = draw(0, last);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

/**
 * FNV-1a of 32 bits over a text's UTF-8 (G. Fowler, L. C. Noll and K.-P. Vo, 1991): similar texts give unrelated
 * numbers. Two texts may have the same number.
 */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
