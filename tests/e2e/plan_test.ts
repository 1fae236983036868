/** `plateau plan`: an experiment whose targets are compared with themselves. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { calibratedCache } from "./caches.ts";
import { emptyFolder, exits, plateau } from "./plateau.ts";

/** Its threshold needs 1,000 requests, so the run that is held to it lasts until these have come back. */
const EXPERIMENT = `name: planned
targets:
  fast: { app: api }
  slow: { app: work, set: { cpuTime: 1ms } }
scenarios:
  static: { get: /static, targets: [fast], load: { connections: 2, requests: 2000 } }
  root: { get: /, targets: [slow] }
load: { connections: 2, duration: 400ms }
thresholds: ["p99(fast) < 1s"]
claims: ["rate(fast) > rate(slow)"]
`;

Deno.test("plan says what a number of runs sees, and how many a change needs", async () => {
  using folder = emptyFolder();
  const [file, out] = [join(folder.path, "mine.yaml"), join(folder.path, "out")];
  Deno.writeTextFileSync(file, EXPERIMENT);
  const env = calibratedCache(join(folder.path, "cache"));
  const args = ["plan", file, "--repeat", "3", "-q", "--out", out];
  const json = join(folder.path, "plan.json");
  const { code, stdout, stderr } = await plateau([...args, "--json", json], { env });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^With 3 runs a side, a change of .* in requests\/s, .* in p99/);
  assert.match(stdout, /^Of 1,000 random swaps of the two sides, \d+ raised a false alarm/m);
  const plan = JSON.parse(Deno.readTextFileSync(json));
  assert.deepEqual([plan.schema, plan.name, plan.blocks], ["plateau.plan/1", "planned", 3]);
  assert.deepEqual(
    plan.cells.map(({ name }: { name: string }) => name).sort(),
    ["root, slow", "static, fast"],
  );
  // More runs see less, and a smaller change needs more of them; 0.01 counts by half of it.
  for (const { seen, needed } of plan.figures) {
    assert.ok(seen[0].change > seen.at(-1).change);
    assert.equal(needed[0].marginRatio, 0.005);
    const runs = needed.map(({ runs }: { runs: number | null }) => runs ?? Infinity);
    assert.ok(runs[2] >= runs[3], `${runs}`);
  }
  const { runs } = JSON.parse(Deno.readTextFileSync(join(out, "results.json")));
  assert.equal(runs.length, 12);
  // A later report of the experiment cites it.
  const again = ["run", file, "--repeat", "1", "-q", "--out", join(folder.path, "run")];
  assert.equal((await plateau(again, { env })).code, 0);
  const page = Deno.readTextFileSync(join(folder.path, "run", "report.html"));
  assert.match(page, /plateau plan, [^<]*from 3 blocks\): With 3 runs a side, a change/);
  const results = JSON.parse(Deno.readTextFileSync(join(folder.path, "run", "results.json")));
  assert.equal(results.detectable.blocks, 3);
  const wide = await exits(2, [...args.slice(0, 2), "--only", "nobody"]);
  assert.match(wide.stderr, /nobody/);
});
