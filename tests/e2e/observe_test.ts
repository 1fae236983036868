/** `observe: [runtime]`: planted causes are named by what runtimes report, and a healthy server is not accused. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import type { Bottleneck } from "../../runner/result/findings.ts";
import { type Results, results, type Run } from "../../runner/result/result.ts";
import { type Need, testWith } from "../needs.ts";
import { emptyFolder, plateau } from "./plateau.ts";

const FIXTURES = join(import.meta.dirname ?? "", "../targets/fixtures/observed");
const DENO = `${Deno.execPath()}, run, -A, --no-config`;

const CALM = "{ rate: 200/s, duration: 4s, connections: 20 }";
const BUSY = "{ duration: 4s, connections: 8 }";

interface Observed {
  readonly results: Results;
  readonly stdout: string;
  readonly stderr: string;
  readonly markdown: string;
  readonly page: string;
}

/** @param targets Their commands, as YAML has lists. */
async function observe(
  targets: Readonly<Record<string, string>>,
  { load, repeat = 3, observed = "observe: [runtime]" }: {
    load: string;
    repeat?: number;
    observed?: string;
  },
): Promise<Observed> {
  using folder = emptyFolder();
  const lines = Object.entries(targets).map(([name, words]) =>
    `  ${name}: ${words.startsWith("{") ? words : `{ command: [${words}], cwd: "${FIXTURES}" }`}`
  );
  const [file, out] = [join(folder.path, "observed.yaml"), join(folder.path, "out")];
  Deno.writeTextFileSync(
    file,
    `name: observed\ntargets:\n${lines.join("\n")}\nscenarios: { root: { get: / } }\n` +
      `load: ${load}\nrepeat: ${repeat}\n${observed}\n`,
  );
  const { code, stdout, stderr } = await plateau([
    "run",
    file,
    "--out",
    out,
    "--seed",
    "5",
    "--markdown",
    join(folder.path, "out.md"),
  ]);
  assert.equal(code, 0, stderr);
  const read = (name: string): string => readFileSync(join(out, name), "utf8");
  return {
    results: results.parse(JSON.parse(read("results.json"))),
    stdout: stdout.replaceAll(/\s+/g, " "),
    stderr,
    markdown: readFileSync(join(folder.path, "out.md"), "utf8"),
    page: read("report.html"),
  };
}

const runsOf = ({ runs }: Results, target: string): Run[] =>
  runs.filter((run) => run.target === target);

/** What two thirds of its runs say, as the report has it; else null. */
function kindOf(runs: readonly Run[]): Bottleneck["kind"] | null {
  const kinds = Map.groupBy(runs, ({ bottleneck }) => bottleneck?.kind);
  const [most, those] = [...kinds].sort(([, a], [, b]) => b.length - a.length)[0];
  return most !== undefined && those.length >= (2 / 3) * runs.length ? most : null;
}

/** For failures. */
function seenIn(runs: readonly Run[]): string {
  return JSON.stringify(runs.map(({ bottleneck, counters }) => (
    { bottleneck, processes: counters?.processes, slowest: counters?.slowest }
  )));
}

const folders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("plateau-counters-"));

/** Little room, or the heap may grow until collections are few. */
const SMALL_HEAP = "--max-old-space-size=140";

const V8: [runtime: string, command: string, stormy: string, needs: Need[]][] = [
  ["Node", "node", `node, ${SMALL_HEAP}`, ["node", "linux"]],
  ["Deno", DENO, `${DENO}, --v8-flags=${SMALL_HEAP}`, ["linux"]],
];

for (const [runtime, command, stormy, needs] of V8) {
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
    const sentence = /Bottleneck of blocked: long computations block its event loop/;
    for (const text of [stdout, markdown, page]) {
      assert.match(text, sentence);
      assert.match(text, /Runtime of healthy: /);
      assert.match(text, /% overlap a blocked event loop \\?\(/);
    }
    assert.deepEqual(folders(), before);
  });

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

testWith(
  ["node", "linux"],
  "cluster workers and built-in apps report, others are a note, and nothing is by default",
  async () => {
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
  },
);
