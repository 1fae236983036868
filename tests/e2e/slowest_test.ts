import assert from "node:assert/strict";
import { join } from "node:path";
import { measurement } from "../../runner/result/result.ts";
import { emptyFolder, plateau } from "./plateau.ts";
import { startWitness } from "./witness.ts";

interface Line {
  readonly code: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly connection: number;
}

async function linesOf(path: string): Promise<Line[]> {
  const [, ...lines] = (await Deno.readTextFile(path)).trimEnd().split("\n");
  return lines.map((line) => {
    const [code, startNs, endNs, connection] = line.split(";").map(Number);
    return { code, startNs, endNs, connection };
  });
}

/** Half a microsecond, and what the log itself rounds. */
const ROUNDED_NS = 502;

Deno.test("the slowest requests of several workers are the ten slowest lines of the request log", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const path = join(folder.path, "log.csv");
  const asked = [`${witness.origin}/a/path?q=1`, "-n", "2000", "-c", "6", "-w", "2"];
  const { code, stdout, stderr } = await plateau([
    "bench",
    ...asked,
    "--log",
    path,
    "--json",
    "-",
  ]);
  assert.equal(code, 0, stderr);
  const { slowest = [], latency } = measurement.parse(JSON.parse(stdout));
  const lines = (await linesOf(path))
    .sort((a, b) => b.endNs - b.startNs - (a.endNs - a.startNs) || a.endNs - b.endNs)
    .slice(0, 10);
  assert.equal(slowest.length, lines.length);
  slowest.forEach(({ status, dueS, latency, connection }, i) => {
    const { code, startNs, endNs, connection: logged } = lines[i];
    assert.deepEqual([status, connection], [code, logged]);
    assert.ok(Math.abs(dueS * 1e9 - startNs) <= ROUNDED_NS, `due ${dueS} s, ${startNs} ns`);
    assert.ok(Math.abs(latency * 1e6 - (endNs - startNs)) <= ROUNDED_NS, `${latency} ms`);
  });
  assert.equal(slowest[0].latency, latency.max);
  assert.ok(slowest.every(({ request }) => request === "GET /a/path?q=1"));
});
