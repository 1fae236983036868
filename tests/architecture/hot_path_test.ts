import assert from "node:assert/strict";
import { once } from "node:events";
import inspector from "node:inspector";
import { monotonicClock } from "../../base/system/clock.ts";
import type { Job } from "../../runner/load/engine/job.ts";
import { pacerOf } from "../../runner/load/engine/pacers.ts";
import { RequestLoop, RequestScript } from "../../runner/load/engine/request_loop.ts";
import { Http1 } from "../../runner/load/protocols/http1/http1.ts";
import type { ExchangeEvents } from "../../runner/load/engine/protocol.ts";
import { BusyPeriods } from "../../runner/load/recording/busy_periods.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { resolve } from "../../base/net/resolve.ts";
import { EpollDriver } from "../../runner/load/transports/epoll_driver.ts";
import type { FromResponder } from "../../runner/calibration/null_responder.ts";
import { HOT_PATH } from "./hot_path.ts";
import { readText } from "./tree.ts";

const BUDGET = { files: 10, lines: 1_580 };

const REQUESTS = 2_000;
/** So many that an iteration of the event loop brings several responses, and is no part of one request. */
const CONNECTIONS = 16;

Deno.test(`the hot path has at most ${BUDGET.files} files and ${BUDGET.lines} lines`, () => {
  const lines = HOT_PATH.map((file) => readText(file).trimEnd().split("\n").length);
  const sum = lines.reduce((all, one) => all + one, 0);
  assert.ok(HOT_PATH.length <= BUDGET.files, `${HOT_PATH.length} files`);
  assert.ok(sum <= BUDGET.lines, `${sum} lines: ${lines.join(" + ")}`);
});

Deno.test("the engine's main file names the files of the hot path", () => {
  const [comment] = readText("runner/load/engine/exchanges.ts").split("*/", 1);
  assert.deepEqual(HOT_PATH.filter((file) => !comment.includes(` ${file}`)), []);
});

Deno.test({
  name: "what runs for every request is the hot path, and nothing else",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    monotonicClock(); // opens libc for good, before the resources of the test are counted
    const counts = await callsOf(loadOnce);
    const root = new URL("../../", import.meta.url).href;
    const files = counts.filter(({ url, calls }) => url.startsWith(root) && calls >= REQUESTS)
      .map(({ url }) => url.slice(root.length))
      .filter((file) => !file.startsWith("tests/"));
    assert.deepEqual(files.toSorted(), HOT_PATH.toSorted());
  },
});

/** A load of so many requests with the epoll driver, in this isolate, on a server that does nothing. */
async function loadOnce(): Promise<void> {
  const responder = new Worker(import.meta.resolve("../../runner/calibration/null_responder.ts"), {
    type: "module",
  });
  const stop = new Int32Array(new SharedArrayBuffer(4));
  responder.postMessage({ stop });
  const [{ data }] = await once(responder, "message") as [MessageEvent<FromResponder>];
  assert.ok(data.kind === "listening");
  const startUs = performance.now() * 1_000;
  const now = (): number => performance.now() * 1_000 - startUs;
  const addresses = await resolve({ hostname: "127.0.0.1", port: data.port });
  const driver = new EpollDriver([addresses], CONNECTIONS, now, new BusyPeriods(), 0);
  const recorder = new Recorder(250_000, () => {});
  const protocol = (events: ExchangeEvents): Http1 => new Http1(driver, events, CONNECTIONS);
  const parts = {
    protocol,
    recorder,
    pacer: pacerOf(JOB.pacer),
    script: new RequestScript(SCRIPT),
  };
  const { exchanges } = new RequestLoop(JOB, parts);
  await exchanges.protocol.run();
  assert.equal(exchanges.ending.totals?.completed, REQUESTS);
  Atomics.store(stop, 0, 1);
  await once(responder, "message");
  responder.terminate();
}

const SCRIPT = {
  kind: "requests" as const,
  requests: [{
    bytes: new TextEncoder().encode("GET / HTTP/1.1\r\nHost: test\r\n\r\n"),
    head: false,
    step: 0,
    check: null,
  }],
  sequence: Uint32Array.of(0),
};

const JOB: Job = {
  driver: "epoll",
  endpoint: { hostname: "127.0.0.1", port: 1 },
  script: SCRIPT,
  steps: 0,
  connections: CONNECTIONS,
  pipeline: 1,
  keepAlive: true,
  timeoutUs: 60_000_000,
  intervalUs: 250_000,
  durationUs: Infinity,
  pacer: { kind: "closed", requests: REQUESTS },
  waitsForLast: false,
  log: null,
  stop: new Int32Array(new SharedArrayBuffer(4)),
};

interface Calls {
  readonly url: string;
  /** Of the function that was called most. */
  readonly calls: number;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/** How often the functions of each file ran, as V8 counts them; while it counts, it inlines none. */
async function callsOf(run: () => Promise<void>): Promise<Calls[]> {
  const session = new inspector.Session();
  session.connect();
  const post = (method: string, params = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      session.post(method, params, (error, result) => error ? reject(error) : resolve(result));
    });
  try {
    await post("Profiler.enable");
    await post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await run();
    const { result } = await post("Profiler.takePreciseCoverage") as Coverage;
    return result.map(({ url, functions }) => ({
      url,
      calls: Math.max(...functions.map(({ ranges: [{ count }] }) => count)),
    }));
  } finally {
    session.disconnect();
  }
}
