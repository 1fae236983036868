import assert from "node:assert/strict";
import { join } from "node:path";
import { measurement } from "../../runner/result/result.ts";
import { emptyFolder, plateau } from "./plateau.ts";
import { startWitness } from "./witness.ts";

const START_MS = Date.UTC(2026, 10, 24);

function logOf(count: number, gapMs: number): string {
  return Array.from({ length: count }, (_, at) =>
    JSON.stringify({
      time: new Date(START_MS + at * gapMs).toISOString(),
      method: at % 10 === 9 ? "POST" : "GET",
      path: `http://192.0.2.1/${at % 3}`,
    })).join("\n");
}

for (const workers of ["1", "3"]) {
  Deno.test(`a log is replayed to its last request, at twice its speed, on the named server: ${workers} workers`, async () => {
    await using witness = startWitness();
    using folder = emptyFolder();
    const log = join(folder.path, "access.json");
    await Deno.writeTextFile(log, logOf(300, 4));
    const args = ["bench", witness.origin, "--replay", log, "--replay-format", "json"];
    const more = ["--speed", "2x", "-w", workers, "--json", "-"];
    const { code, stdout, stderr } = await plateau([...args, ...more]);
    assert.equal(code, 0, stderr);
    const { load, requests } = measurement.parse(JSON.parse(stdout));
    assert.equal(load.kind === "rate" && load.arrivals, "recorded");
    assert.deepEqual([requests.due, requests.dropped], [270, 0]);
    assert.equal(await witness.settledCount(), 270);
  });
}

Deno.test("a log that is none is refused with its first lines, before any load", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const log = join(folder.path, "access.log");
  await Deno.writeTextFile(log, "first\nsecond\n");
  const { code, stderr } = await plateau(["bench", witness.origin, "--replay", log]);
  assert.equal(code, 2);
  assert.match(stderr, /access\.log:1[\s\S]*access\.log:2/);
  assert.equal(await witness.settledCount(), 0);
});
