/**
 * Responses of HTTP/2 on their way to the load, in the octets of HTTP/1.1: as much as has come at once in one piece.
 * The last octet of a response stays here until its stream has ended: to HTTP/1.1 a response may look whole before,
 * and the load would send the next on a place that is not free.
 */
import { putOctets } from "../../../../base/http/octets.ts";
import type { EventHandler } from "../../engine/driver.ts";

const ROOM_BYTES = 256 * 1024;
const NONE = -1;

export class ResponseOctets {
  readonly #bytes = new Uint8Array(ROOM_BYTES);
  #length = 0;
  /** Whose octets they are. */
  #slot = NONE;
  /** By slot: the octet that stays; NONE for none. */
  readonly #last: Int16Array;
  /** What has come on the wire since the load last got any. */
  wireBytes = 0;

  constructor(slots: number, private readonly handler: EventHandler) {
    this.#last = new Int16Array(slots).fill(NONE);
  }

  // hot: makes room for so many of the slot's; what is handed over for that may end its exchange.
  expect(slot: number, length: number, nowUs: number): void {
    if (slot !== this.#slot || this.#length + length > ROOM_BYTES) this.#turnTo(slot, nowUs);
  }

  // hot: octets that were expected, and no more than a frame has.
  add(octets: Uint8Array, from: number, to: number): void {
    putOctets(this.#bytes, this.#length, octets, from, to);
    this.#length += to - from;
  }

  /** Hands over what there is, and goes on with the slot's own. */
  #turnTo(slot: number, nowUs: number): void {
    this.flush(nowUs);
    this.#slot = slot;
    const last = this.#last[slot];
    if (last === NONE) return;
    this.#last[slot] = NONE;
    this.#bytes[0] = last;
    this.#length = 1;
  }

  /** The slot's response is whole. */
  end(slot: number, nowUs: number): void {
    if (slot !== this.#slot) this.#turnTo(slot, nowUs);
    this.#hand(this.#length, nowUs);
  }

  /** Hands over all but the last octet. */
  flush(nowUs: number): void {
    if (this.#length > 0) this.#last[this.#slot] = this.#bytes[this.#length - 1];
    this.#hand(this.#length - 1, nowUs);
  }

  // hot
  #hand(length: number, nowUs: number): void {
    const slot = this.#slot;
    this.#slot = NONE;
    this.#length = 0;
    if (length <= 0) return;
    const { wireBytes } = this;
    this.wireBytes = 0;
    this.handler.onBytes(slot, this.#bytes, length, nowUs, wireBytes);
  }

  /** The slot's response will not go on. */
  forget(slot: number): void {
    this.#last[slot] = NONE;
    if (slot === this.#slot) this.#slot = NONE;
    if (this.#slot === NONE) this.#length = 0;
  }
}
