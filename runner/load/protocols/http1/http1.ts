/** HTTP/1.1 (RFC 9112): a slot is a connection, and responses come in the order of their requests. */
import { BROKEN, NEED_MORE, type ResponseReader } from "../../../../base/http/response.ts";
import type { Driver, DriverEvents, RefusedBy } from "../../engine/driver.ts";
import type { ExchangeEvents, Message, Protocol } from "../../engine/protocol.ts";
import { Readers } from "./readers.ts";

export class Http1 implements Protocol, DriverEvents {
  readonly punctual: boolean;
  readonly fewestStreams = Infinity;
  readonly #readers: Readers;

  constructor(
    protected readonly driver: Driver,
    protected readonly exchanges: ExchangeEvents,
    slots: number,
  ) {
    this.punctual = exchanges.punctual;
    this.#readers = new Readers(slots, exchanges);
  }

  run(): Promise<void> {
    return this.driver.run(this);
  }

  connect(slot: number): void {
    this.driver.connect(slot);
  }

  joins(): boolean {
    return false;
  }

  // hot: runs for every request.
  send(slot: number, { bytes }: Message): void {
    this.exchanges.onSent(bytes.length);
    this.driver.send(slot, bytes);
  }

  /** An exchange of HTTP/1.1 can be cancelled only by closing the connection. */
  cancel(): boolean {
    return false;
  }

  close(slot: number): void {
    this.#readers.release(slot);
    this.driver.close(slot);
  }

  onTick(nowUs: number): number {
    return this.exchanges.onTick(nowUs);
  }

  onOpen(slot: number, nowUs: number): void {
    this.exchanges.onOpen(slot, nowUs);
  }

  onRefused(slot: number, by: RefusedBy, reason: string, nowUs: number): void {
    this.exchanges.onRefused(slot, by, reason, nowUs);
  }

  // hot: runs for every read. In the common case the read contains one whole response, which is
  // recorded before the next request is sent. Requests are sent after the whole read is parsed,
  // because none of its bytes can be responses to them.
  onBytes(slot: number, bytes: Uint8Array, length: number, nowUs: number): void {
    const { exchanges } = this;
    if (exchanges.isTooLate(slot, nowUs)) return;
    exchanges.onReceived(length, nowUs);
    let hasEnded = false;
    for (let at = 0; at < length;) {
      if (exchanges.inFlight.count(slot) === 0) {
        return exchanges.onUnsolicited(slot, hasEnded, nowUs);
      }
      const reader = this.#readerOf(slot);
      const isFirst = !reader.started;
      at = reader.read(bytes, at, length);
      if (reader.state === NEED_MORE) {
        if (isFirst) this.#readers.keep(slot, nowUs);
        break;
      }
      if (reader.state === BROKEN) {
        return exchanges.onFailed(slot, "protocol", reader.reason, nowUs);
      }
      const firstByteUs = isFirst ? nowUs : this.#readers.firstByteUs[slot];
      const isLast = !reader.keepAlive || this.#isCutShort(slot, reader);
      if (!exchanges.onEnd(slot, reader, isLast, firstByteUs, nowUs)) return;
      if (!isFirst) this.#readers.release(slot);
      hasEnded = true;
    }
    if (hasEnded) exchanges.onRead(slot, nowUs);
  }

  /**
   * The reader that holds the beginning of the slot's current response; if nothing of it has arrived yet, the shared
   * reader, reset.
   */
  #readerOf(slot: number): ResponseReader {
    const { split, whole } = this.#readers;
    const reader = split[slot];
    if (reader !== null) return reader;
    whole.begin(this.exchanges.inFlight.isHead(slot));
    return whole;
  }

  /**
   * Whether a response has arrived before its request was sent completely (RFC 9112 §9.3); false if later requests are
   * in flight. The next request would have to wait for the rest of this one, which the server may never read. If the
   * driver does not know, a status from 400 on is taken to mean that the request was not sent completely.
   */
  #isCutShort(slot: number, { status }: ResponseReader): boolean {
    if (this.exchanges.inFlight.count(slot) > 1) return false;
    const isSent = this.driver.isSent(slot);
    return isSent === false || (isSent === null && status >= 400);
  }

  /** The end of the connection may also be the end of the response. */
  onEnd(slot: number, reset: string | null, nowUs: number): void {
    const { exchanges } = this;
    if (exchanges.onDisconnected(slot, nowUs)) {
      const reader = this.#readerOf(slot);
      if (reset === null) reader.end();
      if (reset !== null) exchanges.onFailed(slot, "reset", reset, nowUs);
      else if (reader.state === BROKEN) {
        exchanges.onFailed(slot, "closed", reader.reason, nowUs);
      } else exchanges.onEnd(slot, reader, true, this.#readers.firstByteUs[slot], nowUs);
    }
    this.#readers.release(slot);
  }
}
