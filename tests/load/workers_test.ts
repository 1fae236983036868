/** Several workers of a process: each goes on by itself, whatever the isolate that began them does. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { TargetError } from "../../base/errors.ts";
import { encodeRequest } from "../../base/http/request.ts";
import { monotonicClock } from "../../base/system/clock.ts";
import { processCalls } from "../../base/system/libc.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import type { JobShare } from "../../runner/load/engine/job.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { WorkerPool } from "../../runner/load/worker/pool.ts";
import { breachOf } from "../../runner/measure/totals.ts";
import { ask } from "./session_stage.ts";
import { countsOf } from "./stage.ts";
import { testWith } from "../needs.ts";
import type { Counted } from "./counting_server.ts";

const WORKERS = 2;
/** Of each worker: far more than it has connections, and than its first intervals hold. */
const REQUESTS = 3_000;
const INTERVAL_US = 10_000;
const LONG_MS = 60_000;
const RATE_PER_SEC = 10_000;

type Pacing = "closed" | "open";

function share(worker: number, port: number, driver: DriverName, pacing: Pacing): JobShare {
  const wire = { method: "GET", path: `/${worker}`, headers: {}, body: null };
  const bytes = encodeRequest(wire, { host: "localhost", keepAlive: true });
  const durationUs = LONG_MS * 1_000;
  const steady = { durationUs, fromPerSec: RATE_PER_SEC, toPerSec: RATE_PER_SEC };
  return {
    driver,
    endpoint: { hostname: "127.0.0.1", port },
    script: {
      kind: "requests",
      requests: [{ bytes, head: false, step: 0, check: null }],
      sequence: Uint32Array.of(0),
    },
    steps: 0,
    connections: 4,
    pipeline: 1,
    keepAlive: true,
    timeoutUs: durationUs,
    intervalUs: INTERVAL_US,
    durationUs,
    pacer: pacing === "closed" ? { kind: "closed", requests: Infinity } : {
      kind: "open",
      phases: [steady],
      arrivals: { kind: "uniform", seed: 1, first: worker, stride: WORKERS },
    },
    log: null,
    waitsForLast: false,
  };
}

/** Holds this isolate until each worker has sent so many requests; gives which have. */
function holdUntilSent(counts: Counted["counts"]): boolean[] {
  const untilMs = performance.now() + LONG_MS / 2;
  return Array.from(counts, (_, worker) => {
    for (;;) {
      const sent = Atomics.load(counts, worker);
      const leftMs = untilMs - performance.now();
      if (sent >= REQUESTS || leftMs <= 0) return sent >= REQUESTS;
      Atomics.wait(counts, worker, sent, leftMs);
    }
  });
}

// Opened for good, before the resources of a test are counted.
monotonicClock();
if (Deno.build.os === "linux") processCalls();

async function assertGoesOn(driver: DriverName, pacing: Pacing): Promise<void> {
  const counts = new Int32Array(new SharedArrayBuffer(WORKERS * 4));
  const server = new Worker(import.meta.resolve("./counting_server.ts"), { type: "module" });
  server.postMessage({ counts } satisfies Counted);
  const [{ data: port }] = await once(server, "message") as [MessageEvent<number>];
  const pool = new WorkerPool();
  const interruption = new AbortController();
  const parts: IntervalPart[][] = Array.from({ length: WORKERS }, () => []);
  let sent: boolean[] = [];
  let received: number[] = [];
  try {
    const jobs = Array.from(counts, (_, worker) => share(worker, port, driver, pacing));
    const { reports } = await pool.run(jobs, {
      // The workers are sent off right after it: this isolate does nothing until they have worked.
      onStart: () =>
        queueMicrotask(() => {
          sent = holdUntilSent(counts);
          received = parts.map(({ length }) => length);
          interruption.abort();
        }),
      onInterval: (worker, part) => void parts[worker].push(part),
      signal: interruption.signal,
    });
    assert.deepEqual(sent, [true, true]);
    assert.deepEqual(received, [0, 0]); // until then
    for (const own of parts) {
      // None is missing, and work is in more than the interval that was at hand when this isolate was held.
      assert.deepEqual(own.map(({ index }) => index), own.map((_, i) => i));
      assert.ok(own.filter(({ completed }) => completed > 0).length > 1);
    }
    assert.equal(breachOf(reports.map(({ totals }) => totals), countsOf(parts.flat())), null);
  } finally {
    pool.close();
    server.terminate();
  }
}

for (const pacing of ["closed", "open"] as const) {
  const says = `${pacing} loop: each worker goes on while the main isolate is held`;
  Deno.test(`tcp, ${says}`, () => assertGoesOn("tcp", pacing));
  testWith(["linux"], `epoll, ${says}`, () => assertGoesOn("epoll", pacing));
}

const CHANGING = {
  "throws where a worker evaluates it": "throw new Error('not again'); export default {};",
  "has other functions there": "export default { after() {} };",
};

for (const [what, text] of Object.entries(CHANGING)) {
  Deno.test(`a script that ${what} is the user's to mend`, async () => {
    const { script: _, ...job } = share(0, 1, "tcp", "closed");
    const code = {
      entry: "odd.js",
      files: { "odd.js": text },
      parameters: {},
      env: {},
      data: null,
    };
    const connection = { host: "a", keepAlive: true };
    const script = {
      kind: "flow",
      journeys: [[ask({ hooks: { before: "before", after: null } })]],
      sequence: [0],
      origins: [{ origin: "http://a", connection }],
      users: [{}],
      first: 0,
      stride: 1,
      thinkSeed: 0,
      sharedPool: false,
      cookies: null,
      code: { script: code, seed: 1, user: undefined, fresh: undefined },
    } as const;
    const pool = new WorkerPool();
    try {
      const running = pool.run([{ ...job, script }], {
        onStart: () => {},
        onInterval: () => {},
        signal: new AbortController().signal,
      });
      await assert.rejects(
        running,
        (error) =>
          error instanceof TargetError && /Cannot run the script odd\.js: /.test(error.message),
      );
    } finally {
      pool.close();
    }
  });
}
