/**
 * The driver for Linux: the worker's thread drives non-blocking sockets itself, with one epoll for all,
 * one recv and one send a request. While it runs the isolate gets no messages: every wait is bounded
 * by the conversation's next tick, where the stop flag is looked at.
 */
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
  libc,
  MSG_DONTWAIT_NOSIGNAL,
  SO_ERROR,
  SOCK_STREAM_NONBLOCK_CLOEXEC,
  SOL_SOCKET,
  TCP_NODELAY,
} from "../../../base/system/libc.ts";
import type { Address } from "../../../base/net/resolve.ts";
import type { Conversation, Driver } from "../engine/driver.ts";
import type { LoopWatch } from "../recording/busy_periods.ts";
import { type Wait, type Waiter, waiterFor, wakePunctually } from "./epoll_wait.ts";

const READ_BYTES = 256 * 1024;
const MAX_EVENTS = 1_024;

const ONE = Int32Array.of(1);

export class EpollDriver implements Driver {
  readonly #libc: Libc = libc();
  readonly #epoll: number;
  readonly #family: number;
  /** struct sockaddr of the target; null when its name has no address. */
  readonly #address: Uint8Array<ArrayBuffer> | null;
  /** Socket of each slot, −1 for none. */
  readonly #fds: Int32Array;
  readonly #connecting: Uint8Array;
  /** Counts the sockets of a slot, so that an event of an earlier one, still in the batch, is recognised. */
  readonly #generation: Int32Array;
  /** What could not be sent at once, in order; null for nothing. */
  readonly #unsent: (Uint8Array[] | null)[];
  readonly #readBuffer = new Uint8Array(READ_BYTES);
  readonly #events = new Int32Array(MAX_EVENTS * EVENT_WORDS);
  readonly #event = new Int32Array(EVENT_WORDS);
  readonly #waiter: Waiter;
  readonly #wait: Wait;
  /** Slots whose dial failed at once: told from the loop, never from within a command. */
  readonly #refused: number[] = [];
  #refusal = "";

  /**
   * @param target Its address, or why it has none.
   * @param now Microseconds since the start of the run.
   * Throws where FFI or epoll can't be had.
   */
  constructor(
    private readonly target: Address | string,
    slots: number,
    private readonly now: () => number,
    private readonly watch: LoopWatch,
  ) {
    this.#address = typeof target === "string" ? null : socketAddress(target);
    this.#family = typeof target !== "string" && target.family === 6 ? AF_INET6 : AF_INET;
    this.#fds = new Int32Array(slots).fill(-1);
    this.#connecting = new Uint8Array(slots);
    this.#generation = new Int32Array(slots);
    this.#unsent = new Array(slots).fill(null);
    this.#epoll = openEpoll(this.#libc);
    const queue = { libc: this.#libc, epoll: this.#epoll, events: this.#events };
    this.#waiter = waiterFor(queue, wakePunctually(this.#libc));
    this.#wait = this.#waiter.wait;
  }

  // hot: the load loop of a worker.
  run(conversation: Conversation): Promise<void> {
    let nowUs = this.now();
    let nextUs = conversation.onTick(nowUs);
    while (nextUs < Infinity) {
      const ready = this.#wait(nextUs, nowUs);
      if (ready < 0) this.#assertInterrupted();
      const wokenUs = this.now();
      for (let i = 0; i < ready; i++) this.#handle(conversation, i * EVENT_WORDS);
      if (this.#refused.length > 0) this.#tellRefused(conversation);
      nowUs = this.now();
      this.watch.held(Math.min(wokenUs, nextUs), nowUs);
      // News from a socket may change when a punctual load is next needed.
      const isNews = ready > 0 && conversation.punctual;
      if (!isNews && nowUs < nextUs) continue;
      nextUs = conversation.onTick(nowUs);
      nowUs = this.now();
    }
    this.#waiter.close();
    this.#libc.close(this.#epoll);
    return Promise.resolve();
  }

  /** A signal ends a wait early, and nothing else does. */
  #assertInterrupted(): void {
    const errno = this.#libc.errno();
    if (errno !== EINTR) throw new Error(`Cannot wait for sockets: ${this.#libc.explain(errno)}`);
  }

  // hot: one event of one socket.
  #handle(conversation: Conversation, at: number): void {
    const slot = this.#events[at + DATA_WORD];
    if (this.#events[at + DATA_WORD + 1] !== this.#generation[slot] || this.#fds[slot] < 0) return;
    if (this.#connecting[slot] === 1) return this.#connected(conversation, slot);
    const events = this.#events[at];
    if ((events & EPOLLOUT) !== 0 && this.#unsent[slot] !== null) this.#sendRest(slot);
    if ((events & ~EPOLLOUT) === 0) return;
    const length = this.#libc.recv(
      this.#fds[slot],
      this.#readBuffer,
      READ_BYTES,
      MSG_DONTWAIT_NOSIGNAL,
    );
    if (length > 0) return conversation.onBytes(slot, this.#readBuffer, length, this.now());
    this.#ended(conversation, slot, length);
  }

  #ended(conversation: Conversation, slot: number, length: number): void {
    const errno = length < 0 ? this.#libc.errno() : 0;
    if (errno === EAGAIN || errno === EINTR) return;
    this.close(slot);
    conversation.onEnd(slot, errno === 0 ? null : this.#libc.explain(errno), this.now());
  }

  #connected(conversation: Conversation, slot: number): void {
    const error = new Int32Array(1);
    this.#libc.getsockopt(this.#fds[slot], SOL_SOCKET, SO_ERROR, error, Int32Array.of(4));
    if (error[0] !== 0) return this.#refuse(conversation, slot, error[0]);
    this.#connecting[slot] = 0;
    this.#watch(slot, EPOLLIN | EPOLLRDHUP);
    conversation.onOpen(slot, this.now());
  }

  #refuse(conversation: Conversation, slot: number, errno: number): void {
    this.close(slot);
    conversation.onRefused(slot, "connect", this.#libc.explain(errno), this.now());
  }

  #tellRefused(conversation: Conversation): void {
    const kind = this.#address === null ? "dns" : "connect";
    for (const slot of this.#refused.splice(0)) {
      conversation.onRefused(slot, kind, this.#refusal, this.now());
    }
  }

  #refuseSoon(slot: number, reason: string): void {
    this.#refused.push(slot);
    this.#refusal = reason;
  }

  connect(slot: number): void {
    const { socket, setsockopt, connect } = this.#libc;
    if (this.#address === null) return this.#refuseSoon(slot, String(this.target));
    const fd = socket(this.#family, SOCK_STREAM_NONBLOCK_CLOEXEC, 0);
    if (fd < 0) return this.#refuseSoon(slot, this.#libc.explain(this.#libc.errno()));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, ONE, 4);
    this.#fds[slot] = fd;
    this.#connecting[slot] = 1;
    this.#generation[slot]++;
    const dialed = connect(fd, this.#address, this.#address.length);
    const errno = dialed < 0 ? this.#libc.errno() : 0;
    if (errno !== 0 && errno !== EINPROGRESS) {
      this.close(slot);
      this.#refuseSoon(slot, this.#libc.explain(errno));
    } else this.#control(EPOLL_CTL_ADD, slot, EPOLLOUT);
  }

  // hot: one call for a whole request, as a rule.
  send(slot: number, bytes: Uint8Array<ArrayBuffer>): void {
    const unsent = this.#unsent[slot];
    if (unsent !== null) return void unsent.push(bytes);
    const sent = this.#libc.send(this.#fds[slot], bytes, bytes.length, MSG_DONTWAIT_NOSIGNAL);
    if (sent === bytes.length) return;
    // A broken connection is the reader's to tell; anything else waits until there is room.
    this.#unsent[slot] = [bytes.subarray(Math.max(0, sent))];
    this.#watch(slot, EPOLLIN | EPOLLRDHUP | EPOLLOUT);
  }

  #sendRest(slot: number): void {
    const unsent = this.#unsent[slot] as Uint8Array<ArrayBuffer>[];
    while (unsent.length > 0) {
      const sent = this.#libc.send(
        this.#fds[slot],
        unsent[0],
        unsent[0].length,
        MSG_DONTWAIT_NOSIGNAL,
      );
      if (sent < 0) return;
      if (sent < unsent[0].length) unsent[0] = unsent[0].subarray(sent);
      else unsent.shift();
    }
    this.#unsent[slot] = null;
    this.#watch(slot, EPOLLIN | EPOLLRDHUP);
  }

  close(slot: number): void {
    if (this.#fds[slot] < 0) return;
    this.#libc.close(this.#fds[slot]); // leaves the epoll with it
    this.#fds[slot] = -1;
    this.#connecting[slot] = 0;
    this.#unsent[slot] = null;
  }

  #watch(slot: number, events: number): void {
    this.#control(EPOLL_CTL_MOD, slot, events);
  }

  #control(operation: number, slot: number, events: number): void {
    this.#event[0] = events;
    this.#event[DATA_WORD] = slot;
    this.#event[DATA_WORD + 1] = this.#generation[slot];
    this.#libc.epoll_ctl(this.#epoll, operation, this.#fds[slot], this.#event);
  }
}

/** Throws where the system denies it. */
export function openEpoll(libc: Libc): number {
  const epoll = libc.epoll_create1(EPOLL_CLOEXEC);
  if (epoll >= 0) return epoll;
  throw new Error(`the system denies epoll_create1 (${libc.explain(libc.errno())})`);
}

/** struct sockaddr_in or sockaddr_in6 (the family in host order, the port in network order). */
function socketAddress({ family, bytes, port }: Address): Uint8Array<ArrayBuffer> {
  const address = new Uint8Array(family === 6 ? 28 : 16);
  const view = new DataView(address.buffer);
  view.setUint16(0, family === 6 ? AF_INET6 : AF_INET, true);
  view.setUint16(2, port, false);
  address.set(bytes, family === 6 ? 8 : 4);
  return address;
}
