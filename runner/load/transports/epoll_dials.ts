/**
 * Dials of the epoll driver, each from its first attempt, through any handshake, until the connection is open or
 * refused.
 */
import type { DriverEvents } from "../engine/driver.ts";
import { type EpollSockets, STILL_DIALING, type TlsLayer } from "./epoll_sockets.ts";

export class EpollDials {
  /**
   * Slots whose dial failed immediately. The loop reports them later, because a driver never reports an event from
   * within a call such as `connect`.
   */
  readonly #refused: { readonly slot: number; readonly reason: string }[] = [];

  constructor(
    private readonly sockets: EpollSockets,
    private readonly tls: TlsLayer | null,
    private readonly now: () => number,
  ) {}

  connect(slot: number): void {
    const reason = this.sockets.dial(slot, this.now());
    if (reason !== null) this.#refused.push({ slot, reason });
  }

  get hasRefused(): boolean {
    return this.#refused.length > 0;
  }

  reportRefused(handler: DriverEvents): void {
    for (const { slot, reason } of this.#refused.splice(0)) {
      const kind = this.sockets.isResolved(slot) ? "connect" : "dns";
      handler.onRefused(slot, kind, reason, this.now());
    }
  }

  /**
   * Continues the slot's dial or handshake after `events` of the socket with this generation. Events of the slot's
   * earlier sockets are ignored.
   */
  goOn(handler: DriverEvents, slot: number, generation: number, events: number): void {
    const { sockets, tls } = this;
    if (sockets.fds[slot] < 0) {
      const failure = sockets.endDial(slot, generation, events, this.now());
      if (failure === STILL_DIALING) return;
      if (failure !== null) return handler.onRefused(slot, "connect", failure, this.now());
    } else if (generation !== sockets.generation[slot]) return;
    const refusal = tls?.shakeHands(slot) ?? null;
    if (refusal === "") return;
    if (refusal === null) {
      sockets.connecting[slot] = 0;
      return handler.onOpen(slot, this.now());
    }
    tls?.close(slot);
    sockets.close(slot);
    handler.onRefused(slot, tls?.failedStep ?? "tls", refusal, this.now());
  }
}
