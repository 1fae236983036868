/** TLS on the sockets of a load with several hosts, each with a TLS layer of its own, or none. */
import { type Libc, libc, MSG_DONTWAIT_NOSIGNAL } from "../../../base/system/libc.ts";
import { mergeTls, type TlsUse } from "../../result/tls.ts";
import type { EpollSockets, TlsLayer } from "./epoll_sockets.ts";
import type { EpollTls } from "./epoll_tls.ts";

const NO_USE: TlsUse = { by: "", handshakes: [] };

export class MixedTls implements TlsLayer {
  failedStep: TlsLayer["failedStep"] = "tls";
  readonly #libc: Libc = libc();
  readonly #slotsOfEach: number;
  #sockets: EpollSockets | null = null;
  /** Result of the last recv on a socket without TLS. */
  #length = 0;

  /** @param layers By host: its TLS layer; null: no encryption. Hosts have equal shares of the slots, in this order. */
  constructor(private readonly layers: readonly (EpollTls | null)[], slots: number) {
    this.#slotsOfEach = slots / layers.length;
  }

  on(sockets: EpollSockets): this {
    this.#sockets = sockets;
    for (const layer of this.layers) layer?.on(sockets);
    return this;
  }

  get use(): TlsUse {
    return mergeTls(this.layers.map((layer) => layer?.use)) ?? NO_USE;
  }

  #of(slot: number): EpollTls | null {
    return this.layers[Math.floor(slot / this.#slotsOfEach)];
  }

  #fd(slot: number): number {
    return this.#sockets?.fds[slot] ?? -1;
  }

  shakeHands(slot: number): string | null {
    const layer = this.#of(slot);
    if (layer === null) return null;
    const refusal = layer.shakeHands(slot);
    this.failedStep = layer.failedStep;
    return refusal;
  }

  receive(slot: number, buffer: Uint8Array<ArrayBuffer>): number {
    const layer = this.#of(slot);
    if (layer !== null) return layer.receive(slot, buffer);
    const { recv } = this.#libc;
    return this.#length = recv(this.#fd(slot), buffer, buffer.length, MSG_DONTWAIT_NOSIGNAL);
  }

  endOf(slot: number): string | null | undefined {
    const layer = this.#of(slot);
    return layer === null ? this.#sockets?.endOf(this.#length) : layer.endOf(slot);
  }

  holdsMore(slot: number): boolean {
    return this.#of(slot)?.holdsMore(slot) ?? false;
  }

  send(slot: number, bytes: Uint8Array<ArrayBuffer>): number {
    const layer = this.#of(slot);
    if (layer !== null) return layer.send(slot, bytes);
    return this.#libc.send(this.#fd(slot), bytes, bytes.length, MSG_DONTWAIT_NOSIGNAL);
  }

  close(slot: number): void {
    this.#of(slot)?.close(slot);
  }

  end(): void {
    for (const layer of this.layers) layer?.end();
  }
}
