/**
 * Random 32-bit words for the masks of frames and the nonces of handshakes (RFC 6455 §5.3), from a generator whose
 * unpredictable seed comes from the system. Taking every word from the system would cost more time than the rest of the
 * frame, and is not needed, because no attacker chooses the messages of a load.
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
