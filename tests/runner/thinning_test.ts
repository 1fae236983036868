/**
 * A run of any length keeps a bounded number of intervals, and loses no count and no value by it. Time is an
 * argument: a day of intervals takes some seconds.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import {
  MOST_SECONDS,
  SecondCounts,
  sumOfSeconds,
} from "../../runner/load/recording/second_counts.ts";
import { Timeline } from "../../runner/measure/timeline.ts";
import { timelinePoints } from "../../runner/measure/timeline_points.ts";
import { ERRORS } from "../../runner/result/outcome.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import {
  Histogram,
  mergeHistograms,
  type SparseHistogram,
} from "../../runner/stats/histogram/histogram.ts";
import { forAll } from "../for_all.ts";

const DAY_S = 86_400;
const INTERVAL_MS = 250;

/** What two histograms are compared by: their buckets, sums and ends. */
function held({ indices, counts, ...sums }: SparseHistogram): unknown {
  return { ...sums, indices: [...indices], counts: [...counts] };
}

function sumOf<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0);
}

Deno.test("a day of intervals of 250 ms is kept as 2,400 at most, with every count and value", () => {
  const timeline = new Timeline(INTERVAL_MS);
  timeline.setReportingWorkers(1);
  const unthinned = new Histogram();
  let given = 0;
  let completed = 0;
  const recorder = new Recorder(1_000 * INTERVAL_MS, (part) => {
    unthinned.addSparse(part.latency);
    completed += part.completed;
    if (timeline.add(0, part) !== null) given++;
  });
  // Ten requests a second, of which each hundredth fails; latencies wander, so that no two intervals are alike.
  for (let n = 0; n < 10 * DAY_S; n++) {
    const dueUs = n * 100_000;
    const doneUs = dueUs + 500 + 7_919 * n % 90_000;
    recorder.due++;
    recorder.received(100, doneUs);
    if (n % 100 === 99) {
      recorder.fail(0, 0, { kind: "reset", reason: "connection reset" }, dueUs, dueUs, doneUs);
    } else recorder.complete(0, 200, dueUs, dueUs, doneUs, doneUs);
  }
  const totals = recorder.finish(DAY_S * 1e6);
  assert.equal(given, 4 * DAY_S, "each interval is shown while the run goes on");
  const { intervals, intervalMs } = timeline;
  assert.equal(intervalMs, 256 * INTERVAL_MS);
  assert.equal(intervals.length, Math.ceil(1_000 * DAY_S / intervalMs));
  assert.ok(intervals.length > 1_200 && intervals.length <= 2_400);
  assert.equal(sumOf(intervals, (interval) => interval.completed), totals.completed);
  assert.equal(completed, totals.completed);
  assert.equal(sumOf(intervals, ({ failed }) => failed), totals.failed);
  assert.equal(sumOf(intervals, ({ errors }) => errors[ERRORS.indexOf("reset")]), totals.failed);
  assert.equal(sumOf(intervals, ({ bytesIn }) => bytesIn), totals.bytesIn);
  const merged = mergeHistograms(intervals.map(({ latency }) => latency.whole())).toSparse();
  assert.deepEqual(held(merged), held(unthinned.toSparse()));
  assert.deepEqual(held(timeline.latency().all), held(unthinned.toSparse()));
  assert.equal(timeline.secondCompleted.length, DAY_S);
  assert.equal(sumOf(timeline.secondCompleted, (count) => count), totals.completed);
  const points = timelinePoints(intervals, { intervalMs, elapsedUs: DAY_S * 1e6, clock: "sent" });
  assert.equal(points.at(-1)?.endS, DAY_S);
  assert.equal(sumOf(points, ({ histogram }) => decodeSparse(histogram).count), totals.completed);
  assert.ok(JSON.stringify(points).length < 10e6);
});

const anyPart = fc.record({
  completed: fc.nat(50),
  failed: fc.nat(3),
  wrong: fc.nat(2),
  bytesIn: fc.nat(1_000),
  ended: fc.array(fc.nat(5_000), { maxLength: 8 }),
  bounds: fc.array(fc.nat(5_000_000), { maxLength: 2 }),
});

function partOf(
  index: number,
  { ended, bounds, failed, ...counts }: typeof anyPart extends fc.Arbitrary<infer T> ? T : never,
): IntervalPart {
  const [latency, censored] = [new Histogram(), new Histogram()];
  for (const us of [...ended, ...bounds]) latency.record(us);
  for (const us of bounds) censored.record(us);
  return {
    ...{ index, failed, ...counts },
    errors: failed === 0
      ? null
      : ERRORS.map((_, kind) => kind === index % ERRORS.length ? failed : 0),
    ...{ secondCompleted: [counts.completed], secondBytes: [counts.bytesIn] },
    ...{ latency: latency.toSparse(), censored: censored.toSparse() },
  };
}

Deno.test("whatever the intervals of whichever workers, thinned ones are sums of neighbours in their order", () => {
  const workers = fc.array(fc.array(anyPart, { maxLength: 40 }), { minLength: 1, maxLength: 3 });
  forAll([workers, fc.integer({ min: 2, max: 9 })], (all, most) => {
    const [thinned, whole] = [new Timeline(INTERVAL_MS, most), new Timeline(INTERVAL_MS, 1_000)];
    for (const timeline of [thinned, whole]) {
      timeline.setReportingWorkers(all.length);
      all.forEach((parts, worker) =>
        parts.forEach((part, index) => timeline.add(worker, partOf(index, part)))
      );
    }
    const width = thinned.intervalMs / INTERVAL_MS;
    assert.ok(Number.isInteger(Math.log2(width)));
    assert.ok(thinned.intervals.length <= most);
    assert.ok(width === 1 || whole.intervals.length > most * width / 2, "no longer than it must");
    assert.equal(thinned.intervals.length, Math.ceil(whole.intervals.length / width));
    thinned.intervals.forEach((interval, at) => {
      const parts = whole.intervals.slice(at * width, (at + 1) * width);
      for (const key of ["completed", "failed", "wrong", "bytesIn"] as const) {
        assert.equal(interval[key], sumOf(parts, (part) => part[key]));
      }
      ERRORS.forEach((_, kind) =>
        assert.equal(interval.errors[kind], sumOf(parts, ({ errors }) => errors[kind]))
      );
      for (const key of ["latency", "censored"] as const) {
        const sum = mergeHistograms(parts.map((part) => part[key].whole())).toSparse();
        assert.deepEqual(held(interval[key].whole()), held(sum));
      }
    });
    all.forEach((_, worker) => {
      const own = { firstWorker: worker, workers: 1 };
      const fine = whole.completed(own);
      assert.deepEqual(
        thinned.completed(own),
        thinned.intervals.map((_, at) =>
          sumOf(fine.slice(at * width, (at + 1) * width), (count) => count)
        ),
      );
    });
  }, { seed: 48 });
});

Deno.test("an interval of which a worker never reports its part is kept with what there is, and later parts count", () => {
  const timeline = new Timeline(INTERVAL_MS);
  timeline.setReportingWorkers(2);
  const one = { completed: 1, failed: 0, wrong: 0, bytesIn: 1, ended: [100], bounds: [] };
  for (let index = 0; index < 5_000; index++) timeline.add(0, partOf(index, one));
  assert.equal(timeline.add(1, partOf(0, one)), null);
  assert.equal(timeline.intervals.length, 1_250);
  assert.equal(timeline.intervals[0].completed, 5);
  assert.equal(sumOf(timeline.intervals, ({ completed }) => completed), 5_001);
});

Deno.test("a fleet of many workers keeps fewer intervals, as it has them of each agent", () => {
  const timeline = new Timeline(INTERVAL_MS);
  timeline.setReportingWorkers(10_000);
  const one = { completed: 1, failed: 0, wrong: 0, bytesIn: 1, ended: [100], bounds: [] };
  for (let index = 0; index < 400; index++) timeline.add(0, partOf(index, one));
  assert.equal(timeline.intervals.length, 200);
  assert.equal(timeline.intervalMs, 2 * INTERVAL_MS);
});

Deno.test("a table of seconds stays short, and tables of different widths add up", () => {
  const [long, short] = [new SecondCounts(), new SecondCounts()];
  for (let second = 0; second < DAY_S; second++) long.add(second);
  for (let second = 0; second < 100; second++) short.add(second);
  const { everyS, counts } = long.series;
  assert.deepEqual([everyS, counts.length], [64, DAY_S / 64]);
  assert.ok(counts.length <= MOST_SECONDS);
  assert.deepEqual(new Set(counts), new Set([64]));
  const both = sumOfSeconds([long.series, short.series]);
  assert.deepEqual(both.counts.slice(0, 3), [128, 64 + 36, 64]);
  assert.equal(sumOf(both.counts, (count) => count), DAY_S + 100);
});

Deno.test("a second that more comes of is handed on again, and all of them where the table was widened", () => {
  const table = new SecondCounts();
  table.add(0);
  table.add(4);
  assert.deepEqual(table.take(), { everyS: 1, from: 0, counts: [1, 0, 0, 0, 1] });
  table.add(4);
  assert.deepEqual(table.take(), { everyS: 1, from: 4, counts: [2] });
  assert.deepEqual(table.take(), { everyS: 1, from: 5, counts: [] });
  table.add(6);
  assert.deepEqual(table.take(), { everyS: 1, from: 5, counts: [0, 1] });
  table.add(MOST_SECONDS);
  const { everyS, from, counts } = table.take();
  assert.deepEqual([everyS, from, counts.length], [2, 0, MOST_SECONDS / 2 + 1]);
  assert.deepEqual(counts, table.series.counts);
});
