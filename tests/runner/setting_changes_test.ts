import assert from "node:assert/strict";
import { changesBetween, changeText } from "../../runner/experiment/setting_changes.ts";

const changes: [sentence: string, before: unknown, now: unknown, texts: string[]][] = [
  ["the same has none", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  ["the order of keys is none", { a: 1, b: 2 }, { b: 2, a: 1 }, []],
  ["a value", { load: { duration: "1s" } }, { load: { duration: "2s" } }, [
    "load.duration: 1s → 2s",
  ]],
  ["what was added", {}, { fresh: false }, ["fresh: not there → false"]],
  ["what was taken away", { fresh: null }, {}, ["fresh: null → not there"]],
  ["a list of plain values as a whole", { c: [1, 2] }, { c: [1, 2, 3] }, ["c: [1,2] → [1,2,3]"]],
  ["a list of others member by member", { p: [{ a: 1 }] }, { p: [{ a: 2 }, { a: 3 }] }, [
    "p.0.a: 1 → 2",
    'p.1: not there → {"a":3}',
  ]],
  ["another kind of value", { c: 1 }, { c: [1] }, ["c: 1 → [1]"]],
  ["a list in place of a map", { c: { 0: 1 } }, { c: [1] }, ['c: {"0":1} → [1]']],
  ["several at once", { a: 1, b: { c: 2 } }, { a: 2, b: { c: 3 } }, ["a: 1 → 2", "b.c: 2 → 3"]],
  ["a long value, cut off", "x".repeat(200), 1, [`: ${"x".repeat(80)}… → 1`]],
];

for (const [sentence, before, now, texts] of changes) {
  Deno.test(`changes: ${sentence}`, () => {
    const found = changesBetween(before, now);
    assert.deepEqual(found.map((change) => `${change.path}: ${changeText(change)}`), texts);
  });
}
