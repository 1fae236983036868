/**
 * The driver for Linux: the thread drives non-blocking sockets itself, with one epoll, and one recv and one send per
 * request. While it runs, the isolate gets no messages, so the load is stopped by a flag that each tick checks.
 */
import {
  DATA_WORD,
  EPOLLET,
  EPOLLIN,
  EPOLLOUT,
  EVENT_WORDS,
  type Libc,
  libc,
  MSG_DONTWAIT_NOSIGNAL,
} from "../../../base/system/libc.ts";
import type { Address } from "../../../base/net/resolve.ts";
import type { Driver, DriverEvents } from "../engine/driver.ts";
import type { BusyPeriods } from "../recording/busy_periods.ts";
import { EpollDials } from "./epoll_dials.ts";
import { EpollSockets, type TlsLayer } from "./epoll_sockets.ts";
import { SOCKET_ROOM_BYTES } from "./transport.ts";
import { spinning, type Wait, type Waiter, waiterFor, wakePunctually } from "./epoll_wait.ts";

const READ_BYTES = 256 * 1024;
const MAX_EVENTS = 1_024;
/** Events of a connection that works. Any other event means that the peer has closed or reset the connection. */
const READY = EPOLLIN | EPOLLOUT;

export class EpollDriver implements Driver {
  readonly #libc: Libc = libc();
  readonly #sockets: EpollSockets;
  readonly #fds: Int32Array;
  readonly #generation: Int32Array;
  readonly #connecting: Uint8Array;
  /** The layer that encrypts the bytes; null without TLS. */
  readonly #tls: TlsLayer | null;
  /** Bytes that could not be sent immediately, in order; null if there are none. */
  readonly #unsent: (Uint8Array<ArrayBuffer>[] | null)[];
  readonly #readBuffer = new Uint8Array(READ_BYTES);
  readonly #events = new Int32Array(MAX_EVENTS * EVENT_WORDS);
  readonly #waiter: Waiter;
  readonly #wait: Wait;
  readonly #dials: EpollDials;

  /**
   * Throws if FFI or epoll is not available.
   * @param hosts Each host's addresses, or why it has none. The slots are divided equally among the hosts, in this
   * order.
   * @param now Returns microseconds since the start of the run.
   * @param requestBytes The size of the largest request.
   * @param tlsOn Makes the TLS layer of the sockets; null: no TLS.
   */
  constructor(
    hosts: readonly (readonly Address[] | string)[],
    slots: number,
    private readonly now: () => number,
    private readonly busy: BusyPeriods,
    private readonly requestBytes: number,
    tlsOn: (sockets: EpollSockets) => TlsLayer | null = () => null,
  ) {
    const sockets = new EpollSockets(this.#libc, hosts, slots);
    this.#sockets = sockets;
    this.#fds = sockets.fds;
    this.#generation = sockets.generation;
    this.#connecting = sockets.connecting;
    this.#tls = tlsOn(sockets);
    this.#dials = new EpollDials(sockets, this.#tls, now);
    if (this.#tls === null) sockets.trigger = EPOLLET;
    this.#unsent = new Array(slots).fill(null);
    const queue = { libc: this.#libc, epoll: sockets.epoll, events: this.#events };
    this.#waiter = waiterFor(queue, wakePunctually(this.#libc));
    this.#wait = spinning(this.#waiter.wait, now, busy);
  }

  // hot: the load loop of a worker.
  run(handler: DriverEvents): Promise<void> {
    let nowUs = this.now();
    let nextUs = handler.onTick(nowUs);
    while (nextUs < Infinity) {
      const ready = this.#wait(nextUs, nowUs);
      if (ready < 0) this.#sockets.assertInterrupted();
      const wokenUs = this.now();
      for (let i = 0; i < ready; i++) this.#handle(handler, i * EVENT_WORDS);
      if (this.#dials.hasRefused) this.#dials.reportRefused(handler);
      nowUs = this.now();
      if (nowUs >= this.#sockets.nextUs) this.#sockets.tryNext(nowUs);
      this.busy.add(Math.min(wokenUs, nextUs), nowUs);
      // In a load that must be punctual, an event of a socket may change when the next tick is due.
      const mayHaveChanged = ready > 0 && handler.punctual;
      if (!mayHaveChanged && nowUs < nextUs) continue;
      nextUs = handler.onTick(nowUs);
      nowUs = this.now();
    }
    this.#waiter.close();
    this.#tls?.end();
    this.#libc.close(this.#sockets.epoll);
    return Promise.resolve();
  }

  // hot: handles one event of one socket.
  #handle(handler: DriverEvents, at: number): void {
    const slot = this.#events[at + DATA_WORD];
    const events = this.#events[at];
    const generation = this.#events[at + DATA_WORD + 1];
    if (this.#connecting[slot] !== 0) return this.#dials.goOn(handler, slot, generation, events);
    if (generation !== this.#generation[slot] || this.#fds[slot] < 0) return;
    if ((events & EPOLLOUT) !== 0 && this.#unsent[slot] !== null) this.#sendRest(slot);
    if ((events & ~EPOLLOUT) === 0) return;
    let length: number;
    do {
      length = this.#receive(slot);
      if (length <= 0) return this.#ended(handler, slot, length);
      handler.onBytes(slot, this.#readBuffer, length, this.now());
    } while (this.#tls !== null && this.#tls.holdsMore(slot));
    if (length === READ_BYTES || (events & ~READY) !== 0) this.#watchAgain(slot, at);
  }

  /** Watches the socket again, because more bytes or the end may follow. Other sockets get their turn first. */
  #watchAgain(slot: number, at: number): void {
    const isSame = this.#events[at + DATA_WORD + 1] === this.#generation[slot];
    if (isSame && this.#fds[slot] >= 0) this.#sockets.watch(slot, this.#unsent[slot] !== null);
  }

  // hot
  #receive(slot: number): number {
    const buffer = this.#readBuffer;
    if (this.#tls !== null) return this.#tls.receive(slot, buffer);
    return this.#libc.recv(this.#fds[slot], buffer, READ_BYTES, MSG_DONTWAIT_NOSIGNAL);
  }

  #ended(handler: DriverEvents, slot: number, length: number): void {
    const reason = this.#tls === null ? this.#sockets.endOf(length) : this.#tls.endOf(slot);
    if (reason === undefined) return;
    this.close(slot);
    handler.onEnd(slot, reason, this.now());
  }

  connect(slot: number): void {
    this.#dials.connect(slot);
  }

  // hot: usually one system call sends a whole request.
  send(slot: number, bytes: Uint8Array<ArrayBuffer>): void {
    const unsent = this.#unsent[slot];
    if (unsent !== null) return void unsent.push(bytes);
    const sent = this.#send(slot, bytes);
    if (sent === bytes.length) return;
    // If the connection is broken, the next read reports that. Otherwise, the rest waits until
    // there is room.
    this.#unsent[slot] = [bytes.subarray(Math.max(0, sent))];
    this.#sockets.watch(slot, true);
  }

  // hot
  #send(slot: number, bytes: Uint8Array<ArrayBuffer>): number {
    if (this.#tls !== null) return this.#tls.send(slot, bytes);
    return this.#libc.send(this.#fds[slot], bytes, bytes.length, MSG_DONTWAIT_NOSIGNAL);
  }

  #sendRest(slot: number): void {
    const unsent = this.#unsent[slot] ?? [];
    while (unsent.length > 0) {
      const sent = this.#send(slot, unsent[0]);
      if (sent <= 0) return;
      if (sent < unsent[0].length) unsent[0] = unsent[0].subarray(sent);
      else unsent.shift();
    }
    this.#unsent[slot] = null;
    this.#sockets.watch(slot, false);
  }

  unsentBytes(slot: number): number {
    return this.#unsent[slot]?.reduce((sum, { length }) => sum + length, 0) ?? 0;
  }

  // hot
  isSent(slot: number): boolean | null {
    if (this.#unsent[slot] !== null) return false;
    return this.requestBytes <= SOCKET_ROOM_BYTES || this.#sockets.isSent(slot);
  }

  close(slot: number): void {
    if (!this.#sockets.has(slot)) return;
    this.#tls?.close(slot);
    this.#sockets.close(slot);
    this.#unsent[slot] = null;
  }
}
