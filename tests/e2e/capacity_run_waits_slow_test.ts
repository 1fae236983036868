import assert from "node:assert/strict";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { emptyFolder, plateau } from "./plateau.ts";
import { Site } from "./site.ts";

const LOAD = `load:
  capacity: { within: ["p99 < 500ms", "success >= 99%"], width: 20%, trial: [1s, 2s], budget: 25s, recover: 5s }
  connections: 4
`;

async function measured(
  text: string,
): Promise<{ code: number; stderr: string; results: Results }> {
  using folder = emptyFolder();
  const file = join(folder.path, "a.yaml");
  await Deno.writeTextFile(file, text);
  const out = join(folder.path, "out");
  const { code, stderr } = await plateau(["run", file, "--out", out]);
  const written = await Deno.readTextFile(join(out, "results.json"));
  return { code, stderr, results: results.parse(JSON.parse(written)) };
}

Deno.test("each run of a capacity searches for it, and measures at a share of what it found", async () => {
  const { code, stderr, results: { runs } } = await measured(`name: a
targets: { a: { app: user, set: { delay: 20ms } } }
scenarios: { s: { get: /user } }
repeat: 1
order: sequential
${LOAD}  rate: [100% of capacity, 50% of capacity]
`);
  assert.ok([0, 5].includes(code), stderr); // 5: a busy machine, or too few trials
  assert.equal(runs.length, 2);
  for (const { load, parameters, capacity, requests, elapsedS } of runs) {
    assert.ok(load.kind === "capacity" && capacity !== undefined);
    assert.ok(capacity.trials.length > 0);
    assert.deepEqual(load.within, capacity.within);
    assert.equal(load.share, parameters.rate === "50% of capacity" ? 0.5 : undefined);
    if (capacity.capacity !== null) {
      assert.equal(load.rate, (load.share ?? 1) * capacity.capacity.value);
    }
    assert.ok(requests.completed > 0 && elapsedS > 0);
  }
  const [{ capacity: first }, { capacity: second }] = runs;
  const { low, high } = first?.capacity ?? {};
  assert.ok(second !== undefined);
  if (low !== undefined && typeof high === "number") {
    // Just outside of what the first has found, by a quarter of the whole width; at its own peak if that was too little.
    const isNarrow = Math.log(high / low) <= 2.2 * 2 * Math.log(1.2);
    const begun = isNarrow ? low / Math.sqrt(1.2) : second.peakPerSec;
    assert.ok(Math.abs(second.trials[0].ratePerSec / begun - 1) < 1e-9, `${low}, ${high}`);
  }
});

Deno.test("a search that Ctrl-C ends is kept, and the run is made anew when it is resumed", async () => {
  using site = new Site(`name: a
targets: { a: { app: user, set: { delay: 20ms } } }
scenarios: { s: { get: /user } }
repeat: 1
${LOAD}`);
  await using program = site.start();
  await program.prints(/^\s*\[2\] .*: (?:held|broken)/m);
  program.kill("SIGINT");
  const { code, stdout, stderr } = await program.ended;
  assert.equal(code, 130, stderr);
  const before = site.saved();
  assert.ok(before !== null);
  assert.deepEqual(before.runs, []);
  const [{ kind, repetition, capacity }, ...others] = before.missing;
  assert.deepEqual([kind, repetition, others.length, capacity?.end], [
    "interrupted",
    1,
    0,
    "interrupted",
  ]);
  assert.ok((capacity?.trials.length ?? 0) >= 2, stderr);
  assert.match(stdout, /trials of the search for its capacity/);
  const again = await site.resume();
  assert.ok([0, 5].includes(again.code), again.stderr);
  const after = site.saved();
  assert.deepEqual([after?.state, after?.runs.length, after?.missing], ["done", 1, []]);
});

/** The first process exits after so many requests, in the peak or in a trial soon after; the next one lives. */
const MORTAL = `const marker = import.meta.dirname + "/died";
let served = 0;
const lives = (() => { try { return Deno.statSync(marker).isFile; } catch { return false; } })();
Deno.serve({ port: Number(Deno.env.get("PORT")), onListen() {} }, async () => {
  if (!lives && ++served > 250) {
    Deno.writeTextFileSync(marker, "");
    Deno.exit(7);
  }
  await new Promise((done) => setTimeout(done, 20));
  return new Response("here");
});
`;

Deno.test("a target that dies in the search is started anew, and its trials are kept", async () => {
  using folder = emptyFolder();
  const server = join(folder.path, "mortal.ts");
  await Deno.writeTextFile(server, MORTAL);
  const command = JSON.stringify([Deno.execPath(), "run", "-A", server]);
  const { stderr, results: { runs, missing } } = await measured(`name: a
targets: { a: { command: ${command}, env: { PORT: "{port}" } } }
scenarios: { s: { get: / } }
repeat: 1
${LOAD}`);
  assert.deepEqual(missing, [], stderr);
  const [{ capacity, requests }] = runs;
  const fell = capacity?.trials.findIndex(({ recoveryS }) => recoveryS === null) ?? -1;
  assert.ok(fell >= 0 && fell < (capacity?.trials.length ?? 0) - 1, stderr);
  assert.ok(requests.completed > 0);
});

/** Its first process exits under load, and no other ever starts. */
const FINAL = MORTAL.replace("Deno.serve(", "if (lives) Deno.exit(3);\nDeno.serve(");

Deno.test("a target that can't be started anew leaves what its search tried", async () => {
  using folder = emptyFolder();
  const server = join(folder.path, "final.ts");
  await Deno.writeTextFile(server, FINAL);
  const command = JSON.stringify([Deno.execPath(), "run", "-A", server]);
  const { code, stderr, results: { runs, missing } } = await measured(`name: a
targets: { a: { command: ${command}, env: { PORT: "{port}" } } }
scenarios: { s: { get: / } }
repeat: 1
${LOAD}`);
  assert.equal(code, 3, stderr);
  assert.deepEqual(runs, []);
  const [{ kind, reason, capacity }] = missing;
  assert.equal(kind, "failed");
  assert.match(reason, /exited|ended/);
  assert.equal(capacity?.end, "not-recovered");
  assert.ok((capacity?.trials.length ?? 0) > 0, stderr);
});
