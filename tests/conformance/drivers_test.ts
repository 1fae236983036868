/**
 * What every driver must do, against real servers on loopback.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import net from "node:net";
import type { DriverName } from "../../runner/load/driver.ts";
import { DRIVERS } from "../../runner/load/drivers.ts";
import { mergeHistograms } from "../../runner/stats/histogram.ts";
import { load, type Loaded } from "./loading.ts";

const names = (Object.keys(DRIVERS) as DriverName[]).filter((name) =>
  name !== "epoll" || Deno.build.os === "linux"
);

function each(sentence: string, test: (driver: DriverName) => Promise<void>): void {
  for (const driver of names) Deno.test(`${driver}: ${sentence}`, () => test(driver));
}

function assertNothingLost({ totals, parts }: Loaded): void {
  const { due, completed, failed, unfinished, dropped, censored } = totals;
  assert.equal(due, completed + failed + unfinished + dropped);
  assert.equal(mergeHistograms(parts.map((part) => part.latency)).count, completed + censored);
}

/** A Deno server that counts; `stop` waits until it is gone. */
function counting(
  answer: (request: Request) => Response | Promise<Response>,
  hostname = "127.0.0.1",
): {
  port: number;
  seen: () => number;
  stop: () => Promise<void>;
} {
  let seen = 0;
  const abort = new AbortController();
  const server = Deno.serve(
    { hostname, port: 0, signal: abort.signal, onListen: () => {} },
    (request) => {
      seen++;
      return answer(request);
    },
  );
  const stop = async (): Promise<void> => {
    abort.abort();
    await server.finished;
  };
  return { port: server.addr.port, seen: () => seen, stop };
}

/** A raw TCP server. */
async function raw(
  onConnection: (socket: net.Socket) => void,
): Promise<{ port: number; stop: () => Promise<void> }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  };
  return { port: (server.address() as net.AddressInfo).port, stop };
}

const BIG = "x".repeat(1_000_000);

const ANSWERS: Record<string, () => Response> = {
  "a small sized body": () => new Response("hello"),
  "no body at all": () => new Response(null, { status: 204 }),
  "a chunked body": () => new Response(new Blob(["a", "b".repeat(70_000)]).stream()),
  "a megabyte": () => new Response(BIG),
  "a status that is no success": () => new Response("no", { status: 404 }),
};
for (const [what, answer] of Object.entries(ANSWERS)) {
  each(`${what}: 100 requests are 100 answers, counted alike on both sides`, async (driver) => {
    const server = counting(answer);
    const loaded = await load(driver, { port: server.port, requests: 100 });
    await server.stop();
    assertNothingLost(loaded);
    assert.deepEqual([loaded.totals.due, loaded.totals.completed, server.seen()], [100, 100, 100]);
    assert.equal(loaded.totals.status[answer().status], 100);
  });
}

each("by time, the server has seen every request that was due", async (driver) => {
  const server = counting(() => new Response("ok"));
  const loaded = await load(driver, { port: server.port, durationUs: 300_000, connections: 10 });
  await server.stop();
  assertNothingLost(loaded);
  assert.equal(loaded.totals.due, server.seen());
  assert.equal(loaded.elapsedUs, 300_000);
  assert.equal(loaded.parts.length, 6);
});

each("a large body is sent whole", async (driver) => {
  const server = counting(async (request) =>
    new Response(String((await request.arrayBuffer()).byteLength))
  );
  const check = { statuses: [200], body: new TextEncoder().encode("3000000"), contains: null };
  const wire = { method: "POST", body: "y".repeat(3_000_000) };
  const loaded = await load(driver, { port: server.port, requests: 8, wire, check });
  await server.stop();
  assert.deepEqual([loaded.totals.checksPassed, loaded.totals.checksFailed], [8, 0]);
});

each("HEAD is answered without a body, on the same connection", async (driver) => {
  const server = counting(() => new Response("a body that does not come"));
  const loaded = await load(driver, {
    port: server.port,
    requests: 50,
    connections: 1,
    wire: { method: "HEAD" },
  });
  await server.stop();
  assert.deepEqual([loaded.totals.completed, loaded.totals.reconnects], [50, 0]);
});

each("pipelined requests are answered in order", async (driver) => {
  const server = counting(() => new Response("ok"));
  const loaded = await load(driver, { port: server.port, requests: 200, pipeline: 8 });
  await server.stop();
  assertNothingLost(loaded);
  assert.deepEqual([loaded.totals.completed, server.seen()], [200, 200]);
});

each("without keep-alive every request has a connection of its own", async (driver) => {
  let connections = 0;
  const server = createServer((_, answer) => void answer.end("ok"));
  server.on("connection", () => connections++);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as net.AddressInfo;
  const loaded = await load(driver, { port, requests: 40, connections: 4, keepAlive: false });
  await new Promise((done) => server.close(done));
  assert.equal(loaded.totals.completed, 40);
  assert.equal(loaded.totals.reconnects, connections - 4);
  assert.ok(connections >= 40 && connections <= 43, `${connections} connections`);
  assert.equal(loaded.totals.connect.count, connections);
});

each("a server that closes after each answer loses no request", async (driver) => {
  const server = createServer((_, answer) =>
    void answer.writeHead(200, { Connection: "close" }).end("ok")
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as net.AddressInfo;
  const loaded = await load(driver, { port, requests: 60 });
  await new Promise((done) => server.close(done));
  assert.deepEqual([loaded.totals.completed, loaded.errors], [60, {}]);
});

each("IPv6 and names are reached too", async (driver) => {
  const six = counting(() => new Response("ok"), "::1");
  assert.equal(
    (await load(driver, { hostname: "::1", port: six.port, requests: 5 })).totals.completed,
    5,
  );
  await six.stop();
  const named = counting(() => new Response("ok"));
  assert.equal(
    (await load(driver, { hostname: "localhost", port: named.port, requests: 5 })).totals.completed,
    5,
  );
  await named.stop();
});

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

each("a stop ends the load early, with what was measured until then", async (driver) => {
  const server = counting(() => new Response("ok"));
  const abort = new AbortController();
  const loading = load(driver, { port: server.port, durationUs: 60_000_000, signal: abort.signal });
  while (server.seen() < 100) await new Promise((wake) => setTimeout(wake, 5));
  abort.abort();
  const loaded = await loading;
  await server.stop();
  assertNothingLost(loaded);
  assert.ok(loaded.totals.completed >= 96 && loaded.elapsedUs < 10_000_000);
});
