/** `plateau explain` and `plateau check --json`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { emptyFolder, exits, serve } from "./plateau.ts";

Deno.test("explain says what a code means, and which one was meant", async () => {
  const finding = await exits(0, ["explain", "near-peak-throughput"]);
  assert.equal(
    finding.stdout,
    "near-peak-throughput  The rate is near the generator's own peak.\n",
  );
  const advice = await exits(0, ["explain", "lower-rate", "--json", "-"]);
  assert.deepEqual(JSON.parse(advice.stdout), {
    schema: "plateau.explanation/1",
    kind: "advice",
    code: "lower-rate",
    meaning: "Lower the rate.",
  });
  const wrong = await exits(2, ["explain", "near-peak-throughputs"]);
  assert.match(
    wrong.stderr,
    /it is neither a code nor a file \(did you mean near-peak-throughput\?\)/,
  );
  await exits(2, ["explain", "no/such/results.json"]);
});

Deno.test("explain says what results mean, and names each of their findings once", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "bench.json");
  await using api = await serve("api");
  await exits(0, ["bench", `${api.origin}/static`, "-d", "200ms", "--json", file]);
  const measured = JSON.parse(Deno.readTextFileSync(file));
  const findings = [
    { code: "too-short", severity: "suspect", evidence: { elapsedS: 0.2 }, advice: ["longer-run"] },
    { code: "steal", severity: "suspect", evidence: { steal: 0.03 }, advice: ["own-host"] },
  ];
  const generator = { ...measured.generator, trust: "suspect", findings };
  Deno.writeTextFileSync(file, JSON.stringify({ ...measured, generator }));
  const { stdout } = await exits(0, ["explain", file]);
  assert.match(stdout, /^too-short \(1 run\) {2}The run is too short to judge the generator\.$/m);
  assert.match(
    stdout,
    /^ {2}The run took .*too short to judge the generator\. Make the run longer\.$/m,
  );
  const explained = JSON.parse((await exits(0, ["explain", file, "--json", "-"])).stdout);
  assert.equal(explained.kind, "results");
  assert.equal(explained.trust.level, "suspect");
  assert.deepEqual(
    explained.findings.map(({ code, runs }: { code: string; runs: number }) => [code, runs]),
    [["too-short", 1], ["steal", 1]],
  );
});

Deno.test("check writes what it would run as JSON, and no file over the experiment", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "mine.yaml");
  Deno.writeTextFileSync(
    file,
    "name: mine\ntargets: { t: { app: api } }\nscenarios: { s: { get: /static } }\n" +
      "load: { connections: [1, 2], duration: 2s }\nrepeat: 3\n",
  );
  const { stdout } = await exits(0, ["check", file, "--json", "-"]);
  const { schema, name, title, cells, least, most } = JSON.parse(stdout);
  assert.deepEqual([schema, name, title], ["plateau.check/1", "mine", null]);
  assert.deepEqual(cells.map((cell: { parameters: unknown }) => cell.parameters), [
    { connections: 1 },
    { connections: 2 },
  ]);
  assert.deepEqual([least.runs, most.runs], [6, 6]);
  assert.ok(least.expectedS >= 12);
  const refused = await exits(2, ["check", file, "--json", file]);
  assert.match(refused.stderr, /it is also the file of the experiment/);
});
