/// <reference lib="deno.worker" />
/**
 * A server that does nothing: a worker that responds to whatever it reads with the same bytes, so that a
 * generator that loads it shows its own peak throughput. It posts its port at its start. With epoll that is
 * one recv and one send a response, in a loop that gets no messages: a flag ends it. Where epoll can't be
 * had, Deno's own sockets do it.
 */
import { EpollResponder } from "./epoll_responder.ts";

export type ToResponder = {
  /** One Int32: not 0 ends it. */
  readonly stop: Int32Array<SharedArrayBuffer>;
};

export type FromResponder =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "ended" };

const RESPONSE = new TextEncoder().encode(
  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!",
);
const READ_BYTES = 16 * 1024;
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
  const timer = setInterval(() => isOver() && listener.close(), LOOK_MS);
  for await (const conn of listener) void serve(conn);
  clearInterval(timer);
  post({ kind: "ended" });
}

async function serve(conn: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(READ_BYTES);
  try {
    while (await conn.read(buffer) !== null) await conn.write(RESPONSE);
    conn.close();
  } catch {
    // The generator has gone.
  }
}
