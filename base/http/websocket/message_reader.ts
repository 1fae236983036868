/**
 * A WebSocket client's reader (RFC 6455 §5 and §7). It turns octets, which may be split anywhere, into messages and
 * control frames. It does no I/O, and keeps no more than one incomplete message, within its limits. It is as strict as
 * browsers: the first frame that breaks a rule ends the WebSocket.
 */
import { beyond, type LimitName, LIMITS, oneMoreThan } from "../../limits.ts";
import type { KeptRoom } from "../kept.ts";
import { BINARY, CLOSE, CONTINUATION, MOST_CONTROL_BYTES, PING, PONG, TEXT } from "./frames.ts";
import { Utf8Check } from "./utf8_check.ts";

/** Receives the messages and control frames that a reader finds. The octets are valid only during the call. */
export interface MessageTaker {
  onMessage(isText: boolean, bytes: Uint8Array, from: number, to: number): void;
  onPing(bytes: Uint8Array, from: number, to: number): void;
  onPong(bytes: Uint8Array, from: number, to: number): void;
  /**
   * The peer closes the WebSocket. Nothing after this frame is read.
   * @param code 1005 if the frame has none (§7.1.5).
   */
  onClose(code: number, reason: string): void;
}

/** Why a WebSocket has to be closed, and the code to send (§7.4.1). */
export interface SocketProblem {
  readonly code: number;
  readonly reason: string;
}

/** Decompresses the payload of a message (RFC 7692 §7.2.2). */
export interface Inflater {
  /** Returns null if the payload is malformed. Throws a RangeError if the result would exceed the limit. */
  inflate(payload: Uint8Array, mostBytes: number): Uint8Array | null;
}

interface ReaderOptions {
  readonly room: KeptRoom;
  /** Limit of a message's bytes after decompression. */
  readonly limit: LimitName;
  /** Absent or null if no compression was agreed. */
  readonly inflater?: Inflater | null;
}

export const NORMAL = 1000;
export const PROTOCOL_ERROR = 1002;
export const NO_CODE = 1005;
export const NOT_UTF8 = 1007;
export const TOO_LARGE = 1009;

// Values of `#state`: the part of a frame that is read next.
const FIRST = 0;
const SECOND = 1;
const LENGTH = 2;
const PAYLOAD = 3;
const ENDED = 4;

const NO_BYTES = new Uint8Array(0);
/** Checks messages that arrive whole; shared by all readers. */
const wholeCheck = new Utf8Check();

export class MessageReader {
  /** The rule or limit that the peer broke; null if it broke none. */
  problem: SocketProblem | null = null;
  #state = FIRST;
  #opcode = CONTINUATION;
  #isLast = true;
  /** Octets of the frame's payload that have not arrived yet. While the length is being read, its value so far. */
  #left = 0;
  #lengthOctets = 0;
  /** The smallest length that needs as many length octets as the frame has. A smaller length breaks a rule (§5.2). */
  #leastLength = 0;
  /** TEXT or BINARY within a message; CONTINUATION between messages. */
  #message = CONTINUATION;
  #isCompressed = false;
  #kept: Uint8Array = NO_BYTES;
  #keptBytes = 0;
  /** Bytes that this reader has taken from the room. */
  #takenBytes = 0;
  #control: Uint8Array = NO_BYTES;
  #controlBytes = 0;
  /** Checks the UTF-8 of a text message that arrives in parts. */
  #check: Utf8Check | null = null;

  readonly #mostBytes: number;

  constructor(private readonly taker: MessageTaker, private readonly options: ReaderOptions) {
    this.#mostBytes = LIMITS[options.limit].most;
  }

  /** Whether the peer has closed the WebSocket or broken a rule, after which nothing more is read. */
  get hasEnded(): boolean {
    return this.#state === ENDED;
  }

  // hot: called for each read. Most reads bring exactly one frame, which is a whole message.
  read(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      switch (this.#state) {
        case FIRST:
          this.#takeFirst(bytes[at++]);
          break;
        case SECOND:
          this.#takeSecond(bytes[at++]);
          break;
        case LENGTH:
          this.#takeLength(bytes[at++]);
          break;
        case PAYLOAD:
          at = this.#takePayload(bytes, at, to);
          break;
        default:
          return;
      }
    }
  }

  /** Frees the reader's memory. Nothing more is read. */
  end(): void {
    this.#state = ENDED;
    this.#forget();
  }

  #takeFirst(byte: number): void {
    const opcode = byte & 0x0f;
    this.#opcode = opcode;
    this.#isLast = (byte & 0x80) !== 0;
    this.#state = SECOND;
    const isCompressed = (byte & 0x40) !== 0;
    if ((byte & 0x30) !== 0) return this.#break("a frame has reserved bits");
    const begins = opcode === TEXT || opcode === BINARY;
    if (isCompressed && !(begins && this.options.inflater)) {
      return this.#break("a frame has reserved bits");
    }
    if (begins) {
      if (this.#message !== CONTINUATION) {
        return this.#break("a message begins within another");
      }
      this.#message = opcode;
      this.#isCompressed = isCompressed;
    } else if (opcode === CONTINUATION) {
      if (this.#message === CONTINUATION) {
        this.#break("a continuation frame came without a message to continue");
      }
    } else if (opcode !== CLOSE && opcode !== PING && opcode !== PONG) {
      this.#break("a frame has an unknown opcode");
    } else if (!this.#isLast) this.#break("a control frame is fragmented");
  }

  #takeSecond(byte: number): void {
    if ((byte & 0x80) !== 0) return this.#break("a frame from the server is masked");
    const length = byte & 0x7f;
    if (this.#opcode >= CLOSE && length > MOST_CONTROL_BYTES) {
      return this.#break("a control frame has more than 125 octets");
    }
    if (length <= MOST_CONTROL_BYTES) return this.#begin(length);
    this.#left = 0;
    this.#lengthOctets = length === 126 ? 2 : 8;
    this.#state = LENGTH;
    this.#leastLength = length === 126 ? 126 : 0x1_0000;
  }

  #takeLength(byte: number): void {
    if (this.#lengthOctets === 8 && byte > 0x7f) {
      return this.#break("the length of a frame has its highest bit set");
    }
    this.#left = this.#left * 256 + byte;
    if (--this.#lengthOctets > 0) return;
    if (this.#left < this.#leastLength) {
      return this.#break("the length of a frame is not in its shortest form");
    }
    this.#begin(this.#left);
  }

  #begin(length: number): void {
    this.#left = length;
    this.#state = PAYLOAD;
    if (this.#opcode < CLOSE && this.#keptBytes + length > this.#mostBytes) {
      return this.#tooLarge();
    }
    if (length === 0) this.#takePayload(NO_BYTES, 0, 0);
  }

  #takePayload(bytes: Uint8Array, from: number, to: number): number {
    const at = Math.min(to, from + this.#left);
    const isWhole = at - from === this.#left;
    this.#left -= at - from;
    if (this.#opcode >= CLOSE) this.#takeControl(bytes, from, at, isWhole);
    else if (isWhole && this.#isLast && this.#keptBytes === 0 && this.#check === null) {
      this.#endMessage(bytes, from, at);
    } else if (this.#keep(bytes, from, at) && isWhole) {
      this.#state = FIRST;
      if (this.#isLast) this.#endMessage(this.#kept, 0, this.#keptBytes);
    }
    return at;
  }

  #takeControl(bytes: Uint8Array, from: number, to: number, isWhole: boolean): void {
    if (isWhole && this.#controlBytes === 0) return this.#endControl(bytes, from, to);
    if (this.#control.length === 0) this.#control = new Uint8Array(MOST_CONTROL_BYTES);
    this.#control.set(bytes.subarray(from, to), this.#controlBytes);
    this.#controlBytes += to - from;
    if (!isWhole) return;
    const length = this.#controlBytes;
    this.#controlBytes = 0;
    this.#endControl(this.#control, 0, length);
  }

  #endControl(bytes: Uint8Array, from: number, to: number): void {
    this.#state = FIRST;
    if (this.#opcode === PING) return this.taker.onPing(bytes, from, to);
    if (this.#opcode === PONG) return this.taker.onPong(bytes, from, to);
    this.#endByPeer(bytes, from, to);
  }

  #endByPeer(bytes: Uint8Array, from: number, to: number): void {
    if (to - from === 1) return this.#break("a close frame has only half of a code");
    const code = to === from ? NO_CODE : bytes[from] * 256 + bytes[from + 1];
    if (to > from && !mayBeSent(code)) {
      return this.#break(`a close frame has the code ${code}, which must not be sent`);
    }
    const reason = bytes.subarray(Math.min(to, from + 2), to);
    wholeCheck.begin();
    if (!wholeCheck.take(reason, 0, reason.length) || !wholeCheck.isWhole) {
      return this.#break("the reason of a close frame is not UTF-8", NOT_UTF8);
    }
    const text = new TextDecoder().decode(reason);
    this.end();
    this.taker.onClose(code, text);
  }

  /** Keeps a part of a message that does not arrive whole. Returns false if the message is invalid or too large. */
  #keep(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#message === TEXT && !this.#isCompressed) {
      this.#check ??= new Utf8Check();
      if (!this.#check.take(bytes, from, to)) {
        this.#break("a text is not UTF-8", NOT_UTF8);
        return false;
      }
    }
    const length = this.#keptBytes + to - from;
    if (length > this.#kept.length && !this.#grow(length)) {
      this.#tooLarge("keptBodies");
      return false;
    }
    this.#kept.set(bytes.subarray(from, to), this.#keptBytes);
    this.#keptBytes = length;
    return true;
  }

  #grow(leastBytes: number): boolean {
    const bytes = Math.min(Math.max(leastBytes, 2 * this.#kept.length), this.#mostBytes);
    if (!this.options.room.take(bytes - this.#takenBytes)) return false;
    this.#takenBytes = bytes;
    const larger = new Uint8Array(bytes);
    larger.set(this.#kept.subarray(0, this.#keptBytes));
    this.#kept = larger;
    return true;
  }

  #endMessage(bytes: Uint8Array, from: number, to: number): void {
    const isText = this.#message === TEXT;
    const check = this.#check;
    const isCompressed = this.#isCompressed;
    this.#state = FIRST;
    this.#forget();
    if (isCompressed) return this.#inflate(isText, bytes.subarray(from, to));
    if (isText) {
      if (check === null) wholeCheck.begin();
      const isRight = check === null
        ? wholeCheck.take(bytes, from, to) && wholeCheck.isWhole
        : check.isWhole;
      if (!isRight) return this.#break("a text is not UTF-8", NOT_UTF8);
    }
    this.taker.onMessage(isText, bytes, from, to);
  }

  #inflate(isText: boolean, payload: Uint8Array): void {
    let bytes: Uint8Array | null;
    try {
      bytes = this.options.inflater?.inflate(payload, this.#mostBytes) ?? null;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return this.#tooLarge();
    }
    if (bytes === null) return this.#break("a message cannot be inflated", NOT_UTF8);
    wholeCheck.begin();
    if (isText && !(wholeCheck.take(bytes, 0, bytes.length) && wholeCheck.isWhole)) {
      return this.#break("a text is not UTF-8", NOT_UTF8);
    }
    this.taker.onMessage(isText, bytes, 0, bytes.length);
  }

  #forget(): void {
    if (this.#takenBytes > 0) this.options.room.giveBack(this.#takenBytes);
    this.#kept = NO_BYTES;
    this.#takenBytes = this.#keptBytes = 0;
    this.#message = CONTINUATION;
    this.#check = null;
  }

  #tooLarge(limit = this.options.limit): void {
    this.#break(beyond(limit, oneMoreThan(limit)), TOO_LARGE);
  }

  #break(reason: string, code = PROTOCOL_ERROR): void {
    this.problem = { code, reason };
    this.end();
  }
}

/** Whether a close frame may carry the code: a code of RFC 6455 §7.4 or IANA's registry, or an application's own. */
export function mayBeSent(code: number): boolean {
  if (code >= 3000) return code <= 4999;
  return code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code);
}
