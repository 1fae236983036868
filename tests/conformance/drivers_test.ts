/**
 * What every driver must do, against real servers on loopback.
 */
import assert from "node:assert/strict";
import { until } from "../e2e/patience.ts";
import { assertNothingLost, load } from "./loading.ts";
import { counting, isAsked, raw, say } from "./servers.ts";
import { everyDriver, everyProtocol, everyWay, type Way } from "./ways.ts";

const BIG = "x".repeat(1_000_000);

const ANSWERS: Record<string, () => Response> = {
  "a small sized body": () => new Response("hello"),
  "no body at all": () => new Response(null, { status: 204 }),
  "a chunked body": () => new Response(new Blob(["a", "b".repeat(70_000)]).stream()),
  "a megabyte": () => new Response(BIG),
  "a status that is no success": () => new Response("no", { status: 404 }),
};
for (const [what, answer] of Object.entries(ANSWERS)) {
  everyProtocol.test(`${what}: 100 requests are 100 answers, counted alike on both sides`, async (way) => {
    const server = counting(way, answer);
    const loaded = await load(way, server, { requests: 100 });
    await server.stop();
    assertNothingLost(loaded);
    assert.deepEqual([loaded.totals.due, loaded.totals.completed, server.seen()], [
      100,
      100,
      100,
    ]);
    assert.equal(loaded.totals.status[answer().status], 100);
  });
}

/** How many requests were due in a load by time that the server has not seen. */
async function unseenIn(durationUs: number, way: Way): Promise<number> {
  const server = counting(way, () => new Response("ok"));
  const loaded = await load(way, server, { durationUs, connections: 10, intervalUs: 50_000 });
  await server.stop();
  assertNothingLost(loaded);
  assert.equal(loaded.elapsedUs, durationUs);
  assert.equal(loaded.parts.length, durationUs / 50_000);
  const unseen = loaded.totals.due - server.seen();
  assert.ok(unseen >= 0 && unseen <= loaded.totals.unfinished, `${unseen} were not seen`);
  return unseen;
}

everyProtocol.test("by time, the server has seen every request that was due", async (way) => {
  // A dial may take as long as a short load, and a server that is held up at the end sees some too late.
  const unseen = [];
  for (let us = 200_000; us <= 3_200_000 && unseen.at(-1) !== 0; us *= 2) {
    unseen.push(await unseenIn(us, way));
  }
  assert.equal(unseen.at(-1), 0, `${unseen} were not seen`);
});

everyProtocol.test("after so many requests a connection makes way for another, which may have as many", async (way) => {
  const perPort = new Map<number, number>();
  const server = counting(way, (_, { remoteAddr }) => {
    if ("port" in remoteAddr) {
      perPort.set(remoteAddr.port, (perPort.get(remoteAddr.port) ?? 0) + 1);
    }
    return new Response("ok");
  });
  const loaded = await load(way, server, {
    requestsPerConnection: 5,
    requests: 20,
    connections: 1,
    ...way.http2 && { pipeline: 3 },
  });
  await server.stop();
  assertNothingLost(loaded);
  assert.deepEqual([loaded.totals.completed, server.seen(), loaded.errors], [20, 20, {}]);
  if (perPort.size > 0) assert.deepEqual([...perPort.values()], [5, 5, 5, 5]);
  assert.equal(loaded.totals.reconnects, 3);
});

everyProtocol.test("a large body is sent whole", async (way) => {
  const server = counting(
    way,
    async (request) => new Response(String((await request.arrayBuffer()).byteLength)),
  );
  const check = { statuses: [200], body: new TextEncoder().encode("3000000"), contains: null };
  const wire = { method: "POST", body: "y".repeat(3_000_000) };
  const loaded = await load(way, server, { requests: 8, wire, check });
  await server.stop();
  assert.deepEqual([loaded.totals.checksPassed, loaded.totals.checksFailed], [8, 0]);
});

for (const closing of [true, false]) {
  const says = closing ? "closes" : "closes without a word";
  everyWay.test(`a response that comes before its request is sent whole counts, where the server ${says}`, async (way) => {
    const server = raw(way, async (conn) => {
      await conn.read(new Uint8Array(1_000));
      const field = closing ? "Connection: close\r\n" : "";
      await say(conn, `HTTP/1.1 413 Too Large\r\n${field}Content-Length: 4\r\n\r\nlong`);
    });
    // `node:tls`, which the tcp driver has for servers that are not checked, drops what came when a write fails.
    const isDropped = way.driver === "tcp" && "tls" in server.endpoint &&
      server.endpoint.tls?.insecure;
    const wire = { method: "POST", body: "y".repeat(3_000_000) };
    const loaded = await load(way, server, { requests: isDropped ? 8 : 60, wire });
    const { totals, errors } = loaded;
    await server.stop();
    assertNothingLost(loaded);
    if (isDropped) return;
    // No connection takes a request behind one that is not sent whole.
    assert.deepEqual([totals.completed, totals.status[413], errors], [60, 60, {}]);
    assert.equal(totals.reconnects, 56);
  });
}

everyProtocol.test("a connection is used again after a large request that is sent whole", async (way) => {
  const server = counting(way, async (request) => {
    await request.arrayBuffer();
    return new Response("ok");
  });
  const wire = { method: "POST", body: "y".repeat(3_000_000) };
  const { totals } = await load(way, server, { requests: 20, wire });
  await server.stop();
  assert.deepEqual([totals.completed, totals.reconnects], [20, 0]);
});

everyWay.test("HEAD is answered without a body, on the same connection", async (way) => {
  const server = counting(way, () => new Response("a body that does not come"));
  const loaded = await load(way, server, {
    requests: 50,
    connections: 1,
    wire: { method: "HEAD" },
  });
  await server.stop();
  assert.deepEqual([loaded.totals.completed, loaded.totals.reconnects], [50, 0]);
});

everyProtocol.test("pipelined requests are answered in order", async (way) => {
  const server = counting(way, () => new Response("ok"));
  const loaded = await load(way, server, { requests: 200, pipeline: 8 });
  await server.stop();
  assertNothingLost(loaded);
  assert.deepEqual([loaded.totals.completed, server.seen()], [200, 200]);
});

everyWay.test("without keep-alive every request has a connection of its own, and no more", async (way) => {
  let connections = 0;
  const server = raw(way, async (conn) => {
    connections++;
    if (await isAsked(conn)) await say(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    await isAsked(conn); // until the peer closes
  });
  const loaded = await load(way, server, { requests: 40, connections: 4, keepAlive: false });
  await server.stop();
  const { completed, reconnects, connect } = loaded.totals;
  assert.deepEqual([completed, reconnects, connect.count, connections], [40, 36, 40, 40]);
});

everyWay.test("a server that closes after each answer loses no request", async (way) => {
  const server = counting(way, () => new Response("ok", { headers: { connection: "close" } }));
  const loaded = await load(way, server, { requests: 60 });
  await server.stop();
  assert.deepEqual([loaded.totals.completed, loaded.errors], [60, {}]);
  assert.ok(loaded.totals.reconnects >= 56);
});

everyDriver.test("IPv6 and names are reached too", async (way) => {
  for (const [hostname, dialed] of [["::1", "::1"], ["127.0.0.1", "localhost"]]) {
    const server = counting(way, () => new Response("ok"), hostname);
    const endpoint = { ...server.endpoint, hostname: dialed };
    const loaded = await load(way, { endpoint }, { requests: 5 });
    await server.stop();
    assert.equal(loaded.totals.completed, 5, dialed);
  }
});

everyProtocol.test("a stop ends the load early, with what was measured until then", async (way) => {
  const server = counting(way, () => new Response("ok"));
  const abort = new AbortController();
  const loading = load(way, server, { durationUs: 60_000_000, signal: abort.signal });
  await until("it has seen 100", () => server.seen() >= 100);
  abort.abort();
  const loaded = await loading;
  await server.stop();
  assertNothingLost(loaded);
  assert.ok(loaded.totals.completed >= 96 && loaded.elapsedUs < 10_000_000);
});
