import fc from "fast-check";
import assert from "node:assert/strict";
import { LoopWatch } from "../../runner/load/recording/busy_periods.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { delayAtPercentile } from "../../runner/trust/delay.ts";

function lengths(...us: number[]): Histogram {
  const stretches = new Histogram();
  for (const length of us) stretches.record(length);
  return stretches;
}

/** The percentile of the waits at every microsecond of the run. */
function waitAt(percentile: number, us: readonly number[], totalUs: number): number {
  const waits = us.flatMap((length) => Array.from({ length }, (_, at) => at + 0.5));
  const idle = new Array(Math.max(0, totalUs - waits.length)).fill(0);
  const sorted = [...idle, ...waits.sort((a, b) => a - b)];
  return sorted[Math.min(sorted.length - 1, Math.floor(percentile / 100 * sorted.length))];
}

Deno.test("one stretch of 100 ms in a second: a tenth of the moments wait, those of the last 1 % over 90 ms", () => {
  const stretches = lengths(100_000);
  assert.equal(delayAtPercentile(50, stretches, 1e6), 0);
  assert.equal(delayAtPercentile(90, stretches, 1e6), 0);
  const p99 = delayAtPercentile(99, stretches, 1e6);
  assert.ok(Math.abs(p99 - 90_000) < 100, `${p99} µs`);
});

Deno.test("a loop that is never free delays half of the moments by more than half a stretch", () => {
  const stretches = lengths(...new Array(1_000).fill(1_000));
  assert.equal(delayAtPercentile(50, stretches, 1e6), 500);
});

Deno.test("no stretches, no delay", () => {
  assert.equal(delayAtPercentile(99, new Histogram(), 1e6), 0);
});

Deno.test("it is the percentile of the waits at all moments of the run", () => {
  const arbitrary = fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(arbitrary, fc.integer({ min: 0, max: 5_000 }), (us, idleUs) => {
      const totalUs = us.reduce((sum, length) => sum + length, idleUs);
      for (const percentile of [50, 90, 99]) {
        const found = delayAtPercentile(percentile, lengths(...us), totalUs);
        assert.ok(
          Math.abs(found - waitAt(percentile, us, totalUs)) <= 1,
          `p${percentile}: ${found}`,
        );
      }
    }),
    { seed: 5 },
  );
});

Deno.test("a stretch that overlaps the last one counts from its end", () => {
  const watch = new LoopWatch();
  watch.held(1_000, 2_000);
  watch.held(1_500, 2_300);
  watch.held(1_000, 2_200);
  const { count, sumUs } = watch.stretches();
  assert.deepEqual({ count, sumUs }, { count: 2, sumUs: 1_300 });
});

Deno.test("the longest stretch is told anew each time that it is asked", () => {
  const watch = new LoopWatch();
  watch.held(0, 300);
  watch.held(1_000, 1_900);
  watch.held(2_000, 2_100);
  assert.equal(watch.takeLongestUs(), 900);
  assert.equal(watch.takeLongestUs(), 0);
});

Deno.test("what was before the run does not count", () => {
  const watch = new LoopWatch();
  watch.held(-5_000, -100);
  watch.spun(-50, -40);
  watch.held(-100, 200);
  assert.equal(watch.stretches().sumUs, 200);
  assert.equal(watch.spunUs, 0);
});
