/** What Plateau may not see or end: processes that /proc does not show, and those of another user. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Results } from "../../runner/result/result.ts";
import { readStat } from "../../base/system/processes.ts";
import { needing } from "../needs.ts";
import { until } from "./patience.ts";
import {
  COMMAND,
  emptyFolder,
  exits,
  Plateau,
  plateau,
  serve,
  type Surroundings,
} from "./plateau.ts";
import { adoptOrphans, descendants } from "./processes.ts";

const withMountns = needing("mountns");

const PROGRAM = new URL("../targets/fixtures/program.ts", import.meta.url).pathname;

/** A /proc that names the program alone, without which Deno does not start. */
const POOR_PROC = [
  ...["unshare", "--mount", "sh", "-c"],
  `mount -t tmpfs tmpfs /proc && mkdir /proc/self && ln -s "$0" /proc/self/exe && exec "$@"`,
  COMMAND[0],
];

/** This user without its right to end others' processes. */
const MAY_NOT_KILL = ["setpriv", "--bounding-set=-kill", "--inh-caps=-kill"];

interface Outcome {
  readonly code: number;
  readonly stderr: string;
  readonly run: Results["runs"][number];
}

const BRIEFLY = { connections: 1, requests: 200 };
/** Longer than any pause of the machine: what happens meanwhile ends it. */
const LONG = { connections: 1, duration: "10m" };

/** Writes an experiment of one run, whose target is program.ts with this habit. */
function writeExperiment(
  folder: string,
  habit: string,
  { load, env = {} }: { load: typeof BRIEFLY | typeof LONG; env?: Record<string, string> },
): { file: string; out: string } {
  const file = join(folder, "experiment.json");
  const experiment = {
    name: "hidden",
    targets: {
      program: { command: [Deno.execPath(), "run", "-A", PROGRAM, habit], ready: "/", env },
    },
    scenarios: { root: { get: "/" } },
    load,
    repeat: 1,
  };
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  return { file, out: join(folder, "out") };
}

async function runOnce(habit: string, surroundings: Surroundings): Promise<Outcome> {
  using folder = emptyFolder();
  const { file, out } = writeExperiment(folder.path, habit, { load: BRIEFLY });
  const { code, stderr } = await plateau(["run", file, "--out", out], surroundings);
  const { runs } = JSON.parse(Deno.readTextFileSync(join(out, "results.json"))) as Results;
  return { code, stderr, run: runs[0] };
}

withMountns.test("bench measures where /proc shows no processes", async () => {
  await using server = await serve("api");
  const args = ["bench", `${server.origin}/static`, "-n", "100", "-c", "2", "--json", "-"];
  const { stdout } = await exits(0, args, { through: POOR_PROC });
  assert.equal(JSON.parse(stdout).requests.completed, 100);
});

withMountns.test("run ends a stubborn target and says what is unknown where /proc shows no processes", async () => {
  adoptOrphans();
  const { stderr, run } = await exits(0, runOnce("stubborn", { through: POOR_PROC }));
  assert.ok(run.requests.completed > 0);
  assert.deepEqual(run.resources, []);
  assert.match(stderr, /^CPU and memory of target program are unknown: the system does not show/m);
  assert.deepEqual(descendants(Deno.pid), []);
});

withMountns.test("a stubborn target is ended when its supervisor is killed where /proc shows no processes", async () => {
  adoptOrphans();
  using folder = emptyFolder();
  const ASKED = join(folder.path, "asked");
  const { file, out } = writeExperiment(folder.path, "stubborn", { load: LONG, env: { ASKED } });
  await using program = new Plateau(["run", file, "--out", out], { through: POOR_PROC });
  // Whoever is asked has been reported by the supervisor.
  const supervisor = await program.until(
    "the target is asked",
    () =>
      existsSync(ASKED) &&
      descendants(program.pid).find(({ command }) => command.includes(" supervise -- ")),
  );
  assert.ok(supervisor);
  Deno.kill(supervisor.pid, "SIGKILL");
  const { stderr } = await exits(3, program.ended);
  assert.match(
    stderr,
    /supervisor(?: of target program)? \(a process of Plateau\) was ended by SIGKILL/,
  );
  await until("nothing is left", () => descendants(Deno.pid).length === 0);
});

withMountns.test("run goes on and names what it may not end, as it is another user's", async () => {
  const { code, stderr, run } = await runOnce("other-user", { through: MAY_NOT_KILL });
  const note = /^Processes of target program are still running.+: (\d+) \(sudo kill -9 \1\)$/m.exec(
    stderr,
  );
  assert.ok(note, stderr);
  const pid = Number(note[1]);
  assert.notEqual(readStat(pid), null, "it still runs");
  Deno.kill(pid, "SIGKILL");
  await until("it is gone", () => (readStat(pid)?.state ?? "Z") === "Z");
  assert.equal(code, 0, stderr);
  assert.ok(run.requests.completed > 0);
  assert.ok(run.resources.length > 0);
});
