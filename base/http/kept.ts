/** Keeps the head and body of a response, in buffers that grow as needed and are reused. */
import { LIMITS } from "../limits.ts";
import { type DecodedContent, decodedContent } from "./content_coding.ts";
import type { Field } from "./http2/fields.ts";
import { trimmedValue } from "./octets.ts";

const NO_FIELDS: readonly Field[] = [];
/** Position of the three digits of the status in a status line of HTTP/1.1 (RFC 9112 §4). */
const [STATUS_AT, STATUS_END] = [9, 12];
/**
 * Size of the first buffer for a head. Most heads are larger and get a buffer of exactly their size, which saves
 * memory, because an open stream keeps its head until it ends.
 */
const HEAD_BYTES = 128;
const BODY_BYTES = 4096;

/** Takes the parts of a response as they are read. Both `add` methods return false if there is no room. */
export interface ResponseSink {
  /** A head begins. The response before it, which may be an interim one, is over. */
  clear(): void;
  addHead(bytes: Uint8Array, from: number, to: number): boolean;
  /** Content without its framing. */
  addBody(bytes: Uint8Array, from: number, to: number): boolean;
}

export class KeptResponse implements ResponseSink {
  /** Why the response is not the stream of messages that was expected; null if it is, or if no stream was expected. */
  streamProblem: string | null = null;
  readonly #head: Buffer;
  readonly #body: Buffer;
  /** Header fields of a head that has been parsed already, as in HTTP/2. */
  #fields: readonly Field[] = NO_FIELDS;
  #fieldsBytes = 0;
  #status = 0;
  #trailers: readonly Field[] = NO_FIELDS;
  #trailersBytes = 0;

  /**
   * @param room Limits the memory of all responses that are kept at the same time.
   * @param keepsBody Whether the body is kept, too, and not only the head.
   */
  constructor(readonly room: KeptRoom, readonly keepsBody = true) {
    this.#head = new Buffer(HEAD_BYTES, room);
    this.#body = new Buffer(BODY_BYTES, room);
  }

  clear(): void {
    this.#head.clear();
    this.#body.clear();
    this.#fields = NO_FIELDS;
    this.#trailers = NO_FIELDS;
    this.room.giveBack(this.#fieldsBytes + this.#trailersBytes);
    this.#fieldsBytes = this.#trailersBytes = this.#status = 0;
    this.streamProblem = null;
    if (this.room.decoded?.of === this) this.room.decoded = null;
  }

  /** Frees the memory of the response, which must not be read again. */
  giveBack(): void {
    this.clear();
    this.#head.giveBack();
    this.#body.giveBack();
  }

  addHead(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#head.add(bytes.subarray(from, to));
  }

  /**
   * Keeps a head as its status and fields, with names in lower case. Returns false if there is no room for it.
   * @param bytes Memory that the fields take.
   */
  takeFields(status: number, fields: readonly Field[], bytes: number): boolean {
    if (!this.room.take(bytes)) return false;
    this.#status = status;
    this.#fields = fields;
    this.#fieldsBytes = bytes;
    return true;
  }

  /** Keeps trailers. Names, `bytes` and the result are as for `takeFields`. */
  takeTrailers(fields: readonly Field[], bytes: number): boolean {
    if (!this.room.take(bytes)) return false;
    this.#trailers = fields;
    this.#trailersBytes = bytes;
    return true;
  }

  addBody(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#body.add(bytes.subarray(from, to));
  }

  /** Keeps `body` in place of the streamed body; keeps nothing if there is no room. */
  keepInstead(body: Uint8Array): void {
    this.#body.clear();
    this.addBody(body, 0, body.length);
  }

  /** The head, as far as it has arrived; valid until the next one begins. */
  head(): Uint8Array<ArrayBuffer> {
    return this.#head.bytes();
  }

  /** Whether the head, which may be an interim one, has arrived completely. */
  get hasHead(): boolean {
    if (this.#status > 0) return true;
    const head = this.#head.bytes();
    const last = head.length - 1;
    if (head[last] !== LF) return false;
    return head[last - 1] === LF || (head[last - 1] === CR && head[last - 2] === LF);
  }

  /** The status, which is valid once the head is complete. */
  get status(): number {
    if (this.#status > 0) return this.#status;
    const line = latin1(this.#head.bytes().subarray(0, STATUS_END)); // such as HTTP/1.1 200
    return this.#status = Number(line.slice(STATUS_AT));
  }

  /** The body without its framing; valid until the next response begins. */
  body(): Uint8Array<ArrayBuffer> {
    return this.#body.bytes();
  }

  /** The body without its content codings; valid until the next response begins. */
  content(): DecodedContent {
    const { room } = this;
    if (room.decoded?.of === this) return room.decoded;
    const content = decodedContent(this.body(), this.field("content-encoding"));
    room.decoded = { of: this, ...content };
    return content;
  }

  /**
   * Value of the header field `name`, which may be in any letter case; null if the field is absent. Several values are
   * joined by ", " (RFC 9110 §5.3).
   */
  field(name: string): string | null {
    const values = this.fields(name);
    return values.length === 0 ? null : values.join(", ");
  }

  /** Value of the trailer field `name`, which must be in lower case; null if the field is absent. */
  trailer(name: string): string | null {
    return this.#trailers.find((field) => field.name === name)?.value ?? null;
  }

  /** All header fields, keyed by name in lower case. Several values of one field are joined by ", " (RFC 9110 §5.3). */
  allFields(): Record<string, string> {
    const all = new Map<string, string>();
    for (const { name, value } of this.#fields.length > 0 ? this.#fields : this.#lines()) {
      const before = all.get(name);
      all.set(name, before === undefined ? value : `${before}, ${value}`);
    }
    return Object.fromEntries(all);
  }

  *#lines(): Iterable<Pick<Field, "name" | "value">> {
    const head = this.#head.bytes();
    for (let at = endOfLine(head, 0); at < head.length;) {
      const end = endOfLine(head, at);
      const colon = head.subarray(at, end).indexOf(COLON);
      if (colon > 0) {
        const name = latin1(head.subarray(at, at + colon)).toLowerCase();
        yield { name, value: trimmedValue(latin1(head.subarray(at + colon + 1, end))) };
      }
      at = end;
    }
  }

  /**
   * All values of the header field `name`, which may be in any letter case. Needed for Set-Cookie, whose values can't
   * be joined (RFC 9110 §5.3).
   */
  fields(name: string): string[] {
    if (this.#fields.length > 0) {
      const wanted = name.toLowerCase();
      return this.#fields.filter((field) => field.name === wanted).map(({ value }) => value);
    }
    const head = this.#head.bytes();
    const values: string[] = [];
    for (let at = endOfLine(head, 0); at < head.length;) {
      const end = endOfLine(head, at);
      if (isNamed(head, at, name)) {
        values.push(trimmedValue(latin1(head.subarray(at + name.length + 1, end))));
      }
      at = end;
    }
    return values;
  }
}

const [LF, CR, COLON] = [10, 13, 58];
/** The bit that makes an ASCII letter lower case. */
const SMALL = 32;

/** Offset after the line break of the line that begins at `from`. */
function endOfLine(bytes: Uint8Array, from: number): number {
  const at = bytes.indexOf(LF, from);
  return at < 0 ? bytes.length : at + 1;
}

/** Whether the line at `from` is the field `name`, in any letter case. */
function isNamed(bytes: Uint8Array, from: number, name: string): boolean {
  if (bytes[from + name.length] !== COLON) return false;
  for (let i = 0; i < name.length; i++) {
    if ((bytes[from + i] | SMALL) !== (name.charCodeAt(i) | SMALL)) return false;
  }
  return true;
}

/** Limits the memory that kept responses may take together, so that a server can't fill it over many connections. */
export class KeptRoom {
  /** The content that was decoded last, kept because several checks may read it. */
  decoded: (DecodedContent & { readonly of: KeptResponse }) | null = null;
  /** Limit of one body, in bytes. */
  readonly mostBodyBytes: number = LIMITS.keptBody.most;
  /**
   * Slot (place for a connection or stream) whose octets are being read. Responses that were kept without a slot belong
   * to this slot.
   */
  slotAtHand = -1;
  #leftBytes: number;

  constructor(private readonly mostBytes: number = LIMITS.keptBodies.most) {
    this.#leftBytes = mostBytes;
  }

  /** @param _slot Slot of the kept responses. Only loads with streams use it. Default: `slotAtHand`. */
  keep(keepsBody: boolean, _slot?: number): KeptResponse {
    return new KeptResponse(this, keepsBody);
  }

  /** Whether memory is so short that buffers should be released instead of being kept for later responses. */
  get isScarce(): boolean {
    return this.#leftBytes < this.mostBytes / 2;
  }

  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#leftBytes += bytes;
  }
}

const NO_BYTES = new Uint8Array(0);

class Buffer {
  length = 0;
  #bytes: Uint8Array<ArrayBuffer> = NO_BYTES;

  /** @param firstBytes Size of the first buffer, which does not count towards the room's limit. */
  constructor(private readonly firstBytes: number, private readonly room: KeptRoom) {}

  clear(): void {
    this.length = 0;
    if (this.#bytes.length > this.firstBytes && this.room.isScarce) this.giveBack();
  }

  giveBack(): void {
    this.length = 0;
    this.room.giveBack(Math.max(0, this.#bytes.length - this.firstBytes));
    this.#bytes = NO_BYTES;
  }

  /** Appends a part. Returns false if there is no room. */
  add(part: Uint8Array): boolean {
    const length = this.length + part.length;
    if (length > this.#bytes.length && !this.#grow(length)) return false;
    this.#bytes.set(part, this.length);
    this.length = length;
    return true;
  }

  #grow(leastBytes: number): boolean {
    const wanted = Math.max(leastBytes, 2 * this.#bytes.length, this.firstBytes);
    if (!this.room.take(wanted - Math.max(this.#bytes.length, this.firstBytes))) return false;
    const larger = new Uint8Array(wanted);
    larger.set(this.bytes());
    this.#bytes = larger;
    return true;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }
}

/** Decodes ISO 8859-1. TextDecoder's "latin1" does not, because it is windows-1252. */
function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (octet) => String.fromCharCode(octet)).join("");
}
