import assert from "node:assert/strict";
import { Repetition } from "../../runner/experiment/repetition.ts";
import { boundsOf, repeatSentence } from "../../runner/experiment/repetition_bounds.ts";
import type { CountedPart } from "../../runner/stats/confidence/pool.ts";
import type { Run } from "../../runner/result/result.ts";
import { LOOKS } from "../../runner/stats/confidence/sequential.ts";
import type { Repeat } from "../../scenarios/plan/repetition.ts";
import { type CellSpec, resultsFixture } from "../report/fixture.ts";

const UNTIL: Exclude<Repeat, number> = { until: 0.02, atMost: null, budget: null };
const TIME = { elapsedMs: 0, blockMs: 1_000 };

function runsOf(spec: Partial<CellSpec> = {}): Run[] {
  const cell = { target: "hono", scenario: "static", medianMs: 2, runs: 56, duration: 1, ...spec };
  return resultsFixture({ cells: [cell] }).runs;
}

const RUNS = runsOf();

interface Course {
  readonly stops: number;
  readonly why: string;
  readonly halfWidth: number | null;
  readonly notes: readonly string[];
}

const WHOLE: CountedPart = { discardS: 0, figures: "whole" };

/** Repeats until the end, with the runs that each repetition gives. */
function course(
  repeat: Repeat,
  runsAfter: (done: number) => readonly Run[],
  timeAfter: (done: number) => typeof TIME = () => TIME,
): Course {
  const repetition = new Repetition(repeat, WHOLE);
  const notes: string[] = [];
  for (let done = 1; done < 2_000; done++) {
    runsAfter(done).forEach((run) => repetition.add(run));
    const decision = repetition.decide(done, timeAfter(done));
    if (decision.goesOn) {
      if (decision.note !== null) notes.push(decision.note);
      continue;
    }
    const { reason, halfWidth, repetitions } = decision.stopping;
    assert.equal(repetitions, done);
    return { stops: done, why: reason, halfWidth, notes };
  }
  throw new Error("It never ended");
}

const one = (done: number): Run[] => [RUNS[done - 1]];

Deno.test("a fixed number of repetitions ends as asked, and tells the widest interval", () => {
  const { stops, why, halfWidth, notes } = course(5, one);
  assert.deepEqual({ stops, why, notes }, { stops: 5, why: "fixed", notes: [] });
  assert.ok(halfWidth !== null && halfWidth > 0 && halfWidth < 0.1, String(halfWidth));
  assert.equal(course(1, one).halfWidth, null);
});

Deno.test("until ends at the first look that finds every interval narrow", () => {
  const loose = course({ ...UNTIL, until: 0.3 }, one);
  assert.deepEqual({ stops: loose.stops, why: loose.why }, { stops: 5, why: "precision" });
  assert.ok(loose.halfWidth !== null && loose.halfWidth <= 0.3);
  const tight = course({ ...UNTIL, until: 0.011 }, one);
  assert.equal(tight.why, "precision");
  assert.ok(tight.stops > 5 && LOOKS.some((look) => look === tight.stops), String(tight.stops));
  assert.ok(tight.halfWidth !== null && tight.halfWidth <= 0.011);
  const looks = LOOKS.filter((look) => look < tight.stops);
  assert.deepEqual(
    tight.notes.map((note) =>
      /^After (\d+) repetitions .*: continuing to (\d+) repetitions$/.exec(note)?.slice(1)
    ),
    looks.map((look, i) => [String(look), String(LOOKS[i + 1])]),
  );
});

Deno.test("the widest cell decides", () => {
  const wild = [1, 2, 4, 1, 3].flatMap((medianMs) => runsOf({ target: "wild", medianMs, runs: 1 }));
  const both = course(
    { ...UNTIL, until: 0.3 },
    (done) => [...one(done), wild[(done - 1) % wild.length]],
  );
  assert.ok(both.stops > 5);
});

Deno.test("narrow intervals of runs of two kinds do not end it before 14 repetitions, and the note says why", () => {
  const loose = { ...UNTIL, until: 0.4 };
  const mixed = (done: number): Run[] => {
    const [run] = one(done).map((run) => structuredClone(run));
    if (done === 3 || done === 4) {
      for (const point of run.timeline.points) point.completed = point.completed * 0.65;
    }
    return [run];
  };
  const { stops, notes } = course(loose, mixed);
  assert.equal(course(loose, one).stops, 5);
  assert.equal(stops, 14);
  assert.match(
    notes[0],
    /and the runs of a cell fall into two groups: continuing to 7 repetitions$/,
  );
});

Deno.test("until ends after the last look, or after as many as are allowed", () => {
  assert.deepEqual(course({ ...UNTIL, until: 1e-6 }, one), {
    ...course({ ...UNTIL, until: 1e-6 }, one),
    stops: LOOKS[LOOKS.length - 1],
    why: "limit",
  });
  const few = course({ ...UNTIL, until: 1e-6, atMost: 6 }, one);
  assert.deepEqual({ stops: few.stops, why: few.why }, { stops: 6, why: "limit" });
});

Deno.test("a cell that can never be measured, or never answers, does not hold up the others", () => {
  const loose = { ...UNTIL, until: 0.3 };
  assert.equal(
    course(
      loose,
      (done) => done === 2 ? [...one(done), ...runsOf({ target: "once", runs: 1 })] : one(done),
    ).stops,
    5,
  );
  const silent = runsOf({ target: "silent", timeoutRatio: 1, runs: 5 });
  assert.equal(course(loose, (done) => [...one(done), silent[done - 1]]).stops, 5);
  const nothing = course(loose, () => []);
  assert.deepEqual({ ...nothing, notes: 0 }, {
    stops: 5,
    why: "precision",
    halfWidth: null,
    notes: 0,
  });
});

Deno.test("a budget ends before the repetition that would pass it, after two at the least", () => {
  const repeat: Repeat = { until: null, atMost: null, budget: 10_000 };
  const steady = course(repeat, one, (done) => ({ elapsedMs: done * 2_400, blockMs: 2_400 }));
  assert.deepEqual({ stops: steady.stops, why: steady.why }, { stops: 4, why: "budget" });
  const slow = course(repeat, one, (done) => ({ elapsedMs: done * 60_000, blockMs: 60_000 }));
  assert.equal(slow.stops, 2);
  assert.equal(course({ ...repeat, atMost: 3 }, one).why, "limit");
  assert.equal(
    course(
      { ...UNTIL, budget: 10_000 },
      one,
      (done) => ({ elapsedMs: done * 3_000, blockMs: 3_000 }),
    ).stops,
    3,
  );
  assert.equal(course(repeat, () => [], () => ({ elapsedMs: 0, blockMs: 0 })).stops, 2);
});

Deno.test("the discarded start of runs counts for nothing, nor does what comes before the steady part", () => {
  const restarts = Array.from(
    { length: 5 },
    (_, i) => runsOf({ warmUp: 1 + 8 * i, runs: 1, duration: 6 })[0],
  );
  const halfWidth = (counted: CountedPart): number => {
    const repetition = new Repetition(5, counted);
    restarts.forEach((run) => repetition.add(run));
    const decision = repetition.decide(5, TIME);
    assert.ok(!decision.goesOn && decision.stopping.halfWidth !== null);
    return decision.stopping.halfWidth;
  };
  const [whole, rest] = [halfWidth(WHOLE), halfWidth({ ...WHOLE, discardS: 3 })];
  assert.ok(whole > 3 * rest, `${whole} ${rest}`);
  restarts.forEach((run) => run.warmup = { label: "warm-up", steadyFromS: 3 });
  assert.equal(halfWidth({ ...WHOLE, figures: "steady" }), rest);
});

const planned: [repeat: Repeat, next: number[]][] = [
  [3, [3, 3, 3]],
  [UNTIL, [5, 5, 5]],
  [{ ...UNTIL, atMost: 6 }, [5, 5, 5]],
  [{ until: null, atMost: null, budget: 1_000 }, [2, 2, 3]],
  [{ until: null, atMost: 64, budget: null }, [64, 64, 64]],
];

Deno.test("how many repetitions are planned is known up to the next decision", () => {
  for (const [repeat, next] of planned) {
    const repetition = new Repetition(repeat, WHOLE);
    assert.deepEqual([0, 1, 2].map((done) => repetition.plannedAfter(done)), next);
  }
  assert.equal(new Repetition({ ...UNTIL, atMost: 6 }, WHOLE).plannedAfter(5), 6);
  assert.equal(new Repetition(UNTIL, WHOLE).plannedAfter(7), 10);
});

Deno.test("what will be done is told with its bounds", () => {
  assert.equal(repeatSentence(5), null);
  assert.equal(
    repeatSentence({ until: 0.02, atMost: 14, budget: null }),
    "until the widest interval is ± 2 %, checked after 5, 7, 10, 14 repetitions; at most 14 repetitions",
  );
  assert.match(repeatSentence({ ...UNTIL, budget: 60_000 }) ?? "", /; no longer than 60s$/);
  assert.match(
    repeatSentence({ until: null, atMost: null, budget: 60_000 }) ?? "",
    /fit into 60s$/,
  );
  assert.deepEqual(boundsOf(4, 1_000), { least: 4, most: 4 });
  assert.deepEqual(boundsOf(UNTIL, 1_000), { least: 5, most: 56 });
  assert.deepEqual(boundsOf({ ...UNTIL, budget: 20_500 }, 1_000), { least: 5, most: 20 });
  assert.deepEqual(boundsOf({ until: null, atMost: null, budget: 500 }, 1_000), {
    least: 2,
    most: 2,
  });
});
