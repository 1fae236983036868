/**
 * Every hostile server, under `bench` and under `run`, with each driver: what was due is accounted for, the exit code is
 * the documented one, no defect shows, and nothing is left open. Several are tried at a time, as most of it is waiting.
 */
import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { ExpectedError } from "../../base/errors.ts";
import { planFromFile } from "../../cli/experiment/plan.ts";
import { verifyMeasurement, verifyResults } from "../../cli/output/verify.ts";
import { runExperiment } from "../../runner/experiment/experiment.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import type { Loader } from "../../runner/measure/loader.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { measureUrl } from "../../runner/measure/measure.ts";
import {
  type Measurement,
  measurement,
  type Results,
  results,
} from "../../runner/result/result.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { raw } from "../conformance/servers.ts";
import { PLAIN_WAYS } from "../conformance/ways.ts";
import { until } from "../e2e/patience.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { descendants } from "../e2e/processes.ts";
import { answerAll, EMPTY, HOSTILE, type Hostile } from "./acts.ts";

/** `bench` loads by time, so that something is in flight at the end, `run` by count. */
const DURATION_MS = 150;
const REQUESTS = 6;
/** Where time-outs are what is to be seen; others pass none, however slow the machine is. */
const HASTY_MS = 100;
const PATIENT_MS = 4_000;

/** Lanes, side by side. */
const MANY = 4;

/** How the tries ended: of each command and driver, the servers by exit code. */
const TRIED: { command: string; driver: DriverName; what: string; code: number }[] = [];

interface Trap {
  readonly what: string;
  readonly hostile: Hostile;
  readonly origin: string;
  /** Until then it answers as it should, so that its answers can be proved right. */
  readonly spring: () => void;
  readonly stop: () => Promise<void>;
}

function trapOf([what, hostile]: [string, Hostile]): Trap {
  let isSprung = false;
  const server = raw(
    PLAIN_WAYS[0],
    (conn) => isSprung ? hostile.act(conn) : answerAll(conn, EMPTY),
  );
  const { port } = server.endpoint as { readonly port: number };
  const spring = (): void => void (isSprung = true);
  return { what, hostile, origin: `http://127.0.0.1:${port}`, spring, stop: server.stop };
}

function timeoutMsOf({ errors }: Hostile): number {
  return errors.includes("timeout") ? HASTY_MS : PATIENT_MS;
}

/** Loads with this driver and the time-out that the server is for, and springs the trap: until then nobody is hasty. */
function loaderOf(driver: DriverName, traps: readonly Trap[]): Loader {
  const local = new LocalLoader();
  return {
    load: (request, hooks) => {
      const trap = traps.find(({ origin }) => origin === request.origin);
      assert.ok(trap);
      trap.spring();
      const load = { ...request.load, timeout: timeoutMsOf(trap.hostile) };
      return local.load({ ...request, load, driver }, hooks);
    },
    close: () => local.close(),
  };
}

const UNHEARD = { onProgress: () => {}, signal: new AbortController().signal };

async function bench(driver: DriverName, trap: Trap, loader: Loader): Promise<Measurement> {
  const load = {
    kind: "closed",
    connections: 3,
    keepAlive: true,
    timeout: PATIENT_MS,
    workers: 1,
    pipeline: 1,
    durationMs: DURATION_MS,
    requests: null,
  } as const;
  const scenario = requestScenarioSpec.parse({ get: "/" });
  const request = { url: new URL(trap.origin), scenario, load, seed: 1, driver, intervalMs: 50 };
  const tried = await measureUrl({ ...request, logPath: null }, { loader, ...UNHEARD });
  // The machine may stand still for as long as the load lasts, and then nothing is known of the server.
  const isTried = tried.requests.due > 0 &&
    tried.generator.findings.every(({ code }) => code !== "nothing-sent");
  return isTried ? tried : await bench(driver, trap, loader);
}

/** One experiment with all of them, which names each by its place. */
async function run(driver: DriverName, traps: readonly Trap[]): Promise<Results> {
  using folder = emptyFolder();
  const file = join(folder.path, "hostile.json");
  const targets = Object.fromEntries(traps.map(({ origin }, i) => [`t${i}`, { url: origin }]));
  const scenarios = { any: { get: "/" } };
  const load = { connections: 3, requests: REQUESTS, timeout: `${PATIENT_MS}ms` };
  const experiment = { name: "hostile", targets, scenarios, load, interval: "50ms", repeat: 1 };
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  const flags = { set: {}, only: {}, repeat: undefined, duration: undefined, seed: 1 };
  const planned = await planFromFile(file, flags);
  const where = { outDir: folder.path, host: "127.0.0.1", redisUrl: null, logFolder: null };
  const loader = loaderOf(driver, traps);
  return await runExperiment({ ...planned, ...where, invocation: {}, kept: null }, {
    loader,
    ...UNHEARD,
  })
    .finally(() => loader.close());
}

/** 0 where `judge` is content; throws what would be a defect. */
function codeOf(judge: () => void): number {
  try {
    judge();
    return 0;
  } catch (error) {
    if (error instanceof ExpectedError) return error.exitCode;
    throw error;
  }
}

function assertBalanced(run: Measurement, { errors, ends }: Hostile): void {
  const { due, completed, failed, unfinished, dropped } = run.requests;
  assert.equal(due, completed + failed + unfinished + dropped);
  assert.equal(run.latency.count, completed + (run.errors.timeout ?? 0) + unfinished + dropped);
  const sum = (counts: Record<string, number>): number =>
    Object.values(counts).reduce((whole, count) => whole + count, 0);
  assert.equal(sum(run.status), completed);
  assert.equal(sum(run.errors), failed);
  const seen = Object.entries(run.errors).flatMap(([kind, count]) => count > 0 ? [kind] : []);
  assert.deepEqual(seen.filter((kind) => !errors.includes(kind)), []);
  assert.ok(due > 0);
  assert.equal(completed > 0, ends !== "nothing", JSON.stringify(run.requests));
  const isSilent = run.generator.findings.some(({ code }) => code === "no-response");
  assert.equal(isSilent, ends === "nothing");
}

/** As many groups as there are lanes, each of which is tried one after the other. */
function lanesOf(traps: readonly Trap[]): Trap[][] {
  return Array.from({ length: MANY }, (_, i) => traps.filter((_, at) => at % MANY === i));
}

const CODES = {
  bench: { nothing: 3, answers: 0, wrong: 0 },
  run: { nothing: 3, answers: 0, wrong: 1 },
} as const;

/** A line for what does not hold. */
function failureOf(
  command: "bench" | "run",
  { what, hostile }: Trap,
  { tried, code }: { readonly tried: Measurement; readonly code: number },
): string[] {
  TRIED.push({ command, driver: tried.driver, what, code });
  try {
    assertBalanced(tried, hostile);
    assert.equal(code, CODES[command][hostile.ends], "exit code");
    return [];
  } catch (error) {
    return [`${what}: ${error instanceof Error ? error.message : error}`];
  }
}

async function benchAll(driver: DriverName, lane: readonly Trap[]): Promise<string[]> {
  const loader = loaderOf(driver, lane);
  const failures: string[] = [];
  for (const trap of lane) {
    const tried = measurement.parse(await bench(driver, trap, loader));
    const code = codeOf(() => verifyMeasurement(tried));
    failures.push(...failureOf("bench", trap, { tried, code }));
  }
  await loader.close();
  return failures;
}

async function runAll(driver: DriverName, lane: readonly Trap[]): Promise<string[]> {
  const all = results.parse(await run(driver, lane));
  assert.deepEqual(all.missing, []);
  assert.equal(codeOf(() => verifyResults(all)), 3);
  return all.runs.flatMap((tried) => {
    const trap = lane[Number(tried.target.slice(1))];
    const code = codeOf(() => verifyResults({ ...all, runs: [tried], planned: 1 }));
    return failureOf("run", trap, { tried, code });
  });
}

/** The driver keeps libc open for the next load. */
function test(sentence: string, fn: () => Promise<void>): void {
  Deno.test({ name: sentence, sanitizeResources: false, sanitizeOps: false, fn });
}

/** Sockets of this process, which is the servers' and the generator's. */
function sockets(): number {
  return readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:");
    } catch {
      return false; // closed meanwhile
    }
  }).length;
}

const isLinux = Deno.build.os === "linux";
const before = isLinux ? { sockets: sockets(), children: descendants(Deno.pid).length } : null;

for (const { driver } of PLAIN_WAYS) {
  for (const [command, all] of [["bench", benchAll], ["run", runAll]] as const) {
    test(`${command} with ${driver} balances with every hostile server, and ends as documented`, async () => {
      const traps = Object.entries(HOSTILE).map(trapOf);
      const failures = await Promise.all(lanesOf(traps).map((lane) => all(driver, lane)))
        .finally(() => Promise.all(traps.map(({ stop }) => stop())));
      assert.deepEqual(failures.flat(), []);
    });
  }
}

test("no socket and no process is left of them", async () => {
  if (before === null) return;
  await until("all sockets are closed", () => sockets() <= before.sockets);
  await until("all processes are gone", () => descendants(Deno.pid).length <= before.children);
});

test("28 hostile servers were tried with each driver under bench and run, none twice", () => {
  const names = Object.keys(HOSTILE);
  assert.equal(names.length, 28);
  const tries = TRIED.map(({ command, driver, what }) => `${command}, ${driver}: ${what}`);
  assert.equal(new Set(tries).size, tries.length);
  assert.equal(tries.length, names.length * PLAIN_WAYS.length * 2);
  const codes = Map.groupBy(TRIED, ({ code }) => code);
  const counts = [...codes].map(([code, { length }]) => `${length} ended with ${code}`).sort();
  // deno-lint-ignore no-console -- the count is what this suite is read for
  console.log(`${tries.length} tries of ${names.length} hostile servers: ${counts.join(", ")}`);
  return Promise.resolve();
});
