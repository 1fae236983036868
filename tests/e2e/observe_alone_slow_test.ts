/** `observe: [runtime]`: a blocked event loop is named by what runtimes report, and a healthy server is not accused. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { type Need, needing, testWith } from "../needs.ts";
import { DENO, kindOf, observe, runsOf, seenIn } from "./observed.ts";

const withNodeAndLinux = needing("node", "linux");

const CALM = "{ rate: 200/s, duration: 4s, connections: 20 }";

const folders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("plateau-counters-"));

const V8: [runtime: string, command: string, needs: Need[]][] = [
  ["Node", "node", ["node", "linux"]],
  ["Deno", DENO, ["linux"]],
];

for (const [runtime, command, needs] of V8) {
  testWith(needs, `${runtime}: a blocked event loop is named, a healthy one is not`, async () => {
    const before = folders();
    const { results, stdout, markdown, page } = await observe({
      blocked: `${command}, server.mjs, blocked`,
      healthy: `${command}, server.mjs`,
    }, { load: CALM });
    const blocked = runsOf(results, "blocked");
    assert.equal(kindOf(blocked), "blocked-loop", seenIn(blocked));
    const healthy = runsOf(results, "healthy");
    assert.equal(kindOf(healthy), "offered", seenIn(healthy));
    for (const { counters } of [...blocked, ...healthy]) {
      assert.ok(counters !== undefined && counters.points.length >= 8);
      assert.ok(counters.processes.every(({ heap, delay }) => (heap ?? 0) > 1e6 && delay !== null));
    }
    const sentence =
      /Bottleneck of blocked: long computations block the target(?:'|&#39;)s event loop/;
    for (const text of [stdout, markdown, page]) {
      assert.match(text, sentence);
      assert.match(text, /Runtime of healthy: /);
      assert.match(text, /% overlapped a blocked event loop \\?\(/);
    }
    assert.deepEqual(folders().filter((name) => !before.includes(name)), []);
  });
}

withNodeAndLinux.test("a target without a file left for more connections is named", async () => {
  const { results, stdout } = await observe({
    few: `sh, -c, "ulimit -n 40; exec node server.mjs"`,
  }, { load: "{ duration: 1s, connections: 60 }", repeat: 1, observed: "" });
  const [{ bottleneck }] = results.runs;
  assert.equal(bottleneck?.kind, "open-files", JSON.stringify(bottleneck));
  assert.match(stdout, /Bottleneck of few: the target reached its limit of open files \(/);
});
