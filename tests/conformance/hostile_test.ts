/**
 * What every driver must make of servers that do anything but answer.
 */
import assert from "node:assert/strict";
import type net from "node:net";
import { assertNothingLost, each, raw } from "./drivers.ts";
import { load } from "./loading.ts";

each(
  "a port where nobody listens is refused, and asked again only after a pause",
  async (driver) => {
    const free = await raw(() => {});
    await free.stop();
    const loaded = await load(driver, { port: free.port, durationUs: 300_000, connections: 2 });
    assertNothingLost(loaded);
    assert.deepEqual(Object.keys(loaded.errors), ["connect"]);
    assert.ok(
      loaded.totals.failed >= 6 && loaded.totals.failed <= 14,
      `${loaded.totals.failed} dials in 300 ms`,
    );
  },
);

each("a name that nobody knows is a dns failure", async (driver) => {
  const loaded = await load(driver, {
    hostname: "nobody.invalid",
    port: 80,
    requests: 2,
    connections: 1,
  });
  assert.deepEqual(loaded.errors, { dns: 2 });
});

const HOSTILE: Record<string, { act: (socket: net.Socket) => void; errors: string[] }> = {
  "answers with garbage": {
    act: (socket) => socket.on("data", () => socket.write("garbage\r\n\r\n")),
    errors: ["protocol"],
  },
  "hangs up at once": { act: (socket) => socket.end(), errors: ["closed", "reset"] },
  "hangs up on the request": {
    act: (socket) => socket.once("data", () => socket.end()),
    errors: ["closed"],
  },
  "resets on the request": {
    act: (socket) => socket.once("data", () => socket.resetAndDestroy()),
    errors: ["reset"],
  },
  "resets within the body": {
    act: (socket) =>
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", () =>
          setTimeout(() => socket.resetAndDestroy(), 5));
      }),
    errors: ["reset"],
  },
  "hangs up within the head": {
    act: (socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nCon")),
    errors: ["closed"],
  },
  "hangs up within the body": {
    act: (socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")),
    errors: ["closed"],
  },
  "answers twice": {
    act: (socket) =>
      socket.on(
        "data",
        () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".repeat(2)),
      ),
    errors: ["protocol"],
  },
  "sends fields without end": {
    act: (socket) => {
      const timer = setInterval(() => socket.write(`X: ${"y".repeat(9_000)}\r\n`), 2);
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\n"));
      socket.on("close", () => clearInterval(timer));
    },
    errors: ["protocol"],
  },
  "says nothing": { act: () => {}, errors: ["timeout"] },
  "sends a byte now and then": {
    act: (socket) => {
      const wire = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
      let at = 0;
      const timer = setInterval(() => socket.write(wire[at++ % wire.length]), 20);
      socket.on("close", () => clearInterval(timer));
    },
    errors: ["timeout"],
  },
};
for (const [what, { act, errors }] of Object.entries(HOSTILE)) {
  each(`a server that ${what} fails every request and nothing else`, async (driver) => {
    const server = await raw(act);
    const loaded = await load(driver, {
      port: server.port,
      durationUs: 300_000,
      timeoutUs: 100_000,
    });
    await server.stop();
    assertNothingLost(loaded);
    assert.equal(loaded.elapsedUs, 300_000, "it ends on time");
    assert.equal(loaded.totals.completed, 0);
    assert.ok(loaded.totals.failed > 0);
    assert.ok(
      Object.keys(loaded.errors).every((kind) => errors.includes(kind)),
      JSON.stringify([...loaded.totals.reasons]),
    );
    assert.ok(loaded.cpuUs < 150_000, `${loaded.cpuUs} µs CPU in 300 ms`);
  });
}
