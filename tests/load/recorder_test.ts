import fc from "fast-check";
import assert from "node:assert/strict";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { Timeline } from "../../runner/measure/timeline.ts";
import { mergeHistograms } from "../../runner/stats/histogram/histogram.ts";
import { forAll } from "../for_all.ts";

const SECOND = 1_000_000;
const INTERVAL = 250_000;

function recorder(intervalUs = INTERVAL): { parts: IntervalPart[]; recorder: Recorder } {
  const parts: IntervalPart[] = [];
  return { parts, recorder: new Recorder(intervalUs, (part) => parts.push(part)) };
}

Deno.test("an exchange belongs to the interval in which it ends", () => {
  const { parts, recorder: r } = recorder();
  r.complete(0, 200, 240_000, 240_000, 249_000, 249_999);
  r.complete(0, 200, 240_000, 240_000, 249_000, 250_000);
  r.finish(500_000);
  assert.deepEqual(parts.map((part) => part.completed), [1, 1]);
});

Deno.test("a busy period without any exchange is an interval of zeros", () => {
  const { parts, recorder: r } = recorder();
  r.complete(0, 200, 0, 0, 10, 20);
  r.complete(0, 200, 0, 0, 10, 900_000);
  r.finish(SECOND);
  assert.deepEqual(parts.map((part) => [part.index, part.completed]), [[0, 1], [1, 0], [2, 0], [
    3,
    1,
  ]]);
});

Deno.test("what is unfinished at the end is a lower bound in the last interval", () => {
  const { parts, recorder: r } = recorder();
  r.seal(SECOND);
  r.leaveUnfinished(0, 0, 100_000, 200_000, SECOND);
  const totals = r.finish(SECOND);
  assert.equal(parts.length, 4);
  assert.deepEqual([
    parts[3].latency.maxUs,
    totals.service.maxUs,
    totals.censored,
    totals.unfinished,
  ], [900_000, 800_000, 1, 1]);
});

Deno.test("a time-out is in the distribution, another failure is not", () => {
  const { parts, recorder: r } = recorder();
  r.fail(0, 0, { kind: "timeout", reason: "no whole response in time" }, 0, 0, 100_000);
  r.fail(0, 0, { kind: "reset", reason: "connection reset" }, 0, 0, 100_000);
  const totals = r.finish(200_000);
  assert.deepEqual([parts[0].latency.count, parts[0].failed, totals.failed, totals.censored], [
    1,
    2,
    2,
    1,
  ]);
  assert.deepEqual([...totals.reasons.keys()], ["no whole response in time", "connection reset"]);
});

Deno.test("endlessly many reasons end in a common one", () => {
  const { recorder: r } = recorder();
  for (let i = 0; i < 150; i++) r.fail(0, 0, { kind: "protocol", reason: `reason ${i}` }, 0, 0, 1);
  const { reasons } = r.finish(2);
  assert.equal(reasons.size, 101);
  assert.equal(reasons.get("other reasons"), 50);
});

Deno.test("intervals and seconds each add up to the whole, for any interval", () => {
  const moments = fc.array(fc.integer({ min: 1, max: 5 * SECOND - 1 }), { maxLength: 200 });
  forAll([moments, fc.integer({ min: 1_000, max: 2 * SECOND })], (doneUs, intervalUs) => {
    const { parts, recorder: r } = recorder(intervalUs);
    for (const us of doneUs.sort((a, b) => a - b)) {
      r.received(10, us);
      r.complete(0, 200, us - 1, us - 1, us, us);
    }
    r.finish(5 * SECOND);
    const timeline = new Timeline(intervalUs / 1_000);
    for (const part of parts) timeline.add(0, part);
    const sum = (values: readonly number[]): number =>
      values.reduce((whole, value) => whole + value, 0);
    assert.equal(parts.length, Math.ceil(5 * SECOND / intervalUs));
    assert.equal(sum(parts.map((part) => part.completed)), doneUs.length);
    assert.equal(sum(parts.map((part) => part.bytesIn)), doneUs.length * 10);
    assert.equal(mergeHistograms(parts.map((part) => part.latency)).count, doneUs.length);
    const there = Array.from(
      { length: 5 },
      (_, second) => doneUs.filter((us) => Math.floor(us / SECOND) === second).length,
    );
    assert.deepEqual(timeline.secondCompleted, there);
    assert.deepEqual(timeline.secondBytes, there.map((count) => 10 * count));
  }, { seed: 7 });
});
