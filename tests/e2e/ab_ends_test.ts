/** What `plateau ab` leaves where it is interrupted, or the disk is full: nothing but what it measured. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { results } from "../../runner/result/result.ts";
import { testWith } from "../needs.ts";
import { until } from "./patience.ts";
import { Plateau } from "./plateau.ts";
import { adoptOrphans, descendants } from "./processes.ts";
import { type ScratchRepository, scratchRepository } from "./scratch_repository.ts";

const NEEDS = ["git", "node", "linux"] as const;
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

/** A git that stops where it would check out, and says so in a file. */
function slowGit(scratch: ScratchRepository): Record<string, string> {
  const bin = join(scratch.path, "../bin");
  Deno.mkdirSync(bin);
  const path = Deno.env.get("PATH") ?? "";
  const script = `#!/bin/sh
case " $* " in *" checkout "*) echo > '${join(bin, "waits")}'; exec sleep 1000 ;; esac
PATH='${path}' exec git "$@"
`;
  Deno.writeTextFileSync(join(bin, "git"), script, { mode: 0o755 });
  return { PATH: `${bin}:${path}` };
}

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

const MOMENTS: readonly Moment[] = [
  {
    when: "it begins",
    prepare: slowGit,
    comes: (_, scratch) =>
      until("git checks out", () => existsSync(join(scratch.path, "../bin/waits"))),
    keeps: false,
  },
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
    when: "the first run goes on",
    comes: (_, scratch) =>
      until("results are there", () => existsSync(out(scratch, "results.json"))),
    keeps: true,
  },
  {
    when: "some runs are done",
    comes: (_, scratch) =>
      until("three are saved", () => savedRuns(out(scratch, "results.json")) >= 3),
    keeps: true,
  },
  {
    when: "it measures again",
    args: ["--repeat", "5"],
    comes: (_, scratch) =>
      until(
        "a fresh run is saved",
        () => savedRuns(out(scratch, "confirmation/results.json")) > 0,
      ),
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
  testWith(NEEDS, `interrupted when ${when}, ab leaves nothing but what it measured`, async () => {
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
      const { code, stderr } = await program.ended;
      assert.equal(code, INTERRUPTED, stderr);
    }
    await assertNothingRuns();
    assert.deepEqual(unfinished(scratch), []);
    assert.deepEqual(scratch.state(), before);
    assert.equal(existsSync(out(scratch, "results.json")), keeps);
  });
}
