/** TLS through an HTTP proxy: each connection first opens a tunnel, and speaks TLS in it. */
import type { TcpEndpoint, Tls } from "../../../base/net/endpoint.ts";
import { NO_TUNNEL, tunnelRequest, TunnelResponse } from "../../../base/net/tunnel.ts";
import { type Libc, libc, MSG_DONTWAIT_NOSIGNAL } from "../../../base/system/libc.ts";
import { EpollTls } from "./epoll_tls.ts";

const READ_BYTES = 4 * 1024;
/** Returned by `shakeHands` while the connection waits. */
const WAITING = "";

export class TunneledTls extends EpollTls {
  readonly #calls: Libc = libc();
  readonly #connect: Uint8Array<ArrayBuffer>;
  /** By slot: the proxy's awaited response; null before the request. */
  readonly #responses: (TunnelResponse | null)[];
  readonly #isOpen: Uint8Array;
  readonly #buffer = new Uint8Array(READ_BYTES);

  constructor(slots: number, endpoint: TcpEndpoint & { readonly tls: Tls }, resumes: boolean) {
    super(slots, endpoint.tls, resumes);
    this.#connect = tunnelRequest(endpoint);
    this.#responses = new Array(slots).fill(null);
    this.#isOpen = new Uint8Array(slots);
  }

  override shakeHands(slot: number): string | null {
    this.failedStep = "tls";
    if (this.#isOpen[slot] === 1) return super.shakeHands(slot);
    this.failedStep = "connect";
    const refusal = this.#responses[slot] === null ? this.#request(slot) : this.#read(slot);
    if (refusal !== null) return refusal;
    this.#isOpen[slot] = 1;
    return this.shakeHands(slot);
  }

  /**
   * Sends the request for a tunnel in a single call: it is so short that the empty buffer of a new socket has room for
   * it.
   */
  #request(slot: number): string {
    const request = this.#connect;
    const sent = this.#calls.send(this.#fd(slot), request, request.length, MSG_DONTWAIT_NOSIGNAL);
    this.#responses[slot] = new TunnelResponse();
    return sent === request.length ? WAITING : NO_TUNNEL;
  }

  #read(slot: number): string | null {
    const buffer = this.#buffer;
    const length = this.#calls.recv(this.#fd(slot), buffer, READ_BYTES, MSG_DONTWAIT_NOSIGNAL);
    const response = this.#responses[slot];
    if (length > 0 && response !== null) return response.read(buffer, length);
    const reason = this.sockets?.endOf(length);
    return reason === undefined ? WAITING : reason ?? NO_TUNNEL;
  }

  #fd(slot: number): number {
    return this.sockets?.fds[slot] ?? -1;
  }

  override close(slot: number): void {
    super.close(slot);
    this.#responses[slot] = null;
    this.#isOpen[slot] = 0;
  }
}
