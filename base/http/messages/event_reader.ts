/**
 * Reads event streams, `text/event-stream` (WHATWG HTML, section 9.2, "Server-sent events"): takes octets, which may be
 * split anywhere, and reports events. No I/O. Data stays in octets until somebody needs it as text, so a UTF-8
 * character may be split between reads or buffers.
 */
import { type LimitName, LIMITS } from "../../limits.ts";
import type { KeptRoom } from "../kept.ts";
import { LineReader, type LineTaker } from "./line_reader.ts";

export interface EventTaker {
  /**
   * Receives an event: its name (`message` unless the stream gives another) and its data, which is valid during the
   * call.
   */
  onEvent(name: string, data: Uint8Array<ArrayBuffer>): void;
}

export const UNNAMED = "message";

const LF = 10;
const COLON = 58;
const SPACE = 32;
const BOM = [0xef, 0xbb, 0xbf] as const;
const NO_BYTES = new Uint8Array(0);
/** Keeps a byte order mark, which is an ordinary character within the stream. */
const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });
/** A larger buffer is not kept for the next event. */
const FREE_BYTES = 512;
/** Longer names are cut, because they become labels of figures. */
const MOST_NAME_BYTES = 200;

export class EventReader implements LineTaker {
  /** Identifier of the last event that had one, which is sent as Last-Event-ID; "" if there is none. */
  lastEventId = "";
  /** How long the server wants a client to wait before reconnecting, in ms; null if it has not said. */
  retryMs: number | null = null;
  /** Bytes of a byte order mark that have arrived; −1 if there is none, or once all of it was read. */
  #bom = 0;
  #name = UNNAMED;
  #id: string | null = null;
  /** Whether the event has data; a bare `data` line counts as empty data. */
  #hasData = false;
  #data: Uint8Array<ArrayBuffer> = NO_BYTES;
  #length = 0;
  #exceeded: LimitName | null = null;
  readonly #lines: LineReader;

  constructor(
    private readonly taker: EventTaker,
    private readonly room: KeptRoom,
    private readonly mostBytes: number = LIMITS.streamMessage.most,
  ) {
    this.#lines = new LineReader(this, "any", room, mostBytes);
  }

  /** The limit that an event exceeded: its own, or that of the room. No more events are reported then. */
  get exceeded(): LimitName | null {
    return this.#exceeded ?? this.#lines.exceeded;
  }

  read(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (this.#bom >= 0 && at < to) {
      if (bytes[at] !== BOM[this.#bom]) {
        // An incomplete byte order mark is ordinary text.
        this.#lines.read(Uint8Array.from(BOM), 0, this.#bom);
        this.#bom = -1;
      } else {
        at++;
        this.#bom = this.#bom === 2 ? -1 : this.#bom + 1;
      }
    }
    if (at < to && this.#exceeded === null) this.#lines.read(bytes, at, to);
  }

  /** Takes the end of the response. An event that no empty line completes is discarded, as the standard requires. */
  end(): void {
    this.clear();
  }

  /** Forgets an incomplete event, and with it an identifier that no empty line has confirmed. */
  clear(): void {
    this.#lines.clear();
    this.#reset();
    this.#id = null;
    this.#drop();
    this.#bom = 0;
  }

  onLine(bytes: Uint8Array, from: number, to: number): void {
    if (from === to) return this.#dispatch();
    let colon = from;
    while (colon < to && bytes[colon] !== COLON) colon++;
    if (colon === from) return; // a comment
    const value = colon + 1 < to && bytes[colon + 1] === SPACE ? colon + 2 : colon + 1;
    this.#field(bytes, colon - from, { from, value: Math.min(value, to), to });
  }

  #field(
    bytes: Uint8Array,
    length: number,
    { from, value, to }: { readonly from: number; readonly value: number; readonly to: number },
  ): void {
    if (length === 4 && isNamed(bytes, from, "data")) this.#addData(bytes, value, to);
    else if (length === 5 && isNamed(bytes, from, "event")) {
      const cut = Math.min(to, value + MOST_NAME_BYTES);
      this.#name = TEXT.decode(bytes.subarray(value, cut)) || UNNAMED;
    } else if (length === 2 && isNamed(bytes, from, "id")) {
      if (to - value > LIMITS.lastEventId.most) return; // too long for the head of a request
      const id = TEXT.decode(bytes.subarray(value, to));
      if (!id.includes("\0")) this.#id = id;
    } else if (length === 5 && isNamed(bytes, from, "retry")) {
      const digits = TEXT.decode(bytes.subarray(value, to));
      if (/^\d{1,15}$/.test(digits)) this.retryMs = Number(digits);
    }
  }

  #addData(bytes: Uint8Array, from: number, to: number): void {
    const length = this.#length + to - from + 1;
    if (length > this.mostBytes) this.#exceeded = "streamMessage";
    else if (length > this.#data.length && !this.#grow(length)) this.#exceeded = "keptBodies";
    if (this.#exceeded !== null) return this.#drop();
    this.#data.set(bytes.subarray(from, to), this.#length);
    this.#data[length - 1] = LF;
    this.#length = length;
    this.#hasData = true;
  }

  #grow(leastBytes: number): boolean {
    const wanted = Math.max(leastBytes, Math.min(2 * this.#data.length, this.mostBytes));
    const more = Math.max(wanted, FREE_BYTES) - Math.max(this.#data.length, FREE_BYTES);
    if (!this.room.take(more)) return false;
    const larger = new Uint8Array(wanted);
    larger.set(this.#data.subarray(0, this.#length));
    this.#data = larger;
    return true;
  }

  /** Reports the event, unless it has no data. The last line end of the data is left out. */
  #dispatch(): void {
    if (this.#id !== null) this.lastEventId = this.#id;
    if (this.#hasData && this.#exceeded === null) {
      this.taker.onEvent(this.#name, this.#data.subarray(0, this.#length - 1));
    }
    this.#reset();
    this.#drop();
  }

  #reset(): void {
    this.#name = UNNAMED;
    this.#hasData = false;
    this.#length = 0;
  }

  #drop(): void {
    this.#length = 0;
    if (this.#data.length <= FREE_BYTES) return;
    this.room.giveBack(this.#data.length - FREE_BYTES);
    this.#data = NO_BYTES;
  }
}

function isNamed(bytes: Uint8Array, from: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    if (bytes[from + i] !== name.charCodeAt(i)) return false;
  }
  return true;
}
