import fc from "fast-check";
import assert from "node:assert/strict";
import { BusyPeriods } from "../../runner/load/recording/busy_periods.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { delayAtPercentile } from "../../runner/trust/evidence.ts";
import { forAll } from "../for_all.ts";

function lengths(...us: number[]): Histogram {
  const busyPeriods = new Histogram();
  for (const length of us) busyPeriods.record(length);
  return busyPeriods;
}

/** The percentile of the waits at every microsecond of the run. */
function waitAt(percentile: number, us: readonly number[], totalUs: number): number {
  const waits = us.flatMap((length) => Array.from({ length }, (_, at) => at + 0.5));
  const idle = new Array(Math.max(0, totalUs - waits.length)).fill(0);
  const sorted = [...idle, ...waits.sort((a, b) => a - b)];
  return sorted[Math.min(sorted.length - 1, Math.floor(percentile / 100 * sorted.length))];
}

Deno.test("one busy period of 100 ms in a second: a tenth of the moments wait, those of the last 1 % over 90 ms", () => {
  const busyPeriods = lengths(100_000);
  assert.equal(delayAtPercentile(50, busyPeriods, 1e6), 0);
  assert.equal(delayAtPercentile(90, busyPeriods, 1e6), 0);
  const p99 = delayAtPercentile(99, busyPeriods, 1e6);
  assert.ok(Math.abs(p99 - 90_000) < 100, `${p99} µs`);
});

Deno.test("a loop that is never free delays half of the moments by more than half a busy period", () => {
  const busyPeriods = lengths(...new Array(1_000).fill(1_000));
  assert.equal(delayAtPercentile(50, busyPeriods, 1e6), 500);
});

Deno.test("no busy periods, no delay", () => {
  assert.equal(delayAtPercentile(99, new Histogram(), 1e6), 0);
});

Deno.test("it is the percentile of the waits at all moments of the run", () => {
  const arbitrary = fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 8 });
  forAll([arbitrary, fc.integer({ min: 0, max: 5_000 })], (us, idleUs) => {
    const totalUs = us.reduce((sum, length) => sum + length, idleUs);
    for (const percentile of [50, 90, 99]) {
      const found = delayAtPercentile(percentile, lengths(...us), totalUs);
      assert.ok(
        Math.abs(found - waitAt(percentile, us, totalUs)) <= 1,
        `p${percentile}: ${found}`,
      );
    }
  }, { seed: 5 });
});

Deno.test("a busy period that overlaps the last one counts from its end", () => {
  const busy = new BusyPeriods();
  busy.add(1_000, 2_000);
  busy.add(1_500, 2_300);
  busy.add(1_000, 2_200);
  const { count, sumUs } = busy.lengths();
  assert.deepEqual({ count, sumUs }, { count: 2, sumUs: 1_300 });
});

Deno.test("the longest busy period is told anew each time that it is asked", () => {
  const busy = new BusyPeriods();
  busy.add(0, 300);
  busy.add(1_000, 1_900);
  busy.add(2_000, 2_100);
  assert.equal(busy.takeLongestUs(), 900);
  assert.equal(busy.takeLongestUs(), 0);
});

Deno.test("what was before the run does not count", () => {
  const busy = new BusyPeriods();
  busy.add(-5_000, -100);
  busy.addSpin(-50, -40);
  busy.add(-100, 200);
  assert.equal(busy.lengths().sumUs, 200);
  assert.equal(busy.spunUs, 0);
});
