/** What agents report to a coordinator, as JSON, of a run of two intervals. */
import { VERSION } from "../../base/version.ts";
import type { Presence } from "../../runner/fleet/protocol/agent_message.ts";
import { packHistogram } from "../../runner/fleet/protocol/packed_histogram.ts";
import { packReport, packSoFar } from "../../runner/fleet/protocol/packing.ts";
import { UNKNOWN_ACTIVITY } from "../../runner/host/host_activity.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { SessionRecorder } from "../../runner/load/recording/totals.ts";
import type { WorkerReport } from "../../runner/load/worker/messages.ts";
import type { LoadRequest } from "../../runner/measure/loader.ts";
import { EMPTY, Histogram } from "../../runner/stats/histogram/histogram.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";

export type Message = Record<string, unknown>;

export const RUN = "run-1";
export const START_AT_MS = 1_800_000_000_000;
export const DURATION_MS = 100;
export const INTERVAL_MS = 50;
export const COMPLETED = 10;

export function presenceOf(name: string, differing: object = {}): Presence {
  return {
    ...{ name, version: VERSION, host: "h", cores: 2, openFiles: null, workers: 1 },
    ...{ driver: "tcp", peakThroughput: null, allow: [], coordinator: null, since: 0 },
    clock: { offsetMs: 0, uncertaintyMs: 0 },
    ...differing,
  };
}

export const REQUEST: LoadRequest = {
  origin: "http://127.0.0.1:1",
  script: scriptOf(requestScenarioSpec.parse({ get: "/" }), 0),
  load: {
    ...{ kind: "rate", connections: 2, keepAlive: true, timeout: 1_000, workers: null },
    ...{ ratePerSec: 400, arrivals: "uniform", durationMs: DURATION_MS },
  },
  ...{ seed: 1, driver: "tcp", intervalMs: INTERVAL_MS, logPath: null, implicitCheck: false },
};

export function latencies(count: number): Histogram {
  const histogram = new Histogram();
  for (let i = 0; i < count; i++) histogram.record(1_000);
  return histogram;
}

/** Of a worker that did its work; `completed` in all. */
export function reportOf(completed: number, differing: object = {}): WorkerReport {
  const totals = new Recorder(Infinity, () => {}).totals();
  const status = Float64Array.from(totals.status, (_, code) => code === 200 ? completed : 0);
  const counts = { due: completed, completed, status };
  return {
    totals: { ...totals, ...counts, ...differing },
    sessions: new SessionRecorder().totals(),
    ...{ elapsedUs: DURATION_MS * 1_000, time: { cpuUs: 0, waitedUs: null }, spunUs: 0 },
    ...{ busyPeriods: EMPTY, timerUs: 1 },
  };
}

export function ready(agent: string, differing: object = {}): Message {
  const clock = { offsetMs: 0, uncertaintyMs: 0 };
  return {
    kind: "ready",
    run: RUN,
    agent,
    driver: "tcp",
    notes: [],
    clock,
    delayMs: 1,
    ...differing,
  };
}

export const HONEST = "honest";
export const LIAR = "liar";

/** Of interval `seq` of the agent's one worker; `part` differs. */
export function bundle(agent: string, seq: number, part: object = {}): Message {
  const worker = agent === HONEST ? 0 : 1;
  const counts = {
    ...{ completed: COMPLETED, failed: 0, errors: null, wrong: 0, bytesIn: 0 },
    ...{ secondCompleted: [COMPLETED], secondBytes: [0] },
  };
  const latency = packHistogram(latencies(COMPLETED).toSparse());
  const health = { cpuRatio: 0, lateUs: 0 };
  const parts = [{ worker, health, part: { index: seq, ...counts, latency, ...part } }];
  const soFar = [packSoFar({ ...reportOf(COMPLETED * (seq + 1)), open: EMPTY })];
  return { kind: "bundle", run: RUN, agent, seq, parts, soFar };
}

export function finished(agent: string, differing: object = {}, totals: object = {}): Message {
  const reports = [packReport(reportOf(2 * COMPLETED, totals))];
  const stage = { hostActivity: UNKNOWN_ACTIVITY, calibration: null, sharesMachine: false };
  const startedAtMs = START_AT_MS;
  return {
    kind: "finished",
    run: RUN,
    agent,
    bundles: 2,
    reports,
    startedAtMs,
    stage,
    ...differing,
  };
}

export function wordsOf(agent: string): Message[] {
  return [ready(agent), bundle(agent, 0), bundle(agent, 1), finished(agent)];
}
