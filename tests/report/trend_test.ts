/** Several results of one experiment: their order and names, where figures changed, and the ends of the series held against each other. */
import assert from "node:assert/strict";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { trendChangeText, trendOutcome } from "../../report/subjects/trend.ts";
import type { Results } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { hostileResults } from "./hostile.ts";
import { around } from "./rates.ts";
import { plain } from "./readable.ts";
import { panelsIn, said, tableIn } from "./said.ts";
import { FAST, resultsOn, SLOW, THREE, trendIn, trendsIn } from "./trended.ts";

const { document: TREND, finding, changes } = trendIn(...THREE);
const MODELS = THREE.map((results) => reportModel(results));

Deno.test("trend: the newest result is held against the oldest, whatever the order in which they are named", () => {
  const { document } = trendIn(THREE[2], THREE[0], THREE[1]);
  assert.deepEqual(document, TREND);
  assert.equal(document.title, "fixture over 3 results");
  assert.equal(document.card?.code, "undecided");
  assert.equal(finding, `${document.title}: ${document.card?.sentence}`);
  const { caption, rows } = tableIn(document, "cells");
  assert.match(caption, /^ccccccc over aaaaaaa/);
  assert.deepEqual(rows.map(([{ text }]) => text), ["static, a", "static, b"]);
  assert.deepEqual(changes, [], "three results are too few for a change");
});

Deno.test("trend: where responses went wrong that is the verdict, and not how fast they came", () => {
  const wrong = resultsOn(3, "c", { a: around(3_000), b: around(2_000, 0.0006) });
  for (const { target, requests, checks } of wrong.runs) {
    if (target === "a") checks.failed = Math.round(requests.completed / 2);
  }
  const { document: { card } } = trendIn(THREE[0], THREE[1], wrong);
  assert.equal(card?.code, "falls-short");
});

Deno.test("trend: requests/s and p99 of each cell are drawn at its result, with the figures of the model", () => {
  const panels = panelsIn(TREND, "s1", "xy");
  assert.deepEqual(panels.map(({ title }) => title), ["Requests/s", "p99"]);
  const [{ chart }] = panels;
  assert.deepEqual(chart.x.ticks?.map(({ text }) => text), ["aaaaaaa", "bbbbbbb", "ccccccc"]);
  assert.deepEqual(chart.series.map(({ label, color }) => [label, color]), [["b", 1], ["a", 0]]);
  chart.series.forEach(({ label, points = [] }) => {
    assert.deepEqual(points.map(({ x }) => x), [0, 1, 2]);
    points.forEach(({ y, low, high, lines: [text] }, i) => {
      const cell = MODELS[i].scenarios[0].cells.find((cell) => cell.label === label);
      assert.ok(cell && typeof low === "number" && typeof high === "number");
      assert.equal(y, Number(cell.rate.mean.toPrecision(4)));
      assert.ok(low <= y && y <= high);
      const name = ["aaaaaaa", "bbbbbbb", "ccccccc"][i];
      assert.match(text, new RegExp(`^${name}: [\\d,]+.requests/s`));
    });
  });
});

Deno.test("trend: its table has a row a cell and result", () => {
  const { rows } = tableIn(TREND, "s1");
  const texts = rows.map((row) => row.slice(0, 3).map(({ text }) => text).join(" | "));
  assert.deepEqual(texts.slice(0, 4), [
    "b | aaaaaaa | 2031-05-01 10:18 UTC",
    "b | bbbbbbb | 2031-05-02 10:18 UTC",
    "b | ccccccc | 2031-05-03 10:18 UTC",
    "a | aaaaaaa | 2031-05-01 10:18 UTC",
  ]);
  assert.equal(rows.length, 6);
});

Deno.test("trend: a cell that a result lacks leaves a gap in its line", () => {
  const { document } = trendIn(
    resultsOn(1, "a", { a: FAST, b: FAST }),
    resultsOn(2, "b", { a: around(1_000, 0.0005) }),
    resultsOn(3, "c", { a: around(1_000, 0.0007), b: SLOW }),
  );
  const [{ chart }] = panelsIn(document, "s1", "xy");
  assert.deepEqual(
    chart.series.map(({ points = [] }) => points.map(({ x }) => x)),
    [[0, 1, 2], [0, 2]],
  );
});

Deno.test("trend: ends without a common cell have no verdict", () => {
  const { document, finding } = trendIn(
    resultsOn(1, "a", { a: FAST, x: FAST }),
    resultsOn(2, "b", { a: FAST, b: FAST }),
    resultsOn(3, "c", { b: FAST, y: FAST }),
  );
  assert.equal(document.card, null);
  assert.deepEqual(document.groups.map(({ id }) => id), ["s1"]);
  assert.match(finding, /: aaaaaaa and ccccccc share no cell/);
});

Deno.test("trend: what is not measured alike, or not to be trusted, is told", () => {
  const other = resultsOn(2, "b", { a: FAST });
  for (const { generator } of other.runs) generator.trust = "suspect";
  const { document } = trendIn(resultsOn(1, "a", { a: FAST }), { ...other, version: "9.9.9" });
  const texts = said(document, "about").map(({ code, text }) => `${code}: ${text}`);
  assert.equal(texts.length, 2);
  assert.match(texts[0], /^trust: bbbbbbb is suspect: /);
  assert.match(texts[1], /^difference: Plateau: 0\.1\.0 → 9\.9\.9$/);
});

Deno.test("trend: single results, and results of different experiments, are none; two experiments are two", () => {
  const others = [4, 5].map((day) =>
    resultsFixture({ name: "other", cells: [{ target: "a", scenario: "s", medianMs: day }] })
  );
  const none = [
    [THREE[0]],
    [THREE[0], others[0]],
    [resultsOn(1, "a", { a: FAST }), resultsOn(2, "b", { z: FAST })],
  ];
  for (const results of none) assert.deepEqual(trendsIn(...results), []);
  assert.deepEqual(trendsIn(...THREE, ...others).map(({ document: { title } }) => title), [
    "fixture over 3 results",
    "other over 2 results",
  ]);
});

Deno.test("trend: page and markdown have it before the reports of its results", () => {
  const page = plain(renderReportPage([TREND, ...MODELS]));
  assert.match(page, /<li><a href="#t1">Trend<\/a><\/li>.*<li><a href="#e1">/);
  assert.ok(page.indexOf('<article id="t1">') < page.indexOf('<article id="e1">'));
  assert.equal(page.match(/<canvas id="t1-s1-[-\d]*"/g)?.length, 2);
  assert.match(page, /<script type="application\/json" id="charts">\{"t1-s1/);
  const markdown = plain(renderMarkdown(TREND));
  assert.match(markdown, /^## fixture over 3 results\n\n.*\n\n\*\*Undecided/);
  assert.match(markdown, /\n\| a \| ccccccc \| 2031-05-03 10:18 UTC \| 90\d \\\[/);
});

Deno.test("trend: hostile texts stay text", () => {
  const { document } = trendIn(hostileResults(), hostileResults());
  assert.doesNotMatch(renderMarkdown(document), /<|>/);
  assert.doesNotMatch(renderReportPage([document]), /<img|<\/script><script>globalThis/);
});

// What results are called.

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
  Deno.test(`trend: results are called by ${sentence}`, () => {
    const { rows, notes } = tableIn(trendIn(...results).document, "s1");
    assert.deepEqual([...new Set(rows.map(([, { text }]) => text))], labels);
    assert.equal(notes.length, labels.some((label) => label.endsWith("+")) ? 1 : 0);
  });
}

// Where figures changed over many commits, and what a guard makes of it.

/** A result a day, each of a commit of its own, with noise of some 0.5 %. */
function days(rates: readonly number[]): Results[] {
  return rates.map((rate, i) =>
    resultsOn(i + 1, i.toString(16), { a: around(rate * (1 + 0.005 * Math.sin(5 * i))) })
  );
}

const at = (count: number, rate: number): number[] => Array(count).fill(rate);

Deno.test("trend: a drop of 10 % is found between the two commits that it came between, with its size", () => {
  const { changes, document } = trendIn(...days([...at(8, 1_000), ...at(6, 900)]));
  const [change] = changes.filter(({ figure }) => figure === "rate");
  assert.deepEqual(change.between, ["7777777", "8888888"]);
  assert.ok(change.isWorse && change.ratio.low < 0.9 && change.ratio.high > 0.9);
  assert.ok(change.ratio.high - change.ratio.low < 0.04);
  const text = trendChangeText(change);
  assert.match(
    text,
    /^Worse between 7777777 and 8888888: static, a: requests\/s 0\.90\d*×\s\[0\.\d+,\s0\.\d+\]\.$/,
  );
  assert.ok(plain(renderMarkdown(document)).replaceAll("\\", "").includes(plain(text)));
});

const ENDS: [
  sentence: string,
  rates: number[],
  changes: [at: string, isWorse: boolean][],
  string,
][] = [
  ["steady commits pass", at(12, 1_000), [], "pass"],
  ["three are too few to say", at(3, 1_000), [], "inconclusive"],
  ["a change under the margin of 2 % is none", [...at(8, 1_000), ...at(8, 985)], [], "pass"],
  ["better is no failure", [...at(7, 1_000), ...at(7, 1_100)], [["7777777", false]], "pass"],
  ["of two changes each has its own commits", [...at(5, 1_000), ...at(5, 800), ...at(5, 900)], [
    ["5555555", true],
    ["aaaaaaa", false],
  ], "fail"],
];

for (const [sentence, rates, expected, outcome] of ENDS) {
  Deno.test(`trend: ${sentence}`, () => {
    const trend = trendIn(...days(rates));
    const found = trend.changes.filter(({ figure }) => figure === "rate");
    assert.deepEqual(found.map(({ between, isWorse }) => [between[1], isWorse]), expected);
    assert.equal(trendOutcome([trend]), outcome);
  });
}

Deno.test("trend: no trend at all is inconclusive", () =>
  assert.equal(trendOutcome([]), "inconclusive"));

Deno.test("trend: results of another machine start a series of their own, those of a host that is alike do not", () => {
  const on = (machine: (i: number) => Partial<Results["machine"]>) =>
    trendsIn(
      ...days([...at(6, 1_000), ...at(6, 700)]).map((results, i) => ({
        ...results,
        machine: { ...results.machine, ...machine(i) },
      })),
    );
  const trends = on((i) => i < 6 ? {} : { cpu: "Another CPU" });
  assert.deepEqual(trends.map(({ longest, changes }) => [longest, changes.length]), [[6, 0], [
    6,
    0,
  ]]);
  assert.match(trends[1].document.title, /^fixture on Another CPU, .* over 6 results$/);
  assert.equal(on((i) => ({ hostname: `runner-${i}` })).length, 1);
});

Deno.test("trend: a commit whose result lacks the cell is skipped: the change lies between those that have it", () => {
  const all = days([...at(8, 1_000), ...at(8, 900)]);
  const { changes } = trendIn(...all.with(7, resultsOn(8, "7", { b: around(500) })));
  const [change] = changes.filter(({ figure, label }) => figure === "rate" && label === "a");
  assert.deepEqual(change.between, ["6666666", "8888888"]);
});
