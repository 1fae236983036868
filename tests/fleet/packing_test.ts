import assert from "node:assert/strict";
import fc from "fast-check";
import * as z from "zod";
import {
  packedHealth,
  packedPart,
  packedReport,
  packedSoFar,
  packHealth,
  packPart,
  packReport,
  packSoFar,
} from "../../runner/fleet/protocol/packing.ts";
import { packedHistogram, packHistogram } from "../../runner/fleet/protocol/packed_histogram.ts";
import { Leb128Writer } from "../../base/leb128.ts";
import { Histogram, type SparseHistogram } from "../../runner/stats/histogram/histogram.ts";
import { BUCKETS } from "../../runner/stats/histogram/histogram_counts.ts";
import { health, histogram, part, report } from "./packed.ts";
import { forAll } from "../for_all.ts";

const SEED = 20_261_121;

/** What arrives of what is sent, as Redis keeps text. */
function sent(packed: unknown): unknown {
  return JSON.parse(JSON.stringify(packed));
}

function histogramOf(...values: readonly number[]): SparseHistogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.toSparse();
}

/** @param pairs Buckets, and how often each counted. */
function withCounts(pairs: readonly (readonly [index: number, count: number])[]): object {
  const writer = new Leb128Writer();
  let next = 0;
  for (const [index, count] of pairs) {
    if (index > next) writer.pushZigZag(next - index);
    writer.pushZigZag(count);
    next = index + 1;
  }
  return { buckets: writer.bytes.toBase64() };
}

function refuses(shape: z.ZodType, packed: object, wrong: object): void {
  assert.equal(shape.safeParse(sent(packed)).success, true, "what is changed was right before");
  const changed = shape.safeParse(sent({ ...packed, ...wrong }));
  assert.equal(changed.success, false, `read ${JSON.stringify(wrong)}`);
}

Deno.test("histograms arrive with every count, sum and bound", () => {
  forAll([histogram], (part) => {
    assert.deepEqual(packedHistogram.parse(sent(packHistogram(part))), part);
  }, { seed: SEED });
});

Deno.test("intervals arrive as they were sent", () => {
  forAll([part], (part) => {
    assert.deepEqual(packedPart.parse(sent(packPart(part))), part);
  }, { seed: SEED });
});

Deno.test("the worker's health arrives as it was sent", () => {
  forAll([health], (health) => {
    assert.deepEqual(packedHealth.parse(sent(packHealth(health))), health);
  }, { seed: SEED });
});

Deno.test("reports arrive as they were sent", () => {
  forAll([report], (report) => {
    assert.deepEqual(packedReport.parse(sent(packReport(report))), report);
  }, { seed: SEED, numRuns: 30 });
});

Deno.test("reports of a run that goes on arrive as they were sent", () => {
  forAll([report, histogram], (report, open) => {
    const soFar = { ...report, open };
    assert.deepEqual(packedSoFar.parse(sent(packSoFar(soFar))), soFar);
  }, { seed: SEED, numRuns: 30 });
});

Deno.test("texts that a server can make long are cut, and what they count is kept", () => {
  const [first] = fc.sample(report, { seed: SEED, numRuns: 1 });
  const long = "x".repeat(499);
  const reasons = new Map([[`${long}12`, 3], [`${long}34`, 4], ["short", 5]]);
  const slow = { latencyUs: 1, dueUs: 0, sentUs: 0, doneUs: 1, slot: 0, status: 200 };
  const slowest = [{
    ...slow,
    outcome: "completed",
    request: `GET /${"y".repeat(5_000)}`,
  }] as const;
  const { totals } = packedReport.parse(
    sent(packReport({ ...first, totals: { ...first.totals, reasons, slowest } })),
  );
  assert.deepEqual([...totals.reasons], [[`${long}…`, 7], ["short", 5]]);
  assert.equal(totals.slowest[0].request?.length, 2_000);
});

Deno.test("a histogram with impossible buckets or sums is refused", () => {
  const packed = packHistogram(histogramOf(10, 20, 20, 3_000));
  const wrongs = [
    withCounts([]), // nothing, yet sums
    withCounts([[10, 1], [20, 2]]), // 3,000 is missing
    withCounts([[10, 1], [20, 2], [BUCKETS, 1]]),
    withCounts([[10, Number.MAX_SAFE_INTEGER], [20, Number.MAX_SAFE_INTEGER], [2_523, 1]]),
    { buckets: "A".repeat(1_000_000) },
    { minUs: null },
    { minUs: 9 },
    { maxUs: 4_000 },
    { maxUs: 1e999 },
    { sumUs: 20 },
    { sumUs: 1e9 },
    { sumUs: -1 },
    { sumUs: null },
    { sumSquaresUs: 0 },
    { sumSquaresUs: 1e12 },
    { more: 1 },
  ];
  for (const wrong of wrongs) refuses(packedHistogram, packed, wrong);
});

Deno.test("a histogram of nothing with sums of something is refused", () => {
  const packed = packHistogram(histogramOf());
  for (const wrong of [{ sumUs: 1 }, { sumSquaresUs: 1 }, { minUs: 0 }, { maxUs: 1 }]) {
    refuses(packedHistogram, packed, wrong);
  }
});

Deno.test("whatever a histogram's text is, it is refused or a histogram that adds up", () => {
  const bytes = fc.uint8Array({ maxLength: 40 });
  forAll([bytes, histogram], (bytes, part) => {
    const packed = { ...packHistogram(part), buckets: Uint8Array.from(bytes).toBase64() };
    const { data } = packedHistogram.safeParse(packed);
    if (data === undefined) return;
    assert.equal(Array.from(data.counts).reduce((sum, count) => sum + count, 0), data.count);
    assert.ok(
      data.indices.every((index, at) => index < BUCKETS && !(index <= data.indices[at - 1])),
    );
    assert.ok(data.counts.every((count) => Number.isSafeInteger(count) && count > 0));
  }, { seed: SEED });
});

Deno.test("an interval with a number that can be none is refused", () => {
  const [whole] = fc.sample(part, { seed: SEED, numRuns: 1 });
  const wrongs = [
    { index: -1 },
    { index: 1e9 },
    { completed: 0.5 },
    { failed: "1" },
    { errors: [1] },
    { errors: Array(7).fill(-1) },
    { bytesIn: 2 ** 53 },
    { secondCompleted: Array(62).fill(0) },
    { secondBytes: null },
    { latency: null },
    { more: 1 },
  ];
  for (const wrong of wrongs) refuses(packedPart, packPart(whole), wrong);
});

Deno.test("a report that is larger than any, or out of order, is refused", () => {
  const withSteps = report.filter(({ totals }) => totals.steps.length > 0);
  const [whole] = fc.sample(withSteps, { seed: SEED, numRuns: 1 });
  const packed = packReport(whole);
  const { totals, sessions } = packed;
  const [step] = totals.steps;
  const wrongTotals = [
    { status: [[1_000, 1]] },
    { status: [[200, 1], [200, 2]] },
    { status: [[404, 1], [200, 2]] },
    { errors: [] },
    { reasons: Array.from({ length: 102 }, (_, at) => [`reason ${at}`, 1]) },
    { reasons: [["x".repeat(501), 1]] },
    { reasons: [["twice", 1], ["twice", 2]] },
    ...[{ everyS: 1, counts: "gA==" }, { everyS: 3, counts: "" }, null]
      .map((seconds) => ({ steps: [{ ...step, seconds }] })),
    { slowest: Array(11).fill(totals.slowest[0]) },
    { tail: { dueUs: [1], latencyUs: [] } },
    { tail: { dueUs: Array(1_001).fill(1), latencyUs: Array(1_001).fill(1) } },
    { tail: { dueUs: [1], latencyUs: [-1] } },
    { fastestUs: -1 },
    { due: -1 },
  ];
  for (const wrong of wrongTotals) {
    refuses(packedReport, packed, { totals: { ...totals, ...wrong } });
  }
  const others = [
    { sessions: { ...sessions, created: -1 } },
    { time: { cpuUs: null, waitedUs: null } },
    { elapsedUs: null },
    { busyPeriods: {} },
    { open: packHistogram(histogramOf()) },
  ];
  for (const wrong of others) refuses(packedReport, packed, wrong);
});
