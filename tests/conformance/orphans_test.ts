/**
 * What becomes of targets when Plateau is killed with KILL, which leaves it no time to stop anything:
 * within 2 s none of its processes is left, whatever the target does.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { descendantsOf, readStat } from "../../targets/launch/proc.ts";
import { until } from "../e2e/patience.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { type Need, testWith } from "../needs.ts";
import { program } from "../targets/fixtures/launch_context.ts";

type Lines = Record<string, unknown>;

/**
 * The process ids of everything, at least `processes`, that a parent, busy and killed with KILL, had started.
 * `beforeKill` looks at what stands while the parent lives: what it started may be gone as soon as it is.
 */
async function orphan(
  lines: Lines,
  { path = "", env = {}, processes = 1, beforeKill = () => {} }: {
    path?: string;
    env?: Record<string, string>;
    processes?: number;
    beforeKill?: () => void;
  } = {},
): Promise<{ pids: number[]; origin: string }> {
  const fixture = fileURLToPath(new URL("../targets/fixtures/parent.ts", import.meta.url));
  const parent = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", fixture, JSON.stringify(lines), path],
    env,
    stdout: "piped",
  }).spawn();
  const { value: origin } = await parent.stdout.pipeThrough(new TextDecoderStream())
    .getReader().read();
  // An nginx may answer before the last of its workers is there.
  await until("all are there", () => descendantsOf(parent.pid).length >= processes);
  const pids = descendantsOf(parent.pid);
  beforeKill();
  parent.kill("SIGKILL");
  await parent.status;
  return { pids, origin: String(origin).trim() };
}

function isAlive(pid: number): boolean {
  return (readStat(pid)?.state ?? "Z") !== "Z";
}

async function untilGone(pids: readonly number[], limitMs: number): Promise<void> {
  const deadlineMs = performance.now() + limitMs;
  while (pids.some(isAlive)) {
    assert.ok(performance.now() < deadlineMs, `${pids.filter(isAlive)} live after ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What fronts stand in front of is `behind`, see parent.ts. */
const ORPHANS: { what: string; needs?: Need[]; lines: Lines; processes: number }[] = [
  { what: "a built-in app", lines: { app: "api" }, processes: 1 },
  { what: "a program", lines: { command: program("serve") }, processes: 2 },
  { what: "a program that ignores TERM", lines: { command: program("stubborn") }, processes: 2 },
  { what: "a stubborn daemon", lines: { command: program("stubborn-daemon") }, processes: 2 },
  { what: "a proxy", lines: { proxy: { origin: "behind" } }, processes: 2 },
  { what: "a cluster", lines: { cluster: { of: "behind", instances: 3 } }, processes: 4 },
  {
    what: "an nginx", // a supervisor, the master, two workers
    needs: ["nginx"],
    lines: { nginx: { root: ".", workers: 2 } },
    processes: 4,
  },
  {
    what: "a cluster behind nginx",
    needs: ["nginx"],
    lines: { cluster: { of: "behind", instances: 2, balancer: "nginx", workers: 1 } },
    processes: 5,
  },
];

for (const { what, needs = [], lines, processes } of ORPHANS) {
  testWith(
    ["linux", ...needs],
    `${what} is gone within 2 s when its parent was killed with KILL`,
    async () => {
      const { pids, origin } = await orphan(lines, { processes });
      assert.equal(pids.length, processes);
      await untilGone(pids, 2_000);
      await assert.rejects(fetch(origin));
    },
  );
}

testWith(
  ["linux"],
  "an app that computes is gone, too, when its parent was killed with KILL",
  async () => {
    const { pids } = await orphan({ app: "work", set: { maxCpuTime: "1m" } }, {
      path: "/?cpuTime=60000",
    });
    assert.equal(pids.length, 1);
    await untilGone(pids, 2_000);
  },
);

for (const lines of [{ app: "site", set: { files: "on" } }, { app: "wiki", set: { pages: 10 } }]) {
  testWith(
    ["linux"],
    `the app ${lines.app} leaves no folder behind when its parent was killed with KILL`,
    async () => {
      using folder = emptyFolder();
      const { pids } = await orphan(lines, { env: { TMPDIR: folder.path } });
      await untilGone(pids, 2_000);
      assert.deepEqual(readdirSync(folder.path), []);
    },
  );
}

testWith(
  ["linux", "nginx"],
  "an nginx leaves no folder behind when its parent was killed with KILL",
  async () => {
    using folder = emptyFolder();
    const made = (): string[] =>
      readdirSync(folder.path).filter((name) => name.startsWith("plateau-nginx-"));
    const { pids } = await orphan({ nginx: { root: "." } }, {
      env: { TMPDIR: folder.path },
      beforeKill: () => assert.equal(made().length, 1),
    });
    await untilGone(pids, 2_000);
    assert.deepEqual(made(), []);
  },
);
