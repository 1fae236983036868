/**
 * Digests for scripts. HMAC (RFC 2104) is computed here from two digests, because the runtime's own HMAC takes three
 * times as long, and scripts may sign every request. Pure.
 */
import { hash } from "node:crypto";

/** Block size of each algorithm in octets (RFC 6234 §1, RFC 1321). */
const BLOCK_BYTES = new Map([
  ["md5", 64],
  ["sha1", 64],
  ["sha224", 64],
  ["sha256", 64],
  ["sha384", 128],
  ["sha512", 128],
]);

const INNER = 0x36;
const OUTER = 0x5c;

/** The HMAC in hex. Throws if the algorithm is unknown. */
export function hmacHex(algorithm: string, key: Uint8Array, content: Uint8Array): string {
  const block = BLOCK_BYTES.get(algorithm.toLowerCase());
  if (block === undefined) {
    const known = [...BLOCK_BYTES.keys()].join(", ");
    throw new TypeError(`there is no algorithm ${JSON.stringify(algorithm)}: use one of ${known}`);
  }
  const short = key.length > block ? digest(algorithm, key) : key;
  const inner = digest(algorithm, padded(short, block, INNER, content));
  return hash(algorithm, padded(short, block, OUTER, inner), "hex");
}

export function sha256Hex(content: Uint8Array): string {
  return hash("sha256", content, "hex");
}

function digest(algorithm: string, content: Uint8Array): Uint8Array {
  return hash(algorithm, content, "buffer");
}

/** The key filled up to a block and XORed with a pad, followed by the content. */
function padded(key: Uint8Array, block: number, pad: number, content: Uint8Array): Uint8Array {
  const whole = new Uint8Array(block + content.length);
  whole.set(key);
  for (let at = 0; at < block; at++) whole[at] ^= pad;
  whole.set(content, block);
  return whole;
}
