/// <reference lib="deno.worker" />
/**
 * A worker isolate: told a job, it gets everything ready, says so, starts at the agreed moment, tells
 * each interval as it ends and its totals at the end, and waits for the next job.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { stepUsOf } from "../trust/clock_step.ts";
import { LoopWatch } from "../trust/loop_watch.ts";
import { type ThreadTime, threadTime } from "../trust/thread_time.ts";
import { monotonicClock } from "./clock.ts";
import type { Driver } from "./driver.ts";
import { DRIVERS } from "./drivers.ts";
import { Flow } from "./flow.ts";
import type { FromWorker, Job, ToWorker } from "./job.ts";
import { Recorder } from "./recorder.ts";
import { rehearse } from "./rehearsal.ts";
import { RequestLog } from "./request_log.ts";
import { RequestLoop } from "./request_loop.ts";
import { RequestScript } from "./request_script.ts";
import { SessionLoop } from "./session_loop.ts";
import { SessionRecorder } from "./session_recorder.ts";
import { supplyOf } from "./supply.ts";

function tell(message: FromWorker): void {
  self.postMessage(message);
}

type Loop = RequestLoop | SessionLoop;

/** Everything of one run, allocated before it starts. */
async function prepare(job: Job): Promise<(at: number) => Promise<void>> {
  const clock = monotonicClock();
  let startUs = 0;
  const now = (): number => clock() - startUs;
  const watch = new LoopWatch();
  const { endpoint, connections: slots } = job;
  const driver = await DRIVERS[job.driver]({ endpoint, slots, now, watch });
  const log = openLog(job);
  const recorder = new Recorder(job.intervalUs, (part) => tell({ kind: "interval", part }), log);
  const sessions = new SessionRecorder();
  const loop = loopOf(job, { driver, recorder, sessions });
  const timerUs = stepUsOf(clock);
  return async (at) => {
    startUs = clock() + (at - performance.timeOrigin - performance.now()) * 1_000;
    // In an open loop the connections are there when the first request is due.
    if (job.supply.kind === "closed") await sleep(Math.max(0, -now() / 1_000));
    const before = threadTime();
    await driver.run(loop);
    if (loop.totals === null) throw new Error("The load ended without totals");
    const { totals, elapsedUs } = loop;
    const time = timeSince(before);
    const { spunUs } = watch;
    const stretches = watch.stretches();
    const use = { time, spunUs, stretches, timerUs };
    tell({ kind: "finished", report: { totals, sessions: sessions.totals(), elapsedUs, ...use } });
  };
}

function timeSince(before: ThreadTime): ThreadTime {
  const { cpuUs, waitedUs } = threadTime();
  const waited = waitedUs === null || before.waitedUs === null ? null : waitedUs - before.waitedUs;
  return { cpuUs: cpuUs - before.cpuUs, waitedUs: waited };
}

/** Workers append whole lines to one file, which the system keeps apart. */
function openLog({ log }: Job): RequestLog | null {
  if (log === null) return null;
  const file = Deno.openSync(log.path, { append: true });
  const write = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  };
  return new RequestLog(write, log.firstConnection);
}

interface LoopParts {
  readonly driver: Driver;
  readonly recorder: Recorder;
  readonly sessions: SessionRecorder;
}

function loopOf(job: Job, parts: LoopParts): Loop {
  const { script } = job;
  const supply = supplyOf(job.supply);
  return script.kind === "flow"
    ? new SessionLoop(job, { ...parts, supply, flow: new Flow(script) })
    : new RequestLoop(job, { ...parts, supply, script: new RequestScript(script) });
}

const rehearsed = rehearse();
let start: ((at: number) => Promise<void>) | null = null;

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "prepare") {
    await rehearsed;
    start = await prepare(data.job);
    tell({ kind: "ready" });
  } else {
    await start?.(data.at);
  }
};
