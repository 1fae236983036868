import assert from "node:assert/strict";
import { pacedReads } from "../../targets/launch/output.ts";
import type { Time } from "../../targets/launch/settles.ts";
import { OUTPUT_LATE_MS } from "../../targets/observe/runtime/go_trace.ts";

/** What a pipe holds on Linux. */
const CAPACITY = 65_536;

interface Program {
  /** A write each so many milliseconds. */
  readonly everyMs: number;
  /** Of a write. */
  readonly bytes: number;
  readonly forMs: number;
}

interface Reading {
  readonly reads: number;
  readonly bytes: number;
  /** The fullest that the pipe got. */
  readonly mostBytes: number;
  /** Between a write and its read, at most. */
  readonly lateMs: number;
}

/** Reads what a program writes into a pipe, in simulated time. */
async function reading(
  { everyMs, bytes, forMs }: Program,
  isAwaited = () => false,
): Promise<Reading> {
  let nowMs = 0;
  let taken = 0;
  const writes = Math.floor(forMs / everyMs);
  const time: Time = {
    nowMs: () => nowMs,
    sleep: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
  };
  let mostBytes = 0;
  let lateMs = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (taken === writes) return controller.close();
    nowMs = Math.max(nowMs, (taken + 1) * everyMs);
    const written = Math.min(writes, Math.floor(nowMs / everyMs + 1e-9));
    const held = (written - taken) * bytes;
    lateMs = Math.max(lateMs, nowMs - (taken + 1) * everyMs);
    mostBytes = Math.max(mostBytes, held);
    taken = written;
    controller.enqueue(new Uint8Array(held));
  };
  const stream = new ReadableStream({ pull }, { highWaterMark: 0 });
  let reads = 0;
  let read = 0;
  for await (const chunk of pacedReads(stream, isAwaited, time)) {
    reads++;
    read += chunk.length;
  }
  return { reads, bytes: read, mostBytes, lateMs };
}

Deno.test("who writes many small pieces wakes us 50 times a second at most", async () => {
  const { reads, bytes, lateMs } = await reading({ everyMs: 0.5, bytes: 5, forMs: 10_000 });
  assert.equal(bytes, 100_000);
  assert.ok(reads <= 501, `${reads} reads`);
  assert.ok(lateMs <= OUTPUT_LATE_MS, `${lateMs} ms late`);
});

for (const megabytes of [0.1, 1, 10, 50]) {
  Deno.test(`who writes ${megabytes} MB a second never finds the pipe full`, async () => {
    const everyMs = 0.1 / megabytes;
    const { bytes, mostBytes } = await reading({ everyMs, bytes: 100, forMs: 2_000 });
    assert.ok(bytes > 1_990_000 * megabytes, `${bytes} bytes`);
    assert.ok(mostBytes <= CAPACITY, `held ${mostBytes} bytes`);
  });
}

Deno.test("a line that is waited for is read as it comes", async () => {
  const { reads, lateMs } = await reading({ everyMs: 1, bytes: 5, forMs: 1_000 }, () => true);
  assert.deepEqual([reads, lateMs], [1_000, 0]);
});

Deno.test("a line after silence is read as it comes", async () => {
  assert.deepEqual(await reading({ everyMs: 100, bytes: 80, forMs: 1_000 }), {
    reads: 10,
    bytes: 800,
    mostBytes: 80,
    lateMs: 0,
  });
});
