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
  IP_LOCAL_PORT_RANGE,
  IPPROTO_IP,
  IPPROTO_TCP,
  type Libc,
  SO_ERROR,
  SOCK_STREAM_NONBLOCK_CLOEXEC,
  SOL_SOCKET,
  TCP_NODELAY,
} from "../../../base/system/libc.ts";
import { systemReason } from "../../../base/net/dial_error.ts";
import type { Address } from "../../../base/net/resolve.ts";
import { NEXT_ADDRESS_MS, Route } from "../../../base/net/route.ts";
import type { TlsUse } from "../../result/tls.ts";

const ONE = Int32Array.of(1);
/** socklen_t of an int. */
const INT_BYTES = Int32Array.of(4);

/**
 * Every port, which leaves the system's own range as it is; but the kernel (6.8 or newer) then looks for a free port
 * one by one. Else it takes the ports of one parity, and the others only after it has found each of those in use: once a
 * load has half of the range (14,116 ports), each of its dials to that address takes 1.3 to 2 ms of CPU, for 0.014.
 */
const ALL_PORTS = Int32Array.of(65_535 << 16 | 1);
/** This many dials leave the other half of the ports to servers, which get theirs there (`listen` on port 0). */
export const FEW_DIALS = 4_096;

/** Octets that are sent and not acknowledged, or wait to be sent (tcp(7)). */
const SIOCOUTQ = 0x5411n;

const DIALING = 1;
const CONNECTED = 2;

/** Returned by `endDial` while the dial goes on. */
export const STILL_DIALING = "";

/** TLS on the sockets of an epoll, for all slots. */
export interface TlsLayer {
  /** What TLS was used so far. */
  readonly use: TlsUse;
  /**
   * Goes on with the handshake of a connected socket, and watches for what it waits for. Gives null when the
   * connection is open, "" while it is not, or why it will not be.
   */
  shakeHands(slot: number): string | null;
  /**
   * At which step `shakeHands` has just failed: a connection through a proxy only counts as connected once its tunnel
   * is open.
   */
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

/** A host that has an address. */
class DialedHost {
  readonly route: Route;
  /** By the index of the address: its struct sockaddr. */
  readonly names: readonly Uint8Array<ArrayBuffer>[];

  constructor(addresses: readonly Address[]) {
    this.route = new Route(addresses);
    this.names = addresses.map(socketAddress);
  }
}

/** A socket that is connecting. */
interface Attempt {
  readonly fd: number;
  readonly generation: number;
  /** Index of its address in the route. */
  readonly index: number;
}

/** The dial of one slot, until a socket has connected. */
interface Dial {
  readonly host: DialedHost;
  /** Indexes of the addresses that are not tried yet. */
  readonly left: number[];
  attempts: readonly Attempt[];
  /** Why addresses could not be connected to, by their index. */
  readonly reasons: Map<number, string>;
  /** When to try the next address beside those under way, microseconds; Infinity when none is left. */
  nextUs: number;
}

export class EpollSockets {
  readonly epoll: number;
  /** Socket of each slot once it has connected, −1 for none. */
  readonly fds: Int32Array;
  /** While the slot is being dialed `DIALING`, then `CONNECTED` until the driver sets it to 0: open. */
  readonly connecting: Uint8Array;
  /** Which socket the slot has, so that an event of an earlier one, still in the batch, is recognised. */
  readonly generation: Int32Array;
  /**
   * `EPOLLET`: an open socket is reported when something comes, once, and the kernel need not look at it again for the
   * next wait. Whoever reads less than there is calls `watch` again. 0: it is reported as long as something is there.
   */
  trigger = 0;
  /** When `tryNext` must be called, microseconds. */
  nextUs = Infinity;
  /** The hosts, or why a name has no address. */
  readonly #hosts: readonly (DialedHost | string)[];
  readonly #slotsOfEach: number;
  /** Dials under way, by slot. */
  readonly #dials = new Map<number, Dial>();
  /** Sockets so far. */
  #made = 0;
  readonly #event = new Int32Array(EVENT_WORDS);
  readonly #number = new Int32Array(1);

  /**
   * @param hosts Their addresses, or why a host has none. Each has an equal share of the slots, in their order.
   * @param fewDials This many dials use the ports that the system chooses by default.
   * Throws where the system denies an epoll.
   */
  constructor(
    private readonly libc: Libc,
    hosts: readonly (readonly Address[] | string)[],
    slots: number,
    private readonly fewDials = FEW_DIALS,
  ) {
    this.#hosts = hosts.map((host) => typeof host === "string" ? host : new DialedHost(host));
    this.#slotsOfEach = slots / hosts.length;
    this.fds = new Int32Array(slots).fill(-1);
    this.connecting = new Uint8Array(slots);
    this.generation = new Int32Array(slots);
    this.epoll = openEpoll(libc);
  }

  /** Whether the host that the slot dials has an address. */
  isResolved(slot: number): boolean {
    return typeof this.#hostOf(slot) !== "string";
  }

  #hostOf(slot: number): DialedHost | string {
    return this.#hosts[Math.floor(slot / this.#slotsOfEach)];
  }

  /** Begins to dial; gives why it cannot be done, or null. */
  dial(slot: number, nowUs: number): string | null {
    const host = this.#hostOf(slot);
    if (typeof host === "string") return host;
    const left = host.route.order();
    const dial = { host, left, attempts: [], reasons: new Map(), nextUs: Infinity };
    this.#dials.set(slot, dial);
    this.connecting[slot] = DIALING;
    return this.#tryOn(slot, dial, nowUs) ? null : this.#give(slot, dial);
  }

  /** Tries the next addresses until one does not fail at once; gives whether any is under way. */
  #tryOn(slot: number, dial: Dial, nowUs: number): boolean {
    const { left, reasons } = dial;
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      const errno = this.#try(slot, dial, index);
      if (errno === 0) break;
      reasons.set(index, this.#wordsOf(errno));
    }
    dial.nextUs = left.length > 0 ? nowUs + NEXT_ADDRESS_MS * 1_000 : Infinity;
    this.nextUs = Math.min(this.nextUs, dial.nextUs);
    return dial.attempts.length > 0;
  }

  /** Gives 0, or the number of an error. */
  #try(slot: number, dial: Dial, index: number): number {
    const { socket, setsockopt, connect } = this.libc;
    const name = dial.host.names[index];
    const family = name.length === IPV6_BYTES ? AF_INET6 : AF_INET;
    const fd = socket(family, SOCK_STREAM_NONBLOCK_CLOEXEC, 0);
    if (fd < 0) return this.libc.errno();
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, ONE, 4);
    // Where the kernel does not know the option, the call fails, and it chooses ports as for the first dials.
    if (this.#made >= this.fewDials) {
      setsockopt(fd, IPPROTO_IP, IP_LOCAL_PORT_RANGE, ALL_PORTS, 4);
    }
    const dialed = connect(fd, name, name.length);
    const errno = dialed < 0 ? this.libc.errno() : 0;
    if (errno !== 0 && errno !== EINPROGRESS) {
      this.libc.close(fd);
      return errno;
    }
    const attempt = { fd, generation: ++this.#made, index };
    dial.attempts = [...dial.attempts, attempt];
    this.#control(EPOLL_CTL_ADD, slot, attempt, EPOLLOUT);
    return 0;
  }

  /** Tries the next address of every slot that has waited long enough for those before. */
  tryNext(nowUs: number): void {
    this.nextUs = Infinity;
    for (const [slot, dial] of this.#dials) {
      if (dial.nextUs <= nowUs) this.#tryOn(slot, dial, nowUs);
      this.nextUs = Math.min(this.nextUs, dial.nextUs);
    }
  }

  /**
   * A socket has connected, or could not. Null: the slot has it now, and it is watched for what it brings;
   * `STILL_DIALING`; or why the dial has failed.
   *
   * @param generation Of the socket.
   * @param events What the socket says: an error is always among it.
   */
  endDial(slot: number, generation: number, events: number, nowUs: number): string | null {
    const dial = this.#dials.get(slot);
    const attempt = dial?.attempts.find((one) => one.generation === generation);
    if (dial === undefined || attempt === undefined) return STILL_DIALING;
    const errno = events === EPOLLOUT ? 0 : this.#errorOf(attempt.fd);
    dial.attempts = dial.attempts.filter((one) => one !== attempt);
    if (errno === 0) {
      this.#take(slot, dial, attempt);
      return null;
    }
    this.libc.close(attempt.fd);
    dial.reasons.set(attempt.index, this.#wordsOf(errno));
    return this.#tryOn(slot, dial, nowUs) ? STILL_DIALING : this.#give(slot, dial);
  }

  #errorOf(fd: number): number {
    this.libc.getsockopt(fd, SOL_SOCKET, SO_ERROR, this.#number, INT_BYTES);
    return this.#number[0];
  }

  #take(slot: number, dial: Dial, { fd, generation, index }: Attempt): void {
    this.#forget(slot);
    dial.host.route.connected(index);
    this.fds[slot] = fd;
    this.generation[slot] = generation;
    this.connecting[slot] = CONNECTED;
    this.watch(slot, false);
  }

  /** No address is left: gives why. */
  #give(slot: number, { host, reasons }: Dial): string {
    this.#forget(slot);
    return host.route.failure(reasons);
  }

  /** The dial of the slot is over, and its sockets are closed. */
  #forget(slot: number): void {
    for (const { fd } of this.#dials.get(slot)?.attempts ?? []) this.libc.close(fd);
    this.#dials.delete(slot);
    this.connecting[slot] = 0;
  }

  #wordsOf(errno: number): string {
    return systemReason(new Error(this.libc.explain(errno)));
  }

  /** Watches for bytes and the end; also for room to send, where something waits for it. What is there is reported again. */
  watch(slot: number, hasUnsent: boolean): void {
    const events = EPOLLIN | EPOLLRDHUP | this.trigger | (hasUnsent ? EPOLLOUT : 0);
    const socket = { fd: this.fds[slot], generation: this.generation[slot] };
    this.#control(EPOLL_CTL_MOD, slot, socket, events);
  }

  /** Whether the peer has taken all that was sent; null where the system does not say. */
  isSent(slot: number): boolean | null {
    const left = this.#number;
    return this.libc.ioctl(this.fds[slot], SIOCOUTQ, left) < 0 ? null : left[0] === 0;
  }

  /** What a recv means that brought nothing: the end, null or its reason; undefined: there is nothing yet. */
  endOf(length: number): string | null | undefined {
    const errno = length < 0 ? this.libc.errno() : 0;
    if (errno === EAGAIN || errno === EINTR) return undefined;
    return errno === 0 ? null : this.libc.explain(errno);
  }

  /** A signal ends a wait early, and nothing else does. */
  assertInterrupted(): void {
    const errno = this.libc.errno();
    if (errno !== EINTR) throw new Error(`Cannot wait for sockets: ${this.libc.explain(errno)}`);
  }

  /** Whether the slot has a socket, connected or not. */
  has(slot: number): boolean {
    return this.fds[slot] >= 0 || this.connecting[slot] === DIALING;
  }

  close(slot: number): void {
    if (this.connecting[slot] === DIALING) return this.#forget(slot);
    this.libc.close(this.fds[slot]); // leaves the epoll with it
    this.fds[slot] = -1;
    this.connecting[slot] = 0;
  }

  #control(
    operation: number,
    slot: number,
    { fd, generation }: Pick<Attempt, "fd" | "generation">,
    events: number,
  ): void {
    this.#event[0] = events;
    this.#event[DATA_WORD] = slot;
    this.#event[DATA_WORD + 1] = generation;
    this.libc.epoll_ctl(this.epoll, operation, fd, this.#event);
  }
}

/** Throws where the system denies it. */
export function openEpoll(libc: Libc): number {
  const epoll = libc.epoll_create1(EPOLL_CLOEXEC);
  if (epoll >= 0) return epoll;
  throw new Error(`the system denies epoll_create1 (${libc.explain(libc.errno())})`);
}

/** Size of struct sockaddr_in6. */
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
