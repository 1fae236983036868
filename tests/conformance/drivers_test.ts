/**
 * What every driver must do, against real servers on loopback.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type net from "node:net";
import { assertNothingLost, counting, each, isAsked, raw, say } from "./drivers.ts";
import { load } from "./loading.ts";

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

each(
  "without keep-alive every request has a connection of its own, and no more",
  async (driver) => {
    let connections = 0;
    const server = raw(async (conn) => {
      connections++;
      if (await isAsked(conn)) await say(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      await isAsked(conn); // until the peer closes
    });
    const loaded = await load(driver, {
      port: server.port,
      requests: 40,
      connections: 4,
      keepAlive: false,
    });
    await server.stop();
    const { completed, reconnects, connect } = loaded.totals;
    assert.deepEqual([completed, reconnects, connect.count, connections], [40, 36, 40, 40]);
  },
);

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
