import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readStat } from "../../base/system/processes.ts";
import { gitOutput } from "../../targets/revisions/git.ts";
import { until } from "../e2e/patience.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";
import {
  rangeIn,
  repositoryOf,
  type RevisionRange,
  revisionsOf,
} from "../../targets/revisions/revision.ts";
import { scratchRepository } from "../e2e/scratch_repository.ts";

const RANGES: [text: string, range: RevisionRange | null][] = [
  ["main..feature", { base: "main", head: "feature", fromMergeBase: false }],
  ["main...feature", { base: "main", head: "feature", fromMergeBase: true }],
  ["HEAD~2..", { base: "HEAD~2", head: null, fromMergeBase: false }],
  ["..v1.2", { base: null, head: "v1.2", fromMergeBase: false }],
  ["..", { base: null, head: null, fromMergeBase: false }],
  ["origin/main..a/b", { base: "origin/main", head: "a/b", fromMergeBase: false }],
  ["v1.0..v1.1", { base: "v1.0", head: "v1.1", fromMergeBase: false }],
  ["bench.yaml", null],
  ["../bench.yaml", null],
  ["../../a/bench.yaml", null],
  ["a/../bench.yaml", null],
  ["quick", null],
];

for (const [text, range] of RANGES) {
  Deno.test(`${text} is ${range === null ? "a file" : "a range"}`, () => {
    assert.deepEqual(rangeIn(text), range);
  });
}

testWith(["git", "linux"], "nothing is left of a git that the user interrupts", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "pid");
  const interruption = new AbortController();
  const slow = `alias.slow=!sleep 600 & echo $! > '${file}'; wait;:`;
  const output = gitOutput({ folder: folder.path, signal: interruption.signal }, [
    "-c",
    slow,
    "slow",
  ]);
  const pid = await until("it runs", () => {
    return existsSync(file) && Number(Deno.readTextFileSync(file));
  });
  interruption.abort(new Error("interrupted"));
  await assert.rejects(output, /^Error: interrupted$/);
  assert.equal(readStat(pid), null, `process ${pid} lives`);
});

testWith(
  ["git"],
  "without BASE it is where the branch left the one that the remote names, or main",
  async () => {
    using scratch = scratchRepository();
    const { git, path } = scratch;
    const { signal } = new AbortController();
    const named = async (): Promise<unknown> => {
      const repository = await repositoryOf(join(path, "experiment.yaml"), signal);
      const range = { base: null, head: null, fromMergeBase: false };
      const { base: { name, subject }, head } = await revisionsOf(range, repository, signal);
      return [name, subject, head.name, head.subject];
    };
    git("branch", "--quiet", "master");
    scratch.write("burn.txt", "101");
    git("commit", "--quiet", "--all", "--message", "a second of  two");
    git("switch", "--quiet", "--create", "feature");
    const [tip, head] = ["a second of  two", "the working tree"];
    assert.deepEqual(await named(), ["the merge base with main", tip, head, tip]);
    git("update-ref", "refs/remotes/origin/trunk", "main~1");
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
    assert.deepEqual(await named(), ["the merge base with origin/trunk", "first", head, tip]);
    git("update-ref", "-d", "refs/remotes/origin/trunk");
    git("branch", "--quiet", "--delete", "--force", "main");
    assert.deepEqual(await named(), ["the merge base with master", "first", head, tip]);
    git("branch", "--quiet", "--move", "master", "stem");
    await assert.rejects(named(), /Cannot find out which branch/);
    git("config", "init.defaultBranch", "stem");
    assert.deepEqual(await named(), ["the merge base with stem", "first", head, tip]);
  },
);
