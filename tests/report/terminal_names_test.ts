/** Rows of a terminal's tables where there is too little room: names that differ stay different, and what is gone is told. */
import assert from "node:assert/strict";
import { type ColumnOf, type Table, tableOf } from "../../report/subjects/tables/table.ts";
import { fittedNames, tableLines } from "../../report/render/terminal/table.ts";
import { widthOf } from "../../report/writing/columns.ts";
import { printed } from "../../report/writing/terminal.ts";

const SHORTENED: Readonly<Record<string, readonly [names: string[], short: string[]]>> = {
  "that fit stay": [["a-rather-1", "a-rather-2"], ["a-rather-1", "a-rather-2"]],
  "lose words that all begin with": [["a-rather-long-x17", "a-rather-long-y"], [
    "…long-x17",
    "…long-y",
  ]],
  "lose whole words of it": [["plain · connections 1", "plain · connections 16"], ["…1", "…16"]],
  "lose no more of them": [["a · workers 1", "a · workers 16"], ["…workers 1", "…workers 16"]],
  "that differ at their ends are cut in the middle": [[
    "plain · connections 1",
    "plain · connections 8",
    "cached",
  ], ["plain…ions 1", "plain…ions 8", "cached"]],
  "that differ at once are cut at their ends": [["abcdefghijklmnop", "b"], ["abcdefghijk…", "b"]],
  "that stand alone keep their beginning": [["a-rather-long-name"], ["a-rather-lo…"]],
};

for (const [sentence, [names, short]] of Object.entries(SHORTENED)) {
  Deno.test(`names ${sentence}`, () => {
    assert.deepEqual(fittedNames(names, 12, { unicode: true }), short);
  });
}

const FIGURES = ["Requests/s", "p50 ms", "p99 ms", "Max ms", "Errors %"]
  .map((label): ColumnOf<string> => ({ label, cell: () => ({ text: "1,234.5" }) }));

function tableFor(names: readonly string[], columns: readonly ColumnOf<string>[]): Table {
  return tableOf({ caption: "" }, names, [
    { label: "Target", kind: "name", cell: (text) => ({ text }) },
    ...columns,
  ]);
}

function linesOf(table: Table, width: number): string[] {
  const lines = tableLines(table, { width, color: false, unicode: true })
    .map((line) => printed(line).trimEnd());
  for (const line of lines) assert.ok(widthOf(line) <= width, line);
  return lines;
}

const THIRTY = tableFor(
  Array.from({ length: 30 }, (_, i) => `a-rather-long-common-name-${i + 1}`),
  FIGURES,
);

Deno.test("thirty targets with a common beginning are thirty rows that can be told apart", () => {
  const lines = linesOf(THIRTY, 60);
  assert.match(lines[0], /^Target +Requests\/s .* Errors %$/);
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(" ")[0]),
    Array.from({ length: 30 }, (_, i) => `…name-${i + 1}`),
  );
});

Deno.test("a table that has no room for its last columns says which", () => {
  assert.match(
    linesOf(THIRTY, 40).join(" "),
    /The terminal is too narrow for these +columns: Max ms, +Errors %$/,
  );
  linesOf(THIRTY, 20);
  assert.equal(linesOf(THIRTY, 100).length, 31);
});

Deno.test("texts are broken at their spaces before anything of them is lost", () => {
  const table = tableFor(["checkout with a cold cache · connections 1,000"], [
    { label: "Winner", kind: "text", cell: () => ({ text: "fastify" }) },
    { label: "Margin in requests/s", kind: "text", cell: () => ({ text: "1.33× [1.20, 1.47]" }) },
    { label: "Certainty", kind: "text", cell: () => ({ text: "likely, not by valid runs alone" }) },
  ]);
  const lines = linesOf(table, 80);
  assert.doesNotMatch(lines.join("\n"), /…|too narrow/);
  for (const word of "checkout cold connections fastify requests/s likely, alone".split(" ")) {
    assert.ok(lines.join("\n").includes(word), word);
  }
});

Deno.test("a bar has the room that is left, and goes before a text is broken", () => {
  const shares = tableOf({ caption: "" }, [1, 0.5], [
    { label: "Target", kind: "name", cell: (share) => ({ text: `a target of ${share}` }) },
    { label: "", kind: "bar", cell: (value) => ({ text: "", value, certain: value / 2 }) },
    { label: "Share", cell: (value) => ({ text: String(value), value }) },
  ]);
  assert.deepEqual(linesOf(shares, 38), [
    "Target                           Share",
    "a target of 1    ███████░░░░░░░    1",
    "a target of 0.5  ████░░░           0.5",
  ]);
  assert.doesNotMatch(linesOf(shares, 24).join(""), /█/);
});
