/**
 * What Plateau leaves behind when it is ended: nothing but what it measured.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { type Need, needing, testWith } from "../needs.ts";
import { without } from "./denying.ts";
import { pause, until } from "./patience.ts";
import { emptyFolder, exits, Plateau, serve } from "./plateau.ts";
import { adoptOrphans, descendants } from "./processes.ts";
import { startWitness } from "./witness.ts";

const withLinux = needing("linux");

if (Deno.build.os === "linux") adoptOrphans();

const SIGNALS = ["SIGINT", "SIGTERM", "SIGQUIT", "SIGKILL"] as const;

/** A server with a child that it never ends, as a careless program has. */
const CARELESS = `sleep 600 & exec "${Deno.execPath()}" eval \\
  "Deno.serve({ port: Number(Deno.args[0]), hostname: '127.0.0.1' }, () => new Response('a'))" "$0"`;

/** Runs of an app, a program with children and a slow starter, one after the other. */
const EXPERIMENT = {
  name: "long",
  targets: {
    app: { app: "api" },
    careless: { command: ["sh", "-c", CARELESS, "{port}"] },
    slow: { command: ["sh", "-c", `sleep 0.7; ${CARELESS}`, "{port}"] },
  },
  scenarios: { any: { get: "/static", expect: { status: [200, 404] } } },
  load: { connections: 2, duration: "300ms" },
  order: "sequential",
  repeat: 20,
};

function startLong(folder: string, ...more: string[]): Plateau {
  const file = join(folder, "long.json");
  Deno.writeTextFileSync(file, JSON.stringify(EXPERIMENT));
  return new Plateau(["run", file, "--out", join(folder, "out"), ...more]);
}

/** The results as they are on the disk; null before the first save. */
function savedResults(folder: string): Results | null {
  const file = join(folder, "out/results.json");
  return existsSync(file) ? results.parse(JSON.parse(readFileSync(file, "utf8"))) : null;
}

function savedRuns(folder: string): number {
  return savedResults(folder)?.runs.length ?? 0;
}

async function assertNothingLeft(): Promise<void> {
  const left = (): string[] => descendants(Deno.pid).map(({ command }) => command);
  await until(() => `these have ended: ${left().join("; ")}`, () => left().length === 0);
}

/** Moments that only a look tells of, as machines are quicker and slower. */
const MOMENTS: readonly {
  readonly when: string;
  readonly target: string;
  readonly hasCome: (folder: string, processes: () => string) => boolean;
}[] = [
  {
    when: "when a target has a child",
    target: "careless",
    hasCome: (_, processes) => /^sleep 600/m.test(processes()),
  },
  {
    when: "when a target takes its time to start",
    target: "slow",
    hasCome: (_, processes) => /^sleep 0\.7/m.test(processes()),
  },
  { when: "between two runs", target: "careless", hasCome: (folder) => savedRuns(folder) > 0 },
];

for (const { when, target, hasCome } of MOMENTS) {
  for (const signal of SIGNALS) {
    withLinux.test(`${signal} ${when} leaves no process`, async () => {
      using folder = emptyFolder();
      await using program = startLong(folder.path, "--only", `target=${target}`);
      const processes = (): string =>
        descendants(program.pid).map(({ command }) => command).join("\n");
      await program.until(`the moment comes ${when}`, () => hasCome(folder.path, processes));
      program.kill(signal);
      await program.ended;
      await assertNothingLeft();
    });
  }
}

// Anywhere in the program's own start, and in starts, loads and stops of targets.
for (const afterMs of [0, 60, 150, 300, 500, 800, 1_200]) {
  for (const signal of SIGNALS) {
    withLinux.test(`${signal} after ${afterMs} ms of a run leaves no process`, async () => {
      using folder = emptyFolder();
      await using program = startLong(folder.path);
      await pause(afterMs);
      program.kill(signal);
      await program.ended;
      await assertNothingLeft();
    });
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  withLinux.test(`${signal} saves what was measured, writes the report and exits 130`, async () => {
    using folder = emptyFolder();
    await using program = startLong(folder.path);
    await program.until("a run is saved", () => savedRuns(folder.path) > 0);
    program.kill(signal);
    const { stdout, stderr } = await exits(130, program.ended);
    const saved = savedResults(folder.path);
    assert.equal(saved?.state, "interrupted");
    assert.ok((saved?.runs.length ?? 0) >= 1);
    assert.ok(existsSync(join(folder.path, "out/report.html")));
    assert.match(stdout + stderr, /report\.html/);
    assert.doesNotMatch(stderr, /^\s+at /m);
    await assertNothingLeft();
  });
}

/** Asks another server for what it answers. */
const ASKING = CARELESS.replace("new Response('a')", "fetch(Deno.args[1])") + ' "$1"';

const SURROUNDINGS: { where: string; need: Need; through: string[] }[] = [
  { where: "", need: "linux", through: [] },
  { where: " where nobody may adopt it", need: "seccomp", through: without(["prctl"], "EPERM") },
];

for (const { where, need, through } of SURROUNDINGS) {
  testWith(
    [need],
    `a target is ended when its supervisor is killed${where}, and the run says so`,
    async () => {
      using folder = emptyFolder();
      let asked = 0;
      await using witness = startWitness({ onRequest: () => asked++ });
      const file = join(folder.path, "long.json");
      const asking = { command: ["sh", "-c", ASKING, "{port}", witness.origin] };
      const load = { connections: 1, duration: "60s" };
      const experiment = { ...EXPERIMENT, targets: { asking }, load, repeat: 1 };
      Deno.writeTextFileSync(file, JSON.stringify(experiment));
      const args = ["run", file, "--out", join(folder.path, "out")];
      await using program = new Plateau(args, { through });
      await program.until("it is loaded", () => asked > 50);
      const [supervisor] = descendants(program.pid)
        .filter(({ command }) => / supervise -- \S*sh /.test(command));
      Deno.kill(supervisor.pid, "SIGKILL");
      const { stderr } = await exits(3, program.ended);
      assert.match(
        stderr,
        /the supervisor of target asking \(a process of Plateau\) was ended by SIGKILL while it was/,
      );
      await assertNothingLeft();
    },
  );
}

withLinux.test("SIGKILL loses at most the run in progress", async () => {
  using folder = emptyFolder();
  await using program = startLong(folder.path);
  await program.until("two runs are saved", () => savedRuns(folder.path) > 1);
  await program.until("a target runs with its child", () => descendants(program.pid).length >= 2);
  program.kill("SIGKILL");
  await program.ended;
  const saved = savedResults(folder.path);
  assert.equal(saved?.state, "running");
  assert.ok((saved?.runs.length ?? 0) > 1);
  await assertNothingLeft();
});

for (const signal of SIGNALS) {
  withLinux.test(`${signal} of serve frees its port`, async () => {
    const served = await serve("api");
    served.program.kill(signal);
    await served.program.ended;
    await assertNothingLeft();
    const port = Number(new URL(served.origin).port);
    await assert.rejects(Deno.connect({ port, hostname: "127.0.0.1" }), /refused/i);
  });
}

for (const signal of SIGNALS) {
  withLinux.test(`${signal} of serve while it starts ends it, and leaves no file`, async () => {
    using folder = emptyFolder();
    await using program = new Plateau(["serve", "wiki", "--set", "pages=100000"], {
      env: { TMPDIR: folder.path },
    });
    await program.until(
      "it writes pages",
      () => openFiles(program.pid).includes("wiki.db (deleted)"),
    );
    program.kill(signal);
    const { stdout } = await program.ended;
    assert.equal(stdout, "");
    // A compiled program keeps its runtime's cache there.
    const left = readdirSync(folder.path).filter((name) => name.startsWith("plateau-"));
    assert.deepEqual(left, []);
  });
}

/** What /proc tells of them, one a line. */
function openFiles(pid: number): string {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(join(folder, fd));
    } catch {
      return ""; // closed meanwhile
    }
  }).join("\n");
}

withLinux.test("a second SIGINT ends at once, and still leaves nothing", async () => {
  using folder = emptyFolder();
  await using program = startLong(folder.path);
  await program.until("a run is saved", () => savedRuns(folder.path) > 0);
  program.kill("SIGINT");
  program.kill("SIGINT");
  assert.equal((await program.ended).code, 130);
  await assertNothingLeft();
});

/** A run that needs a temporary folder, which it makes in `tmp`. */
function startObserved(folder: string, out: string, duration: string): Plateau {
  const experiment = {
    name: "observed",
    targets: { api: { app: "api" } },
    scenarios: { static: { get: "/static" } },
    load: { connections: 1, duration },
    observe: ["runtime"],
    repeat: 1,
  };
  const file = join(folder, "observed.json");
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  Deno.mkdirSync(join(folder, "tmp"), { recursive: true });
  const env = { TMPDIR: join(folder, "tmp") };
  return new Plateau(["run", file, "--out", join(folder, out)], { env });
}

function temporaryFolders(folder: string): string[] {
  const tmp = join(folder, "tmp");
  if (!existsSync(tmp)) return [];
  return readdirSync(tmp).filter((name) => name.startsWith("plateau-"));
}

withLinux.test("the temporary folder of a killed run goes at the next start, not that of a living one", async () => {
  using folder = emptyFolder();
  const made = (): string[] => temporaryFolders(folder.path);
  await using killed = startObserved(folder.path, "killed", "10m");
  await killed.until("it has a folder", () => made().length === 1);
  const [left] = made();
  await using living = startObserved(folder.path, "living", "10m");
  await living.until("both have one", () => made().length === 2);
  killed.kill("SIGKILL");
  await killed.ended;
  assert.ok(made().includes(left));
  await using next = startObserved(folder.path, "next", "200ms");
  assert.equal((await next.ended).code, 0);
  assert.equal(made().length, 1);
  assert.ok(!made().includes(left));
  living.kill("SIGQUIT");
  assert.equal((await living.ended).code, 130);
  assert.deepEqual(made(), []);
  await assertNothingLeft();
});

withLinux.test("a second signal leaves no temporary folder", async () => {
  using folder = emptyFolder();
  await using program = startObserved(folder.path, "out", "10m");
  await program.until("it has a folder", () => temporaryFolders(folder.path).length === 1);
  program.kill("SIGQUIT");
  program.kill("SIGHUP");
  assert.equal((await program.ended).code, 130);
  assert.deepEqual(temporaryFolders(folder.path), []);
  await assertNothingLeft();
});

withLinux.test("counters without a usable TMPDIR end with code 3, and the error names the folder", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "observed.yaml");
  Deno.writeTextFileSync(
    file,
    "name: o\ntargets: { a: { app: api } }\nscenarios: { s: { get: /static } }\n" +
      "load: { connections: 1, duration: 1s }\nobserve: [runtime]\n",
  );
  const { code, stderr } = await new Plateau(["run", file, "--out", join(folder.path, "out")], {
    env: { TMPDIR: "/nonexistent" },
  }).ended;
  assert.equal(code, 3, stderr);
  assert.match(
    stderr,
    /Cannot make a temporary folder in \/nonexistent: .*\n.*set TMPDIR to a folder/,
  );
  assert.doesNotMatch(stderr, /defect/);
});

withLinux.test("bench ended by SIGINT prints what it measured and exits 130", async () => {
  let asked = 0;
  await using witness = startWitness({ onRequest: () => asked++ });
  await using program = new Plateau(["bench", witness.origin, "-c", "2", "-d", "60s"]);
  await program.until("it loads", () => asked > 10);
  program.kill("SIGINT");
  const { stdout } = await exits(130, program.ended);
  assert.match(stdout, /requests\/s/i);
});
