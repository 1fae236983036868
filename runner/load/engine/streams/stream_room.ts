/** Keeps the responses in a load with streams. Bodies of streams are not kept, but handed on as they arrive. */
import type { Field } from "../../../../base/http/http2/fields.ts";
import { KeptResponse, KeptRoom } from "../../../../base/http/kept.ts";
import { LIMITS } from "../../../../base/limits.ts";

/** A part of a body: `bytes[from, to)` of the response on a slot. */
export interface BodyPart {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** Receives the heads and body parts of streams as they arrive. */
export interface StreamTaker {
  /** The head of the response on a slot is complete. */
  takeHead(slot: number, kept: KeptResponse): void;
  /**
   * Takes a part of the body. Returns whether the response may continue, or null if it is not a stream, so that the
   * part was not taken.
   */
  takePart(slot: number, part: BodyPart): boolean | null;
}

export class StreamRoom extends KeptRoom {
  /** A stream may be endless. */
  override readonly mostBodyBytes = Infinity;

  constructor(readonly taker: StreamTaker) {
    super();
  }

  override keep(keepsBody: boolean, slot?: number): KeptResponse {
    return new StreamedResponse(this, keepsBody, slot);
  }
}

class StreamedResponse extends KeptResponse {
  /** @param slot Slot of the exchange; absent: the slot whose bytes are being read. */
  constructor(
    private readonly streams: StreamRoom,
    keepsBody: boolean,
    private readonly slot: number | undefined,
  ) {
    super(streams, keepsBody);
  }

  get #slot(): number {
    return this.slot ?? this.streams.slotAtHand;
  }

  override addHead(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#handOn(super.addHead(bytes, from, to));
  }

  override takeFields(status: number, fields: readonly Field[], bytes: number): boolean {
    return this.#handOn(super.takeFields(status, fields, bytes));
  }

  #handOn(isKept: boolean): boolean {
    if (this.hasHead && this.status >= 200) this.streams.taker.takeHead(this.#slot, this);
    return isKept;
  }

  /** Keeps this body in place of the octets of the response, which were read as they arrived and not kept. */
  override keepInstead(body: Uint8Array): void {
    super.addBody(body, 0, body.length);
  }

  override addBody(bytes: Uint8Array, from: number, to: number): boolean {
    const mayGoOn = this.streams.taker.takePart(this.#slot, { bytes, from, to });
    if (mayGoOn !== null) return mayGoOn;
    const length = this.body().length + to - from;
    return length <= LIMITS.keptBody.most && super.addBody(bytes, from, to);
  }
}
