/** What the results of a trend are called. */
import assert from "node:assert/strict";
import type { Results } from "../../runner/result/result.ts";
import { FAST, resultsOn, THREE, trendIn } from "./trended.ts";

const NAMES: [sentence: string, results: Results[], labels: string[]][] = [
  ["commits", THREE, ["aaaaaaa", "bbbbbbb", "ccccccc"]],
  [
    "a changed commit, with a plus",
    [resultsOn(1, "a", { a: FAST }), resultsOn(2, "a", { a: FAST }, true)],
    ["aaaaaaa", "aaaaaaa+"],
  ],
  [
    "times where commits don't tell them apart",
    [resultsOn(1, "a", { a: FAST }), resultsOn(2, "a", { a: FAST })],
    ["2031-05-01 10:18 UTC", "2031-05-02 10:18 UTC"],
  ],
  [
    "times without a commit",
    [resultsOn(1, "a", { a: FAST }), resultsOn(2, null, { a: FAST })],
    ["2031-05-01 10:18 UTC", "2031-05-02 10:18 UTC"],
  ],
  [
    "places where nothing tells them apart",
    [resultsOn(1, "a", { a: FAST }), resultsOn(1, "a", { a: FAST })],
    ["1: aaaaaaa 2031-05-01 10:18 UTC", "2: aaaaaaa 2031-05-01 10:18 UTC"],
  ],
];

for (const [sentence, results, labels] of NAMES) {
  Deno.test(`results of a trend are called by ${sentence}`, () => {
    const [{ table }] = trendIn(...results).scenarios;
    assert.deepEqual([...new Set(table.rows.map(([, { text }]) => text))], labels);
    assert.equal(table.notes.length, labels.some((label) => label.endsWith("+")) ? 1 : 0);
  });
}

Deno.test("many commits leave only those names on the axis that have room", () => {
  const days = Array.from({ length: 24 }, (_, i) => {
    const sign = (i + 4).toString(16);
    const results = resultsOn(i + 1, "a", { a: [1_000, 1_010] });
    return {
      ...results,
      commit: { hash: sign.padStart(40, "0").split("").reverse().join(""), dirty: false },
    };
  });
  const [{ drawings: [{ chart }] }] = trendIn(...days).scenarios;
  assert.equal(chart.series[0].points?.length, 24);
  assert.equal(chart.x.scale, "linear");
  assert.equal(chart.x.ticks?.at(-1)?.at, 23);
});
