/** Random numbers for simulations of billions of requests: some nanoseconds each, from a seed. */
const BITS = 16;
const TABLE = Float64Array.from(
  { length: 2 ** BITS },
  // Quantiles of an exponential in the middles of equal parts: their mean is within 1e-5 of 1.
  (_, i) => -Math.log((i + 0.5) / 2 ** BITS),
);

/** A generator by G. Marsaglia's xorshift of 32 bits (2003). */
export class FastRandom {
  #bits: number;

  constructor(seed: number) {
    // Mixed, so that neighbouring seeds do not make similar streams.
    this.#bits = Math.imul(seed + 1, 0x9e3779b1) ^ 0x5bd1e995 || 1;
    for (let i = 0; i < 16; i++) this.#next();
  }

  #next(): number {
    let bits = this.#bits;
    bits ^= bits << 13;
    bits ^= bits >>> 17;
    bits ^= bits << 5;
    return this.#bits = bits;
  }

  /** Draws an exponentially distributed number with mean 1. */
  exponential(): number {
    return TABLE[this.#next() >>> (32 - BITS)];
  }

  /** Draws a number from 0 to 1. */
  uniform(): number {
    return (this.#next() >>> 0) / 2 ** 32;
  }

  /** Draws a standard normal number (G. E. P. Box and M. E. Muller, 1958). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }
}
