/** What `plateau ab` leaves where it is interrupted, or the disk is full: nothing but what it measured. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { results } from "../../runner/result/result.ts";
import { needing } from "../needs.ts";
import { until } from "./patience.ts";
import { exits, Plateau, plateau } from "./plateau.ts";
import { adoptOrphans, descendants } from "./processes.ts";
import { type ScratchRepository, scratchRepository } from "./scratch_repository.ts";

const withGit = needing("git", "node", "linux");
const withMounts = needing("git", "node", "linux", "mountns");
const INTERRUPTED = 130;

if (Deno.build.os === "linux") adoptOrphans();

async function assertNothingRuns(): Promise<void> {
  const left = (): string[] => descendants(Deno.pid).map(({ command }) => command);
  await until(() => `these have ended: ${left().join("; ")}`, () => left().length === 0);
}

/** Of checkouts that were not built to their end; a kept one has its mark. */
function unfinished(scratch: ScratchRepository): string[] {
  const kept = scratch.kept();
  return kept.filter((name) =>
    name.startsWith(".snapshot-") || (/^[0-9a-f]{12}-[0-9a-f]{12}$/.test(name) &&
      !kept.includes(`${name}.ready`))
  );
}

function savedRuns(file: string): number {
  return existsSync(file) ? results.parse(JSON.parse(Deno.readTextFileSync(file))).runs.length : 0;
}

/** A git that stops where it would do that, and says so in a file. */
const stopsAt = (verb: string) => (scratch: ScratchRepository): Record<string, string> => {
  const bin = join(scratch.path, "../bin");
  Deno.mkdirSync(bin);
  const path = Deno.env.get("PATH") ?? "";
  const script = `#!/bin/sh
case " $* " in *" ${verb} "*) echo > '${join(bin, "waits")}'; exec sleep 1000 ;; esac
PATH='${path}' exec git "$@"
`;
  Deno.writeTextFileSync(join(bin, "git"), script, { mode: 0o755 });
  return { PATH: `${bin}:${path}` };
};

const gitStopped: Moment["comes"] = (_, scratch) =>
  until("git has stopped", () => existsSync(join(scratch.path, "../bin/waits")));

interface Moment {
  readonly when: string;
  readonly args?: readonly string[];
  /** What the scratch repository has besides, and the environment. */
  readonly prepare?: (scratch: ScratchRepository) => Record<string, string>;
  readonly comes: (program: Plateau, scratch: ScratchRepository) => Promise<unknown>;
  /** Whether runs are kept, which another `ab` must not erase. */
  readonly keeps: boolean;
}

const out = (scratch: ScratchRepository, name: string): string =>
  join(scratch.path, "../out", name);

/** Enough to be interrupted among them. */
const FEW_RUNS = ["--repeat", "3", "--confirm", "no"];

/** A target that finds the one makes the other of it, and then never listens. */
const [HOLD, HELD] = ["../hold", "../held"];

const MOMENTS: readonly Moment[] = [
  {
    when: "it looks for the commits",
    prepare: stopsAt("rev-parse"),
    comes: gitStopped,
    keeps: false,
  },
  { when: "it reads the working tree", prepare: stopsAt("add"), comes: gitStopped, keeps: false },
  { when: "it checks out", prepare: stopsAt("checkout"), comes: gitStopped, keeps: false },
  {
    when: "the first side is built",
    prepare: (scratch) => {
      scratch.write("build.js", `console.log("builds"); setInterval(() => {}, 1000);`);
      scratch.git("commit", "--quiet", "--all", "--message", "builds for ever");
      return {};
    },
    comes: (program) => program.prints(/^Builds server at HEAD/m),
    keeps: false,
  },
  {
    when: "the second side is built",
    prepare: (scratch) => {
      scratch.write("build.js", `console.log("builds"); setInterval(() => {}, 1000);`);
      return {};
    },
    comes: (program) => program.prints(/^Builds server at the working tree/m),
    keeps: false,
  },
  {
    when: "a target starts",
    args: FEW_RUNS,
    prepare: (scratch) => {
      const [hold, held] = [HOLD, HELD].map((name) => JSON.stringify(join(scratch.path, name)));
      const server = Deno.readTextFileSync(join(scratch.path, "server.js"));
      scratch.write(
        "server.js",
        `if (require("fs").existsSync(${hold})) {
  require("fs").renameSync(${hold}, ${held});
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
${server}`,
      );
      scratch.git("commit", "--quiet", "--all", "--message", "holds once");
      scratch.write(HOLD, "");
      return {};
    },
    comes: (_, scratch) => until("it is held", () => existsSync(join(scratch.path, HELD))),
    keeps: true,
  },
  {
    when: "the first run goes on",
    args: FEW_RUNS,
    comes: (_, scratch) =>
      until("results are there", () => existsSync(out(scratch, "results.json"))),
    keeps: true,
  },
  {
    when: "some runs are done",
    args: FEW_RUNS,
    comes: (_, scratch) =>
      until("two are saved", () => savedRuns(out(scratch, "results.json")) >= 2),
    keeps: true,
  },
  {
    when: "it measures again",
    args: ["--order", "blocks", "--repeat", "5"],
    comes: (_, scratch) =>
      until("a fresh run is saved", () => savedRuns(out(scratch, "confirmation/results.json")) > 0),
    keeps: true,
  },
  {
    when: "it writes the comparison",
    args: ["--repeat", "2", "--confirm", "no", "--markdown", "../pipe"],
    prepare: (scratch) => {
      new Deno.Command("mkfifo", { args: [join(scratch.path, "../pipe")] }).outputSync();
      return {};
    },
    comes: (_, scratch) =>
      until("the page is there", () => existsSync(out(scratch, "comparison.html"))),
    keeps: true,
  },
];

for (const { when, args = ["--repeat", "5"], prepare = () => ({}), comes, keeps } of MOMENTS) {
  withGit.test(`interrupted when ${when}, ab leaves nothing but what it measured`, async () => {
    using scratch = scratchRepository();
    scratch.write("burn.txt", "3000");
    const more = prepare(scratch);
    const before = scratch.state();
    const env = { ...scratch.env, ...more };
    const call = ["ab", "HEAD..", "--out", "../out"];
    {
      await using program = new Plateau([...call, ...args], { cwd: scratch.path, env });
      await comes(program, scratch);
      program.kill("SIGINT");
      await exits(INTERRUPTED, program.ended);
    }
    await assertNothingRuns();
    assert.deepEqual(unfinished(scratch), []);
    assert.deepEqual(scratch.state(), before);
    const file = out(scratch, "results.json");
    assert.equal(existsSync(file), keeps);
    if (keeps) await assertGoesOn(scratch, [...call, ...args.filter((word) => word !== "../pipe")]);
  });
}

/** Another call erases nothing of it, and one that resumes measures only what is left. */
async function assertGoesOn(scratch: ScratchRepository, words: readonly string[]): Promise<void> {
  const { path: cwd, env } = scratch;
  const args = words.filter((word) => word !== "--markdown");
  const before = startsOf(out(scratch, "results.json"));
  const isDone = results.parse(JSON.parse(Deno.readTextFileSync(out(scratch, "results.json"))))
    .state === "done";
  if (!isDone) {
    const { stderr } = await exits(2, args, { cwd, env });
    assert.match(stderr, /resume it: repeat its plateau ab with --out \.\.\/out --resume/);
  }
  const changed = await exits(2, [...args, "--resume", "--duration", "123ms"], { cwd, env });
  assert.match(changed.stderr, /Cannot resume: these results are of other commits, another file/);
  const { code, stderr } = await plateau([...args, "--resume"], { cwd, env });
  assert.ok(code === 1 || code === 5, stderr);
  const after = startsOf(out(scratch, "results.json"));
  assert.deepEqual(after.slice(0, before.length), before);
  assert.equal(after.length, 2 * Number(args[args.indexOf("--repeat") + 1]));
  await assertNothingRuns();
}

function startsOf(file: string): string[] {
  const { runs } = results.parse(JSON.parse(Deno.readTextFileSync(file)));
  return runs.toSorted((a, b) => a.order - b.order).map(({ startedAt }) => startedAt);
}

withMounts.test("a full disk ends it with 3, and what was measured is kept", async () => {
  using scratch = scratchRepository();
  const before = scratch.state();
  const disk = join(scratch.path, "../disk");
  Deno.mkdirSync(disk);
  // In a mount namespace of its own: nobody else sees the small disk, which goes with the last process.
  const script =
    'mount -t tmpfs -o size=100k tmpfs "$0" && "$@"; code=$?; ls "$0/out" >&2; exit $code';
  const { stderr } = await exits(3, [
    "ab",
    "HEAD..HEAD",
    "--out",
    `${disk}/out`,
    "--repeat",
    "20",
  ], {
    cwd: scratch.path,
    env: scratch.env,
    through: ["unshare", "--mount", "sh", "-c", script, disk],
  });
  assert.match(stderr, /Cannot write .*out/);
  assert.match(stderr, /^results\.json$/m);
  await assertNothingRuns();
  assert.deepEqual(unfinished(scratch), []);
  assert.deepEqual(scratch.state(), before);
});

withMounts.test("a full cache ends it with 3, and no half of a checkout is left", async () => {
  using scratch = scratchRepository();
  scratch.write("large", "x".repeat(3_000_000));
  scratch.git("add", "large");
  scratch.git("commit", "--quiet", "--message", "large");
  const before = scratch.state();
  const cache = join(scratch.env.XDG_CACHE_HOME, "plateau");
  Deno.mkdirSync(cache, { recursive: true });
  const script =
    'mount -t tmpfs -o size=1m tmpfs "$0" && "$@"; code=$?; find "$0" -name large >&2; exit $code';
  const { stderr } = await exits(3, ["ab", "HEAD..HEAD", "--out", "../out"], {
    cwd: scratch.path,
    env: scratch.env,
    through: ["unshare", "--mount", "sh", "-c", script, cache],
  });
  assert.match(stderr, /Cannot check out [0-9a-f]{7}/);
  assert.doesNotMatch(stderr, /^\/.*\/large$/m);
  await assertNothingRuns();
  assert.deepEqual(scratch.state(), before);
});
