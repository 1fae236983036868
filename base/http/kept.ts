/**
 * The head and body of a response that is kept, in buffers that grow as needed and are used again.
 */
import { LIMITS } from "../limits.ts";

const HEAD_BYTES = 1024;
const BODY_BYTES = 4096;

/** Takes the parts of a response as they are read. Both `add`s give false when there is no room. */
export interface ResponseSink {
  /** A head begins: what came before, of an interim response or an earlier one, is over. */
  clear(): void;
  addHead(bytes: Uint8Array, from: number, to: number): boolean;
  /** Content without its framing. */
  addBody(bytes: Uint8Array, from: number, to: number): boolean;
}

export class KeptResponse implements ResponseSink {
  readonly #head: Buffer;
  readonly #body: Buffer;

  /** @param room Shared by all that is kept at a time. */
  constructor(room: KeptRoom) {
    this.#head = new Buffer(HEAD_BYTES, room);
    this.#body = new Buffer(BODY_BYTES, room);
  }

  clear(): void {
    this.#head.clear();
    this.#body.clear();
  }

  addHead(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#head.add(bytes.subarray(from, to));
  }

  addBody(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#body.add(bytes.subarray(from, to));
  }

  /** The body without its framing; valid until the next response begins. */
  body(): Uint8Array<ArrayBuffer> {
    return this.#body.bytes();
  }

  /** Value of the field `name`, in any case; several are joined by ", " (RFC 9110 §5.3). Null for none. */
  field(name: string): string | null {
    const lines = latin1(this.#head.bytes()).split("\r\n").slice(1);
    const prefix = `${name.toLowerCase()}:`;
    const values = lines.filter((line) => line.toLowerCase().startsWith(prefix));
    return values.length === 0
      ? null
      : values.map((line) => line.slice(prefix.length).trim()).join(", ");
  }
}

/** What bodies may take together, so that a server can't fill the memory over many connections. */
export class KeptRoom {
  #leftBytes: number;

  constructor(private readonly mostBytes: number = LIMITS.keptBodies.most) {
    this.#leftBytes = mostBytes;
  }

  /** Whether buffers should be given back rather than be kept for the next response. */
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

class Buffer {
  length = 0;
  #bytes: Uint8Array<ArrayBuffer>;

  constructor(private readonly firstBytes: number, private readonly room: KeptRoom) {
    this.#bytes = new Uint8Array(firstBytes);
  }

  clear(): void {
    this.length = 0;
    const more = this.#bytes.length - this.firstBytes;
    if (more === 0 || !this.room.isScarce) return;
    this.room.giveBack(more);
    this.#bytes = new Uint8Array(this.firstBytes);
  }

  /** False when there is no room for it. */
  add(part: Uint8Array): boolean {
    const length = this.length + part.length;
    if (length > this.#bytes.length && !this.#grow(length)) return false;
    this.#bytes.set(part, this.length);
    this.length = length;
    return true;
  }

  #grow(leastBytes: number): boolean {
    const wanted = Math.max(leastBytes, 2 * this.#bytes.length);
    if (!this.room.take(wanted - this.#bytes.length)) return false;
    const larger = new Uint8Array(wanted);
    larger.set(this.bytes());
    this.#bytes = larger;
    return true;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }
}

/** Not TextDecoder's "latin1", which is windows-1252. */
function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (octet) => String.fromCharCode(octet)).join("");
}
