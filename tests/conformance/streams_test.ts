/**
 * Streams on every way, from a server whose gaps are planted and which counts what it sends: both sides agree about every
 * message. Exact times are those of `tests/load/streams_test.ts`, where the clock is the test's.
 */
import assert from "node:assert/strict";
import type { StreamSpec } from "../../runner/load/engine/streams/stream_spec.ts";
import type { MessageTotals } from "../../runner/load/recording/messages.ts";
import { countBeyond } from "../../runner/stats/histogram/hdr.ts";
import { valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import { appNamed } from "../../targets/apps/registry.ts";
import { assertNothingLost, load, type Loaded } from "./loading.ts";
import { counting, type Server } from "./servers.ts";
import { everyDriver, everyProtocol, type Way } from "./ways.ts";

interface Streaming extends Server {
  /** Messages that it has sent. */
  readonly sent: () => Promise<number>;
}

async function streaming(way: Way, set: Readonly<Record<string, string>>): Promise<Streaming> {
  const app = appNamed("streams");
  const running = await app.start(app.settings.parse(set), { redisUrl: null, log: () => {} });
  const server = counting(way, (request) => running.fetch(request));
  const sent = async (): Promise<number> => {
    const response = await running.fetch(new Request("http://localhost/sent"));
    return (await response.json()).messages;
  };
  return { ...server, sent };
}

const CHECK = { statuses: [200], body: null, contains: null, isStream: true as const };

async function streamed(
  way: Way,
  server: Server,
  path: string,
  stream: StreamSpec,
  requests: number,
): Promise<Loaded & { readonly messages: MessageTotals }> {
  const loaded = await load(way, server, { wire: { path }, check: CHECK, stream, requests });
  assertNothingLost(loaded);
  const { messages: [messages] = [] } = loaded.totals;
  assert.ok(messages);
  return { ...loaded, messages };
}

const KINDS: readonly (readonly [path: string, stream: StreamSpec])[] = [
  ["/events", { kind: "events" }],
  ["/tokens", { kind: "events", until: "[DONE]" }],
  ["/json-lines", { kind: "json-lines" }],
];

everyProtocol.test("whole streams bring what the server has sent, with its gaps", async (way) => {
  const server = await streaming(way, { events: "5", gaps: "20ms" });
  let before = 0;
  for (const [path, stream] of KINDS) {
    const { totals, messages } = await streamed(way, server, path, stream, 8);
    const sent = await server.sent() - before;
    before += sent;
    assert.deepEqual([totals.completed, totals.checksPassed, messages.whole], [8, 8, 8], path);
    const { due, received, failed, unfinished, dropped } = messages;
    assert.deepEqual([due, received, failed, unfinished, dropped], [sent, sent, 0, 0, 0], path);
    assert.deepEqual([messages.first.all.count, messages.gap.all.count], [8, sent - 8]);
    assert.ok(valueAtPercentile(messages.gap.all, 90) >= 10_000, "the server waits between them");
    assert.ok(totals.service.minUs >= 70_000, "and for all of them");
  }
  await server.stop();
});

everyProtocol.test("a server that dies in mid-stream fails one message of each, with a bound", async (way) => {
  const server = await streaming(way, { cutAfter: "3", gaps: "10ms" });
  const { totals, messages } = await streamed(way, server, "/events", { kind: "events" }, 8);
  assert.deepEqual([totals.completed, totals.failed], [0, 8]);
  const { received, failed, unfinished, whole } = messages;
  assert.deepEqual([received, failed, unfinished, whole], [await server.sent(), 8, 0, 0]);
  assert.deepEqual([messages.gap.all.count, messages.gap.censored.count], [24, 8]);
  await server.stop();
});

everyDriver.test("a server that stands still shows it in one gap of each stream", async (way) => {
  const set = { events: "100", gaps: "20ms", freeze: "1s", freezeEvery: "2s" };
  const server = await streaming(way, set);
  const { messages } = await streamed(way, server, "/events", { kind: "events" }, 4);
  assert.deepEqual([messages.received, messages.whole], [await server.sent(), 4]);
  const { all } = messages.gap;
  assert.equal(countBeyond(all, all.maxUs / 1_000, (ms) => ms > 500), 4);
  await server.stop();
});
