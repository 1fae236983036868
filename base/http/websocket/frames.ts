/**
 * Writes the frames of a WebSocket client (RFC 6455 §5.2): masked, in place, into the caller's buffer. Pure: masks are
 * arguments.
 */

// Opcodes.
export const CONTINUATION = 0;
export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

/** Flags in a frame's first byte: LAST if it is the last of its message, COMPRESSED if the message is (RFC 7692 §6). */
export const LAST = 0x80;
export const COMPRESSED = 0x40;
const MASKED = 0x80;

/**
 * Largest payload of a control frame (§5.5), and the largest length that a frame's 7-bit length field can give by
 * itself: 126 and 127 announce a longer field.
 */
export const MOST_CONTROL_BYTES = 125;
const TWO_OCTETS = 126;
const EIGHT_OCTETS = 127;
const MASK_BYTES = 4;

/** Size of the head of a client's frame, in bytes. */
export function headBytes(payloadBytes: number): number {
  if (payloadBytes <= MOST_CONTROL_BYTES) return 2 + MASK_BYTES;
  return (payloadBytes <= 0xffff ? 4 : 10) + MASK_BYTES;
}

/**
 * Writes the head of a masked frame, and returns the offset of its payload.
 * @param first The opcode, combined with LAST and COMPRESSED.
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

/** A payload of this size or more is masked by whole words, because only then is a view worth its cost. */
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
  // The view has the machine's byte order, so the mask in that order is taken from the first word.
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

/** A whole frame in its own buffer, for frames that are sent rarely. */
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

/** The payload of a close frame (RFC 6455 §5.5.1) that gives no reason beyond its code. */
export function closePayload(code: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(code >>> 8, code);
}
