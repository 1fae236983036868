/// <reference lib="deno.worker" />
/**
 * A worker isolate: given a job, it gets everything ready, reports that, starts at the agreed moment, posts
 * each interval as it ends and its totals at the end, and waits for the next job.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { withEngine } from "../../../base/pattern.ts";
import { takeSlicesOf } from "../../../base/system/affinity.ts";
import { type Moment, momentUs, monotonicClock, stepUsOf } from "../../../base/system/clock.ts";
import { ownThread, type ThreadTime, threadTime } from "../../../base/system/thread_time.ts";
import type { Driver } from "../engine/driver.ts";
import type { ExchangeParts, Exchanges } from "../engine/exchanges.ts";
import { Flow } from "../engine/flow.ts";
import type { Job } from "../engine/job.ts";
import { pacerOf } from "../engine/pacer.ts";
import { RequestLoop, RequestScript } from "../engine/request_loop.ts";
import { SessionLoop } from "../engine/session_loop.ts";
import { BusyPeriods } from "../recording/busy_periods.ts";
import type { IntervalPart } from "../recording/intervals.ts";
import { Recorder } from "../recording/recorder.ts";
import type { CookieJars } from "../engine/user/cookies.ts";
import { StepRecorder } from "../recording/steps.ts";
import type { LogFile, RequestLog } from "../recording/request_log.ts";
import { SessionRecorder, SoFar } from "../recording/totals.ts";
import { DRIVERS } from "../transports/drivers.ts";
import type { FromWorker, Health, ToWorker, WorkerReport } from "./messages.ts";
import { rehearse } from "./rehearsal.ts";

function post(message: FromWorker): void {
  self.postMessage(message);
}

/** What the load took of the worker. */
type WorkerUsage = Omit<WorkerReport, "totals" | "sessions" | "elapsedUs" | "tls">;

/** Its code is loaded only for runs that have a log. */
async function openLog(
  { path, firstConnection }: NonNullable<Job["log"]>,
): Promise<{ readonly file: LogFile; readonly log: RequestLog }> {
  const { LogFile, RequestLog } = await import("../recording/request_log.ts");
  const file = new LogFile(path);
  return { file, log: new RequestLog(file.write, firstConnection) };
}

/** As short as the system takes them. */
const SHORT_SLICE_US = 100;
let hasShortSlices = false;

/**
 * What is due at its own time is sent when it is due, also while threads of this process that compile, collect
 * garbage or show the load are busy on the same core: they would keep it for some milliseconds.
 */
function beWokenPromptly(isPunctual: boolean): void {
  if (isPunctual === hasShortSlices) return;
  takeSlicesOf(isPunctual ? SHORT_SLICE_US : 0);
  hasShortSlices = isPunctual;
}

/** Everything of one run, allocated before it starts. */
async function prepare(job: Job): Promise<(at: Moment) => Promise<void>> {
  beWokenPromptly(job.pacer.kind !== "closed");
  const clock = monotonicClock();
  let startUs = 0;
  const now = (): number => clock() - startUs;
  const busy = new BusyPeriods();
  const { endpoint, connections: slots } = job;
  const driver: Driver = await DRIVERS[job.driver]({ endpoint, slots, now, busy });
  const logging = job.log && await openLog(job.log);
  const health = new HealthWatch(now, busy);
  let before = threadTime();
  /** Once the deadline has passed: the wait after it is no part of the load. */
  let byDeadline: WorkerUsage | null = null;
  const used = (): WorkerUsage => {
    const { spunUs } = busy;
    return byDeadline ??
      { time: timeSince(before), spunUs, busyPeriods: busy.lengths(), timerUs };
  };
  const soFar = new SoFar();
  const onInterval = (part: IntervalPart, nowUs: number): void => {
    const ending = soFar.at(nowUs, recorder.totals(), exchanges.ending);
    const tls = driver.tls?.use;
    const report = { ...ending, sessions: sessions.totals(), elapsedUs: nowUs, ...used(), tls };
    post({ kind: "interval", part, health: health.read(), soFar: report });
  };
  const steps = job.steps === 0 ? null : new StepRecorder(job.steps);
  const recorder = new Recorder(job.intervalUs, onInterval, logging?.log, steps);
  const sessions = new SessionRecorder();
  const onDeadline = (): void => {
    byDeadline = used();
    health.end();
  };
  const parts = { driver, recorder, sessions, onDeadline };
  const { script } = job;
  const cookies = script.kind === "flow" ? script.cookies : null;
  const jars = cookies &&
    await import("../engine/user/cookies.ts").then((has) => has.cookieJars(cookies));
  const exchanges = await withEngine(() => exchangesOf(job, parts, jars));
  const timerUs = stepUsOf(clock);
  return async (at) => {
    startUs = momentUs(at, clock);
    // In an open loop the connections are there when the first request is due.
    if (job.pacer.kind === "closed") {
      await sleep(Math.max(0, -now() / 1_000));
      while (now() < 0); // a timer may fire early, and nothing is due before the start
    }
    before = threadTime();
    await driver.run(exchanges);
    const { totals, elapsedUs } = exchanges.ending;
    if (totals === null) throw new Error("The load ended without totals");
    const tls = driver.tls?.use;
    const report = { totals, sessions: sessions.totals(), elapsedUs, ...used(), tls };
    logging?.file.close();
    post({ kind: "finished", report, lostLog: logging?.file.lost ?? null });
  };
}

function timeSince(before: ThreadTime): ThreadTime {
  const { cpuUs, waitedUs } = threadTime();
  const waited = waitedUs === null || before.waitedUs === null ? null : waitedUs - before.waitedUs;
  return { cpuUs: cpuUs - before.cpuUs, waitedUs: waited };
}

interface LoopParts extends Omit<ExchangeParts, "pacer"> {
  readonly sessions: SessionRecorder;
}

function exchangesOf(job: Job, parts: LoopParts, jars: CookieJars | null): Exchanges {
  const { script } = job;
  const pacer = pacerOf(job.pacer);
  const { exchanges } = script.kind === "flow"
    ? new SessionLoop(job, { ...parts, pacer, flow: new Flow(script, jars) })
    : new RequestLoop(job, { ...parts, pacer, script: new RequestScript(script) });
  return exchanges;
}

/** Reading the thread's time takes some 10 µs, so it is not done at every short interval. */
const LEAST_HEALTH_US = 200_000;

class HealthWatch {
  #sinceUs = 0;
  #cpuUs: number;
  #last: Health = { cpuRatio: 0, lateUs: 0 };
  #isOver = false;

  /** @param now Microseconds since the start of the run, which is when this is made, or soon after. */
  constructor(private readonly now: () => number, private readonly busy: BusyPeriods) {
    this.#cpuUs = threadTime().cpuUs;
  }

  /** The load is over: it stays as it is now. */
  end(): void {
    this.read();
    this.#isOver = true;
  }

  /** Of the time since it was last read; the same again when that was just now. */
  read(): Health {
    const nowUs = this.now();
    const elapsedUs = nowUs - this.#sinceUs;
    if (elapsedUs < LEAST_HEALTH_US || this.#isOver) return this.#last;
    const { cpuUs } = threadTime();
    const cpuRatio = (cpuUs - this.#cpuUs) / elapsedUs;
    this.#sinceUs = nowUs;
    this.#cpuUs = cpuUs;
    return this.#last = { cpuRatio, lateUs: this.busy.takeLongestUs() };
  }
}

/** While the command line is read: the loop is played through, and the calls of libc that every run makes are looked up. */
const rehearsed = rehearse().then(() => {
  stepUsOf(monotonicClock());
  threadTime();
});
let start: ((at: Moment) => Promise<void>) | null = null;

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "prepare") {
    await rehearsed;
    start = await prepare(data.job);
    post({ kind: "ready", thread: ownThread() });
  } else {
    await start?.(data.at);
  }
};
