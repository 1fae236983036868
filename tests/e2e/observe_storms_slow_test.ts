/** `observe: [runtime]`: storms of allocations are named, healthy servers are not accused, and others are a note. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Need, needing, testWith } from "../needs.ts";
import { DENO, FIXTURES, kindOf, observe, runsOf, seenIn } from "./observed.ts";
import { emptyFolder } from "./plateau.ts";

const withNodeAndLinux = needing("node", "linux");

const BUSY = "{ duration: 2500ms, connections: 8 }";

/** Little room, or the heap may grow until collections are few. */
const SMALL_HEAP = "--max-old-space-size=140";

const V8: [runtime: string, command: string, stormy: string, needs: Need[]][] = [
  ["Node", "node", `node, ${SMALL_HEAP}`, ["node", "linux"]],
  ["Deno", DENO, `${DENO}, --v8-flags=${SMALL_HEAP}`, ["linux"]],
];

for (const [runtime, command, stormy, needs] of V8) {
  testWith(needs, `${runtime}: a storm of allocations is named, a full core is not`, async () => {
    const { results, stdout } = await observe({
      storm: `${stormy}, server.mjs, storm`,
      healthy: `${command}, server.mjs`,
    }, { load: BUSY });
    const storm = runsOf(results, "storm");
    assert.equal(kindOf(storm), "gc", seenIn(storm));
    const healthy = runsOf(results, "healthy");
    assert.ok(
      healthy.every(({ bottleneck }) => !["gc", "blocked-loop"].includes(bottleneck?.kind ?? "")),
      seenIn(healthy),
    );
    assert.match(stdout, /Bottleneck of storm: (?:its )?garbage collection/);
  });
}

function built(folder: string): string {
  const program = join(folder, "server");
  const { success, stderr } = new Deno.Command("go", {
    args: ["build", "-o", program, join(FIXTURES, "server.go")],
    env: { GOFLAGS: "-mod=mod", GO111MODULE: "off" },
  }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
  return program;
}

const OTHERS: [runtime: string, needs: Need[], command: (folder: string) => string][] = [
  ["Go", ["go", "linux"], built],
  ["Python", ["python", "linux"], () => "python3, server.py"],
];

for (const [runtime, needs, command] of OTHERS) {
  testWith(
    needs,
    `${runtime}: a storm of allocations is named, a healthy server is not`,
    async () => {
      using folder = emptyFolder();
      const words = command(folder.path);
      const { results } = await observe({ storm: `${words}, storm`, healthy: words }, {
        load: BUSY,
      });
      const storm = runsOf(results, "storm");
      assert.equal(kindOf(storm), "gc", seenIn(storm));
      const healthy = runsOf(results, "healthy");
      assert.ok(healthy.every(({ bottleneck }) => bottleneck?.kind !== "gc"), seenIn(healthy));
      assert.ok(storm.every(({ counters }) => (counters?.processes[0].collections ?? 0) > 3));
    },
  );
}

withNodeAndLinux.test("cluster workers and built-in apps report, others are a note, and nothing is by default", async () => {
  const observed = await observe({
    cluster: "node, server.mjs, cluster",
    spoiling: "node, server.mjs, spoiling",
    app: "{ app: work, set: { cpuTime: 1ms } }",
    mute: `env, -u, NODE_OPTIONS, node, server.mjs`,
    denied: `${Deno.execPath()}, run, --allow-net, --allow-env, --no-config, server.mjs`,
  }, { load: "{ rate: 200/s, duration: 1s, connections: 4 }", repeat: 1 });
  const processesOf = (target: string): number =>
    runsOf(observed.results, target)[0].counters?.processes.length ?? 0;
  // A compiled Plateau may be of a Deno that sees no collections of its own.
  const [major, minor] = observed.results.machine.deno.split(".").map(Number);
  const own = major > 2 || minor >= 9 ? 1 : 0;
  assert.deepEqual(
    ["cluster", "spoiling", "app", "mute", "denied"].map(processesOf),
    [3, 1, own, 0, 0],
  );
  for (const name of ["mute", "denied", ...own === 0 ? ["app"] : []]) {
    assert.match(observed.stderr, new RegExp(`Target ${name} reported no runtime counters`));
  }
  const silent = own === 0 ? "cluster|spoiling" : "cluster|spoiling|app";
  assert.doesNotMatch(observed.stderr, new RegExp(`Target (?:${silent}) reported no`));
  const { results, stdout } = await observe(
    { app: "{ app: work, set: { cpuTime: 1ms } }" },
    { load: "{ rate: 200/s, duration: 1s, connections: 4 }", repeat: 1, observed: "" },
  );
  assert.equal(results.runs[0].counters, undefined);
  assert.doesNotMatch(stdout, /Runtime of/);
});
