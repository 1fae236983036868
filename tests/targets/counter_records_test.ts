import assert from "node:assert/strict";
import {
  CounterReader,
  type ProcessCounters,
  ReportRoom,
} from "../../targets/observe/runtime/counter_records.ts";
import { LIMITS } from "../../base/limits.ts";
import { GoTrace, isGoTrace } from "../../targets/observe/runtime/go_trace.ts";

const HEAD = '{"pid":12,"runtime":"node v20.20.2"}';
const RECORD = {
  at: 1_000,
  forMs: 250,
  collections: [[900, 1.5, "minor", 0]],
  more: [2, 0.3],
  stalls: [[950, 20, 18]],
  delay: [0.4, 20],
  utilization: 0.25,
  heap: 5e6,
};

/** What is read of a file, and of which what is left out. */
function readAll(text: string, size = 7): { read: ProcessCounters | null; room: ReportRoom } {
  const [reader, room] = [new CounterReader(), new ReportRoom()];
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) reader.take(bytes.subarray(at, at + size), room);
  return { read: reader.counters(), room };
}

Deno.test("records are read, and lines that are none are counted and left out", () => {
  const spoiled = [
    JSON.stringify(RECORD),
    "",
    "<b>nothing</b>",
    JSON.stringify({ ...RECORD, at: -1 }),
    JSON.stringify({ ...RECORD, heap: "much" }),
    JSON.stringify({ ...RECORD, utilization: 7 }),
    JSON.stringify({ ...RECORD, more: [0.5, 0] }),
    JSON.stringify({ ...RECORD, surplus: 1 }),
    '{"at":1e999}',
    JSON.stringify(RECORD).slice(0, 30), // begun, and not written to its end
  ];
  const { read, room } = readAll([HEAD, ...spoiled].join("\n"));
  assert.equal(room.leftOut.lines, 7);
  assert.equal(read?.pid, 12);
  assert.deepEqual(read?.collections, [
    { atMs: 900, ms: 1.5, stoppedMs: 1.5, kind: "minor", withinMs: 0, cpuMs: null },
  ]);
  assert.deepEqual(read?.stalls, [{ atMs: 950, ms: 20, cpuMs: 18 }]);
  assert.deepEqual(read?.spans, [{
    atMs: 1_000,
    forMs: 250,
    more: { count: 2, ms: 0.3 },
    delay: { mean: 0.4, max: 20 },
    utilization: 0.25,
    heap: 5e6,
  }]);
});

Deno.test("work of compilers is read, and counts that no runtime has are left out with their record", () => {
  const work = { maglev: 0, turbofan: 7, deoptimized: 2 };
  const { read, room } = readAll([
    HEAD,
    JSON.stringify({ ...RECORD, compiler: work }),
    JSON.stringify({ ...RECORD, compiler: { ...work, turbofan: Number.MAX_SAFE_INTEGER } }),
    JSON.stringify({ ...RECORD, compiler: { ...work, maglev: -1 } }),
    "",
  ].join("\n"));
  assert.deepEqual(read?.spans.map(({ compiler }) => compiler), [work]);
  assert.equal(room.leftOut.lines, 2);
});

Deno.test("a file that does not begin with its process is nobody's", () => {
  for (const head of ["", "{}", "nothing", '{"pid":0,"runtime":"x"}', JSON.stringify(RECORD)]) {
    assert.equal(readAll(`${head}\n${JSON.stringify(RECORD)}\n`).read, null);
  }
});

Deno.test("a line beyond its limit is left out, however it ends, and what follows is read", () => {
  const long = `{"at":1,"x":"${"y".repeat(LIMITS.runtimeRecord.most)}"}`;
  const { read, room } = readAll(`${HEAD}\n${long}\n${JSON.stringify(RECORD)}\n`, 65_536);
  assert.equal(read?.spans.length, 1);
  assert.equal(room.leftOut.lines, 1);
});

Deno.test("collections beyond the limit of a run are in its sums alone, and stalls are left out", () => {
  const many = {
    ...RECORD,
    collections: Array.from({ length: 40_000 }, (_, i) => [i, 0.5, "minor", 0]),
    stalls: Array.from({ length: 15_000 }, (_, i) => [i, 20, 1]),
  };
  const { read, room } = readAll([HEAD, many, many, many, ""].map(lineOf).join("\n"), 65_536);
  assert.equal(read?.collections.length, LIMITS.collections.most);
  assert.equal(read.stalls.length, LIMITS.stalls.most);
  assert.deepEqual(read.spans.at(-1)?.more, { count: 2 + 20_000, ms: 0.3 + 20_000 * 0.5 });
  assert.equal(room.leftOut.collections, 20_000);
  assert.equal(room.leftOut.stalls, 25_000);
});

function lineOf(line: string | object): string {
  return typeof line === "string" ? line : JSON.stringify(line);
}

Deno.test("a process that writes a thousand lines that are not records is not read on in this run", () => {
  const [reader, room] = [new CounterReader(), new ReportRoom()];
  const take = (text: string): void => reader.take(new TextEncoder().encode(text), room);
  take(`${HEAD}\n${"x\n".repeat(3_000_000)}${JSON.stringify(RECORD)}\n`);
  assert.deepEqual(reader.counters()?.spans, []);
  assert.equal(room.leftOut.lines, 1_000);
  assert.ok(room.leftOut.bytes > 2 * 2_990_000);
  reader.forget();
  take(`the rest of a line\n${JSON.stringify(RECORD)}\n`);
  assert.equal(reader.counters()?.spans.length, 1);
});

const LINES = [
  "gc 1 @0.100s 2%: 0.20+3.0+0.30 ms clock, 0.4+0.5/1.0/2.0+0.6 ms cpu, 4->5->2 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P",
  "gc 2 @0.300s 3%: 0.10+1.0+0.10 ms clock, 0.2+0.1/0.2/0+0.2 ms cpu, 4->4->3 MB, 5 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)",
];

function traceOf(text: string, size: number, nowMs = 1_000_000): GoTrace {
  const trace = new GoTrace();
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) trace.take(bytes.subarray(at, at + size), nowMs);
  return trace;
}

Deno.test("lines of Go's runtime are read among others, however they are cut", () => {
  const text = `begins\n${LINES[0]}\ngc is fine\n${LINES[1]}\npanic: gc 3 @1s\n`;
  for (const size of [1, 7, 64, text.length]) {
    const counters = traceOf(text, size).counters();
    assert.deepEqual(
      counters?.collections.map(({ ms, stoppedMs, cpuMs }) =>
        [ms, stoppedMs, cpuMs ?? NaN].map((each) => Number(each.toFixed(6)))
      ),
      [[3.5, 0.5, 2.5], [1.2, 0.2, 0.7]],
    );
    assert.deepEqual(counters?.spans.map(({ heap }) => heap), [2 * 1_048_576, 3 * 1_048_576]);
  }
});

Deno.test("Go's clock is set by the line that came with least delay", () => {
  const trace = new GoTrace();
  const take = (line: string, nowMs: number): void =>
    trace.take(new TextEncoder().encode(`${line}\n`), nowMs);
  take(LINES[0], 10_000 + 103.5 + 40); // read 40 ms late
  take(LINES[1], 10_000 + 301.2);
  const starts = trace.counters()?.collections.map(({ atMs }) => Number(atMs.toFixed(3)));
  assert.deepEqual(starts, [10_100, 10_300]);
  trace.forget();
  assert.equal(trace.counters(), null);
});

Deno.test("Go's clock is set by when the beginning of a line came, as its rest is read later", () => {
  const trace = new GoTrace();
  const bytes = new TextEncoder().encode(`begins\n${LINES[0]}\n`);
  trace.take(bytes.subarray(0, 9), 10_000 + 103.5);
  trace.take(bytes.subarray(9, 30), 10_000 + 103.5 + 20);
  trace.take(bytes.subarray(30), 10_000 + 103.5 + 40);
  assert.equal(trace.counters()?.collections[0].atMs.toFixed(3), "10100.000");
});

Deno.test("a line without end takes no memory, and other output is no trace", () => {
  const long = "x".repeat(1_000_000);
  assert.equal(traceOf(`${long}\n`, 4_096).counters(), null);
  assert.equal(traceOf(`${long}\n${LINES[0]}\n`, 4_096).counters()?.collections.length, 1);
  assert.ok(isGoTrace(LINES[0]));
  assert.ok(!isGoTrace("gc is fine") && !isGoTrace("panic: gc 1 @0.1s"));
});
