import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { decodeInterval, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
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

function ofCounts(...counts: number[]): string {
  const histogram = new Histogram();
  counts.forEach((count, index) => {
    const indices = Uint16Array.of(index);
    histogram.addSparse({
      indices,
      counts: Float64Array.of(count),
      count,
      sumUs: count * index,
      sumSquaresUs: count * index ** 2,
      minUs: index,
      maxUs: index,
    });
  });
  return encodeHistogram(histogram.toSparse());
}

Deno.test("an interval's counts come back whole, whatever they take: a byte, two, three or eight", () => {
  for (const largest of [63, 64, 8_191, 8_192, 65_535, 65_536, 2 ** 31, 2 ** 51]) {
    const { indices, counts, count } = decodeInterval({ histogram: ofCounts(1, 0, largest, 7) });
    assert.deepEqual([...indices], [0, 2, 3]);
    assert.deepEqual([...counts], [1, largest, 7]);
    assert.equal(count, largest + 8);
  }
});

Deno.test("an interval is read once, and anew when its text is another", () => {
  const interval = { histogram: encoded(100, 300) };
  const held = decodeInterval(interval);
  assert.equal(decodeInterval(interval), held);
  interval.histogram = encoded(100);
  assert.deepEqual([...decodeInterval(interval).indices], [100]);
});

Deno.test("of a small text that stands for much memory nothing is kept", () => {
  const bomb = { histogram: ofCounts(...new Array(20_000).fill(1)) };
  assert.ok(bomb.histogram.length < 1_000);
  const held = decodeInterval(bomb);
  assert.equal(held.count, 20_000);
  assert.notEqual(decodeInterval(bomb), held);
});

Deno.test("an interval that is none is refused each time, and one that is cut off, too", () => {
  const whole = Buffer.from(encoded(100, 300), "base64");
  const cut = whole.subarray(0, whole.length - 6).toString("base64");
  for (const histogram of ["bm9uZQ==", cut]) {
    const interval = { histogram };
    for (let times = 0; times < 2; times++) {
      assert.throws(() => decodeInterval(interval), /Cannot decode the histogram/);
    }
  }
});
