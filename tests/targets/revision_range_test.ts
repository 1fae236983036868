import assert from "node:assert/strict";
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
