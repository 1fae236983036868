/**
 * HTTP/1.1 for loads that read streamed responses, such as server-sent events. Before each read, it notes in the
 * `KeptRoom` to which slot the octets belong, so that the parts of a body reach the right stream.
 */
import { KeptRoom } from "../../../../base/http/kept.ts";
import type { Driver } from "../../engine/driver.ts";
import type { ExchangeEvents } from "../../engine/protocol.ts";
import { Http1 } from "./http1.ts";

export class StreamedHttp1 extends Http1 {
  readonly #room: KeptRoom;

  constructor(driver: Driver, exchanges: ExchangeEvents, slots: number) {
    super(driver, exchanges, slots);
    this.#room = exchanges.room ?? new KeptRoom();
  }

  override onBytes(slot: number, bytes: Uint8Array, length: number, nowUs: number): void {
    this.#room.slotAtHand = slot;
    super.onBytes(slot, bytes, length, nowUs);
  }
}
