/** Who runs on which cores, read from /proc while an experiment runs. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseCores } from "../../base/system/affinity.ts";
import { parseStat } from "../../base/system/processes.ts";
import { needing } from "../needs.ts";
import { emptyFolder, exits, Plateau } from "./plateau.ts";
import { descendants } from "./processes.ts";

const withLinux = needing("linux");

/** What is read of each thread of a process: of none once it has ended. */
function ofThreads<Read>(pid: number, file: string, read: (text: string) => Read): Read[] {
  return unlessEnded(() => readdirSync(`/proc/${pid}/task`)).flatMap((thread) =>
    unlessEnded(() => [read(readFileSync(`/proc/${pid}/task/${thread}/${file}`, "utf8"))])
  );
}

/** Nothing where a process, or one of its threads, has ended meanwhile. */
function unlessEnded<Read>(look: () => Read[]): Read[] {
  try {
    return look();
  } catch {
    return [];
  }
}

/** The cores of each thread of a process. */
function coresOfThreads(pid: number): string[] {
  return ofThreads(
    pid,
    "status",
    (status) => /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? "",
  );
}

const allowed = Deno.build.os === "linux" ? coresOfThreads(Deno.pid)[0] : "";
const cores = parseCores(allowed) ?? [];
const [first, last] = [cores[0], cores[cores.length - 1]];

/** A program with a child that keeps threads of its own. */
const PARENT =
  `"${Deno.execPath()}" eval "setInterval(() => {}, 1e6)" & exec "${Deno.execPath()}" \\
  eval "Deno.serve({ port: Number(Deno.args[0]), hostname: '127.0.0.1' }, () => new Response('a'))" "$0"`;

function experimentWith(pin: unknown, target: unknown): string {
  return JSON.stringify({
    name: "pinned",
    targets: { pinned: target },
    scenarios: { any: { get: "/static", expect: { status: [200, 404] } } },
    load: { connections: 4, duration: "20s" },
    repeat: 1,
    pin,
  });
}

function writeExperiment(folder: string, pin: unknown, target: unknown): string {
  const file = join(folder, "pinned.json");
  Deno.writeTextFileSync(file, experimentWith(pin, target));
  return file;
}

interface Seen {
  /** The different lists of cores of all threads. */
  readonly target: string[];
  readonly own: string[];
  readonly processes: number;
}

/** Looks at all threads of Plateau and of its target while the target is loaded. */
async function look(pin: unknown, target: unknown, processes: number): Promise<Seen> {
  using folder = emptyFolder();
  const file = writeExperiment(folder.path, pin, target);
  await using program = new Plateau(["run", file, "--out", join(folder.path, "out")]);
  let beforeTicks: number | null = null; // of what calibrates, too
  await program.until("the target is loaded", () => {
    if (descendants(program.pid).length < processes) return false;
    const ticks = workerTicks(program.pid);
    beforeTicks ??= ticks;
    return ticks > beforeTicks + AT_WORK_TICKS;
  });
  const started = descendants(program.pid).map(({ pid }) => coresOfThreads(pid));
  return {
    target: [...new Set(started.flat())],
    own: [...new Set(coresOfThreads(program.pid))],
    processes: started.filter((threads) => threads.length > 0).length,
  };
}

/** CPU time of load workers that says that they are at work: more than a rehearsal takes. */
const AT_WORK_TICKS = 25;

function workerTicks(pid: number): number {
  return ofThreads(pid, "stat", (stat) => {
    const { userTicks, systemTicks } = parseStat(stat);
    return stat.includes("(worker-") ? userTicks + systemTicks : 0;
  }).reduce((sum, ticks) => sum + ticks, 0);
}

const PROGRAM = { command: ["sh", "-c", PARENT, "{port}"] };

for (
  const [name, target, processes] of [["an app", { app: "api" }, 1], [
    "a program",
    PROGRAM,
    3,
  ]] as const
) {
  withLinux.test(`${name} and all threads of it keep to their cores, workers to theirs`, async () => {
    const pin = { targets: `${first}`, workers: `${last}` };
    const seen = await look(pin, target, processes);
    assert.deepEqual(seen, { target: [`${first}`], own: [`${last}`], processes });
  });
}

withLinux.test("with only workers pinned, a target has all cores", async () => {
  const seen = await look({ workers: `${last}` }, { app: "api" }, 1);
  assert.deepEqual(seen, { target: [allowed], own: [`${last}`], processes: 1 });
});

withLinux.test("with only targets pinned, workers have all cores", async () => {
  const seen = await look({ targets: `${first}` }, { app: "api" }, 1);
  assert.deepEqual(seen, { target: [`${first}`], own: [allowed], processes: 1 });
});

withLinux.test("cores that two share are told", async () => {
  using folder = emptyFolder();
  const file = writeExperiment(folder.path, { targets: first, workers: `${first}` }, {
    app: "api",
  });
  const args = ["run", file, "--duration", "700ms", "--out", join(folder.path, "out")];
  const { stderr } = await exits(0, args);
  assert.match(stderr, new RegExp(`pin gives both core ${first}\\b`));
});

withLinux.test("a core that is not there is told with its place, and nothing starts", async () => {
  using folder = emptyFolder();
  const file = writeExperiment(folder.path, { targets: "4095" }, { app: "api" });
  const { stderr } = await exits(2, ["run", file, "--out", join(folder.path, "out")]);
  assert.match(stderr, /pinned\.json:1:\d+: pin\.targets: Cannot pin to core 4095/);
});
