/**
 * Messages of a WebSocket (RFC 6455 §5), as a client sends and reads them, within a limit: the runtime's own client
 * collects a message of any length. Pure.
 */
import { Buffer } from "node:buffer";
import { beyond, isWithin, type LimitName, oneMoreThan } from "../limits.ts";

const CONTINUATION = 0;
const TEXT = 1;
const CLOSE = 8;
/** Ping and pong, too: frames of at most this many bytes, which stand alone. */
const MOST_CONTROL = 125;

/** One text as one frame. @param mask Four bytes that nobody can foresee (§5.3). */
export function textFrame(text: string, mask: Uint8Array): Uint8Array<ArrayBuffer> {
  const payload = new TextEncoder().encode(text);
  const length = payload.length > 65_535 ? 8 : payload.length > MOST_CONTROL ? 2 : 0;
  const frame = new Uint8Array(2 + length + 4 + payload.length);
  const view = new DataView(frame.buffer);
  frame[0] = 0x80 | TEXT;
  frame[1] = 0x80 | (length === 8 ? 127 : length === 2 ? 126 : payload.length);
  if (length === 2) view.setUint16(2, payload.length);
  if (length === 8) view.setBigUint64(2, BigInt(payload.length));
  frame.set(mask, 2 + length);
  payload.forEach((byte, at) => frame[6 + length + at] = byte ^ mask[at % 4]);
  return frame;
}

/** Reads what a server sends. */
export class MessageReader {
  /** Bytes of a frame's head that have come. */
  #head = new Uint8Array();
  /** Of the payload that follows; null where a head does. */
  #left: number | null = null;
  #opcode = TEXT;
  #isLast = true;
  /** The message so far, with room for more of it. */
  #message = new Uint8Array();
  #messageBytes = 0;
  /** With those of the frames that are still to come. */
  #announcedBytes = 0;
  isClosed = false;

  constructor(private readonly limit: LimitName) {}

  /** The whole messages that have come. Throws an Error where they are none, or too long. */
  take(bytes: Uint8Array): string[] {
    const messages: string[] = [];
    for (let at = 0; at < bytes.length && !this.isClosed;) {
      if (this.#left === null) {
        at += this.#takeHead(bytes.subarray(at));
      } else {
        const part = bytes.subarray(at, at + this.#left);
        at += part.length;
        this.#left -= part.length;
        if (this.#opcode < CLOSE) this.#append(part);
      }
      if (this.#left === 0) messages.push(...this.#endFrame());
    }
    return messages;
  }

  /** Gives how many bytes it took. */
  #takeHead(bytes: Uint8Array): number {
    const before = this.#head.length;
    const known = Buffer.concat([this.#head, bytes.subarray(0, MOST_HEAD - before)]);
    const length = known.length < 2 ? 2 : headLengthOf(known);
    if (known.length < length) {
      this.#head = known;
      return known.length - before;
    }
    this.#head = new Uint8Array();
    this.#beginFrame(known);
    return length - before;
  }

  #beginFrame(head: Buffer): void {
    const opcode = head[0] & 0x0f;
    const isControl = opcode >= CLOSE;
    const payload = payloadLengthOf(head);
    if ((head[0] & 0x70) !== 0 || (head[1] & 0x80) !== 0 || (isControl && payload > MOST_CONTROL)) {
      throw new Error("it sends frames that are not those of a WebSocket");
    }
    this.#left = payload;
    this.#isLast = (head[0] & 0x80) !== 0;
    this.#opcode = opcode;
    if (isControl) return;
    if (opcode !== CONTINUATION) this.#forget();
    this.#announcedBytes += payload;
    if (isWithin(this.limit, this.#announcedBytes)) return;
    throw new Error(beyond(this.limit, oneMoreThan(this.limit)));
  }

  #endFrame(): string[] {
    this.#left = null;
    if (this.#opcode === CLOSE) this.isClosed = true;
    if (this.#opcode >= CLOSE || !this.#isLast) return [];
    const text = new TextDecoder().decode(this.#message.subarray(0, this.#messageBytes));
    this.#forget();
    return [text];
  }

  #append(part: Uint8Array): void {
    const bytes = this.#messageBytes + part.length;
    if (bytes > this.#message.length) {
      const larger = new Uint8Array(2 * bytes);
      larger.set(this.#message.subarray(0, this.#messageBytes));
      this.#message = larger;
    }
    this.#message.set(part, this.#messageBytes);
    this.#messageBytes = bytes;
  }

  #forget(): void {
    this.#message = new Uint8Array();
    this.#messageBytes = 0;
    this.#announcedBytes = 0;
  }
}

/** Without a mask, which servers do not use. */
const MOST_HEAD = 10;

function headLengthOf(head: Buffer): number {
  const short = head[1] & 0x7f;
  return short === 127 ? 10 : short === 126 ? 4 : 2;
}

function payloadLengthOf(head: Buffer): number {
  const short = head[1] & 0x7f;
  if (short === 127) return Number(head.readBigUInt64BE(2));
  return short === 126 ? head.readUInt16BE(2) : short;
}
