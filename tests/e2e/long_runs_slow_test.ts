/** A run of a day, made with a clock of its own, in the files and commands that users have of it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runAlone } from "../../report/cells/measured.ts";
import { UNKNOWN_ACTIVITY } from "../../runner/host/host_activity.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { reportOfSilent } from "../../runner/load/worker/silent_worker.ts";
import type { Loaded, LoaderHooks, LoadRequest } from "../../runner/measure/loader.ts";
import { measureLoad } from "../../runner/measure/measure.ts";
import type { Progress } from "../../runner/result/progress.ts";
import { type Measurement, results } from "../../runner/result/result.ts";
import { ResultFile } from "../../runner/result/result_file.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { resultsFixture } from "../report/fixture.ts";
import { emptyFolder, exits, plateau } from "./plateau.ts";

const STARTED_MS = Date.UTC(2031, 4, 4);

function requestOf(durationMs: number, intervalMs: number): LoadRequest {
  return {
    origin: "http://127.0.0.1:1",
    script: scriptOf(requestScenarioSpec.parse({ get: "/" }), 0),
    load: {
      ...{ kind: "closed", connections: 1, keepAlive: true, timeout: 1_000, workers: 1 },
      ...{ pipeline: 1, durationMs, requests: null },
    },
    ...{ seed: 1, driver: "auto", intervalMs, logPath: null, implicitCheck: false },
  };
}

/** One worker that completes two requests in each interval, with latencies that differ from one to the next. */
function load(request: LoadRequest, hooks: LoaderHooks): Promise<Loaded> {
  const [intervalUs, endUs] = [
    1_000 * request.intervalMs,
    1_000 * Number(request.load.kind === "closed" && request.load.durationMs),
  ];
  const share = { pacer: { kind: "closed", requests: Infinity }, durationUs: endUs } as const;
  const ended = reportOfSilent({ ...share, scriptKind: "requests" }, null).report;
  const health = { cpuRatio: 0.5, lateUs: 100 };
  hooks.onReady(1);
  hooks.onStart(STARTED_MS);
  const recorder = new Recorder(intervalUs, (part) => hooks.onInterval(0, part, health));
  for (let n = 0; (n + 1) * intervalUs / 2 <= endUs; n++) {
    const doneUs = (n + 1) * intervalUs / 2 - 1;
    const sentUs = doneUs - 300 - 7_919 * n % 2_000;
    recorder.due++;
    recorder.received(150, doneUs);
    recorder.complete(0, 200, sentUs, sentUs, doneUs, doneUs);
  }
  const reports = [{ ...ended, totals: recorder.finish(endUs), elapsedUs: endUs }];
  const stage = { hostActivity: UNKNOWN_ACTIVITY, calibration: null, sharesMachine: false };
  return Promise.resolve({ driver: "tcp", connections: [1], reports, stage, agents: null });
}

async function measured(
  durationMs: number,
  intervalMs: number,
): Promise<[Measurement, Progress[]]> {
  const events: Progress[] = [];
  const measurement = await measureLoad(requestOf(durationMs, intervalMs), {
    loader: { load, close: () => Promise.resolve() },
    onProgress: (event) => events.push(event),
    signal: new AbortController().signal,
  });
  return [measurement, events];
}

async function save(folder: string, measurement: Measurement, startedAt: string): Promise<void> {
  const run = { ...runAlone(measurement, startedAt), target: "api", scenario: "static" };
  const head = resultsFixture({ cells: [], startedAt });
  const file = new ResultFile(folder, results.parse({ ...head, planned: 1, runs: [] }));
  await file.addRun(run);
}

Deno.test("a run of a day is shown while it goes on, saved in a few MB, and read back by report and compare", async () => {
  using folder = emptyFolder();
  const [measurement, events] = await measured(86_400_000, 250);
  const live = events.filter(({ kind }) => kind === "live");
  assert.equal(live.length, 345_600);
  assert.deepEqual(events.filter(({ kind }) => kind === "note"), []);
  const { timeline: { intervalS, points }, requests, warmup } = measurement;
  assert.equal(intervalS, 64);
  assert.equal(points.length, 1_350);
  assert.equal(points.reduce((sum, { completed }) => sum + completed, 0), requests.completed);
  assert.equal(requests.completed, 691_200);
  assert.equal(warmup?.label, "flat");
  const [base, next] = ["base", "next"].map((name) => join(folder.path, name));
  await save(base, measurement, "2031-05-04T00:00:00.000Z");
  await save(next, measurement, "2031-05-06T00:00:00.000Z");
  assert.ok(Deno.statSync(join(base, "results.json")).size < 5e6);
  const page = join(folder.path, "report.html");
  const csv = join(folder.path, "intervals.csv");
  await exits(0, ["report", base, "-o", page, "--csv-intervals", csv]);
  assert.equal(Deno.readTextFileSync(csv).trim().split("\n").length, 1_351);
  const compare = await plateau(["compare", base, next]);
  assert.ok([0, 5].includes(compare.code), compare.stderr);
  assert.match(compare.stdout, /static/);
});

Deno.test("an interval that somebody asked for is kept until the result would be too large, and then it is said", async () => {
  const [kept, quiet] = await measured(60_000, 10);
  assert.equal(kept.timeline.intervalS, 0.01);
  assert.equal(kept.timeline.points.length, 6_000);
  assert.deepEqual(quiet.filter(({ kind }) => kind === "note"), []);
  const [wide, events] = await measured(600_000, 10);
  assert.equal(wide.timeline.intervalS, 0.02);
  assert.equal(wide.timeline.points.length, 30_000);
  const [note] = events.flatMap((event) => event.kind === "note" ? [event.text] : []);
  assert.match(note, /intervals of 20ms instead of 10ms/);
});
