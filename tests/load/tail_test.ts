/** The moments of the slowest thousandth, held to a sort of all. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { mergeTails, MOST_TAIL, Tail, type TailTimes } from "../../runner/load/recording/tail.ts";
import { forAll } from "../for_all.ts";

type Sample = readonly [dueUs: number, latencyUs: number];

/** Few different latencies, so that many are equal, or many; more than are kept, or fewer. */
const samples: fc.Arbitrary<Sample[]> = fc.tuple(
  fc.constantFrom(10, 1_000_000),
  fc.integer({ min: 0, max: 3 * MOST_TAIL }),
  fc.nat(),
).map(([most, length, seed]) =>
  Array.from({ length }, (_, i): Sample => [i, Math.imul(seed + i, 2_654_435_761) >>> 0 & most])
);

function tailOf(all: readonly Sample[]): TailTimes {
  const tail = new Tail();
  for (const [dueUs, latencyUs] of all) tail.add(dueUs, latencyUs);
  return tail.times;
}

const byLatency = (a: number, b: number): number => b - a;

Deno.test("a worker keeps its slowest requests, each with its own moment", () => {
  forAll([samples], (all) => {
    const { dueUs, latencyUs } = tailOf(all);
    assert.deepEqual(
      [...latencyUs].sort(byLatency),
      all.map(([, latency]) => latency).sort(byLatency).slice(0, MOST_TAIL),
    );
    dueUs.forEach((due, i) => assert.equal(all[due][1], latencyUs[i]));
    assert.equal(new Set(dueUs).size, dueUs.length);
  }, { seed: 7 });
});

Deno.test("a run has the slowest thousandth of all workers, at least ten and at most a thousand", () => {
  const kept = (requests: number, workers: readonly (readonly Sample[])[]): number[] =>
    mergeTails(workers.map(tailOf), requests).map(({ latency }) => 1_000 * latency);
  const rising = (length: number): Sample[] => Array.from({ length }, (_, i): Sample => [i, 1 + i]);
  assert.deepEqual(kept(7, [rising(3), rising(4)]), [4, 3, 3, 2, 2, 1, 1]);
  assert.equal(kept(9_000, [rising(9_000)]).length, 10);
  assert.equal(kept(50_001, [rising(20_000), rising(30_001)]).length, 51);
  assert.equal(kept(5_000_000, [rising(20_000), rising(30_000)]).length, 1_000);
  assert.deepEqual(kept(50_000, [rising(20_000), rising(30_000)]).slice(0, 2), [30_000, 29_999]);
});

Deno.test("a recorder keeps what completed and lower bounds, and gives them at the end alone", () => {
  const recorder = new Recorder(250_000, () => {});
  recorder.complete(0, 200, 100, 100, 200, 400);
  recorder.fail(0, 0, { kind: "timeout", reason: "no response in time" }, 500, 500, 2_500);
  recorder.fail(0, 0, { kind: "reset", reason: "connection reset" }, 500, 500, 9_500);
  assert.equal(recorder.totals().tail.dueUs.length, 0);
  recorder.seal(5_000);
  recorder.leaveUnfinished(0, 0, 4_000, 4_000, 5_000);
  const { dueUs, latencyUs } = recorder.finish(5_000).tail;
  const kept = Array.from(dueUs, (due, i) => [due, latencyUs[i]]).sort(([a], [b]) => a - b);
  assert.deepEqual(kept, [[100, 300], [500, 2_000], [4_000, 1_000]]);
});
