/** What a measurement is told by first: its requests, or the messages that each of them holds. */
import assert from "node:assert/strict";
import { recapOf } from "../../report/subjects/measurement.ts";
import { GLUE } from "../../report/writing/units.ts";
import { widthOf } from "../../report/writing/columns.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { measurementFixture } from "./fixture.ts";
import { COUNTS, NONE, SOCKETS, STREAMS, times } from "./message_figures.ts";
import { renderMeasurement } from "./measured.ts";

const RUN = measurementFixture({ target: "", scenario: "static", medianMs: 5_000 });

function recap(more: Partial<Measurement>): string {
  const { text } = recapOf({ ...RUN, ...more });
  assert.ok(widthOf(text) <= 80, text);
  return text.replaceAll(GLUE, " ");
}

Deno.test("the last line of WebSockets tells of their messages, not of how long they were held", () => {
  assert.equal(
    recap({ sockets: SOCKETS }),
    "250 messages/s · p50 1.50 ms · p99 4.00 ms · 0 failed · valid",
  );
  const cut = { ...SOCKETS, messages: { ...COUNTS, received: 490, failed: 7, dropped: 3 } };
  const requests = { ...RUN.requests, completed: RUN.requests.completed - 2, failed: 2 };
  assert.equal(
    recap({ sockets: cut, requests }),
    "250 messages/s · 7 messages failed · 2 WebSockets failed · 3 never sent · valid",
  );
});

Deno.test("the last line of streams has the first message and the gaps, with what is a lower bound", () => {
  assert.equal(
    recap({ streams: STREAMS }),
    "250 messages/s · first p99 9.00 ms · gap p99 ≥ 52.0 ms · 0 failed · valid",
  );
  assert.equal(
    recap({ streams: { ...STREAMS, gap: NONE } }),
    "250 messages/s · first p50 3.00 ms, p99 9.00 ms · 0 failed · valid",
  );
  const nothing = { ...STREAMS, ttfe: NONE, gap: NONE, eventsPerSec: 0, events: 0 };
  assert.equal(recap({ streams: nothing }), "0 messages/s · no message · 0 failed · valid");
});

Deno.test("a last line that is too long even without times has none", () => {
  const messages = { ...COUNTS, failed: 1_234_567, dropped: 1_234_567 };
  const requests = { ...RUN.requests, failed: 123_456 };
  const { text } = recapOf({ ...RUN, streams: { ...STREAMS, messages }, requests });
  assert.equal(
    text,
    "250 messages/s · 1,234,567 messages failed · 123,456 streams failed · 1,234,567 never sent · valid",
  );
});

Deno.test("the last line of a model server has its tokens", () => {
  const tokens = { tokens: 480, tokensPerSec: 240, ttft: times(210, 480), tpot: times(21, 25) };
  assert.equal(
    recap({ streams: { ...STREAMS, tokens } }),
    "240 tokens/s · first p99 480 ms · each p99 25.0 ms · 0 failed · valid",
  );
});

Deno.test("pushes on WebSockets are told as streams are, and gRPC calls by their messages", () => {
  const unasked = { ...COUNTS, due: 0, received: 0 };
  const pushed = { ...SOCKETS, messages: unasked, message: NONE };
  assert.match(recap({ sockets: pushed, streams: STREAMS }), /^250 messages\/s · first p99 /);
  const requests = { ...RUN.requests, completed: RUN.requests.completed - 1, failed: 1 };
  const grpc = { status: { OK: 1 }, noStatus: 0 };
  assert.match(recap({ streams: STREAMS, grpc, requests }), / · 1 call failed · valid$/);
});

Deno.test("where other requests are sent, too, requests lead", () => {
  const step = {
    ...{ name: "chat", requests: RUN.requests, wrong: 0, status: {}, errors: {}, rate: 1 },
    ...{ seconds: [], latency: RUN.latency, histogram: RUN.histogram },
  };
  const mix = { sockets: SOCKETS, steps: [{ ...step, sockets: SOCKETS }, { ...step, name: "x" }] };
  assert.match(recap(mix), /^[\d,.]+\/s · p50 /);
});

const { rate, latency, histogram } = RUN;
const STEP = {
  ...{ requests: RUN.requests, wrong: 0, status: {}, errors: {} },
  ...{ rate, seconds: [], latency, histogram },
};
const FAILED = { ...RUN.requests, completed: RUN.requests.completed - 1, failed: 1 };

Deno.test("a mix of streams and WebSockets has the messages of both, and calls neither by the other's name", () => {
  const news = { ...STREAMS, eventsPerSec: 900 };
  const chat = { ...SOCKETS, messagesPerSec: 10 };
  const steps = [{ ...STEP, name: "chat", sockets: chat }, {
    ...STEP,
    name: "news",
    streams: news,
  }];
  const mix = { sockets: chat, streams: news, steps, requests: FAILED };
  assert.equal(
    recap(mix),
    "910 messages/s · answer p50 1.50 ms, p99 4.00 ms · 1 request failed · valid",
  );
});

Deno.test("what WebSockets get without asking is one message, though they and streams count it", () => {
  const unasked = { ...COUNTS, due: 0, received: 0 };
  const feed = { ...SOCKETS, messages: unasked, message: NONE };
  const pushed = { ...STEP, name: "feed", sockets: feed, streams: STREAMS };
  const chat = { ...STEP, name: "chat", sockets: { ...SOCKETS, messagesPerSec: 10 } };
  const whole = { ...SOCKETS, messagesPerSec: 260 };
  const mix = { sockets: whole, streams: STREAMS, steps: [pushed, chat], requests: FAILED };
  assert.match(recap(mix), /^260 messages\/s · p50 .* · 1 WebSocket failed · valid$/);
});

Deno.test("a mix of streams and calls calls them requests, and has tokens only if all bring them", () => {
  const tokens = { tokens: 480, tokensPerSec: 240, ttft: times(210, 480), tpot: times(21, 25) };
  const model = { ...STEP, name: "model", streams: { ...STREAMS, tokens } };
  const news = { ...STEP, name: "news", streams: STREAMS };
  const whole = { ...STREAMS, tokens, eventsPerSec: 500 };
  const mix = { streams: whole, steps: [model, news], requests: FAILED };
  assert.match(recap(mix), /^500 messages\/s · .* · 1 stream failed · valid$/);
  const grpc = { status: { OK: 1 }, noStatus: 0 };
  assert.match(recap({ ...mix, grpc }), / · 1 request failed · valid$/);
  const both = { ...mix, steps: [model, { ...model, name: "other" }] };
  assert.match(recap(both), /^240 tokens\/s /);
});

Deno.test("a measurement of WebSockets shows the messages before how long each was held, under one heading", () => {
  const text = renderMeasurement({ ...RUN, sockets: SOCKETS }, {
    ...{ color: false, unicode: true, width: 80 },
  });
  const lines = text.split("\n");
  const at = (line: RegExp): number => {
    const found = lines.findIndex((one) => line.test(one));
    assert.ok(found >= 0, `${line}: ${text}`);
    return found;
  };
  assert.ok(at(/^Messages\/s +250$/) < at(/^Messages$/));
  assert.ok(at(/^Messages$/) < at(/^Times of messages$/));
  assert.ok(at(/^Times of messages$/) < at(/^How long WebSockets lasted$/));
  assert.equal(lines.filter((line) => line.trim() === "WebSockets").length, 1, text);
  assert.doesNotMatch(text, /Requests\/s|Mean latency|Slowest/);
});
