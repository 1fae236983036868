/**
 * Frames of a WebSocket (RFC 6455 §5.2) as a client writes them: masked, in place, into the caller's buffer. Pure: the
 * masks are arguments.
 */

// Opcodes.
export const CONTINUATION = 0;
export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

/** Bits of the first byte: the last frame of its message, and a compressed message (RFC 7692 §6). */
export const LAST = 0x80;
export const COMPRESSED = 0x40;
const MASKED = 0x80;

/** The most that a control frame may hold (§5.5), and that a 7-bit length can express. */
export const MOST_CONTROL_BYTES = 125;
const TWO_OCTETS = 126;
const EIGHT_OCTETS = 127;
const MASK_BYTES = 4;

/** Size of the head of a client's frame with this many bytes of payload. */
export function headBytes(payloadBytes: number): number {
  if (payloadBytes <= MOST_CONTROL_BYTES) return 2 + MASK_BYTES;
  return (payloadBytes <= 0xffff ? 4 : 10) + MASK_BYTES;
}

/**
 * Writes the head of a masked frame; returns the offset of the payload.
 * @param first Opcode with LAST and COMPRESSED.
 * @param mask 32 bits that no intermediary can predict (§5.3).
 */
export function writeHead(
  into: Uint8Array,
  from: number,
  first: number,
  payloadBytes: number,
  mask: number,
): number {
  let at = from;
  into[at++] = first;
  if (payloadBytes <= MOST_CONTROL_BYTES) into[at++] = MASKED | payloadBytes;
  else if (payloadBytes <= 0xffff) {
    into[at++] = MASKED | TWO_OCTETS;
    into[at++] = payloadBytes >>> 8;
    into[at++] = payloadBytes;
  } else {
    into[at++] = MASKED | EIGHT_OCTETS;
    at = writeUint32(into, at, Math.floor(payloadBytes / 2 ** 32));
    at = writeUint32(into, at, payloadBytes % 2 ** 32);
  }
  return writeUint32(into, at, mask);
}

function writeUint32(into: Uint8Array, at: number, value: number): number {
  into[at] = value >>> 24;
  into[at + 1] = value >>> 16;
  into[at + 2] = value >>> 8;
  into[at + 3] = value;
  return at + 4;
}

/** For payloads of this size or more, masking whole words is worth the cost of a view. */
const MANY_BYTES = 256;

/** Masks or unmasks `bytes[from, to)` in place, four octets at a time if there are many (§5.3). */
export function maskPayload(bytes: Uint8Array, from: number, to: number, mask: number): void {
  if (to - from < MANY_BYTES) return maskEach(bytes, from, to, mask);
  const lead = (4 - (bytes.byteOffset + from) % 4) % 4;
  maskEach(bytes, from, from + lead, mask);
  const turned = lead === 0 ? mask : (mask << (8 * lead)) | (mask >>> (32 - 8 * lead));
  const words = (to - from - lead) >>> 2;
  const all = new DataView(bytes.buffer, bytes.byteOffset + from + lead, 4 * words);
  const word = all.getUint32(0) ^ turned;
  // The byte order of a word is the machine's, so the mask is converted through the first word.
  const view = new Uint32Array(bytes.buffer, bytes.byteOffset + from + lead, words);
  const first = view[0];
  all.setUint32(0, word);
  const own = first ^ view[0];
  for (let i = 1; i < words; i++) view[i] ^= own;
  maskEach(bytes, from + lead + 4 * words, to, turned);
}

function maskEach(bytes: Uint8Array, from: number, to: number, mask: number): void {
  for (let at = from, shift = 24; at < to; at++, shift = (shift - 8) & 31) {
    bytes[at] ^= mask >>> shift;
  }
}

/** A whole frame in a buffer of its own, for frames that are sent rarely. */
export function clientFrame(
  first: number,
  payload: Uint8Array,
  mask: number,
): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(headBytes(payload.length) + payload.length);
  const at = writeHead(frame, 0, first, payload.length, mask);
  frame.set(payload, at);
  maskPayload(frame, at, frame.length, mask);
  return frame;
}

/** The payload of a close frame (§5.5.1); the reason is cut to 123 octets. */
export function closePayload(code: number, reason = ""): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(reason).subarray(0, MOST_CONTROL_BYTES - 2);
  const payload = new Uint8Array(2 + text.length);
  payload[0] = code >>> 8;
  payload[1] = code;
  payload.set(text, 2);
  return payload;
}
