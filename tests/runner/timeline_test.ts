import assert from "node:assert/strict";
import fc from "fast-check";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { ERRORS } from "../../runner/result/outcome.ts";
import { EMPTY, Histogram } from "../../runner/stats/histogram/histogram.ts";
import { Timeline, type WholeInterval } from "../../runner/measure/timeline.ts";
import { timelinePoints } from "../../runner/measure/timeline_points.ts";
import { forAll } from "../for_all.ts";

const END = { intervalMs: 250, elapsedUs: 750_000, clock: "sent" as const };

function partOf(index: number, completed: number, latenciesUs: readonly number[]): IntervalPart {
  const latency = new Histogram();
  for (const us of latenciesUs) latency.record(us);
  return {
    index,
    completed,
    failed: 1,
    errors: ERRORS.map((_, kind) => kind === 0 ? 1 : 0),
    wrong: 0,
    bytesIn: 10,
    secondCompleted: [completed],
    secondBytes: [10],
    latency: latency.toSparse(),
    censored: EMPTY,
  };
}

function told({ index, completed, completedSoFar }: WholeInterval): number[] {
  return [index, completed, completedSoFar];
}

Deno.test("an interval is whole once every worker has told its part", () => {
  const timeline = new Timeline(250);
  assert.deepEqual(timeline.setReportingWorkers(2), []);
  assert.equal(timeline.add(0, partOf(0, 3, [])), null);
  assert.equal(timeline.add(0, partOf(1, 4, [])), null);
  const first = timeline.add(1, partOf(0, 5, []));
  assert.deepEqual(first && told(first), [0, 8, 8]);
  const second = timeline.add(1, partOf(1, 6, []));
  assert.deepEqual(second && told(second), [1, 10, 18]);
});

Deno.test("a worker that falls silent holds up no interval, and one that comes late is given twice to nobody", () => {
  const timeline = new Timeline(250);
  timeline.setReportingWorkers(2);
  timeline.add(0, partOf(0, 3, [100]));
  timeline.add(0, partOf(1, 4, [100]));
  assert.deepEqual(timeline.setReportingWorkers(1).map(told), [[0, 3, 3], [1, 4, 7]]);
  assert.equal(timeline.add(1, partOf(0, 5, [900])), null);
  assert.deepEqual(timeline.setReportingWorkers(1), []);
  assert.deepEqual(timeline.setReportingWorkers(2), []);
  assert.equal(timeline.add(1, partOf(1, 6, [900])), null);
  timeline.add(0, partOf(2, 1, []));
  const third = timeline.add(1, partOf(2, 1, []));
  assert.deepEqual(third && told(third), [2, 2, 20], "what came late is in the sum of the run");
  const [{ completed, failed, bytes, max, errors }] = timelinePoints(timeline.intervals, END);
  assert.deepEqual([completed, failed, bytes, max], [8, 2, 20, 0.9]);
  assert.deepEqual(errors, { [ERRORS[0]]: 2 });
});

Deno.test("a second part of an interval from the same worker counts, and makes nothing whole", () => {
  const timeline = new Timeline(250);
  timeline.setReportingWorkers(2);
  assert.equal(timeline.add(0, partOf(0, 3, [])), null);
  assert.equal(timeline.add(0, partOf(0, 0, [700])), null);
  const whole = timeline.add(1, partOf(0, 2, []));
  assert.deepEqual(whole && told(whole), [0, 5, 5]);
  assert.equal(timeline.latency().all.maxUs, 700);
});

Deno.test("whatever the order and whoever is heard, the figures are the same and each interval is given once", () => {
  const anyPart = fc.record({ completed: fc.nat(50), us: fc.array(fc.nat(5_000)) });
  const workers = fc.array(fc.array(anyPart, { minLength: 3, maxLength: 3 }), {
    minLength: 1,
    maxLength: 4,
  });
  forAll([workers, fc.array(fc.nat(), { minLength: 12, maxLength: 12 })], (all, turns) => {
    const inOrder = new Timeline(250);
    const mixed = new Timeline(250);
    const queues = all.map((parts, worker) =>
      parts.map(({ completed, us }, index) => ({ worker, part: partOf(index, completed, us) }))
    );
    for (const { worker, part } of queues.flat()) inOrder.add(worker, part);
    const given: number[] = [];
    mixed.setReportingWorkers(all.length);
    for (const turn of turns) {
      const open = queues.filter((queue) => queue.length > 0);
      const next = open[turn % Math.max(1, open.length)]?.shift();
      if (next === undefined) break;
      const whole = mixed.add(next.worker, next.part);
      if (whole !== null) given.push(whole.index);
      const heard = turn % 3 === 0 ? Math.max(1, all.length - 1) : all.length;
      given.push(...mixed.setReportingWorkers(heard).map(({ index }) => index));
    }
    assert.deepEqual(
      timelinePoints(mixed.intervals, END),
      timelinePoints(inOrder.intervals, END),
    );
    assert.deepEqual(given.toSorted(), [0, 1, 2]);
  }, { seed: 14 });
});
