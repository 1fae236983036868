/** The non-blocking sockets of an epoll, one a slot: how they are dialed, watched and closed. */
import {
  AF_INET,
  AF_INET6,
  DATA_WORD,
  EAGAIN,
  EINPROGRESS,
  EINTR,
  EPOLL_CLOEXEC,
  EPOLL_CTL_ADD,
  EPOLL_CTL_MOD,
  EPOLLIN,
  EPOLLOUT,
  EPOLLRDHUP,
  EVENT_WORDS,
  IPPROTO_TCP,
  type Libc,
  SO_ERROR,
  SOCK_STREAM_NONBLOCK_CLOEXEC,
  SOL_SOCKET,
  TCP_NODELAY,
} from "../../../base/system/libc.ts";
import type { Address } from "../../../base/net/resolve.ts";
import type { TlsUse } from "../../result/tls.ts";

const ONE = Int32Array.of(1);
/** socklen_t of an int. */
const INT_BYTES = Int32Array.of(4);

const DIALING = 1;
const CONNECTED = 2;

/** TLS on the sockets of an epoll, for all slots. */
export interface TlsLayer {
  /** As it stands. */
  readonly use: TlsUse;
  /**
   * Goes on with the handshake of a connected socket, and watches for what it waits for. Gives null when the
   * connection is open, "" while it is not, or why it will not be.
   */
  shakeHands(slot: number): string | null;
  /** Which step `shakeHands` has just failed at: a connection by a proxy is none before its tunnel is open. */
  readonly failedStep: "connect" | "tls";
  /** How many bytes it has put into `buffer`; 0 or less for none: `endOf` says why. */
  receive(slot: number, buffer: Uint8Array<ArrayBuffer>): number;
  /** Why `receive` has just given none: the end of the connection, null or its reason; undefined: nothing yet. */
  endOf(slot: number): string | null | undefined;
  /** Whether it holds bytes of which the socket knows no more; false for a slot that is not open. */
  holdsMore(slot: number): boolean;
  /** How many bytes it took; 0 or less where there is no room, or the connection is broken. */
  send(slot: number, bytes: Uint8Array<ArrayBuffer>): number;
  /** The socket of the slot is about to be closed. */
  close(slot: number): void;
  /** Every slot is closed, and none will be opened. */
  end(): void;
}

export class EpollSockets {
  readonly epoll: number;
  /** Socket of each slot, −1 for none. */
  readonly fds: Int32Array;
  /** While the slot is being dialed `DIALING`, then `CONNECTED` until the driver sets it to 0: open. */
  readonly connecting: Uint8Array;
  /** Counts the sockets of a slot, so that an event of an earlier one, still in the batch, is recognised. */
  readonly generation: Int32Array;
  /**
   * `EPOLLET`: an open socket is reported when something comes, once, and the kernel need not look at it again for the
   * next wait. Whoever reads less than there is calls `watch` again. 0: it is reported as long as something is there.
   */
  trigger = 0;
  /** Of the hosts: a struct sockaddr, or why a name has no address. */
  readonly #addresses: readonly (Uint8Array<ArrayBuffer> | string)[];
  readonly #slotsOfEach: number;
  readonly #event = new Int32Array(EVENT_WORDS);
  readonly #error = new Int32Array(1);

  /**
   * @param hosts Their addresses, or why one has none. Each has an equal share of the slots, in their order.
   * Throws where the system denies an epoll.
   */
  constructor(private readonly libc: Libc, hosts: readonly (Address | string)[], slots: number) {
    this.#addresses = hosts.map((host) => typeof host === "string" ? host : socketAddress(host));
    this.#slotsOfEach = slots / hosts.length;
    this.fds = new Int32Array(slots).fill(-1);
    this.connecting = new Uint8Array(slots);
    this.generation = new Int32Array(slots);
    this.epoll = openEpoll(libc);
  }

  /** Whether the host that the slot dials has an address. */
  isResolved(slot: number): boolean {
    return typeof this.#addressOf(slot) !== "string";
  }

  #addressOf(slot: number): Uint8Array<ArrayBuffer> | string {
    return this.#addresses[Math.floor(slot / this.#slotsOfEach)];
  }

  /** Begins to dial; gives why it cannot be done, or null. */
  dial(slot: number): string | null {
    const { socket, setsockopt, connect } = this.libc;
    const address = this.#addressOf(slot);
    if (typeof address === "string") return address;
    const family = address.length === IPV6_BYTES ? AF_INET6 : AF_INET;
    const fd = socket(family, SOCK_STREAM_NONBLOCK_CLOEXEC, 0);
    if (fd < 0) return this.libc.explain(this.libc.errno());
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, ONE, 4);
    this.fds[slot] = fd;
    this.connecting[slot] = DIALING;
    this.generation[slot]++;
    const dialed = connect(fd, address, address.length);
    const errno = dialed < 0 ? this.libc.errno() : 0;
    if (errno === 0 || errno === EINPROGRESS) {
      this.#control(EPOLL_CTL_ADD, slot, EPOLLOUT);
      return null;
    }
    this.close(slot);
    return this.libc.explain(errno);
  }

  /**
   * The dial has ended: 0, and the socket is watched for what it brings, or the number of its error.
   * @param events What the socket says: an error is always among it.
   */
  endDial(slot: number, events: number): number {
    if (this.connecting[slot] === CONNECTED) return 0;
    if (events !== EPOLLOUT) {
      this.libc.getsockopt(this.fds[slot], SOL_SOCKET, SO_ERROR, this.#error, INT_BYTES);
      if (this.#error[0] !== 0) return this.#error[0];
    }
    this.connecting[slot] = CONNECTED;
    this.watch(slot, false);
    return 0;
  }

  /** Watches for bytes and the end; also for room to send, where something waits for it. What is there is reported again. */
  watch(slot: number, hasUnsent: boolean): void {
    const events = EPOLLIN | EPOLLRDHUP | this.trigger | (hasUnsent ? EPOLLOUT : 0);
    this.#control(EPOLL_CTL_MOD, slot, events);
  }

  /** What a recv means that brought nothing: the end, null or its reason; undefined: there is nothing yet. */
  endOf(length: number): string | null | undefined {
    const errno = length < 0 ? this.libc.errno() : 0;
    if (errno === EAGAIN || errno === EINTR) return undefined;
    return errno === 0 ? null : this.libc.explain(errno);
  }

  close(slot: number): void {
    this.libc.close(this.fds[slot]); // leaves the epoll with it
    this.fds[slot] = -1;
    this.connecting[slot] = 0;
  }

  #control(operation: number, slot: number, events: number): void {
    this.#event[0] = events;
    this.#event[DATA_WORD] = slot;
    this.#event[DATA_WORD + 1] = this.generation[slot];
    this.libc.epoll_ctl(this.epoll, operation, this.fds[slot], this.#event);
  }
}

/** Throws where the system denies it. */
export function openEpoll(libc: Libc): number {
  const epoll = libc.epoll_create1(EPOLL_CLOEXEC);
  if (epoll >= 0) return epoll;
  throw new Error(`the system denies epoll_create1 (${libc.explain(libc.errno())})`);
}

/** Of struct sockaddr_in6. */
const IPV6_BYTES = 28;

/** struct sockaddr_in or sockaddr_in6 (the family in host order, the port in network order). */
function socketAddress({ family, bytes, port }: Address): Uint8Array<ArrayBuffer> {
  const address = new Uint8Array(family === 6 ? IPV6_BYTES : 16);
  const view = new DataView(address.buffer);
  view.setUint16(0, family === 6 ? AF_INET6 : AF_INET, true);
  view.setUint16(2, port, false);
  address.set(bytes, family === 6 ? 8 : 4);
  return address;
}
