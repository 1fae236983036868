/** A stream that is cancelled because of its memory says which limit it exceeded: that of a message, or that of a worker. */
import assert from "node:assert/strict";
import { KeptResponse, KeptRoom } from "../../base/http/kept.ts";
import * as calls from "../../runner/load/engine/streams/call_reader.ts";
import { OpenStream, StreamPlan } from "../../runner/load/engine/streams/open_stream.ts";
import type { StreamSpec } from "../../runner/load/engine/streams/stream_spec.ts";
import { MessageRecorder } from "../../runner/load/recording/messages.ts";

const OF_WORKER =
  "a worker's memory for bodies and partly received messages is larger than 256 MB, the limit";
const CALL: StreamSpec = {
  kind: "grpc",
  call: {
    isUnary: false,
    statuses: [0],
    output: { name: "Reply", types: { messages: {}, enums: {} } },
  },
};

/** The beginning of a gRPC message whose length takes the last three octets of its prefix. */
function called(length: number, arrived: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(5 + arrived);
  bytes.set([0, 0, length >> 16, length >> 8, length]);
  return bytes;
}

function verdictOn(
  spec: StreamSpec,
  type: string,
  part: Uint8Array<ArrayBuffer>,
  room: KeptRoom,
): string | null {
  const messages = new MessageRecorder(1, { steps: new Set([0]), withTokens: new Set() });
  messages.begin(0, 0, 0);
  const place = { slot: 0, message: { bytes: part, head: false, step: 0 }, messages, room };
  const stream = new OpenStream(new StreamPlan(spec, calls), 0, place);
  const kept = new KeptResponse(room, false);
  kept.takeFields(200, [{ name: "content-type", value: type }], 0);
  stream.begin(kept, 0);
  stream.read({ bytes: part, from: 0, to: part.length }, 1);
  assert.ok(stream.isOverLimit);
  return stream.verdict(false);
}

const text = (part: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(part);
const MESSAGE = "a message of a stream is larger than 1 MB, the limit";
const CASES = [
  [
    "an event",
    { kind: "events" },
    "text/event-stream",
    (n: number) => text(`data: ${"x".repeat(n)}\n`),
    MESSAGE,
  ],
  ["a line", { kind: "lines" }, "text/plain", (n: number) => text("x".repeat(n)), MESSAGE],
  [
    "a gRPC message",
    CALL,
    "application/grpc",
    (n: number) => called(n, 2_000),
    "a gRPC message is larger than 16 MB, the limit",
  ],
] as const;
for (const [what, spec, type, part, tooLarge] of CASES) {
  Deno.test(`${what} exceeds its own limit, or that of its worker`, () => {
    assert.equal(verdictOn(spec, type, part(16_000_001), new KeptRoom()), tooLarge);
    assert.equal(verdictOn(spec, type, part(2_000), new KeptRoom(1_000)), OF_WORKER);
  });
}
