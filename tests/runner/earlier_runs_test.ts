import assert from "node:assert/strict";
import type { Results } from "../../runner/result/result.ts";
import {
  commitNote,
  continued,
  EarlierRuns,
  refusals,
  withoutInterrupted,
} from "../../runner/experiment/earlier_runs.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { planBlocks, type PlannedRun } from "../../scenarios/plan/plan.ts";
import { resultsFixture } from "../report/fixture.ts";

const CELL = { scenario: "static", medianMs: 2, duration: 1, parameters: { connections: 2 } };

/** Two runs of `a` and one of `b`; the second of `b` failed, and `c` lacks something. */
function begun(): Results {
  const missing = { scenario: "static", parameters: {}, reason: "", evidence: [] };
  return resultsFixture({
    cells: [{ ...CELL, target: "a", runs: 2 }, { ...CELL, target: "b" }],
    missing: [
      { ...missing, ...CELL_OF.b, repetition: 2, kind: "failed" },
      { ...missing, ...CELL_OF.c, repetition: null, kind: "skipped" },
    ],
    state: "interrupted",
  });
}

const CELL_OF = {
  b: { target: "b", parameters: { connections: 2 } },
  c: { target: "c", parameters: { connections: 2 } },
};

/** The plan of three targets at 1 and 2 connections. */
function planned(repetitions: number): PlannedRun[] {
  const experiment = experimentSpecWith().parse({
    name: "begun",
    targets: { a: { app: "api" }, b: { app: "api" }, c: { app: "api" } },
    scenarios: { static: { get: "/static" } },
    load: { connections: [1, 2] },
  });
  return Iterator.from(planBlocks(experiment, { seed: 1 }).blocks()).take(repetitions).toArray()
    .flat();
}

Deno.test("what was made, or failed, is there; what lacked something is not", () => {
  const kept = new EarlierRuns(begun());
  const there = planned(3).filter((run) => kept.has(run));
  assert.deepEqual(
    there.map(({ cell, repetition }) => `${cell.target} ${repetition}`).sort(),
    ["a 1", "a 2", "b 1", "b 2"],
  );
  assert.ok(there.every(({ cell }) => cell.parameters.connections === 2));
  assert.deepEqual(
    there.filter((run) => kept.runOf(run) === null).map(({ cell }) => cell.target),
    ["b"],
  );
  assert.equal(kept.repetitions, 2);
});

Deno.test("nothing is there before the first run", () => {
  const kept = new EarlierRuns({ runs: [], missing: [] });
  assert.deepEqual([kept.repetitions, kept.spentMs], [0, 0]);
  assert.ok(!planned(2).some((run) => kept.has(run) || kept.countOf(run.cell) > 0));
});

Deno.test("a run took its start, its load and its share of the rest of the time", () => {
  const { runs, missing } = begun();
  const [run] = runs;
  const knownMs = (run.startUp ?? 0) + 1_000 * run.elapsedS;
  assert.equal(new EarlierRuns({ runs, missing }).tookMs(run), knownMs);
  const spent = runs.reduce(
    (sum, { startUp, elapsedS }) => sum + (startUp ?? 0) + 1_000 * elapsedS,
    0,
  );
  assert.equal(
    Math.round(new EarlierRuns({ runs, missing, spent: spent + 600 }).tookMs(run) - knownMs),
    200,
  );
});

Deno.test("results that go on keep runs and failures, and look anew at what lacked something", () => {
  const before = { ...begun(), resumed: ["2026-01-01T00:00:00.000Z"] };
  const now = "2026-01-02T00:00:00.000Z";
  const after = continued(before, now);
  assert.deepEqual(after.runs, before.runs);
  assert.deepEqual(after.missing.map(({ kind }) => kind), ["failed"]);
  assert.deepEqual(
    { state: after.state, finishedAt: after.finishedAt, resumed: after.resumed },
    { state: "running", finishedAt: null, resumed: [...before.resumed, now] },
  );
  assert.ok(!("stopping" in continued({ ...before, stopping: undefined }, now)));
});

Deno.test("another version or another machine is refused, and what differs is named", () => {
  const kept = begun();
  const here = { version: kept.version, machine: kept.machine };
  assert.deepEqual(refusals(kept, here), []);
  const [version, ...none] = refusals(kept, { ...here, version: "99.0.0" });
  assert.match(version.message, /began: this is Plateau 99\.0\.0$/);
  assert.deepEqual(none, []);
  const other = { ...kept.machine, cpu: "Abacus 1", governor: "powersave" };
  const [machine] = refusals(kept, { ...here, machine: other });
  assert.match(machine.message, /different machine.*cpu: .* → Abacus 1/);
  assert.match(machine.message, /governor: .* → powersave/);
});

Deno.test("a machine is the same after a boot, and a container under its next name", () => {
  const kept = begun();
  const { version, machine } = kept;
  const booted = { ...machine, memory: machine.memory - 4_096, openFiles: 12 };
  assert.deepEqual(refusals(kept, { version, machine: booted }), []);
  const renamed = { ...machine, hostname: "f00" };
  assert.equal(refusals(kept, { version, machine: renamed }).length, 1);
  const contained = { ...kept, machine: { ...machine, container: "docker" } };
  assert.deepEqual(
    refusals(contained, { version, machine: { ...contained.machine, hostname: "f00" } }),
    [],
  );
});

Deno.test("another commit is told, as is a change since", () => {
  const commit = { hash: "0123456789abcdef0123456789abcdef01234567", dirty: false };
  assert.equal(commitNote(commit, { ...commit }), null);
  assert.equal(commitNote(null, null), null);
  assert.match(
    commitNote(commit, { ...commit, dirty: true }) ?? "",
    /0123456789 → .* with changes$/,
  );
  assert.match(commitNote(null, commit) ?? "", /no commit → commit 0123456789$/);
});

Deno.test("a run that only its search is kept of is made, and replaces what was kept", () => {
  const before = begun();
  const kept = { ...before.missing[0], repetition: 3, kind: "interrupted" as const };
  const results = { ...before, missing: [...before.missing, kept] };
  const { missing } = continued(results, "2026-01-01T00:00:00.000Z");
  assert.deepEqual(missing, [before.missing[0], kept]);
  const earlier = new EarlierRuns({ ...results, missing });
  const [second, third] = planned(3).filter(({ cell, repetition }) =>
    cell.target === "b" && cell.parameters.connections === 2 && repetition > 1
  );
  assert.deepEqual([earlier.has(second), earlier.has(third)], [true, false]);
  assert.equal(earlier.countOf(third.cell), 2);
  assert.deepEqual(withoutInterrupted(missing, third), [before.missing[0]]);
  assert.deepEqual(withoutInterrupted(missing, second), missing);
});
