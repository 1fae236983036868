/**
 * Random 32-bit words for the masks of frames and the nonces of handshakes (RFC 6455 §5.3), from a generator with an
 * unpredictable seed from the system. The system's own random numbers would cost a load generator more than the frame,
 * and a load, whose messages are all its own, has no attacker behind it.
 */

/** Xoshiro128** (D. Blackman and S. Vigna, 2021). @param seed Four words, not all of them 0. */
export function masksBy(seed: Uint32Array): () => number {
  let [a, b, c, d] = seed;
  return () => {
    const result = Math.imul(rotated(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotated(d, 11);
    return result;
  };
}

function rotated(word: number, by: number): number {
  return word << by | word >>> (32 - by);
}
