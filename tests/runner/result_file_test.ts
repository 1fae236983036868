/** Results on a disk that does not take them. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readResults } from "../../cli/results/reading.ts";
import { TargetError } from "../../base/errors.ts";
import { carryOutBlocks } from "../../runner/experiment/blocks.ts";
import { EarlierRuns } from "../../runner/experiment/earlier_runs.ts";
import { UNKNOWN_ACTIVITY } from "../../runner/host/host_activity.ts";
import { reportOfSilent } from "../../runner/load/worker/silent_worker.ts";
import type { Loaded, Loader } from "../../runner/measure/loader.ts";
import { ResultFile } from "../../runner/result/result_file.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { planBlocks } from "../../scenarios/plan/plan.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { resultsFixture } from "../report/fixture.ts";

const RESULTS = resultsFixture({ cells: [] });

/** A file in whose place something else stands. */
function unwritable(folder: string): ResultFile {
  Deno.mkdirSync(join(folder, "results.json"));
  return new ResultFile(folder, { ...RESULTS, runs: [], missing: [] });
}

function isTold(error: unknown): true {
  assert.ok(error instanceof TargetError, String(error));
  assert.match(error.message, /^Cannot write \S+results\.json: \S/);
  return true;
}

Deno.test("what the disk does not take is told with its place, and is no defect of ours", async () => {
  using folder = emptyFolder();
  await assert.rejects(unwritable(folder.path).save(), isTold);
});

/** Asks nothing, and says so. */
const IDLE: Loader = {
  load: (_, hooks): Promise<Loaded> => {
    const pacer = { kind: "closed", requests: Infinity } as const;
    const share = { pacer, scriptKind: "requests", durationUs: 1_000 } as const;
    hooks.onStart(performance.timeOrigin + performance.now());
    const stage = { hostActivity: UNKNOWN_ACTIVITY, calibration: null, sharesMachine: false };
    const reports = [reportOfSilent(share, null).report];
    return Promise.resolve({ driver: "tcp", connections: [1], reports, stage, agents: null });
  },
  close: () => Promise.resolve(),
};

Deno.test("a run that can't be saved ends the experiment, and is not one that can't be measured", async () => {
  using folder = emptyFolder();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("ok"),
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const target: RunningTarget = {
    ...{ origin, pid: null, supervised: false, startUpMs: null, runtime: null, readyPath: null },
    exited: new Promise(() => {}),
    lastLines: () => [],
    stop: () => Promise.resolve(),
  };
  const experiment = experimentSpecWith().parse({
    name: "a",
    targets: { a: { url: origin } },
    scenarios: { s: { get: "/" } },
    repeat: 1,
  });
  const plan = planBlocks(experiment, { seed: 1 });
  const file = unwritable(folder.path);
  const context = {
    ...{
      loader: IDLE,
      seed: 1,
      workers: null,
      intervalMs: 250,
      logFolder: null,
      scripted: {},
      preflights: null,
    },
    onProgress: () => {},
    signal: new AbortController().signal,
    open: () => Promise.resolve(target),
    reopen: () => Promise.resolve(target),
    close: () => {},
    earlierCapacity: () => null,
    redisUse: () => Promise.resolve(null),
  };
  const kept = new EarlierRuns(file.results);
  await assert.rejects(
    carryOutBlocks({ experiment, plan, missing: new Map(), kept }, file, context),
    isTold,
  );
  assert.deepEqual(file.results.missing, []);
});

Deno.test("a large file has a journal beside it, with which it is read back as it would be whole", async () => {
  using folder = emptyFolder();
  const cells = [{ target: "api", scenario: "static", medianMs: 2, runs: 40 }];
  const { runs, ...head } = resultsFixture({ cells, state: "running" });
  const saved: number[] = [];
  const file = new ResultFile(
    folder.path,
    { ...head, runs: [], missing: [] },
    ({ runs }) => Promise.resolve(void saved.push(runs.length)),
    100_000,
  );
  await file.save();
  let [whole, journaled] = [0, 0];
  const missing = { target: "api", scenario: "static", parameters: {}, reason: "it ended" };
  for (const run of runs) {
    file.results.planned = run.repetition;
    await file.addRun(run);
    if (run.repetition === 30) {
      const kind = "failed" as const;
      await file.addMissing({ ...missing, repetition: 99, kind, evidence: [] });
    }
    const inFile = JSON.parse(Deno.readTextFileSync(join(folder.path, "results.json"))).runs.length;
    if (inFile === run.repetition) whole++;
    else journaled++;
    const read = await readResults(folder.path);
    assert.deepEqual(
      read.runs.map(({ repetition }) => repetition),
      runs.slice(0, run.repetition)
        .map(({ repetition }) => repetition),
    );
    assert.equal(read.planned, run.repetition);
    assert.equal(read.missing.length, run.repetition < 30 ? 0 : 1);
  }
  assert.equal(saved.length, 42);
  assert.ok(journaled > whole, `${whole} times whole, ${journaled} by the journal`);
  // A program that is killed may leave a line that is not ended.
  const journal = join(folder.path, "results.journal");
  const before = await readResults(folder.path);
  if (existsSync(journal)) {
    Deno.writeTextFileSync(journal, '{"planned":41,"run":{', { append: true });
  }
  assert.deepEqual(await readResults(folder.path), before);
  await file.finish("done");
  assert.equal(existsSync(journal), false);
  const { runs: last } = await readResults(folder.path);
  assert.deepEqual(last, runs);
  // One of other results is none of these.
  const stale = { startedAt: head.startedAt, after: 3 };
  Deno.writeTextFileSync(journal, `${JSON.stringify(stale)}\n${JSON.stringify({ planned: 4 })}\n`);
  assert.equal((await readResults(folder.path)).planned, runs.length);
});

Deno.test("a journal grows to a share of its file that is counted in bytes, whatever its text", async () => {
  using folder = emptyFolder();
  const cells = [{ target: "api", scenario: "static", medianMs: 2, runs: 40 }];
  const results = resultsFixture({ cells, state: "running" });
  const file = new ResultFile(folder.path, results, async () => {}, 0);
  await file.save();
  const bytesOf = (name: string): number => {
    const path = join(folder.path, name);
    return existsSync(path) ? Deno.statSync(path).size : 0;
  };
  const run = { ...results.runs[0], reasons: { ["閉".repeat(1_000)]: 1 } };
  let journaled = 0;
  for (let i = 0; i < 20; i++) {
    await file.addRun(run);
    const [journal, whole] = ["results.journal", "results.json"].map(bytesOf);
    assert.ok(journal < whole / 8, `${journal} bytes beside ${whole}`);
    if (journal > 0) journaled++;
  }
  assert.ok(journaled > 0);
});
