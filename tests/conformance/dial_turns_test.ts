/** A rate of new connections, as servers see it, on every way. */
import assert from "node:assert/strict";
import { loadAwhile } from "./loading.ts";
import { counting } from "./servers.ts";
import { everyProtocol } from "./ways.ts";

const PER_SEC = 100;
const SECONDS = 0.4;
/** What a late look at the clock catches up with. */
const CATCH_UP_SECONDS = 0.02;

everyProtocol.test("no more connections come than the rate allows", async (way) => {
  const ports = new Set<number>();
  const server = counting(way, (_, { remoteAddr }) => {
    if ("port" in remoteAddr) ports.add(remoteAddr.port);
    return new Response("ok");
  });
  const { totals } = await loadAwhile(way, server, {
    connections: 300,
    keepAlive: way.http2 === true, // each request has a connection of its own, where it can
    durationUs: SECONDS * 1e6,
    dialTurns: { perSec: PER_SEC, first: 0, stride: 1 },
  });
  await server.stop();
  const most = 1 + (SECONDS + CATCH_UP_SECONDS) * PER_SEC;
  assert.ok(totals.completed > 0);
  assert.ok(ports.size <= most, `the server saw ${ports.size} connections, of ${most} at most`);
  if (!way.http2) assert.ok(server.seen() <= most, `${server.seen()} requests of ${most}`);
  assert.ok(totals.connect.count <= most, `${totals.connect.count} of ${most}`);
  assert.equal(totals.failed, 0);
});
