/**
 * The head and body of an answer that is kept, in buffers that grow as needed and are used again.
 */
const HEAD_BYTES = 1024;
const BODY_BYTES = 4096;

export class Kept {
  readonly #head = new Buffer(HEAD_BYTES);
  readonly #body = new Buffer(BODY_BYTES);

  clear(): void {
    this.#head.length = this.#body.length = 0;
  }

  addHead(bytes: Uint8Array, from: number, to: number): void {
    this.#head.add(bytes.subarray(from, to));
  }

  addBody(bytes: Uint8Array, from: number, to: number): void {
    this.#body.add(bytes.subarray(from, to));
  }

  /** The body without its framing; valid until the next answer begins. */
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

class Buffer {
  length = 0;
  #room: Uint8Array<ArrayBuffer>;

  constructor(roomBytes: number) {
    this.#room = new Uint8Array(roomBytes);
  }

  add(part: Uint8Array): void {
    const length = this.length + part.length;
    if (length > this.#room.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#room.length));
      larger.set(this.bytes());
      this.#room = larger;
    }
    this.#room.set(part, this.length);
    this.length = length;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#room.subarray(0, this.length);
  }
}

/** Not TextDecoder's "latin1", which is windows-1252. */
function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (octet) => String.fromCharCode(octet)).join("");
}
