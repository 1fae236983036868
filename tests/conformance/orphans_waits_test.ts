/**
 * What becomes of targets when Plateau is killed with KILL, which leaves it no time to stop anything:
 * soon none of its processes is left, whatever the target does.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { descendantsOf, readStat } from "../../base/system/processes.ts";
import { without } from "../e2e/denying.ts";
import { pause, until } from "../e2e/patience.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { type Need, needing, testWith } from "../needs.ts";
import { program } from "../targets/fixtures/launch_context.ts";

const withLinux = needing("linux");
const withSeccomp = needing("seccomp");
const withLinuxAndNginx = needing("linux", "nginx");

type Lines = Record<string, unknown>;

interface Parenthood {
  readonly path?: string;
  readonly env?: Record<string, string>;
  /** A command that becomes the parent. */
  readonly through?: readonly string[];
  /** How many the target consists of. */
  readonly processes?: number;
  /** Looks at what stands while the parent lives: what it started may be gone as soon as it is. */
  readonly beforeKill?: () => void;
}

/** The process ids of all that a parent, busy and killed with KILL, had started. */
async function orphan(
  lines: Lines,
  { path = "", env = {}, through = [], processes = 1, beforeKill = () => {} }: Parenthood = {},
): Promise<{ pids: number[]; origin: string }> {
  const fixture = fileURLToPath(new URL("../targets/fixtures/parent.ts", import.meta.url));
  const [program, ...before] = [...through, Deno.execPath()];
  const parent = new Deno.Command(program, {
    args: [...before, "run", "-A", fixture, JSON.stringify(lines), path],
    env,
    stdout: "piped",
  }).spawn();
  try {
    const { value: origin } = await parent.stdout.pipeThrough(new TextDecoderStream())
      .getReader().read();
    // An nginx may answer before the last of its workers is there, a daemon before whoever left it is gone.
    const pids = await until(`all ${processes} are there`, () => {
      const seen = descendantsOf(parent.pid);
      return seen.length === processes && seen;
    });
    beforeKill();
    return { pids, origin: String(origin).trim() };
  } finally {
    parent.kill("SIGKILL");
    await parent.status;
  }
}

function isAlive(pid: number): boolean {
  return (readStat(pid)?.state ?? "Z") !== "Z";
}

/** They take 0.3 s at most where the machine has time for them; here it may not. */
async function untilGone(pids: readonly number[]): Promise<void> {
  const limitMs = 10_000;
  const deadlineMs = performance.now() + limitMs;
  while (pids.some(isAlive)) {
    assert.ok(performance.now() < deadlineMs, `${pids.filter(isAlive)} live after ${limitMs} ms`);
    await pause(10);
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
    `${what} is soon gone when its parent was killed with KILL`,
    async () => {
      const { pids, origin } = await orphan(lines, { processes });
      await untilGone(pids);
      await assert.rejects(fetch(origin));
    },
  );
}

withLinux.test("an app that computes is gone, too, when its parent was killed with KILL", async () => {
  const { pids } = await orphan({ app: "work", set: { maxCpuTime: "1m" } }, {
    path: "/?cpuTime=60000",
  });
  await untilGone(pids);
});

withSeccomp.test("an app that computes is gone also where the kernel does not end it with its parent", async () => {
  const { pids } = await orphan({ app: "work", set: { maxCpuTime: "1m" } }, {
    path: "/?cpuTime=60000",
    through: without(["prctl"], "EPERM"),
  });
  await untilGone(pids);
});

withSeccomp.test("a stubborn daemon is gone, too, where its supervisor may not adopt it", async () => {
  // It is under nobody then, so the supervisor alone is seen.
  const { pids, origin } = await orphan({ command: program("stubborn-daemon") }, {
    through: without(["prctl"], "EPERM"),
  });
  await untilGone(pids);
  await assert.rejects(fetch(origin));
});

for (const lines of [{ app: "site", set: { files: "on" } }, { app: "wiki", set: { pages: 10 } }]) {
  withLinux.test(`the app ${lines.app} leaves no folder behind when its parent was killed with KILL`, async () => {
    using folder = emptyFolder();
    const { pids } = await orphan(lines, { env: { TMPDIR: folder.path } });
    await untilGone(pids);
    assert.deepEqual(readdirSync(folder.path), []);
  });
}

withLinuxAndNginx.test("an nginx leaves no folder behind when its parent was killed with KILL", async () => {
  using folder = emptyFolder();
  const made = (): string[] =>
    readdirSync(folder.path).filter((name) => name.startsWith("plateau-nginx-"));
  const { pids } = await orphan({ nginx: { root: ".", workers: 1 } }, {
    env: { TMPDIR: folder.path },
    processes: 3,
    beforeKill: () => assert.equal(made().length, 1),
  });
  await untilGone(pids);
  assert.deepEqual(made(), []);
});
