import assert from "node:assert/strict";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { countedFrom, firstFrom, intervalBlocks } from "../../runner/stats/confidence/pool.ts";

function encoded(...valuesUs: number[]): string {
  const histogram = new Histogram();
  for (const value of valuesUs) histogram.record(value);
  return encodeHistogram(histogram.toSparse());
}

const POINTS = [
  { endS: 0.25, completed: 2, histogram: encoded(100, 300) },
  { endS: 0.5, completed: 0, histogram: "" },
  { endS: 0.6, completed: 1, histogram: encoded(100) },
];

Deno.test("each interval becomes a block of its own length, also one without requests", () => {
  const blocks = intervalBlocks(POINTS, "sent");
  assert.deepEqual(blocks.map(({ completed }) => completed), [2, 0, 1]);
  assert.deepEqual(blocks.map(({ seconds }) => Number(seconds.toFixed(9))), [0.25, 0.25, 0.1]);
  assert.deepEqual(blocks.map(({ latency }) => [...latency.indices]), [[100, 300], [], [100]]);
  assert.deepEqual(blocks.map(({ latency }) => latency.sumUs), [400, 0, 100]);
});

const moments: [seconds: number, first: number, kept: number][] = [
  [0, 0, 0],
  [0.1, 1, 1],
  [0.25, 1, 1],
  [0.25 + 1e-9, 1, 1],
  [0.3, 2, 2],
  [0.5, 2, 2],
  [0.6, 3, 0],
  [9, 3, 0],
];

for (const [seconds, first, kept] of moments) {
  Deno.test(`from ${seconds} s on: interval ${first}, and ${kept} where some must be left`, () => {
    assert.equal(firstFrom(POINTS, seconds), first);
    const run = { timeline: { points: POINTS }, warmup: null };
    assert.equal(countedFrom(run, { discardS: seconds, figures: "whole" }), kept);
  });
}

const counted: [says: string, steadyFrom: number | null, discardS: number, from: number][] = [
  ["the steady part counts from where it begins", 0.5, 0, 2],
  ["what is discarded of it does not", 0.25, 0.5, 2],
  ["a run without a steady part counts whole", null, 0, 0],
  ["but for what is discarded", null, 0.25, 1],
];

for (const [says, steadyFrom, discardS, from] of counted) {
  Deno.test(`figures of the steady part: ${says}`, () => {
    const run = { timeline: { points: POINTS }, warmup: { steadyFromS: steadyFrom } };
    assert.equal(countedFrom(run, { discardS, figures: "steady" }), from);
  });
}
