/** HTTP/1.1 in a load with streams: tells the receiver of body parts which slot they belong to. */
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
