/** The wire format of protobuf (https://protobuf.dev/programming-guides/encoding). 64-bit numbers are BigInts. */

export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH = 2;
const START_GROUP = 3;
const END_GROUP = 4;
export const FIXED32 = 5;

const FIRST_BYTES = 64;

export class WireWriter {
  length = 0;
  #octets = new Uint8Array(FIRST_BYTES);
  #view = new DataView(this.#octets.buffer);

  /** Reserves this many bytes, replaces the buffer if necessary, and returns the offset of the reserved bytes. */
  #room(bytes: number): number {
    const at = this.length;
    this.length += bytes;
    if (this.length > this.#octets.length) {
      const larger = new Uint8Array(Math.max(this.length, 2 * this.#octets.length));
      larger.set(this.#octets.subarray(0, at));
      this.#octets = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }

  tag(id: number, wireType: number): void {
    this.varint(BigInt(id * 8 + wireType));
  }

  /** @param value 64 bits; a negative value in two's complement. */
  varint(value: bigint): void {
    let left = BigInt.asUintN(64, value);
    while (left > 0x7fn) {
      this.#byte(Number(left & 0x7fn) | 0x80);
      left >>= 7n;
    }
    this.#byte(Number(left));
  }

  #byte(octet: number): void {
    const at = this.#room(1);
    this.#octets[at] = octet;
  }

  fixed32(value: number): void {
    const at = this.#room(4);
    this.#view.setUint32(at, value >>> 0, true);
  }

  fixed64(value: bigint): void {
    const at = this.#room(8);
    this.#view.setBigUint64(at, BigInt.asUintN(64, value), true);
  }

  float(value: number): void {
    const at = this.#room(4);
    this.#view.setFloat32(at, value, true);
  }

  double(value: number): void {
    const at = this.#room(8);
    this.#view.setFloat64(at, value, true);
  }

  /** Writes the length, then the octets. */
  bytes(octets: Uint8Array): void {
    this.varint(BigInt(octets.length));
    const at = this.#room(octets.length);
    this.#octets.set(octets, at);
  }

  take(): Uint8Array<ArrayBuffer> {
    return this.#octets.slice(0, this.length);
  }
}

/** Thrown for bytes that are not a protobuf message. */
export class MalformedMessage extends Error {}

const MOST_VARINT_BYTES = 10;

export class WireReader {
  readonly #view: DataView;

  constructor(private readonly octets: Uint8Array<ArrayBuffer>, private at = 0) {
    this.#view = new DataView(octets.buffer, octets.byteOffset, octets.length);
  }

  get isOver(): boolean {
    return this.at === this.octets.length;
  }

  #take(bytes: number): number {
    const { at } = this;
    if (bytes > this.octets.length - at) throw new MalformedMessage("it is cut short");
    this.at += bytes;
    return at;
  }

  /** Reads an unsigned 64-bit number. */
  varint(): bigint {
    let value = 0n;
    for (let at = 0; at < MOST_VARINT_BYTES; at++) {
      const octet = this.octets[this.#take(1)];
      value |= BigInt(octet & 0x7f) << BigInt(7 * at);
      if (octet < 0x80) return BigInt.asUintN(64, value);
    }
    throw new MalformedMessage("a number is longer than 64 bits");
  }

  tag(): { readonly id: number; readonly wireType: number } {
    const tag = Number(BigInt.asUintN(32, this.varint()));
    const id = tag >>> 3;
    if (id === 0) throw new MalformedMessage("a field has no number");
    return { id, wireType: tag & 7 };
  }

  fixed32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  fixed64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  float(): number {
    return this.#view.getFloat32(this.#take(4), true);
  }

  double(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  /** Reads octets that are preceded by their length. The result is a view of the message and not a copy. */
  bytes(): Uint8Array<ArrayBuffer> {
    const length = this.varint();
    if (length > BigInt(this.octets.length)) throw new MalformedMessage("it is cut short");
    const at = this.#take(Number(length));
    return this.octets.subarray(at, this.at);
  }

  /** Skips the value of an unknown field. The value may be a proto2 group, which may contain other groups. */
  skip(wireType: number): void {
    if (wireType === VARINT) this.varint();
    else if (wireType === FIXED64) this.#take(8);
    else if (wireType === LENGTH) this.bytes();
    else if (wireType === FIXED32) this.#take(4);
    else if (wireType === START_GROUP) this.#skipGroup();
    else throw new MalformedMessage(`a field has the wire type ${wireType}, which has no meaning`);
  }

  #skipGroup(): void {
    for (let depth = 1; depth > 0;) {
      const { wireType } = this.tag();
      if (wireType === START_GROUP) depth++;
      else if (wireType === END_GROUP) depth--;
      else this.skip(wireType);
    }
  }
}
