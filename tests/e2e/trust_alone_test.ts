/** Whether the program knows when it was the limit itself. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FindingCode } from "../../runner/result/findings.ts";
import { type Measurement, measurement, results } from "../../runner/result/result.ts";
import { allowedCores, startOn } from "../../base/system/affinity.ts";
import { testWith } from "../needs.ts";
import { freshCache } from "./caches.ts";
import { startNginx } from "./nginx.ts";
import { emptyFolder, type Ended, exits, Plateau, plateau, serve } from "./plateau.ts";

const BRIEF = join(import.meta.dirname ?? "", "fixtures/brief.yaml");

function measured({ code, stdout, stderr }: Ended): Measurement {
  assert.equal(code, 0, stderr);
  return measurement.parse(JSON.parse(stdout));
}

async function bench(...args: string[]): Promise<Measurement> {
  return measured(await plateau(["bench", ...args, "--json", "-"]));
}

function tell({ generator }: Measurement): string {
  return JSON.stringify({ ...generator, each: undefined });
}

/** A small load uses less of this machine; from here on others do, and it may be right not to trust it. */
const QUIET = 0.25;
/** From here on a measurement is suspect, as its hypervisor has others to serve. */
const STOLEN = 0.02;
const MOST_TRIES = 3;

function isDisturbed({ generator: { hostActivity } }: Measurement): boolean {
  return (hostActivity.busy ?? 0) >= QUIET || isHeldBack(hostActivity);
}

function isHeldBack({ steal, throttled }: Measurement["generator"]["hostActivity"]): boolean {
  return (steal ?? 0) >= STOLEN || (throttled ?? 0) > 0;
}

/** The first measurement that is as it should be, as others may have disturbed it; or else the last one. */
async function firstThat(
  isRight: (measurement: Measurement) => boolean,
  measure: () => Promise<Measurement>,
): Promise<Measurement> {
  let found = await measure();
  for (let tries = 1; tries < MOST_TRIES && !isRight(found); tries++) found = await measure();
  return found;
}

function isTrusted({ generator }: Measurement): boolean {
  return generator.trust === "valid";
}

/** Whether one of these is among the findings. */
function isFound({ generator: { findings } }: Measurement, code: FindingCode): boolean {
  return findings.some((finding) => finding.code === code);
}

testWith(["linux"], "a generator on one core with its target is not trusted", async () => {
  const [core] = allowedCores();
  const server = startOn([core], () => serve("api"));
  await using api = await server;
  for (const connections of ["10", "50"]) {
    const args = [`${api.origin}/static`, "-c", connections, "-d", "1s", "--json", "-"];
    const measure = async (): Promise<Measurement> => {
      await using program = startOn([core], () => new Plateau(["bench", ...args]));
      return measured(await program.ended);
    };
    const seen = await firstThat((found) => isFound(found, "shared-cores"), measure);
    assert.ok(!isTrusted(seen), tell(seen));
    if (isHeldBack(seen.generator.hostActivity)) continue; // then not all of the core was used
    // Where other tests use that core, too, they are named.
    const cause = (seen.generator.hostActivity.others ?? 0) > 0.3 ? "neighbour" : "shared-cores";
    assert.ok(isFound(seen, cause), tell(seen));
  }
});

/** Where others take the server's core the server is the limit, and the generator is trusted. */
async function assertDoubted(...args: string[]): Promise<void> {
  const measure = (): Promise<Measurement> => bench(...args, "-d", "1s");
  const seen = await firstThat((found) => !isTrusted(found), measure);
  assert.ok(!isTrusted(seen), tell(seen));
}

testWith(["linux", "nginx"], "a target that is faster than one worker is not trusted", async () => {
  await using nginx = await startNginx();
  for (const driver of ["epoll", "tcp"]) {
    await assertDoubted(nginx.origin, "-c", "50", "--workers", "1", "--driver", driver);
  }
});

testWith(["linux", "nginx"], "more arrivals than a worker can send are not trusted", async () => {
  await using nginx = await startNginx();
  await assertDoubted(nginx.origin, "--rate", "1000000/s", "--workers", "1");
});

Deno.test("a generator with time to spare is trusted, in any kind of load", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => sleep(5).then(() => new Response("slow")),
  );
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const loads = [
    ["-c", "10", "-d", "500ms"],
    ["-c", "10", "--driver", "tcp", "-d", "500ms"],
    ["--rate", "200/s", "-d", "500ms"],
    ["--phases", "500ms@100/s"],
  ];
  for (const load of loads) {
    const seen = await firstThat(isTrusted, () => bench(origin, ...load));
    assert.equal(seen.generator.each.length, seen.generator.workers);
    if (isDisturbed(seen)) continue; // the machine is to blame, if anybody
    assert.ok(isTrusted(seen), `${load.join(" ")}: ${tell(seen)}`);
    assert.deepEqual(seen.generator.findings, []);
  }
});

Deno.test("--strict ends with code 4 when bench can't be trusted, and its results are there", async () => {
  await using api = await serve("api");
  using folder = emptyFolder();
  const file = join(folder.path, "measured.json");
  const asked = ["bench", `${api.origin}/static`, "-n", "20", "-c", "1"]; // too short to tell
  const strict = await exits(4, [...asked, "--strict", "--json", file]);
  assert.match(
    strict.stderr,
    /^Cannot trust the figures: the run is not valid\n {2}suspect: The run took/m,
  );
  const { generator } = measurement.parse(JSON.parse(Deno.readTextFileSync(file)));
  assert.equal(generator.trust, "suspect");
  assert.ok(strict.stdout.startsWith(`${api.origin}/static\n`));
  assert.match(
    strict.stdout,
    /^Suspect: the generator or the machine may have been the limit, not the target\n {2}The run took/m,
  );
  assert.equal((await plateau(asked)).code, 0);
});

Deno.test("--strict ends with code 4 when a run can't be trusted; the report says which, at its top", async () => {
  using folder = emptyFolder();
  const out = join(folder.path, "out");
  const args = ["run", BRIEF, "--strict", "--out", out];
  const { stdout, stderr } = await exits(4, args);
  assert.match(stderr, /Cannot trust the figures: 2 of 2 runs are not valid/);
  assert.match(
    stdout,
    /^Does the whole way through work\?\nRuns in doubt\n {2}2 runs in 2 cells are suspect/m,
  );
  const { runs } = results.parse(JSON.parse(Deno.readTextFileSync(join(out, "results.json"))));
  assert.deepEqual(runs.map(({ generator }) => generator.trust), ["suspect", "suspect"]);
  const page = Deno.readTextFileSync(join(out, "report.html"));
  const top = page.slice(page.indexOf("</h1>"), page.indexOf("<section"));
  assert.match(top, /<li class="red">Both runs are suspect\./);
  assert.match(
    top,
    /<details class="trust suspect"><summary>Runs in doubt<.*, too short to judge/,
  );
});

Deno.test("run calibrates the generator once for a machine, and bench uses that, but never does it", async () => {
  await using api = await serve("api");
  using cache = emptyFolder();
  using folder = emptyFolder();
  const surroundings = { env: freshCache(cache.path) };
  const measure = ["bench", `${api.origin}/static`, "-n", "5", "-c", "1", "--json", "-"];
  const before = await plateau(measure, surroundings);
  assert.equal(measured(before).generator.peakThroughput, null);
  assert.deepEqual([...Deno.readDirSync(cache.path)], []);
  const args = ["run", BRIEF, "--out"];
  const first = await plateau([...args, join(folder.path, "first")], surroundings);
  assert.match(first.stderr, /Calibrating the load generator/);
  // A calibration that others disturbed is not remembered.
  const remembered = [...Deno.readDirSync(cache.path)].length > 0;
  const second = await plateau([...args, join(folder.path, "second")], surroundings);
  assert.equal(/Calibrating/.test(second.stderr), !remembered);
  if (!remembered) return;
  const { peakThroughput, baselineLatency } =
    measured(await plateau(measure, surroundings)).generator;
  assert.ok(peakThroughput !== null && peakThroughput > 1_000, `${peakThroughput} requests/s`);
  assert.ok(
    baselineLatency !== null && baselineLatency > 0 && baselineLatency < 10,
    `${baselineLatency} ms`,
  );
});
