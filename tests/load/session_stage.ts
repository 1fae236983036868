/** A session loop on a stage: visitors walk a flow while the test plays the server and the clock. */
import assert from "node:assert/strict";
import type { Job } from "../../runner/load/engine/job.ts";
import { Flow, type FlowSpec, type StepSpec } from "../../runner/load/engine/flow.ts";
import type { Hooks } from "../../runner/load/hooks/hooks.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { StepRecorder } from "../../runner/load/recording/steps.ts";
import { SoFar } from "../../runner/load/recording/so_far.ts";
import { SessionRecorder, type WorkerTotals } from "../../runner/load/recording/totals.ts";
import { SoFarSum } from "../../runner/load/worker/so_far_sum.ts";
import { LINGER_US } from "../../runner/load/engine/ending.ts";
import { SessionLoop } from "../../runner/load/engine/session_loop.ts";
import { pacerOf } from "../../runner/load/engine/pacers.ts";
import {
  assertNothingLost,
  encoder,
  type Ending,
  NotingDriver,
  OFF_STAGE,
  SECOND,
  staged,
  type StagedLoop,
} from "./stage.ts";

const NO_BYTES = encoder.encode("");

export class TellingDriver extends NotingDriver {
  /** Every request that was sent, as text. */
  readonly sent: string[] = [];
  override send(slot: number, bytes: Uint8Array = NO_BYTES): void {
    super.send(slot);
    this.sent.push(new TextDecoder().decode(bytes));
  }
}

export function ask(wish: Partial<StepSpec & { kind: "request" }> = {}): StepSpec {
  const wire = { method: "GET", path: "/", headers: {}, body: null };
  return {
    kind: "request",
    step: 0,
    follow: null,
    wire,
    check: null,
    strict: false,
    captures: [],
    ...wish,
  };
}

export interface SessionWish extends Partial<FlowSpec> {
  readonly job?: Partial<Job>;
  /** Called with each interval. */
  readonly onEnding?: (ending: Ending, nowUs: number) => void;
  readonly hooks?: Hooks;
  /** The only way, of one request when absent. */
  readonly steps?: readonly StepSpec[];
  /** Visitors a second, for one second. */
  readonly perSec?: number;
}

export interface SessionStage {
  readonly loop: StagedLoop;
  readonly driver: TellingDriver;
  readonly job: Job;
  readonly parts: readonly IntervalPart[];
  readonly sessions: SessionRecorder;
  /** The last tick; what was recorded then. */
  readonly end: (nowUs: number) => SessionOutcome;
}

export interface SessionOutcome {
  readonly totals: WorkerTotals;
  /** Created, completed, failed. */
  readonly sessions: readonly number[];
  /** Of the longest session. */
  readonly lengthUs: number;
}

export function sessionStage(
  { job: jobWish, perSec = 1, steps = [ask()], hooks, onEnding, ...wish }: SessionWish,
): SessionStage {
  const job: Job = {
    driver: "tcp",
    endpoint: { hostname: "127.0.0.1", port: 1 },
    script: { kind: "requests", requests: [], sequence: Uint32Array.of() }, // the loop is given its flow ready
    steps: 0,
    connections: 3,
    pipeline: 1,
    keepAlive: true,
    timeoutUs: SECOND / 2,
    intervalUs: 250_000,
    durationUs: SECOND,
    pacer: {
      kind: "open",
      phases: [{ durationUs: SECOND, fromPerSec: perSec, toPerSec: perSec }],
      arrivals: { kind: "uniform", seed: 1, first: 0, stride: 1 },
    },
    log: null,
    waitsForLast: true,
    stop: new Int32Array(new SharedArrayBuffer(4)),
    ...jobWish,
  };
  const connection = { host: "test", keepAlive: true };
  const flow = new Flow(
    {
      thinkSeed: 0,
      journeys: [steps],
      sequence: [0],
      origins: [{ origin: "http://test", connection }],
      users: [{}],
      first: 0,
      stride: 1,
      sharedPool: false,
      cookies: null,
      ...wish,
    },
    null,
    hooks,
  );
  const driver = new TellingDriver();
  const sessions = new SessionRecorder();
  const parts: IntervalPart[] = [];
  const soFar = new SoFar();
  const heard = new SoFarSum();
  const recorder = new Recorder(
    job.intervalUs,
    (part, nowUs) => {
      parts.push(part);
      if (onEnding === undefined) return;
      const ended = soFar.at(nowUs, recorder, loop.ending);
      heard.add({ ...OFF_STAGE, ...ended, elapsedUs: nowUs });
      if (heard.report !== null) onEnding(heard.report, nowUs);
    },
    null,
    job.steps === 0 ? null : new StepRecorder(job.steps),
  );
  const shared = { recorder, sessions, flow, pacer: pacerOf(job.pacer) };
  const loop = staged(
    job,
    driver,
    (protocol) => new SessionLoop(job, { protocol, ...shared }).exchanges,
  );
  const end = (nowUs: number): SessionOutcome => {
    const isLingering = loop.onTick(nowUs) < Infinity;
    assert.ok(loop.ending.totals);
    if (isLingering) assert.equal(loop.onTick(loop.ending.elapsedUs + LINGER_US), Infinity);
    assertNothingLost(loop.ending.totals, parts);
    const { created, completed, failed, length } = sessions.totals();
    return {
      totals: loop.ending.totals,
      sessions: [created, completed, failed],
      lengthUs: length.maxUs,
    };
  };
  return { loop, driver, job, parts, sessions, end };
}
