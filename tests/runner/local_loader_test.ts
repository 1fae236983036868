/** The workers of this process as a loader: alone, and as an agent's part of a fleet. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { epochNowMs } from "../../base/system/clock.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import type { SoFarReport } from "../../runner/load/worker/messages.ts";
import type { Loaded, LoaderHooks, LoadRequest } from "../../runner/measure/loader.ts";
import { type FleetPart, LocalLoader } from "../../runner/measure/local_loader.ts";
import { measureLoad } from "../../runner/measure/measure.ts";
import { ERRORS } from "../../runner/result/outcome.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { emptyFolder } from "../e2e/plateau.ts";

const RATE_PER_SEC = 400;

function requestAt(port: number): LoadRequest {
  return {
    origin: `http://127.0.0.1:${port}`,
    script: scriptOf(requestScenarioSpec.parse({ get: "/" }), 0),
    load: {
      kind: "rate",
      connections: 6,
      keepAlive: true,
      timeout: 1_000,
      workers: 1,
      ratePerSec: RATE_PER_SEC,
      arrivals: "uniform",
      durationMs: 300,
    },
    seed: 1,
    driver: "auto",
    intervalMs: 100,
    logPath: null,
    implicitCheck: false,
  };
}

function serve(): Deno.HttpServer<Deno.NetAddr> {
  const quiet = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  return Deno.serve(quiet, () => new Response("ok"));
}

/** The driver keeps libc open for the next load. */
function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, sanitizeResources: false, fn });
}

interface Heard {
  readonly calls: string[];
  readonly hooks: LoaderHooks;
  readonly parts: IntervalPart[][];
}

function listening(): Heard {
  const calls: string[] = [];
  const parts: IntervalPart[][] = [];
  const hooks: LoaderHooks = {
    onNote: () => {},
    onReady: (workers) => calls.push(`ready ${workers}`),
    onStart: (atMs) => calls.push(`start ${atMs}`),
    onInterval: (worker, part) => (parts[worker] ??= []).push(part),
    onReportingWorkers: () => calls.push("audible"),
    signal: new AbortController().signal,
  };
  return { calls, hooks, parts };
}

test("an agent's part is its workers' share of the whole, from the moment that it is given", async () => {
  await using server = serve();
  const loader = new LocalLoader();
  const { calls, hooks, parts } = listening();
  const told: SoFarReport[][] = [[], []];
  let askedWith = -1;
  let startMs = 0;
  const part: FleetPart = {
    assigned: { firstWorker: 1, workers: 3, own: 2 },
    startMoment: (delayMs) => {
      askedWith = delayMs;
      startMs = performance.timeOrigin + performance.now() + delayMs + 20;
      return Promise.resolve(startMs);
    },
    onSoFar: (worker, report) => {
      told[worker].push(report);
      const { totals, open } = report;
      const latencies = parts[worker].reduce((sum, { latency }) => sum + latency.count, 0);
      const timeouts = totals.errors[ERRORS.indexOf("timeout")];
      const { completed, unfinished, dropped } = totals;
      assert.equal(latencies + open.count, completed + timeouts + unfinished + dropped);
    },
  };
  const loaded = await loader.load(requestAt(server.addr.port), hooks, part);
  await loader.close();
  assert.deepEqual(calls, ["ready 2", `start ${startMs}`]);
  assert.ok(askedWith > 0);
  assert.deepEqual(loaded.connections, [2, 2]);
  assert.equal(loaded.agents, null);
  // Arrivals 1, 4, 7 … and 2, 5, 8 … of 120.
  assert.deepEqual(loaded.reports.map(({ totals }) => totals.due), [40, 40]);
  assert.deepEqual(told.map((reports) => reports.length), [3, 3]);
  for (const [worker, reports] of told.entries()) {
    const { open, totals, elapsedUs, time } = reports[2];
    const end = loaded.reports[worker];
    assert.deepEqual(
      [{ ...totals, tail: end.totals.tail }, elapsedUs],
      [end.totals, end.elapsedUs],
      "the last is how it ended, but for the tail",
    );
    assert.equal(totals.tail.dueUs.length, 0);
    // On a machine that halts the last one may never be sent.
    assert.equal(end.totals.tail.dueUs.length, 40 - end.totals.dropped);
    assert.equal(open.count, 0);
    assert.ok(time.cpuUs >= reports[0].time.cpuUs);
  }
});

test("a loader alone tells no reports on the way, and loads again and again", async () => {
  await using server = serve();
  const loader = new LocalLoader();
  for (let i = 0; i < 2; i++) {
    const { calls, hooks, parts } = listening();
    const { reports } = await loader.load(requestAt(server.addr.port), hooks);
    assert.equal(calls[0], "ready 1");
    assert.equal(reports[0].totals.due, 120);
    assert.equal(parts[0].length, 3);
  }
  await loader.close();
});

test("when no start is given nothing is loaded, and the next load goes as ever", async () => {
  await using server = serve();
  const loader = new LocalLoader();
  const { calls, hooks, parts } = listening();
  const refused = loader.load(requestAt(server.addr.port), hooks, {
    startMoment: () => Promise.reject(new Error("the coordinator is gone")),
  });
  await assert.rejects(refused, /the coordinator is gone/);
  assert.deepEqual([calls, parts], [["ready 1"], []]);
  const { reports } = await loader.load(requestAt(server.addr.port), listening().hooks);
  assert.equal(reports[0].totals.due, 120);
  await loader.close();
});

for (const kind of ["closed", "rate"] as const) {
  test(`workers that get no time before the end of a ${kind} load have sent nothing`, async () => {
    await using server = serve();
    const local = new LocalLoader();
    const request = requestAt(server.addr.port);
    const late: FleetPart = { startMoment: () => Promise.resolve(epochNowMs() - 1_000) };
    const closed = { ...request.load, kind: "closed", pipeline: 1, requests: null } as const;
    const { requests, generator } = await measureLoad({
      ...request,
      load: kind === "closed" ? { ...closed, durationMs: 300 } : request.load,
    }, {
      loader: {
        load: (request, hooks) => local.load(request, hooks, late),
        close: () => local.close(),
      },
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    await local.close();
    const { completed, failed, unfinished } = requests;
    assert.deepEqual([completed, failed, unfinished], [0, 0, 0]);
    const [{ code, evidence }] = generator.findings;
    assert.equal(code, "nothing-sent");
    assert.ok("delay" in evidence && evidence.delay >= 1_000, JSON.stringify(evidence));
  });
}

test("the log goes through a named pipe, to its reader's end, and not through a link", async () => {
  await using server = serve();
  using folder = emptyFolder();
  const [pipe, victim, link] = ["pipe", "victim", "link"].map((name) => join(folder.path, name));
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  const reader = new Deno.Command("cat", { args: [pipe], stdout: "piped" }).spawn();
  const loader = new LocalLoader();
  const request = requestAt(server.addr.port);
  const piped = await loader.load({ ...request, logPath: pipe }, listening().hooks);
  const read = new TextDecoder().decode((await reader.output()).stdout);
  assert.equal(read.trimEnd().split("\n").length, linesOf(piped));

  Deno.writeTextFileSync(victim, "precious");
  Deno.symlinkSync(victim, link);
  const written = await loader.load({ ...request, logPath: link }, listening().hooks);
  await loader.close();
  assert.equal(Deno.readTextFileSync(victim), "precious");
  assert.equal(Deno.readTextFileSync(link).trimEnd().split("\n").length, linesOf(written));
});

/** The header, and a line for each request that was sent. */
function linesOf({ reports: [{ totals }] }: Loaded): number {
  return 1 + totals.due - totals.dropped;
}

test("after a worker has failed the next load has another", async () => {
  await using server = serve();
  const loader = new LocalLoader();
  const nobody = { ...requestAt(1), origin: "http://nobody.invalid" };
  const failed = await loader.load(nobody, listening().hooks).then(
    ({ reports }) => reports[0].totals.completed === 0,
    () => true,
  );
  assert.ok(failed);
  const { reports } = await loader.load(requestAt(server.addr.port), listening().hooks);
  assert.equal(reports[0].totals.due, 120);
  await loader.close();
});
