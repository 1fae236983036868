/** Sockets of `node:net` that connect, or do not. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { connected, discard } from "../../base/net/node_socket.ts";
import { rejected } from "../thrown.ts";

/** A signal that knows what listens to it. */
function watched(): { signal: AbortSignal; listeners: Set<unknown> } {
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (type: string, listener: EventListener): void => {
    listeners.add(listener);
    addEventListener.call(signal, type, listener);
  };
  signal.removeEventListener = (type: string, listener: EventListener): void => {
    listeners.delete(listener);
    removeEventListener.call(signal, type, listener);
  };
  return { signal, listeners };
}

Deno.test("once a socket has connected, failed or closed, nothing of it listens to the signal", async () => {
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = server.addr;
  const { signal, listeners } = watched();
  const open = await connected(connect({ host: "127.0.0.1", port }), signal);
  discard(open);
  assert.equal(listeners.size, 0, "connected");
  const closing = connect({ host: "127.0.0.1", port });
  const closed = rejected(Error, connected(closing, signal));
  assert.equal(listeners.size, 1, "connecting");
  discard(closing);
  assert.equal((await closed).message, "closed");
  assert.equal(listeners.size, 0, "closed");
  (await server.accept()).close();
  server.close();
  await rejected(Error, connected(connect({ host: "127.0.0.1", port }), signal));
  assert.equal(listeners.size, 0, "refused");
});
