/** Rows of a terminal's tables where there is too little room: names that differ stay different, and what is gone is told. */
import assert from "node:assert/strict";
import { tableOf } from "../../report/subjects/tables/table.ts";
import { fittedNames, tableLines } from "../../report/render/terminal/table.ts";
import { widthOf } from "../../report/writing/columns.ts";
import { printed } from "../../report/writing/terminal.ts";

const SHORTENED: readonly (readonly [sentence: string, names: string[], short: string[]])[] = [
  ["that fit stay", ["a-rather-1", "a-rather-2"], ["a-rather-1", "a-rather-2"]],
  ["lose words that all begin with", ["a-rather-long-x17", "a-rather-long-y"], [
    "…long-x17",
    "…long-y",
  ]],
  [
    "lose whole words of it",
    ["plain · connections 1", "plain · connections 16"],
    ["…1", "…16"],
  ],
  ["lose no more of them", ["a · workers 1", "a · workers 16"], ["…workers 1", "…workers 16"]],
  [
    "that differ at their ends are cut in the middle",
    ["plain · connections 1", "plain · connections 8", "cached"],
    ["plain…ions 1", "plain…ions 8", "cached"],
  ],
  ["that differ at once are cut at their ends", ["abcdefghijklmnop", "b"], ["abcdefghijk…", "b"]],
  ["that stand alone keep their beginning", ["a-rather-long-name"], ["a-rather-lo…"]],
];

for (const [sentence, names, short] of SHORTENED) {
  Deno.test(`names ${sentence}`, () => {
    assert.deepEqual(fittedNames(names, 12, true), short);
  });
}

const FIGURES = ["Requests/s", "p50 ms", "p99 ms", "Max ms", "Errors %"];

function linesAt(width: number): string[] {
  const names = Array.from({ length: 30 }, (_, i) => `a-rather-long-common-name-${i + 1}`);
  const table = tableOf({ caption: "" }, names, [
    { label: "Target", kind: "name", cell: (text) => ({ text }) },
    ...FIGURES.map((label) => ({ label, cell: () => ({ text: "1,234.5" }) })),
  ]);
  return tableLines(table, { width, color: false, unicode: true }).map((line) => printed(line));
}

Deno.test("thirty targets with a common beginning are thirty rows that can be told apart", () => {
  const lines = linesAt(60);
  assert.match(lines[0], /^Target +Requests\/s .* Errors %$/);
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(" ")[0]),
    Array.from({ length: 30 }, (_, i) => `…name-${i + 1}`),
  );
});

Deno.test("a table that has no room for its last columns says which", () => {
  const lines = linesAt(40);
  assert.equal(lines.at(-1), "Not shown (too narrow): Max ms, Errors %");
  for (const line of [...lines, ...linesAt(20)]) assert.ok(widthOf(line) <= 40, line);
  assert.equal(linesAt(100).length, 31);
});
