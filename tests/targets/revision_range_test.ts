import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readStat } from "../../base/system/processes.ts";
import { gitOutput } from "../../targets/revisions/git.ts";
import { until } from "../e2e/patience.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";
import { rangeIn, type RevisionRange } from "../../targets/revisions/revision.ts";

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
