/** The non-blocking sockets of an epoll, one for each slot: dialing, watching and closing them. */
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
/** The length of an int, as a socklen_t. */
const INT_BYTES = Int32Array.of(4);

/**
 * The range of all ports. Setting it on a socket does not change the system's own range, but makes the kernel (6.8 or
 * newer) try ports one by one. By default the kernel tries all ports of one parity first, and then those of the other:
 * once a load uses half of the range (14,116 ports), each further dial to the same address takes 1.3 to 2 ms of CPU
 * time, instead of 0.014 ms.
 */
const ALL_PORTS = Int32Array.of(65_535 << 16 | 1);
/**
 * Number of first dials for which the system chooses the port. It chooses ports of one parity, so those of the other
 * parity stay free for servers that listen on port 0.
 */
export const FEW_DIALS = 4_096;

/** The ioctl that returns the number of octets that are unsent or not acknowledged (tcp(7)). */
const SIOCOUTQ = 0x5411n;

const DIALING = 1;
const CONNECTED = 2;

/** Returned by `endDial` while the dial continues. */
export const STILL_DIALING = "";

/** TLS on the sockets of an epoll, for all slots. */
export interface TlsLayer {
  /** What has been agreed in handshakes so far. */
  readonly use: TlsUse;
  /**
   * Continues the handshake of a connected socket, and watches the socket for the event that the handshake waits for.
   * Returns null when the connection is open, "" while the handshake continues, or why it failed.
   */
  shakeHands(slot: number): string | null;
  /**
   * The step at which `shakeHands` just failed: `connect` if the tunnel through a proxy was not open yet, otherwise
   * `tls`.
   */
  readonly failedStep: "connect" | "tls";
  /** Number of bytes put into `buffer`; 0 or less if there are none, and `endOf` then says why. */
  receive(slot: number, buffer: Uint8Array<ArrayBuffer>): number;
  /**
   * Why `receive` just returned nothing: null if the peer has closed the connection, the reason if it broke, undefined
   * if nothing has arrived yet.
   */
  endOf(slot: number): string | null | undefined;
  /** Whether decrypted bytes are buffered, for which the socket reports no event; false for a slot that is not open. */
  holdsMore(slot: number): boolean;
  /** Number of bytes accepted; 0 or less if there is no room, or the connection is broken. */
  send(slot: number, bytes: Uint8Array<ArrayBuffer>): number;
  /** Ends TLS on the slot's connection. Called before the socket is closed. */
  close(slot: number): void;
  /** Frees everything. Called once every slot is closed and none will be opened again. */
  end(): void;
}

/** A host with at least one address. */
class DialedHost {
  readonly route: Route;
  /** The struct sockaddr of each address, by the index of the address. */
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
  /** Index of the address in the route. */
  readonly index: number;
}

/** The dial of one slot, until a socket has connected. */
interface Dial {
  readonly host: DialedHost;
  /** Indexes of the addresses that have not been tried yet. */
  readonly left: number[];
  attempts: readonly Attempt[];
  /** Why connecting failed, by index of the address. */
  readonly reasons: Map<number, string>;
  /** When to try the next address in parallel, microseconds; Infinity if no address is left. */
  nextUs: number;
}

export class EpollSockets {
  readonly epoll: number;
  /** Socket of each slot, once connected; −1 for none. */
  readonly fds: Int32Array;
  /**
   * `DIALING` while the slot is being dialed, then `CONNECTED` until the driver sets it to 0 because the connection is
   * open. Also 0 for a slot without a socket.
   */
  readonly connecting: Uint8Array;
  /**
   * Number of the slot's socket. It shows whether an event in the current batch is from this socket or from an earlier
   * one of the slot.
   */
  readonly generation: Int32Array;
  /**
   * How the kernel reports data on an open socket. `EPOLLET`: once when data comes, so that the kernel need not look at
   * the socket again for the next wait; a caller that reads only a part calls `watch` again. 0: as long as there is
   * data.
   */
  trigger = 0;
  /** When `tryNext` must be called, microseconds. */
  nextUs = Infinity;
  /** By host: its addresses, or why it has none. */
  readonly #hosts: readonly (DialedHost | string)[];
  readonly #slotsOfEach: number;
  /** Dials under way, by slot. */
  readonly #dials = new Map<number, Dial>();
  /** Number of sockets made so far. */
  #made = 0;
  readonly #event = new Int32Array(EVENT_WORDS);
  readonly #number = new Int32Array(1);

  /**
   * Throws if the system denies an epoll.
   * @param hosts Each host's addresses, or why it has none. The slots are divided equally among the hosts, in this
   * order.
   * @param fewDials Number of first dials for which the system chooses the port.
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

  /** Begins a dial; returns why that is impossible, or null. */
  dial(slot: number, nowUs: number): string | null {
    const host = this.#hostOf(slot);
    if (typeof host === "string") return host;
    const left = host.route.order();
    const dial = { host, left, attempts: [], reasons: new Map(), nextUs: Infinity };
    this.#dials.set(slot, dial);
    this.connecting[slot] = DIALING;
    return this.#tryOn(slot, dial, nowUs) ? null : this.#give(slot, dial);
  }

  /** Tries addresses until one does not fail immediately; returns whether any attempt is under way. */
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

  /** Begins to connect to the address with this index. Returns 0, or the errno if that failed immediately. */
  #try(slot: number, dial: Dial, index: number): number {
    const { socket, setsockopt, connect } = this.libc;
    const name = dial.host.names[index];
    const family = name.length === IPV6_BYTES ? AF_INET6 : AF_INET;
    const fd = socket(family, SOCK_STREAM_NONBLOCK_CLOEXEC, 0);
    if (fd < 0) return this.libc.errno();
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, ONE, 4);
    // If the kernel lacks this option, the call fails, and the kernel chooses the port as for the
    // first dials.
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

  /** Tries the next address for every slot that has waited long enough. */
  tryNext(nowUs: number): void {
    this.nextUs = Infinity;
    for (const [slot, dial] of this.#dials) {
      if (dial.nextUs <= nowUs) this.#tryOn(slot, dial, nowUs);
      this.nextUs = Math.min(this.nextUs, dial.nextUs);
    }
  }

  /**
   * Handles a socket that has connected or failed to. Returns null if it has connected: it is then the slot's socket,
   * and is watched for data. Otherwise returns `STILL_DIALING` while another attempt of the dial may succeed, or the
   * reason why the dial has failed.
   * @param generation The generation of the socket.
   * @param events The socket's events. The kernel reports an error among them even if nobody asked for errors.
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

  /** Ends a dial that has no address left, and returns why it failed. */
  #give(slot: number, { host, reasons }: Dial): string {
    this.#forget(slot);
    return host.route.failure(reasons);
  }

  /** Ends the dial of the slot: closes the sockets of its attempts. */
  #forget(slot: number): void {
    for (const { fd } of this.#dials.get(slot)?.attempts ?? []) this.libc.close(fd);
    this.#dials.delete(slot);
    this.connecting[slot] = 0;
  }

  #wordsOf(errno: number): string {
    return systemReason(new Error(this.libc.explain(errno)));
  }

  /**
   * Watches for data, for the end of the connection and, if bytes wait to be sent, for room to send. Conditions that
   * already hold are reported again.
   */
  watch(slot: number, hasUnsent: boolean): void {
    const events = EPOLLIN | EPOLLRDHUP | this.trigger | (hasUnsent ? EPOLLOUT : 0);
    const socket = { fd: this.fds[slot], generation: this.generation[slot] };
    this.#control(EPOLL_CTL_MOD, slot, socket, events);
  }

  /** Whether the peer has acknowledged everything sent; null if the system does not say. */
  isSent(slot: number): boolean | null {
    const left = this.#number;
    return this.libc.ioctl(this.fds[slot], SIOCOUTQ, left) < 0 ? null : left[0] === 0;
  }

  /**
   * Why recv returned no bytes: null if the peer has closed the connection, the reason if it broke, undefined if
   * nothing has arrived yet.
   */
  endOf(length: number): string | null | undefined {
    const errno = length < 0 ? this.libc.errno() : 0;
    if (errno === EAGAIN || errno === EINTR) return undefined;
    return errno === 0 ? null : this.libc.explain(errno);
  }

  /** Throws unless the wait failed because a signal interrupted it. */
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
    this.libc.close(this.fds[slot]); // also removes it from the epoll
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

/** Opens an epoll. Throws if the system denies it. */
export function openEpoll(libc: Libc): number {
  const epoll = libc.epoll_create1(EPOLL_CLOEXEC);
  if (epoll >= 0) return epoll;
  throw new Error(`the system denies epoll_create1 (${libc.explain(libc.errno())})`);
}

/** Size of struct sockaddr_in6. */
const IPV6_BYTES = 28;

/** A struct sockaddr_in or sockaddr_in6 (the family in host byte order, the port in network byte order). */
function socketAddress({ family, bytes, port }: Address): Uint8Array<ArrayBuffer> {
  const address = new Uint8Array(family === 6 ? IPV6_BYTES : 16);
  const view = new DataView(address.buffer);
  view.setUint16(0, family === 6 ? AF_INET6 : AF_INET, true);
  view.setUint16(2, port, false);
  address.set(bytes, family === 6 ? 8 : 4);
  return address;
}
