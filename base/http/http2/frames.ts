/**
 * Reads and writes frames of HTTP/2 (RFC 9113 §4 and §6). Content of DATA frames is handed on as it arrives, without a
 * copy; any other frame is handed on whole.
 */
import { putOctets } from "../octets.ts";

// Frame types (§6).
export const DATA = 0;
export const HEADERS = 1;
export const PRIORITY = 2;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PUSH_PROMISE = 5;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;

// Flags.
export const END_STREAM = 0x01;
export const ACK = 0x01;
export const END_HEADERS = 0x04;
export const PADDED = 0x08;
export const HAS_PRIORITY = 0x20;

/** Names of the error codes, in the order of their numbers (§7). */
export const ERROR_CODES = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** The name of an error code, or its number if the RFC has no name for it. */
export function nameOfCode(code: number): string {
  return ERROR_CODES[code] ?? `error ${code}`;
}

/** Thrown when a connection can't go on (§5.4.1); the message says why. */
export class ConnectionError extends Error {
  constructor(readonly code: ErrorCode, message: string) {
    super(message);
  }
}

export function numberOfCode(code: ErrorCode): number {
  return ERROR_CODES.indexOf(code);
}

const HEAD_BYTES = 9;
/** Default limit of a frame's payload, which our SETTINGS do not change (§4.2). */
export const MAX_FRAME_BYTES = 16_384;

// Values of `FrameReader.found`.
export const NOTHING = 0;
/** `payload[from, to)` is content of a DATA frame, perhaps empty. If `isLast`, it is the end of that frame. */
export const CONTENT = 1;
/** `payload[from, to)` is a whole frame without its padding. */
export const FRAME = 2;
/** The current frame exceeds MAX_FRAME_BYTES. */
export const TOO_LONG = 3;
export const BAD_PADDING = 4;

const NO_OCTETS: Uint8Array<ArrayBuffer> = new Uint8Array(0);

export class FrameReader {
  found = NOTHING;
  type = 0;
  flags = 0;
  stream = 0;
  /** Size of the payload in bytes, including padding, as flow control counts it. */
  length = 0;
  payload: Uint8Array = NO_OCTETS;
  from = 0;
  to = 0;
  isLast = false;

  readonly #head = new Uint8Array(HEAD_BYTES);
  #headBytes = 0;
  /** Bytes of the payload that have not arrived yet. */
  #leftBytes = 0;
  /** Bytes of padding at the end of the payload; −1 until the octet with that number has arrived. */
  #padBytes = 0;
  /** Collects a payload that arrives in pieces. */
  #gathered: Uint8Array = NO_OCTETS;

  /** Whether only a part of a frame has arrived so far. */
  get isWithin(): boolean {
    return this.#headBytes > 0;
  }

  // hot: returns the offset after the octets read; `found` tells what they are.
  next(bytes: Uint8Array, from: number, to: number): number {
    this.found = NOTHING;
    let at = from;
    if (this.#headBytes < HEAD_BYTES) {
      at = this.#readHead(bytes, from, to);
      if (this.#headBytes < HEAD_BYTES || this.found !== NOTHING) return at;
    }
    return this.type === DATA ? this.#readData(bytes, at, to) : this.#readWhole(bytes, at, to);
  }

  // hot: reads a frame's head, which nearly always arrives whole.
  #readHead(bytes: Uint8Array, from: number, to: number): number {
    if (this.#headBytes === 0 && to - from >= HEAD_BYTES) {
      this.#takeHead(bytes, from);
      return from + HEAD_BYTES;
    }
    const head = this.#head;
    let at = from;
    while (this.#headBytes < HEAD_BYTES && at < to) head[this.#headBytes++] = bytes[at++];
    if (this.#headBytes === HEAD_BYTES) this.#takeHead(head, 0);
    return at;
  }

  #takeHead(head: Uint8Array, at: number): void {
    this.#headBytes = HEAD_BYTES;
    this.length = head[at] << 16 | head[at + 1] << 8 | head[at + 2];
    this.type = head[at + 3];
    this.flags = head[at + 4];
    this.stream = (head[at + 5] & 0x7f) << 24 | head[at + 6] << 16 | head[at + 7] << 8 |
      head[at + 8];
    this.#leftBytes = this.length;
    this.#padBytes = this.type === DATA && (this.flags & PADDED) !== 0 ? -1 : 0;
    if (this.length > MAX_FRAME_BYTES) this.found = TOO_LONG;
  }

  // hot
  #readData(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    if (this.#padBytes < 0) {
      if (this.#leftBytes === 0) return this.#refusePadding(at);
      if (at === to) return at;
      this.#padBytes = bytes[at++];
      if (this.#padBytes > --this.#leftBytes) return this.#refusePadding(at);
    }
    const end = Math.min(to, at + this.#leftBytes);
    this.#leftBytes -= end - at;
    this.payload = bytes;
    this.from = at;
    // The padding ends the frame. If it is longer than `#leftBytes`, the bytes still to come, its
    // beginning has arrived at the end of these bytes.
    this.to = Math.max(at, end - Math.max(0, this.#padBytes - this.#leftBytes));
    this.isLast = this.#leftBytes === 0;
    if (this.isLast) this.#headBytes = 0;
    if (this.isLast || this.to > at) this.found = CONTENT;
    return end;
  }

  #refusePadding(at: number): number {
    this.found = BAD_PADDING;
    return at;
  }

  #readWhole(bytes: Uint8Array, from: number, to: number): number {
    const end = Math.min(to, from + this.#leftBytes);
    const isWhole = this.#leftBytes === this.length && end - from === this.length;
    if (isWhole) this.#hand(bytes, from);
    else this.#gather(bytes, from, end);
    return end;
  }

  #gather(bytes: Uint8Array, from: number, to: number): void {
    if (this.#gathered.length < this.length) this.#gathered = new Uint8Array(this.length);
    this.#gathered.set(bytes.subarray(from, to), this.length - this.#leftBytes);
    this.#leftBytes -= to - from;
    if (this.#leftBytes === 0) this.#hand(this.#gathered, 0);
  }

  #hand(payload: Uint8Array, from: number): void {
    this.#headBytes = 0;
    this.found = FRAME;
    this.payload = payload;
    this.from = from;
    this.to = from + this.length;
    const isPadded = (this.type === HEADERS || this.type === PUSH_PROMISE) &&
      (this.flags & PADDED) !== 0;
    if (!isPadded) return;
    this.to -= this.length === 0 ? 0 : payload[this.from++];
    if (this.length === 0 || this.to < this.from) this.found = BAD_PADDING;
  }
}

/** Reads a 32-bit unsigned number. */
export function numberAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]) >>> 0;
}

const FIRST_BYTES = 256;
/**
 * A connection's buffer doubles up to this size while frames are added faster than they are sent. Beyond this size, it
 * grows only to twice the length of the frames in it.
 */
const CHUNK_BYTES = 4_096;

class FrameBuffer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /**
   * The last view that began at 0, kept because the frames that are sent together often have the same length as before.
   */
  #view = NO_OCTETS;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
  }

  view(from: number, to: number): Uint8Array<ArrayBuffer> {
    if (from > 0) return this.bytes.subarray(from, to);
    if (this.#view.length !== to) this.#view = this.bytes.subarray(0, to);
    return this.#view;
  }
}

const NO_BUFFER = new FrameBuffer(0);

/**
 * Buffers for frames. A connection takes one only while it has something to send. It usually gets the buffer that
 * another connection has just released, and that is still in the processor's caches.
 */
export class FrameBuffers {
  readonly #free: FrameBuffer[] = [];

  take(leastBytes: number): FrameBuffer {
    const buffer = this.#free.pop();
    return buffer !== undefined && buffer.bytes.length >= leastBytes
      ? buffer
      : new FrameBuffer(Math.max(FIRST_BYTES, leastBytes));
  }

  giveBack(buffer: FrameBuffer): void {
    this.#free.push(buffer);
  }
}

/** Collects frames that are sent together. */
export class FrameWriter {
  #buffer = NO_BUFFER;
  /**
   * Where the waiting octets begin. The octets before this offset were handed over for sending, so they must not
   * change.
   */
  #from = 0;
  /** Number of octets that wait to be sent. */
  length = 0;
  /** Octets of all frames written so far. */
  writtenBytes = 0;
  /** Number of HEADERS frames since `countAnew` was called. */
  requests = 0;
  /** Number of frames other than HEADERS, DATA and CONTINUATION since `countAnew` was called. */
  replies = 0;

  /** @param buffers Shared buffers. Default: the writer has its own. */
  constructor(private readonly buffers = new FrameBuffers()) {}

  /** Takes the octets that wait to be sent. They are valid until `reuse` is called. */
  take(): Uint8Array<ArrayBuffer> {
    const from = this.#from;
    this.#from += this.length;
    this.length = 0;
    return this.#buffer.view(from, this.#from);
  }

  // hot: gives the buffer back, unless octets still wait in it. Called when all octets that were
  // handed over have been sent.
  reuse(): void {
    if (this.length > 0) return;
    this.#from = 0;
    if (this.#buffer !== NO_BUFFER) this.buffers.giveBack(this.#buffer);
    this.#buffer = NO_BUFFER;
  }

  countAnew(): void {
    this.requests = this.replies = 0;
  }

  // hot: writes a frame whose payload is `payload[from, to)`.
  frame(
    type: number,
    flags: number,
    stream: number,
    payload: Uint8Array = NO_OCTETS,
    from = 0,
    to = payload.length,
  ): void {
    const length = to - from;
    const at = this.#room(HEAD_BYTES + length);
    const { bytes } = this.#buffer;
    bytes[at] = length >> 16;
    bytes[at + 1] = length >> 8;
    bytes[at + 2] = length;
    bytes[at + 3] = type;
    bytes[at + 4] = flags;
    putNumber(bytes, at + 5, stream);
    putOctets(bytes, at + HEAD_BYTES, payload, from, to);
    if (type === HEADERS) this.requests++;
    else if (type !== DATA && type !== CONTINUATION) this.replies++;
  }

  /** Appends octets that are not a frame, such as the connection preface. */
  raw(octets: Uint8Array): void {
    const at = this.#room(octets.length);
    this.#buffer.bytes.set(octets, at);
  }

  // hot
  #room(length: number): number {
    const at = this.#from + this.length;
    if (at + length > this.#buffer.bytes.length) this.#renew(this.length + length);
    this.length += length;
    this.writtenBytes += length;
    return this.#from + this.length - length;
  }

  /**
   * Moves the waiting octets to a buffer at least twice as long as they are, so that appending frames rarely needs a
   * move.
   */
  #renew(leastBytes: number): void {
    const { bytes } = this.#buffer;
    const chunkBytes = Math.min(CHUNK_BYTES, 2 * bytes.length);
    const buffer = this.buffers.take(Math.max(chunkBytes, 2 * leastBytes));
    buffer.bytes.set(bytes.subarray(this.#from, this.#from + this.length));
    this.#buffer = buffer;
    this.#from = 0;
  }
}

function putNumber(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function numbers(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4 * values.length);
  values.forEach((value, i) => putNumber(bytes, 4 * i, value));
  return bytes;
}

/** The payload of SETTINGS (§6.5.1): for each setting, a 16-bit identifier and a 32-bit value. */
export function settingsPayload(settings: Iterable<readonly [number, number]>): Uint8Array {
  return Uint8Array.from(
    [...settings].flatMap(([id, value]) => [id >> 8, id & 0xff, ...numbers(value)]),
  );
}
