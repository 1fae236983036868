/** `profile` and `--profile`: extra runs, which the measured ones know nothing of. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hotPathOf } from "../../base/profile/frame_times.ts";
import type { TargetProfile } from "../../runner/result/profile.ts";
import { type Results, results } from "../../runner/result/result.ts";
import { needing } from "../needs.ts";
import { emptyFolder, exits } from "./plateau.ts";

const withNodeAndLinux = needing("node", "linux");

const FIXTURES = join(import.meta.dirname ?? "", "../targets/fixtures/profiled");

/** Targets of the hot server, by their arguments. */
function experiment(targets: Record<string, readonly string[]>, more = ""): string {
  const lines = Object.entries(targets).map(([name, words]) =>
    `  ${name}: { command: [node, hot.mjs, ${words.join(", ")}], cwd: "${FIXTURES}" }`
  );
  return `name: profiled
targets:
${lines.join("\n")}
scenarios: { root: { get: / } }
load: { duration: 2500ms, connections: 4 }
repeat: 1
${more}`;
}

async function run(
  folder: string,
  text: string,
  flags: readonly string[] = [],
): Promise<{ results: Results; stdout: string; stderr: string }> {
  const [file, out] = [join(folder, "profiled.yaml"), join(folder, `out${flags.length}`)];
  Deno.writeTextFileSync(file, text);
  const { stdout, stderr } = await exits(0, ["run", file, "--out", out, "--seed", "5", ...flags]);
  const read = results.parse(JSON.parse(readFileSync(join(out, "results.json"), "utf8")));
  return { results: read, stdout, stderr };
}

/** What a measured run is, without what its measurement found. */
function planOf({ runs, seed, planned }: Results): unknown {
  return {
    seed,
    planned,
    runs: runs.map(({ target, scenario, repetition, order, parameters, load }) => (
      { target, scenario, repetition, order, parameters, load }
    )),
  };
}

withNodeAndLinux.test("--profile adds runs after the same plan, and names the hot function", async () => {
  using folder = emptyFolder();
  const text = experiment({ one: ["busy"], two: ["quiet", "lying"] });
  const plain = await run(folder.path, text);
  const profiled = await run(folder.path, text, ["--profile"]);
  assert.deepEqual(planOf(profiled.results), planOf(plain.results));
  assert.equal(plain.results.profiles, undefined);
  const { profiles = [] } = profiled.results;
  assert.deepEqual(profiles.map(({ target, run, notes }) => [target, run, notes]), [
    ["one", 1, []],
    ["two", 1, []],
  ]);
  for (const { tree, processes, fromS, forS, busyMs, rate } of profiles) {
    assert.equal(hotPathOf(tree)?.frame.name, "hot");
    assert.ok(fromS > 0 && fromS + forS < 2.5 && busyMs > 0 && (rate ?? 0) > 0);
    const files = processes.flatMap(({ file }) => file ?? []);
    assert.equal(files.length, 1);
    assert.ok(existsSync(join(folder.path, "out1", files[0])));
    const written = JSON.parse(readFileSync(join(folder.path, "out1", files[0]), "utf8"));
    assert.ok(Array.isArray(written.nodes) && written.samples.length === written.timeDeltas.length);
  }
  assert.match(profiled.stdout.replaceAll(/\s+/g, " "), /% of one's time is in \S+ → hot/);
  assert.ok(!plain.stdout.includes("hot"));
});

/** Of the load. A crowded machine may find no inspector, or hear of no end, until a short one is over. */
const DURATIONS = ["2500ms", "10s", "30s"] as const;

interface ClusterAndDying {
  readonly cluster: TargetProfile;
  readonly dying: TargetProfile;
  readonly stderr: string;
}

/** Profiled with the shortest load that lets the machine see all that there is to see, or else with the longest. */
async function profiledClusterAndDying(): Promise<ClusterAndDying> {
  const text = experiment(
    { cluster: ["cluster", "busy"], dying: ["dying"] },
    "profile: { runs: 1 }\n",
  );
  for (const duration of DURATIONS) {
    using folder = emptyFolder();
    const { results, stderr } = await run(folder.path, text.replace("2500ms", duration));
    const { profiles: [cluster, dying] = [], state, runs } = results;
    assert.deepEqual([state, runs.length], ["done", 2]);
    const isSeen = cluster.notes.length === 0 && dying.rate === null;
    if (isSeen || duration === DURATIONS.at(-1)) return { cluster, dying, stderr };
  }
  throw new Error("no duration is given");
}

withNodeAndLinux.test("every worker of a cluster is profiled, and a target that dies meanwhile is a note", async () => {
  const { cluster, dying, stderr } = await profiledClusterAndDying();
  const sampled = cluster.processes.filter(({ samples }) => samples > 0);
  assert.equal(sampled.length, 3, JSON.stringify(cluster.notes));
  assert.equal(new Set(sampled.map(({ file }) => file)).size, 3);
  assert.equal(hotPathOf(cluster.tree)?.frame.name, "hot");
  assert.equal(dying.notes[0], "the target ended while it was profiled");
  assert.equal(dying.rate, null);
  assert.match(stderr, /Profile of dying: the target ended while it was profiled/);
});
