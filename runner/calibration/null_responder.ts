/// <reference lib="deno.worker" />
/**
 * A server that does nothing: a worker that responds to every read with the same bytes, so that a generator that loads
 * it shows its own peak throughput. The worker posts its port at its start. With epoll it takes one recv and one send
 * for each response; its loop cannot receive messages, so a shared flag ends it. Without epoll, Deno's own sockets are
 * used.
 */
import {
  AF_INET,
  DATA_WORD,
  EPOLL_CLOEXEC,
  EPOLL_CTL_ADD,
  EPOLLIN,
  EVENT_WORDS,
  IPPROTO_TCP,
  libc,
  listenCalls,
  MSG_DONTWAIT_NOSIGNAL,
  SOCK_STREAM_NONBLOCK_CLOEXEC,
  TCP_NODELAY,
} from "../../base/system/libc.ts";

export type ToResponder = {
  /** One Int32; any value but 0 stops the responder. */
  readonly stop: Int32Array<SharedArrayBuffer>;
};

export type FromResponder =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "ended" };

const RESPONSE = new TextEncoder().encode(
  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!",
);
const LOOK_MS = 20;

function post(message: FromResponder): void {
  self.postMessage(message);
}

self.onmessage = ({ data: { stop } }: MessageEvent<ToResponder>) => {
  const isOver = (): boolean => Atomics.load(stop, 0) !== 0;
  const responder = epollResponder();
  if (responder === null) return void respond(isOver);
  post({ kind: "listening", port: responder.port });
  responder.run(isOver);
  post({ kind: "ended" });
};

function epollResponder(): EpollResponder | null {
  try {
    return new EpollResponder(RESPONSE);
  } catch {
    return null; // not Linux, or no FFI
  }
}

async function respond(isOver: () => boolean): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  post({ kind: "listening", port: listener.addr.port });
  await serveUntil(isOver, listener);
  post({ kind: "ended" });
}

/** Serves until `isOver`. Does not wait for the last pending accept, which Windows ends late. */
export function serveUntil(
  isOver: () => boolean,
  listener: AsyncIterable<Deno.Conn> & { close(): void },
): Promise<void> {
  void serveAll(listener);
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    if (!isOver()) return;
    clearInterval(timer);
    listener.close();
    resolve();
  }, LOOK_MS);
  return promise;
}

async function serveAll(connections: AsyncIterable<Deno.Conn>): Promise<void> {
  for await (const conn of connections) void serve(conn);
}

async function serve(conn: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(RECEIVE_BYTES);
  try {
    while (await conn.read(buffer) !== null) await conn.write(RESPONSE);
    conn.close();
  } catch {
    // The generator has disconnected.
  }
}

// The null responder on Linux: one recv and one send for each response, and one epoll_wait for all
// requests that are ready.

const MOST_EVENTS = 256;
const RECEIVE_BYTES = 16 * 1024;
const BACKLOG = 512;
/** The longest wait before `isOver` is checked again. */
const LONGEST_WAIT_MS = 20;
/** accept4 takes a socket's flags without its type. */
const ACCEPT_FLAGS = SOCK_STREAM_NONBLOCK_CLOEXEC & ~1;
const ONE = Int32Array.of(1);

class EpollResponder {
  readonly port: number;
  readonly #libc = { ...libc(), ...listenCalls() };
  readonly #listener: number;
  readonly #epoll: number;
  readonly #open = new Set<number>();
  readonly #events = new Int32Array(MOST_EVENTS * EVENT_WORDS);
  readonly #buffer = new Uint8Array(RECEIVE_BYTES);

  /** Listens on a free port. Throws off Linux, without FFI, or if it can't listen. */
  constructor(private readonly response: Uint8Array<ArrayBuffer>) {
    const { socket, bind, listen, getsockname, epoll_create1 } = this.#libc;
    const address = new Uint8Array(16); // struct sockaddr_in
    new DataView(address.buffer).setUint16(0, AF_INET, true);
    address.set([127, 0, 0, 1], 4);
    this.#listener = socket(AF_INET, SOCK_STREAM_NONBLOCK_CLOEXEC, 0);
    const listens = bind(this.#listener, address, 16) === 0 &&
      listen(this.#listener, BACKLOG) === 0;
    if (!listens) throw new Error("Cannot listen on a free port");
    getsockname(this.#listener, address, Int32Array.of(16));
    this.port = new DataView(address.buffer).getUint16(2, false);
    this.#epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!this.#watch(this.#listener)) throw new Error("Cannot wait for connections");
  }

  /** Responds until `isOver`, then closes everything. */
  run(isOver: () => boolean): void {
    while (!isOver()) {
      const ready = this.#libc.epoll_wait(this.#epoll, this.#events, MOST_EVENTS, LONGEST_WAIT_MS);
      for (let i = 0; i < ready; i++) this.#handle(this.#events[i * EVENT_WORDS + DATA_WORD]);
    }
    for (const fd of [...this.#open, this.#listener, this.#epoll]) this.#libc.close(fd);
  }

  #handle(fd: number): void {
    if (fd === this.#listener) return this.#accept();
    const { recv, send } = this.#libc;
    const { length } = this.response;
    // A socket has room for the whole response, because the generator reads one before it asks for the next.
    const isServed = recv(fd, this.#buffer, RECEIVE_BYTES, MSG_DONTWAIT_NOSIGNAL) > 0 &&
      send(fd, this.response, length, MSG_DONTWAIT_NOSIGNAL) === length;
    if (!isServed) this.#close(fd);
  }

  #close(fd: number): void {
    this.#open.delete(fd);
    this.#libc.close(fd);
  }

  #accept(): void {
    const { accept4, setsockopt } = this.#libc;
    const fd = accept4(this.#listener, null, null, ACCEPT_FLAGS);
    if (fd < 0) return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, ONE, 4);
    this.#open.add(fd);
    if (!this.#watch(fd)) this.#close(fd); // the generator sees a failure instead of waiting for its time-out
  }

  /** Returns false if the system refuses. */
  #watch(fd: number): boolean {
    const event = new Int32Array(EVENT_WORDS);
    event[0] = EPOLLIN;
    event[DATA_WORD] = fd;
    return this.#libc.epoll_ctl(this.#epoll, EPOLL_CTL_ADD, fd, event) === 0;
  }
}
