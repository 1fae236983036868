/** A request loop on a stage: its driver only notes what it is told, and time is what the test says. */
import assert from "node:assert/strict";
import type { Driver, DriverEvents } from "../../runner/load/engine/driver.ts";
import type { Ending as LoadEnding } from "../../runner/load/engine/ending.ts";
import type { Exchanges } from "../../runner/load/engine/exchanges.ts";
import { type Job, slotsOf } from "../../runner/load/engine/job.ts";
import { pacerOf } from "../../runner/load/engine/pacers.ts";
import { RequestLoop, RequestScript } from "../../runner/load/engine/request_loop.ts";
import type { ResponseExpectation } from "../../runner/load/engine/response_check.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { Http1 } from "../../runner/load/protocols/http1/http1.ts";
import type { ExchangeEvents } from "../../runner/load/engine/protocol.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { StepRecorder } from "../../runner/load/recording/steps.ts";
import { SoFar } from "../../runner/load/recording/so_far.ts";
import type { WorkerTotals } from "../../runner/load/recording/totals.ts";
import { SoFarSum } from "../../runner/load/worker/so_far_sum.ts";
import type { SoFarReport } from "../../runner/load/worker/messages.ts";
import { breachOf, type IntervalCounts } from "../../runner/measure/totals.ts";
import { EMPTY, mergeHistograms } from "../../runner/stats/histogram/histogram.ts";

export const encoder = new TextEncoder();
export const OK = encoder.encode("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
export const CLOSING = encoder.encode(
  "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
);
export const SECOND = 1_000_000;

/** Of a connection, or of the clock, at a time in µs. */
type Event = (loop: DriverEvents) => unknown;

export const tick = (nowUs: number): Event => (loop) => loop.onTick(nowUs);
export const opened = (slot: number, nowUs: number): Event => (loop) => loop.onOpen(slot, nowUs);
export const received =
  (slot: number, nowUs: number, bytes: Uint8Array<ArrayBuffer> = OK): Event => (loop) =>
    loop.onBytes(slot, bytes, bytes.length, nowUs);

/** Lets this happen to the loop of a stage, one after the other. */
export function play({ loop }: { readonly loop: DriverEvents }, ...events: readonly Event[]): void {
  for (const event of events) event(loop);
}

/** Writes down what it is told to do. */
export class NotingDriver implements Driver {
  readonly notes: string[] = [];
  connect(slot: number): void {
    this.notes.push(`connect ${slot}`);
  }
  send(slot: number): void {
    this.notes.push(`send ${slot}`);
  }
  unsentBytes(): number {
    return 0;
  }
  /** Whether the slots have sent all. */
  hasSent: boolean | null = true;
  isSent(): boolean | null {
    return this.hasSent;
  }
  close(slot: number): void {
    this.notes.push(`close ${slot}`);
  }
  run(): Promise<void> {
    return Promise.resolve();
  }
  /** The notes since the last call. */
  take(): string[] {
    return this.notes.splice(0);
  }
}

/** What the loop would have told, had it ended then. To be looked at at once: it lives on. */
export type Ending = Pick<SoFarReport, "totals" | "open">;

/** What a stage does not know of a worker. */
export const OFF_STAGE = {
  sessions: { created: 0, completed: 0, failed: 0, length: EMPTY, places: 0, mostOfPlace: 0 },
  time: { cpuUs: 7, waitedUs: 1 },
  spunUs: 3,
  busyPeriods: EMPTY,
  timerUs: 1,
};

/** Exchanges over HTTP/1.1: the events are those of a driver. */
export type StagedLoop = Http1 & { readonly ending: LoadEnding; readonly load: Exchanges };

type Making = new (driver: Driver, exchanges: ExchangeEvents, slots: number) => Http1;

/** Makes exchanges over HTTP/1.1, or what stands in for it. */
export function staged(
  job: Job,
  driver: Driver,
  exchangesOver: (protocol: (events: ExchangeEvents) => Http1) => Exchanges,
  Protocol: Making = Http1,
): StagedLoop {
  const exchanges = exchangesOver((events) => new Protocol(driver, events, slotsOf(job)));
  const { protocol, ending } = exchanges;
  assert.ok(protocol instanceof Http1);
  return Object.assign(protocol, { ending, load: exchanges });
}

export interface Stage {
  loop: StagedLoop;
  driver: NotingDriver;
  parts: IntervalPart[];
  stop: Int32Array;
}

export interface Wish extends Partial<Job> {
  /** Ends a closed loop after so many. */
  readonly requests?: number;
  readonly check?: ResponseExpectation;
  /** Called with each interval. */
  readonly onEnding?: (ending: Ending, nowUs: number) => void;
  readonly noting?: NotingDriver;
  readonly protocol?: Making;
}

export function stage(
  { requests = Infinity, check, onEnding, noting = new NotingDriver(), protocol, ...wish }: Wish =
    {},
): Stage {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const job: Job = {
    driver: "tcp",
    endpoint: { hostname: "127.0.0.1", port: 1 },
    script: { kind: "requests", requests: [], sequence: Uint32Array.of() }, // the loop is given it ready
    steps: 0,
    connections: 1,
    pipeline: 1,
    keepAlive: true,
    timeoutUs: 5 * SECOND,
    intervalUs: 250_000,
    durationUs: SECOND,
    pacer: { kind: "closed", requests },
    log: null,
    waitsForLast: false,
    stop,
    ...wish,
  };
  const parts: IntervalPart[] = [];
  const driver = noting;
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
  const script = new RequestScript({
    kind: "requests",
    requests: [{
      bytes: encoder.encode("GET / HTTP/1.1\r\n\r\n"),
      head: false,
      step: 0,
      check: check ?? null,
    }],
    sequence: Uint32Array.of(0),
  });
  const pacer = pacerOf(job.pacer);
  const loop = staged(
    job,
    driver,
    (protocol) => new RequestLoop(job, { protocol, recorder, script, pacer }).exchanges,
    protocol,
  );
  return { loop, driver, parts, stop };
}

export function totalsOf({ loop }: Stage): WorkerTotals {
  assert.ok(loop.ending.totals, "the load is over");
  return loop.ending.totals;
}

/** The end of a load of a second, and of the wait after it. */
export function waitedFor(s: Stage): WorkerTotals {
  s.loop.onTick(SECOND);
  assert.equal(s.loop.onTick(6 * SECOND), Infinity);
  const totals = totalsOf(s);
  assertNothingLost(totals, s.parts);
  return totals;
}

/** What the intervals hold, for the law that nothing leaves the data. */
export function countsOf(parts: readonly IntervalPart[]): IntervalCounts {
  const sum = (of: (part: IntervalPart) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  return {
    seconds: sum((part) => part.secondCompleted.reduce((total, count) => total + count, 0)),
    values: sum((part) => part.latency.count),
    bounds: sum((part) => part.censored.count),
  };
}

export function assertNothingLost(totals: WorkerTotals, parts: readonly IntervalPart[]): void {
  const { due, completed, failed, unfinished, dropped, censored, drain } = totals;
  assert.equal(due, completed + failed + unfinished + dropped);
  const counts = countsOf(parts);
  assert.deepEqual([counts.values, counts.bounds], [completed + censored, censored]);
  assert.equal(breachOf([totals], counts), null);
  const inTime = (of: (part: IntervalPart) => number): number =>
    parts.reduce((sum, part) => sum + of(part), 0);
  assert.deepEqual(
    [inTime((part) => part.completed), inTime((part) => part.failed)],
    [completed - drain.completed, failed - drain.failed],
  );
  assert.equal(inTime((part) => part.bytesIn), totals.bytesIn - drain.bytesIn);
}

/** 1,000 arrivals a second, evenly spread. */
export const STEADY: Job["pacer"] = {
  kind: "open",
  phases: [{ durationUs: SECOND, fromPerSec: 1_000, toPerSec: 1_000 }],
  arrivals: { kind: "uniform", seed: 1, first: 0, stride: 1 },
};

/** Lower bounds in all intervals: how many, the least and the most. */
export function boundsOf(parts: readonly IntervalPart[]): number[] {
  const { count, minUs, maxUs } = mergeHistograms(parts.map((part) => part.censored));
  return count === 0 ? [] : [count, minUs, maxUs];
}
