/** What follows for users where a measurement is not to be trusted, and how the generator is calibrated. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { measurement, results } from "../../runner/result/result.ts";
import { freshCache } from "./caches.ts";
import { measured } from "./measured.ts";
import { emptyFolder, exits, plateau, serve } from "./plateau.ts";

const BRIEF = join(import.meta.dirname ?? "", "fixtures/brief.yaml");

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
    /^Suspect: the generator or the machine may have distorted the figures\n {2}The run took/m,
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
