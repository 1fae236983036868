/// <reference lib="deno.worker" />
/**
 * A worker isolate: told a job, it gets everything ready, says so, starts at the agreed moment, tells
 * each interval as it ends and its totals at the end, and waits for the next job.
 */
import { setTimeout as sleep } from "node:timers/promises";
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
import { threadCpuUs } from "./thread_cpu.ts";

function tell(message: FromWorker): void {
  self.postMessage(message);
}

type Loop = RequestLoop | SessionLoop;

/** Everything of one run, allocated before it starts. */
async function prepare(job: Job): Promise<(at: number) => Promise<void>> {
  const clock = monotonicClock();
  let startUs = 0;
  const now = (): number => clock() - startUs;
  const driver = await DRIVERS[job.driver]({ endpoint: job.endpoint, slots: job.connections, now });
  const log = openLog(job);
  const recorder = new Recorder(job.intervalUs, (part) => tell({ kind: "interval", part }), log);
  const sessions = new SessionRecorder();
  const loop = loopOf(job, { driver, recorder, sessions });
  return async (at) => {
    startUs = clock() + (at - performance.timeOrigin - performance.now()) * 1_000;
    // In an open loop the connections are there when the first request is due.
    if (job.supply.kind === "closed") await sleep(-now() / 1_000);
    const cpuBeforeUs = threadCpuUs();
    await driver.run(loop);
    if (loop.totals === null) throw new Error("The load ended without totals");
    const cpuUs = threadCpuUs() - cpuBeforeUs;
    const { totals, elapsedUs } = loop;
    tell({ kind: "finished", report: { totals, sessions: sessions.totals(), elapsedUs, cpuUs } });
  };
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
