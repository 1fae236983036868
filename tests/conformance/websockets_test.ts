/**
 * WebSockets on every way: from the app `streams`, which counts what it gets and sends, and from `ws`, a server by others, with
 * compression, pings, fragments, codes and connections that end. Both sides agree about every message. Exact times are those
 * of `tests/load/sockets_test.ts`, where the clock is the test's.
 */
import assert from "node:assert/strict";
import { handshakeFields } from "../../scenarios/request/websocket.ts";
import type { SocketSpec } from "../../runner/load/engine/sockets/socket_spec.ts";
import type { SocketTotals } from "../../runner/load/recording/socket_messages.ts";
import { countBeyond } from "../../runner/stats/histogram/hdr.ts";
import { appNamed } from "../../targets/apps/registry.ts";
import { assertNothingLost, load, type Loaded, type Wish } from "./loading.ts";
import { counting, type Server } from "./servers.ts";
import { Witness } from "./websocket_witness.mjs";
import { everyDriver, everyWay, PLAIN_WAYS, type Way } from "./ways.ts";

const CHECK = { statuses: [101], body: null, contains: null, isStream: true as const };
const MS = 1_000;
const TEXT = "n={{ n }} on {{ socket }}";

interface Told {
  readonly opened: number;
  readonly came: number;
  readonly sent: number;
}

interface Telling extends Server {
  readonly told: () => Promise<Told>;
}

async function serving(way: Way, set: Readonly<Record<string, string>>): Promise<Telling> {
  const app = appNamed("streams");
  const running = await app.start(app.settings.parse(set), { redisUrl: null, log: () => {} });
  const server = counting(way, (request) => running.fetch(request));
  const told = async (): Promise<Told> => {
    const response = await running.fetch(new Request("http://localhost/sent"));
    return (await response.json()).sockets;
  };
  return { ...server, told };
}

async function opened(
  way: Pick<Way, "driver">,
  server: Pick<Server, "endpoint">,
  { path = "/ws", text = TEXT, ...spec }: Partial<SocketSpec> & { path?: string; text?: string },
  wish: Wish = {},
): Promise<Loaded & { readonly sockets: SocketTotals }> {
  const socket: SocketSpec = { answer: "echo", subprotocols: [], deflate: false, ...spec };
  const wire = { path, headers: handshakeFields(socket), body: text };
  const loaded = await load(way, server, { wire, check: CHECK, socket, ...wish });
  assertNothingLost(loaded);
  const { sockets: [sockets] = [] } = loaded.totals;
  assert.ok(sockets);
  return { ...loaded, sockets };
}

function fates({ due, received, failed, unfinished, dropped }: SocketTotals): number[] {
  return [due, received, failed, unfinished, dropped];
}

const SEND = { send: { everyUs: 10 * MS, isText: true }, holdUs: 100 * MS };

everyWay.test("an echo brings back what was sent, no sooner than planted", async (way) => {
  const server = await serving(way, { delay: "20ms" });
  const { totals, sockets } = await opened(way, server, SEND, { requests: 8 });
  const { opened: open, came, sent } = await server.told();
  assert.deepEqual([totals.completed, totals.checksPassed, sockets.opened, open], [8, 8, 8, 8]);
  assert.deepEqual([came, sent], [sockets.sent, sockets.came]);
  assert.deepEqual(fates(sockets), [80, 80, 0, 0, 0]);
  assert.ok(sockets.latency.all.minUs >= 20 * MS);
  assert.deepEqual(sockets.closeCodes, [[1000, 8]]);
  await server.stop();
});

everyWay.test("a push brings what the server sends, until it closes or its user leaves", async (way) => {
  const server = await serving(way, { events: "5", gaps: "20ms" });
  const push = { path: "/push", answer: "push" as const };
  const whole = await opened(way, server, push, { requests: 4 });
  assert.deepEqual([whole.totals.checksPassed, whole.sockets.came], [4, 20]);
  assert.deepEqual([whole.totals.messages?.[0].due, whole.sockets.closeCodes], [20, [[1000, 4]]]);
  assert.equal((await server.told()).sent, 20);
  await server.stop();
  const endless = await serving(way, { events: "100000", gaps: "20ms" });
  const left = await opened(way, endless, { ...push, holdUs: 50 * MS }, { requests: 4 });
  const { sent, opened: open } = await endless.told();
  assert.deepEqual([left.totals.checksPassed, open], [4, 4]);
  assert.ok(left.sockets.came <= sent, "it may send into a connection that is gone");
  assert.deepEqual([left.totals.messages?.[0].unfinished, left.totals.messages?.[0].whole], [4, 0]);
  await endless.stop();
});

everyDriver.test("a server that stands still shows it in the latency of every message", async (way) => {
  const server = await serving(way, { freeze: "300ms", freezeEvery: "600ms" });
  const { sockets } = await opened(way, server, { ...SEND, holdUs: 600 * MS }, { requests: 4 });
  assert.deepEqual(fates(sockets), [240, 240, 0, 0, 0]);
  const { all } = sockets.latency;
  const slow = countBeyond(all, all.maxUs / 1_000, (ms) => ms > 95);
  assert.ok(slow >= 4 * 19, `${slow} of about 80 wait for more than 95 of 300 ms`);
  await server.stop();
});

everyDriver.test("everybody hears everybody in a room, and knows its own messages", async (way) => {
  const server = await serving(way, {});
  // All stay until the end, so they are there together also where some open late.
  const chat = { send: SEND.send, path: "/chat" };
  const { sockets } = await opened(way, server, chat, { durationUs: 1_000 * MS });
  const { came, sent } = await server.told();
  const { due, received, unfinished } = sockets;
  assert.deepEqual([sockets.sent, received + unfinished, sockets.dropped], [came, due, 0]);
  assert.ok(sockets.came <= sent && sockets.unmatched === sockets.came - received);
  assert.ok(sockets.unmatched > received, "most of what comes is of others");
  await server.stop();
});

async function withWitness(run: (witness: Witness) => Promise<void>): Promise<void> {
  const witness = await Witness.open();
  await run(witness).finally(() => witness.stop());
}

for (const way of PLAIN_WAYS) {
  Deno.test(`${way.name}: a server by others agrees about messages, compressed, in fragments and with pings`, () =>
    withWitness(async (witness) => {
      for (const deflate of [false, true]) {
        for (const path of ["/echo", "/fragments"]) {
          const before = [witness.came, witness.sent];
          const spec = { ...SEND, path, deflate, subprotocols: ["v1", "v2"] };
          const { totals, sockets } = await opened(way, witness, spec, { requests: 4 });
          const told = [witness.came - before[0], witness.sent - before[1]];
          assert.deepEqual([totals.checksPassed, ...told], [4, sockets.sent, sockets.came], path);
          assert.deepEqual(fates(sockets), [40, 40, 0, 0, 0]);
          assert.deepEqual(sockets.closeCodes, [[1000, 4]]);
        }
      }
      assert.equal(witness.pongs, 80);
      assert.deepEqual(new Set(witness.codes), new Set([1000]));
    }));

  Deno.test(`${way.name}: large binary messages come back whole, compressed or not`, () =>
    withWitness(async (witness) => {
      for (const deflate of [false, true]) {
        const spec = {
          // A message has 0.7 s to come back, even if the machine halts for a while.
          send: { everyUs: 700 * MS, isText: false },
          ...{ holdUs: 1_400 * MS, deflate, text: "0123456789".repeat(30_000) + "{{ n }}" },
        };
        const { sockets } = await opened(way, witness, spec, { requests: 3, connections: 3 });
        assert.deepEqual([fates(sockets), sockets.unmatched], [[6, 6, 0, 0, 0], 0]);
      }
    }));

  Deno.test(`${way.name}: a server that closes or dies in the middle: counts as it has them`, () =>
    withWitness(async (witness) => {
      const left = await opened(way, witness, { ...SEND, path: "/leave" }, { requests: 4 });
      assert.deepEqual([left.totals.completed, left.totals.checksFailed], [4, 4]);
      assert.deepEqual([left.sockets.received, left.sockets.closeCodes], [12, [[4001, 4]]]);
      assert.equal(left.sockets.failed, left.sockets.sent - 12);
      const died = await opened(way, witness, { ...SEND, path: "/die" }, { requests: 4 });
      assert.deepEqual([died.totals.completed, died.totals.failed], [0, 4]);
      // Where a message is sent after the reset and before an echo is read, the echo is lost with its connection.
      const { received, failed, sent, closeCodes } = died.sockets;
      assert.ok(received <= 12, `${received} echoes`);
      assert.deepEqual([failed, closeCodes], [sent - received, [[1006, 4]]]);
      assert.equal(witness.sent, 24);
    }));
}
