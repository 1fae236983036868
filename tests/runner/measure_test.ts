/** A measurement asks any loader, and tells how it goes by what it hears. */
import assert from "node:assert/strict";
import { UNKNOWN_ACTIVITY } from "../../runner/host/host_activity.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { reportOfSilent } from "../../runner/load/worker/silent_worker.ts";
import type { Loaded, Loader, LoaderHooks, LoadRequest } from "../../runner/measure/loader.ts";
import { measureLoad } from "../../runner/measure/measure.ts";
import type { Progress } from "../../runner/result/progress.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";

const REQUEST: LoadRequest = {
  origin: "http://127.0.0.1:1",
  script: scriptOf(requestScenarioSpec.parse({ get: "/" }), 0),
  load: {
    kind: "closed",
    connections: 2,
    keepAlive: true,
    timeout: 1_000,
    workers: 2,
    pipeline: 1,
    durationMs: 500,
    requests: null,
  },
  seed: 1,
  driver: "auto",
  intervalMs: 250,
  logPath: null,
  implicitCheck: false,
};
const HEALTH = { cpuRatio: 0.5, lateUs: 2_000 };

/** Of two workers, of which the second is late with everything. */
function load(_: LoadRequest, hooks: LoaderHooks): Promise<Loaded> {
  const share = { pacer: { kind: "closed", requests: Infinity }, durationUs: 500_000 } as const;
  const ended = reportOfSilent({ ...share, scriptKind: "requests" }, null).report;
  const [first, second] = [0, 1].map((worker) => {
    const recorder = new Recorder(250_000, (part) => hooks.onInterval(worker, part, HEALTH));
    recorder.due = 2;
    return recorder;
  });
  hooks.onNote("two agents");
  hooks.onReady(2);
  hooks.onStart(Date.UTC(2031, 4, 4));
  const finish = (recorder: Recorder): Loaded["reports"][number] => {
    for (const doneUs of [100_000, 300_000]) {
      recorder.complete(0, 200, doneUs - 1_000, doneUs - 1_000, doneUs, doneUs);
    }
    return { ...ended, totals: recorder.finish(500_000), elapsedUs: 500_000 };
  };
  const before = finish(first);
  hooks.onReportingWorkers(1);
  const reports = [before, finish(second)];
  const stage = { hostActivity: UNKNOWN_ACTIVITY, calibration: null, sharesMachine: false };
  return Promise.resolve({ driver: "tcp", connections: [1, 1], reports, stage, agents: null });
}

Deno.test("what comes late of a silent worker is in the measurement, and holds up nobody who watches", async () => {
  const events: Progress[] = [];
  const loader: Loader = { load, close: () => Promise.resolve() };
  const measurement = await measureLoad(REQUEST, {
    loader,
    onProgress: (event) => events.push(event),
    onStart: () => {},
    signal: new AbortController().signal,
  });
  assert.deepEqual(events[0], { kind: "note", text: "two agents" });
  const live = events.flatMap((event) => event.kind === "live" ? [event] : []);
  assert.deepEqual(
    live.map(({ elapsedMs, completed, workers }) => [elapsedMs, completed, workers]),
    [
      [250, 1, { count: 2, cpuRatio: 0.5, lateMs: 2 }],
      [500, 2, { count: 2, cpuRatio: 0.5, lateMs: 2 }],
    ],
  );
  assert.deepEqual(measurement.timeline.points.map(({ completed }) => completed), [2, 2]);
  assert.equal(measurement.requests.completed, 4);
  assert.equal(measurement.driver, "tcp");
  assert.equal(measurement.loadStartedAt, "2031-05-04T00:00:00.000Z");
  assert.equal(measurement.latency.count, 4);
  const { service, firstByte, connect } = measurement.histograms ?? {};
  assert.deepEqual([service, firstByte].map((text = "") => decodeSparse(text).count), [4, 4]);
  assert.equal(connect, undefined, "what holds nothing is left out");
});
