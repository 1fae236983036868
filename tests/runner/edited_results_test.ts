/** Results that somebody edited, and what is named of them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describeLoad } from "../../runner/measure/described_load.ts";
import { hashSettings } from "../../runner/experiment/provenance.ts";
import type { Missing, Results, Run } from "../../runner/result/result.ts";
import { contradictions } from "../../runner/experiment/edited_results.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { planBlocks } from "../../scenarios/plan/plan.ts";
import { derivedSeed } from "../../base/random.ts";
import { planResumed } from "../../cli/experiment/resume.ts";
import { describeMachine } from "../../base/system/describe.ts";
import { VERSION } from "../../base/version.ts";
import { type Problem, UserError } from "../../base/errors.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { resultsFixture } from "../report/fixture.ts";

const SEED = 42;
const EXPERIMENT = experimentSpecWith().parse({
  name: "edited",
  targets: { a: { app: "api" }, b: { app: "api" } },
  scenarios: { s: { get: "/static" } },
  load: { connections: [1, 2], duration: "1s" },
  repeat: 2,
});
const ORIGIN = { experiment: EXPERIMENT, plan: planBlocks(EXPERIMENT, { seed: SEED }) };

/** All eight runs, as the plan has them. */
function whole(): Results {
  const blank = resultsFixture({
    cells: [{ target: "a", scenario: "s", medianMs: 2, duration: 1 }],
  });
  const experiment = JSON.parse(JSON.stringify(EXPERIMENT));
  const planned = Iterator.from(ORIGIN.plan.blocks()).take(2).toArray().flat();
  const runs = planned.map(({ cell, repetition, order }): Run => ({
    ...blank.runs[0],
    target: cell.target,
    scenario: cell.scenario,
    parameters: { ...cell.parameters },
    repetition,
    order,
    load: describeLoad(cell.load, derivedSeed(SEED, repetition)),
  }));
  const settings = hashSettings(experiment);
  return { ...blank, experiment, settings, seed: SEED, planned: runs.length, runs };
}

function placesOf(results: Results): string[] {
  return contradictions(results, ORIGIN).map(({ place, message }) => {
    assert.match(message, /^Cannot resume results that contradict their experiment: \S/);
    return place;
  });
}

/** The results with another run in one's place. */
function withRun(at: number, change: (run: Run) => Partial<Run>): Results {
  const results = whole();
  return {
    ...results,
    runs: results.runs.with(at, { ...results.runs[at], ...change(results.runs[at]) }),
  };
}

Deno.test("what a search for a capacity found contradicts no plan, another goal does", () => {
  const experiment = experimentSpecWith().parse({
    name: "searched",
    targets: { a: { app: "api" } },
    scenarios: { s: { get: "/static" } },
    load: { capacity: { within: "p99 < 50ms" }, connections: 8 },
    repeat: 1,
  });
  const plan = planBlocks(experiment, { seed: SEED });
  const [{ cell, repetition, order }] = Iterator.from(plan.blocks()).take(1).toArray().flat();
  const load = describeLoad(cell.load, derivedSeed(SEED, repetition));
  assert.equal(load.kind, "capacity");
  const named = {
    target: cell.target,
    scenario: cell.scenario,
    parameters: { ...cell.parameters },
  };
  const results = (changes: object): Results => {
    const [run] = whole().runs;
    const searched = { ...run, ...named, repetition, order, load: { ...load, ...changes } } as Run;
    const own = JSON.parse(JSON.stringify(experiment));
    return {
      ...whole(),
      ...{ experiment: own, settings: hashSettings(own), planned: 1, runs: [searched] },
    };
  };
  const found = (changes: object): string[] =>
    contradictions(results(changes), { experiment, plan }).map(({ place }) => place);
  assert.deepEqual(found({ rate: 194 }), []);
  assert.deepEqual(found({ rate: 194, connections: 9 }), [
    "results.json: runs[0].load.connections",
  ]);
});

function missingOf({ target, scenario, parameters, repetition }: Run): Missing {
  return { target, scenario, parameters, repetition, kind: "failed", reason: "", evidence: [] };
}

Deno.test("results as they were made contradict nothing, whole, interrupted, or with failures", () => {
  const results = whole();
  assert.deepEqual(placesOf(results), []);
  for (let made = 0; made < results.runs.length; made++) {
    const runs = results.runs.slice(0, made);
    assert.deepEqual(placesOf({ ...results, runs, state: "interrupted" }), []);
    const missing = [missingOf(results.runs[made])];
    assert.deepEqual(placesOf({ ...results, runs, missing, state: "running" }), []);
  }
});

Deno.test("a cell that lacked something leaves its turns to the others, and may be made up for", () => {
  const results = whole();
  const [late] = results.runs;
  const isLate = (run: Run): boolean =>
    run.target === late.target && run.parameters.connections === late.parameters.connections;
  const others = results.runs.filter((run) => !isLate(run));
  const missing = [{ ...missingOf(late), repetition: null, kind: "skipped" as const }];
  assert.deepEqual(placesOf({ ...results, runs: others, missing }), []);
  const runs = [...others, late];
  assert.deepEqual(placesOf({ ...results, runs, state: "interrupted" }), []);
});

const edits: [sentence: string, edited: () => Results, places: string[]][] = [
  ["a target that the experiment does not have", () => withRun(3, () => ({ target: "c" })), [
    "runs[3]",
  ]],
  ["a scenario that it does not have", () => withRun(3, () => ({ scenario: "t" })), ["runs[3]"]],
  ["changed parameters", () => withRun(3, () => ({ parameters: { connections: 9 } })), ["runs[3]"]],
  ["a repetition beyond repeat", () => withRun(7, () => ({ repetition: 3 })), ["runs[7]"]],
  ["a repetition beyond all measure", () => withRun(7, () => ({ repetition: 1e15 })), ["runs[7]"]],
  ["an order that is not the seed's", () => withRun(5, () => ({ order: 7 })), ["runs[5].order"]],
  [
    "another load",
    () => withRun(2, ({ load }) => ({ load: { ...load, connections: 99 } })),
    ["runs[2].load.connections"],
  ],
  [
    "another interval",
    () => withRun(2, ({ timeline }) => ({ timeline: { ...timeline, intervalS: 9 } })),
    ["runs[2].interval"],
  ],
  [
    "requests that leave the data",
    () => withRun(2, ({ requests }) => ({ requests: { ...requests, due: requests.due + 1 } })),
    ["runs[2]"],
  ],
  ["statuses of other answers", () => withRun(2, () => ({ status: { 200: 1 } })), ["runs[2]"]],
  [
    "a changed experiment beside its hash",
    () => ({ ...whole(), experiment: { ...whole().experiment, name: "other" } }),
    ["experiment"],
  ],
  [
    "a failure of a cell that is none",
    () => ({ ...whole(), missing: [{ ...missingOf(whole().runs[0]), target: "c" }] }),
    ["missing[0]"],
  ],
  [
    "a failure of a run that was made",
    () => ({ ...whole(), missing: [missingOf(whole().runs[0])] }),
    ["missing[0]"],
  ],
  [
    "two runs of one cell and repetition",
    () => ({ ...whole(), runs: [...whole().runs, whole().runs[0]] }),
    ["runs[8]"],
  ],
  ["done, and a run is gone", () => ({ ...whole(), runs: whole().runs.slice(0, 7) }), ["state"]],
  [
    "a run taken out from before another",
    () => ({ ...whole(), runs: whole().runs.slice(1), state: "interrupted" }),
    [],
  ],
];

for (const [sentence, edited, places] of edits) {
  Deno.test(`results are refused with ${sentence}`, () => {
    const found = placesOf(edited());
    assert.notEqual(found.length, 0);
    for (const place of places) {
      assert.ok(found.includes(`results.json: ${place}`), `${place} is not in ${found}`);
    }
  });
}

Deno.test("every place is named at once", () => {
  const results = withRun(0, () => ({ target: "c" }));
  const runs = results.runs.with(5, { ...results.runs[5], order: 1 });
  const found = placesOf({ ...results, runs, state: "interrupted" });
  assert.deepEqual(found.slice(0, 1), ["results.json: runs[0]"]);
  assert.ok(found.includes("results.json: runs[5].order"));
});

Deno.test("another seed plans other runs", () => {
  const origin = { experiment: EXPERIMENT, plan: planBlocks(EXPERIMENT, { seed: 7 }) };
  const places = contradictions({ ...whole(), seed: 7 }, origin).map(({ place }) => place);
  assert.ok(places.some((place) => place.endsWith(".order")), `${places}`);
});

const SOURCE = `name: edited
targets: { a: { app: api }, b: { app: api } }
scenarios: { s: { get: /static } }
load: { connections: [1, 2], duration: 1s }
repeat: 2
`;

/** What `run --resume` says of the results beside the experiment that made them. */
async function saidOf(change: (results: Results) => Partial<Results>): Promise<readonly Problem[]> {
  using folder = emptyFolder();
  Deno.writeTextFileSync(join(folder.path, "edited.yaml"), SOURCE);
  const results: Results = {
    ...whole(),
    version: VERSION,
    machine: describeMachine(),
    source: SOURCE,
    file: { name: "edited.yaml", folder: "." },
    flags: { set: {} },
  };
  const kept = { ...results, ...change(results) };
  return await planResumed(folder.path, kept, {}).then(() => [], (error) => {
    assert.ok(error instanceof UserError, String(error));
    return error.problems;
  });
}

Deno.test("resume takes results that nobody edited, and an experiment file in other words", async () => {
  assert.deepEqual(await saidOf(() => ({})), []);
  assert.deepEqual(await saidOf(() => ({ source: SOURCE.replace("1s", "1000ms") })), []);
});

Deno.test("resume names what was edited in the results, with what to do", async () => {
  const [problem, ...others] = await saidOf(({ runs }) => ({
    runs: runs.with(6, { ...runs[6], repetition: 9 }),
  }));
  assert.equal(problem.place, "results.json: runs[6]");
  assert.match(
    problem.message,
    /its repetition is 9, but the last repetition of the experiment is 2$/,
  );
  assert.match(problem.fix ?? "", /put back|again/);
  assert.equal(others.at(-1)?.place, "results.json: state");
});

Deno.test("resume refuses a source that asks for something else", async () => {
  const [problem, ...others] = await saidOf(() => ({ source: SOURCE.replace("1s", "2s") }));
  assert.equal(problem.place, "results.json: source: load.duration");
  assert.match(problem.message, /1000 → 2000|\[1000\] → \[2000\]/);
  assert.deepEqual(others, []);
  const [broken] = await saidOf(() => ({ source: SOURCE.replace("get:", "git:") }));
  assert.match(broken.place, /^results\.json: source:3:/);
});

Deno.test("a thousand edits are not a thousand lines", async () => {
  const problems = await saidOf(({ runs }) => ({
    runs: Array.from({ length: 1_000 }, () => ({ ...runs[0], target: "c" })),
  }));
  assert.equal(problems.length, 21);
  assert.match(problems[20].message, /more such differences$/);
});
