import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
import { LIMITS } from "../../base/limits.ts";
import { overlapOf, type Pause, runCounters } from "../../runner/counters/run_counters.ts";
import { Turns, turnsOf } from "../../scenarios/pace/slices.ts";
import type { ProcessCounters } from "../../targets/observe/runtime/counter_records.ts";
import { randomFrom } from "../report/intervals.ts";

const WHOLE = { from: 0, to: 1_000 };

function pause(from: number, to: number): Pause {
  return { from, to, lasts: to - from };
}

Deno.test("a request overlaps a pause by any part of it, and touching is none", () => {
  const pauses = [pause(100, 150), pause(140, 200)];
  const requests = [[90, 101], [120, 130], [199, 300], [50, 100], [200, 210]]
    .map(([from, to]) => ({ from, to }));
  assert.equal(overlapOf(requests, pauses, WHOLE).overlapping, 3);
});

Deno.test("a pause shorter than a tenth of a request is none of its causes", () => {
  const pauses = [pause(100, 104)];
  const seen = (length: number): ReturnType<typeof overlapOf> =>
    overlapOf([{ from: 90, to: 90 + length }], pauses, WHOLE);
  assert.deepEqual(seen(41), { overlapping: 0, expected: 0 });
  assert.equal(seen(40).overlapping, 1);
});

Deno.test("the share expected by chance is that of random moments", () => {
  const random = randomFrom(7);
  const pauses = Array.from({ length: 6 }, () => {
    const from = 900 * random();
    return pause(from, from + 30 + 60 * random());
  });
  for (const length of [0.5, 20, 300]) {
    const draws = 20_000;
    const drawn = Array.from({ length: draws }, () => {
      const from = (1_000 - length) * random();
      return { from, to: from + length };
    });
    const { overlapping } = overlapOf(drawn, pauses, WHOLE);
    const { expected } = overlapOf([{ from: 10, to: 10 + length }], pauses, WHOLE);
    // Five standard errors of a share.
    assert.ok(Math.abs(overlapping / draws - expected) < 5 * 0.5 / Math.sqrt(draws));
  }
});

Deno.test("without pauses nothing is expected; a request as long as the run meets every pause", () => {
  assert.deepEqual(overlapOf([{ from: 0, to: 10 }], [], WHOLE), { overlapping: 0, expected: 0 });
  assert.deepEqual(
    overlapOf([{ from: 0, to: 5_000 }], [pause(0, 500)], WHOLE),
    { overlapping: 1, expected: 1 },
  );
});

const EPOCH = 1_700_000_000_000;

function collection(atS: number, ms: number): ProcessCounters["collections"][number] {
  return { atMs: EPOCH + 1_000 * atS, ms, stoppedMs: ms, kind: "major", withinMs: 0, cpuMs: null };
}

function stall(atS: number, ms: number, cpuMs: number): ProcessCounters["stalls"][number] {
  return { atMs: EPOCH + 1_000 * atS, ms, cpuMs };
}

function span(endS: number, more = 0): ProcessCounters["spans"][number] {
  return {
    atMs: EPOCH + 1_000 * endS,
    forMs: 250,
    more: { count: more, ms: 0.5 * more },
    delay: { mean: endS, max: 10 * endS },
    utilization: 0.5,
    heap: 1e6 * endS,
  };
}

const REPORT: ProcessCounters = {
  pid: 7,
  runtime: "node v20",
  collections: [collection(-1, 20), collection(0.5, 40), collection(1.5, 30), collection(9, 20)],
  stalls: [stall(0.5, 35, 35), stall(0.8, 50, 48), stall(1.2, 60, 2)],
  spans: [span(-0.5, 9), span(0.25), span(1, 3), span(2.1), span(9)],
};

/** Of processes of which nothing is left out. */
function counted(
  processes: readonly ProcessCounters[],
  run: Parameters<typeof runCounters>[1],
): ReturnType<typeof runCounters> {
  return runCounters({ processes, leftOut: NOTHING }, run);
}

const NOTHING = { processes: 0, bytes: 0, lines: 0, collections: 0, stalls: 0 };

const RUN = {
  sinceMs: EPOCH,
  elapsedS: 2,
  intervalS: 1,
  slowest: [{ dueS: 0.81, latency: 30 }, { dueS: 1.21, latency: 30 }, { dueS: 1.49, latency: 20 }],
};

Deno.test("counters are of the run alone, on its clock", () => {
  const seen = counted([REPORT], RUN);
  assert.ok(seen !== null);
  const [process] = seen.processes;
  assert.equal(process.collections, 2 + 3);
  assert.equal(process.stoppedMs, 40 + 30 + 1.5);
  assert.equal(process.longestMs, 40);
  assert.equal(process.delay?.max, 21); // of the last, which ended after the run
  assert.deepEqual(
    seen.points.map(({ endS, collections, heap }) => [endS, collections, heap]),
    [[1, 1, 0.25e6], [2, 4, 2.1e6]],
  );
  assert.deepEqual(seen.collections.map(({ startS }) => startS), [0.5, 1.5]);
});

Deno.test("a stall is no collection's, and without CPU time no request is held to wait for it", () => {
  const seen = counted([REPORT], RUN);
  assert.deepEqual(seen?.stalls.map(({ startS }) => startS), [0.8, 1.2]);
  assert.equal(seen?.slowest.requests, 3);
  assert.equal(seen?.slowest.stalls.overlapping, 1);
  assert.equal(seen?.slowest.collections.overlapping, 1);
});

Deno.test("a short collection somewhere in a long stall explains neither it nor a request", () => {
  const inexact = { ...collection(0.8, 1), withinMs: 50 };
  const seen = counted([{ ...REPORT, collections: [inexact] }], RUN);
  assert.deepEqual(seen?.stalls.map(({ startS }) => startS), [0.5, 0.8, 1.2]);
  assert.equal(seen?.slowest.collections.overlapping, 0);
  assert.equal(seen?.slowest.stalls.overlapping, 1);
});

Deno.test("without reports of the run there are no counters", () => {
  assert.equal(counted([], RUN), null);
  assert.equal(counted([{ ...REPORT, collections: [], stalls: [], spans: [] }], RUN), null);
  assert.equal(counted([REPORT], { ...RUN, sinceMs: EPOCH + 60_000 }), null);
});

Deno.test("what is left out is in the counters, also where nothing else is", () => {
  const leftOut = { ...NOTHING, lines: 3 };
  assert.deepEqual(runCounters({ processes: [], leftOut }, RUN)?.leftOut, leftOut);
  assert.equal(counted([REPORT], RUN)?.leftOut, undefined);
});

/** 31 slices of each side, of which 45 ms each are measured: 1.395 s of 3.348 s. */
const TURNS = {
  ...turnsOf({ sliceUs: 50_000, cutUs: 5_000, shiftUs: 0, pauseUs: 4_000 }, { pairs: 31, seed: 1 }),
  side: 0 as const,
};

Deno.test("counters of a side in slices are of its measured parts to the last one, on their clock", () => {
  const turns = new Turns(TURNS);
  const pairs = [...Array(TURNS.pairs).keys()];
  /** A collection in each slice of a side, of 9 ms, so long after its measured part begins. */
  const collecting = (afterMs: number, of = turns) =>
    pairs.map((pair) => collection(of.measuredFromUs(pair) / 1e6 + afterMs / 1e3, 9));
  const spans = Array.from({ length: 14 }, (_, at) => span(0.25 * (at + 1)));
  const seenOf = (collections: ProcessCounters["collections"]) => {
    const slowest = pairs.map((pair) => (
      { dueS: turns.measuredFromUs(pair) / 1e6 + 0.019, latency: 6 }
    ));
    const run = { ...RUN, elapsedS: 1.395, intervalS: 0.25, slowest, turns: TURNS };
    const seen = counted([{ ...REPORT, collections, stalls: [], spans }], run);
    assert.ok(seen);
    return seen;
  };
  const loaded = seenOf(collecting(20));
  const [process] = loaded.processes;
  assert.equal(process.collections, 31);
  assert.ok(Math.abs(process.stoppedMs - 31 * 9) < 1e-6);
  assert.ok(Math.abs((loaded.collections.at(-1)?.startS ?? 0) - (30 * 0.045 + 0.02)) < 1e-6);
  assert.deepEqual(
    loaded.points.map(({ endS }) => endS),
    [0.25, 0.5, 0.75, 1, 1.25, 1.395],
  );
  assert.deepEqual(loaded.slowest.requests, 31);
  assert.equal(loaded.slowest.collections.overlapping, 31);
  // A third of the measured time: 9 ms, and the 6 before them, of 45.
  assert.ok(Math.abs(loaded.slowest.collections.expected / 31 - 1 / 3) < 0.01);
  // Half of each is after the measured part.
  const halved = seenOf(collecting(40.5));
  assert.ok(Math.abs(halved.processes[0].stoppedMs - 31 * 4.5) < 1e-6);
  const resting = seenOf(collecting(20, new Turns({ ...TURNS, side: 1 })));
  assert.deepEqual([resting.processes[0].collections, resting.processes[0].stoppedMs], [0, 0]);
  assert.deepEqual(resting.collections, []);
  assert.equal(resting.slowest.collections.overlapping, 0);
});

Deno.test("a collection at rest still explains the stall that it makes", () => {
  const turns = new Turns(TURNS);
  const atS = turns.measuredFromUs(0) / 1e6 - 0.03;
  const seenWith = (collections: ProcessCounters["collections"]) =>
    counted([{ ...REPORT, collections, stalls: [stall(atS, 40, 40)] }], {
      ...{ ...RUN, elapsedS: 1.395, intervalS: 0.25, slowest: [], turns: TURNS },
    })?.stalls.map(({ ms }) => Math.round(ms));
  assert.deepEqual(seenWith([]), [10]);
  assert.deepEqual(seenWith([collection(atS, 28)]), []);
});

Deno.test("collections within the same time, as Deno reports them, explain a stall together", () => {
  const both = [1, 2].map(() => ({ ...collection(0.8, 15), withinMs: 50 }));
  assert.deepEqual(
    counted([{ ...REPORT, collections: both }], RUN)?.stalls.map(({ startS }) => startS),
    [0.5, 1.2],
  );
  const one = counted([{ ...REPORT, collections: both.slice(1) }], RUN);
  assert.deepEqual(one?.stalls.map(({ startS }) => startS), [0.5, 0.8, 1.2]);
});

Deno.test("the overlap of many requests and pauses is that of each by itself", () => {
  const random = randomFrom(3);
  const period = (longest: number): { from: number; to: number } => {
    const from = 1_000 * random();
    return { from, to: from + longest * random() };
  };
  const pauses = Array.from({ length: 60 }, () => {
    const { from, to } = period(40);
    return { from, to, lasts: (to - from) * random() };
  });
  const requests = Array.from({ length: 80 }, () => period(200));
  const all = overlapOf(requests, pauses, WHOLE);
  const each = requests.map((request) => overlapOf([request], pauses, WHOLE));
  const sum = (of: (one: typeof all) => number): number =>
    each.reduce((so, one) => so + of(one), 0);
  assert.equal(all.overlapping, sum(({ overlapping }) => overlapping));
  assert.ok(Math.abs(all.expected - sum(({ expected }) => expected)) < 1e-9);
});

Deno.test("as many pauses and stalls as a target may report cost little CPU time", () => {
  const collections = Array.from(
    { length: LIMITS.collections.most },
    (_, i) => collection(i / 50_000, 0.001 + (i * 7_919 % 900) / 1e4),
  );
  const stalls = Array.from({ length: LIMITS.stalls.most }, (_, i) => stall(i / 10_000, 11, 11));
  const slowest = Array.from({ length: 1_000 }, (_, i) => ({ dueS: i / 500, latency: i / 1e3 }));
  const before = cpuUsage();
  const seen = counted([{ ...REPORT, collections, stalls }], { ...RUN, slowest });
  const { user, system } = cpuUsage(before);
  assert.equal(seen?.slowest.requests, 1_000);
  assert.ok(user + system < 3_000_000, `${user + system} µs`); // and minutes where each is joined with each
});
