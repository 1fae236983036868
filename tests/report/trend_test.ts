/** Several results of one experiment: their order and names, what changed and when, in every form. */
import assert from "node:assert/strict";
import { renderTrendMarkdown } from "../../report/render/markdown.ts";
import { type ComparedCell, compareResults } from "../../report/subjects/compared_results.ts";
import { reportModel } from "../../report/model.ts";
import { trendFinding } from "../../report/subjects/trend/trend.ts";
import { trendPoints } from "../../report/subjects/trend/series.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import type { Verdict } from "../../runner/stats/comparison/verdict.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { resultsFixture } from "./fixture.ts";
import { hostileResults } from "./hostile.ts";
import { around } from "./rates.ts";
import { FAST, resultsOn, SLOW, THREE, trendIn, trendsIn } from "./trended.ts";

const TREND = trendIn(...THREE);
const MODELS = THREE.map((results) => reportModel(results));

Deno.test("the oldest result is held against the newest, whatever the order in which they are named", () => {
  const trend = trendIn(THREE[2], THREE[0], THREE[1]);
  assert.equal(trend.title, "fixture over 3 results");
  assert.match(
    trend.finding,
    /^From aaaaaaa to ccccccc, of 2 cells: 1 differs in these two sessions, 1 is inconclusive\. .* larger than 2 %\. Each side was measured in one session, .*\.$/,
  );
  assert.equal(trend.compared?.caption, "ccccccc against aaaaaaa");
  assert.deepEqual(trend.compared?.rows.map(([{ text }]) => text), ["static, a", "static, b"]);
});

Deno.test("cells are counted by what became of rate and p99 together", () => {
  const comparison = compareResults(THREE[0], THREE[2]);
  const [cell] = comparison.cells;
  const judged = (rate: Verdict, p99: Verdict): ComparedCell => ({
    ...cell,
    comparison: {
      ...cell.comparison,
      figures: cell.comparison.figures.map((one) => ({
        ...one,
        verdict: one.figure === "rate" ? rate : p99,
        reason: null,
      })),
    },
  });
  const cells = [
    judged("equivalent", "equivalent"),
    judged("better", "inconclusive"),
    judged("better", "worse"),
    judged("equivalent", "worse"),
    judged("equivalent", "inconclusive"),
  ];
  const points = trendPoints(THREE.map((results, i) => ({ results, model: MODELS[i] })));
  assert.match(
    trendFinding({ ...comparison, cells }, points),
    /of 5 cells: 2 are worse, 1 is better, 1 is the same, 1 is inconclusive\./,
  );
});

Deno.test("what the newest result has otherwise than the oldest is told, and three results are too few for a change", () => {
  const [{ findings }] = TREND.scenarios;
  assert.equal(findings.length, 1);
  assert.match(
    findings[0],
    /^Differs in these two sessions: static, a: 0\.90\d*×\s\[.*, p99 [^;]*\.$/,
  );
  assert.deepEqual(TREND.changes, []);
});

Deno.test("what got worse is told, whatever got better meanwhile", () => {
  const slower = resultsOn(3, "c", { a: around(1_000, 0.0007), b: around(2_000, 0.0006) });
  const late = new Histogram();
  for (let i = 0; i < 200; i++) late.record(400_000);
  const histogram = encodeHistogram(late.toSparse());
  for (const run of slower.runs.filter(({ target }) => target === "a")) {
    for (const part of [run, ...run.timeline.points]) part.histogram = histogram;
    run.latency.max = 400;
  }
  const [{ findings }] = trendIn(THREE[0], THREE[1], slower).scenarios;
  assert.match(
    findings[0],
    /^Differs in these two sessions: static, a: [12]\.\d+×.*p99 \d+.*\.$/,
  );
});

Deno.test("where answers went wrong that is told, and not how fast they came", () => {
  const wrong = resultsOn(3, "c", { a: around(3_000), b: around(2_000, 0.0006) });
  for (const { target, requests, checks } of wrong.runs) {
    if (target === "a") checks.failed = Math.round(requests.completed / 2);
  }
  const [{ findings }] = trendIn(THREE[0], THREE[1], wrong).scenarios;
  assert.match(
    findings[0],
    /^Worse: static, a: .*; wrong or failed: 0\s% of the requests before, 50\.\d\s% now\.$/,
  );
});

Deno.test("a trend draws rate and p99 of each cell at its result, with the figures of the model", () => {
  const [{ drawings, series }] = TREND.scenarios;
  assert.deepEqual(drawings.map(({ title }) => title), ["Requests/s", "p99"]);
  assert.deepEqual(series, [{ label: "b", color: 1 }, { label: "a", color: 0 }]);
  const [{ chart }] = drawings;
  assert.deepEqual(chart.x.ticks?.map(({ text }) => text), ["aaaaaaa", "bbbbbbb", "ccccccc"]);
  chart.series.forEach(({ label, points = [] }) => {
    assert.deepEqual(points.map(({ x }) => x), [0, 1, 2]);
    points.forEach(({ y, low, high, lines: [text] }, i) => {
      const cell = MODELS[i].context.scenarios[0].cells.find((cell) => cell.label === label);
      assert.ok(cell && typeof low === "number" && typeof high === "number");
      assert.equal(y, Number(cell.rate.mean.toPrecision(4)));
      assert.ok(low <= y && y <= high);
      assert.match(
        text,
        new RegExp(`^${["aaaaaaa", "bbbbbbb", "ccccccc"][i]}: [\\d,]+.requests/s`),
      );
    });
  });
});

Deno.test("the table of a trend has a row a cell and result", () => {
  const [{ table }] = TREND.scenarios;
  const rows = table.rows.map((row) => row.slice(0, 3).map(({ text }) => text).join(" | "));
  assert.deepEqual(rows.slice(0, 4), [
    "b | aaaaaaa | 2031-05-01 10:18 UTC",
    "b | bbbbbbb | 2031-05-02 10:18 UTC",
    "b | ccccccc | 2031-05-03 10:18 UTC",
    "a | aaaaaaa | 2031-05-01 10:18 UTC",
  ]);
  assert.equal(table.rows.length, 6);
});

Deno.test("a cell that a result lacks leaves a gap in its line, and is told in no finding", () => {
  const trend = trendIn(
    resultsOn(1, "a", { a: FAST, b: FAST }),
    resultsOn(2, "b", { a: around(1_000, 0.0005) }),
    resultsOn(3, "c", { a: around(1_000, 0.0007), b: SLOW }),
  );
  const [{ drawings: [{ chart }] }] = trend.scenarios;
  assert.deepEqual(chart.series.map(({ points = [] }) => points.map(({ x }) => x)), [[0, 1, 2], [
    0,
    2,
  ]]);
});

Deno.test("ends without a common cell are no comparison, yet a trend", () => {
  const trend = trendIn(
    resultsOn(1, "a", { a: FAST, x: FAST }),
    resultsOn(2, "b", { a: FAST, b: FAST }),
    resultsOn(3, "c", { b: FAST, y: FAST }),
  );
  assert.equal(trend.compared, null);
  assert.match(trend.finding, /^From aaaaaaa to ccccccc there is nothing to compare/);
});

Deno.test("what is not measured alike, or not to be trusted, is told", () => {
  const other = resultsOn(2, "b", { a: FAST });
  for (const { generator } of other.runs) {
    Object.assign(generator, { trust: "suspect", reasons: ["The CPU was busy."] });
  }
  const { warnings } = trendIn(resultsOn(1, "a", { a: FAST }), { ...other, version: "9.9.9" });
  assert.match(
    warnings.join("\n"),
    /^bbbbbbb is suspect: .*\nNot measured alike.*Plateau: 0\.1\.0 → 9\.9\.9$/,
  );
});

Deno.test("single results, and results of different experiments, are no trend", () => {
  assert.deepEqual(trendsIn(THREE[0]), []);
  const other = resultsFixture({
    name: "other",
    cells: [{ target: "a", scenario: "static", medianMs: 5 }],
  });
  assert.deepEqual(trendsIn(THREE[0], other), []);
  assert.deepEqual(trendsIn(resultsOn(1, "a", { a: FAST }), resultsOn(2, "b", { z: FAST })), []);
});

Deno.test("two experiments with two results each are two trends", () => {
  const other = [4, 5].map((day) =>
    resultsFixture({ name: "other", cells: [{ target: "a", scenario: "s", medianMs: day }] })
  );
  assert.deepEqual(trendsIn(...THREE, ...other).map(({ title }) => title), [
    "fixture over 3 results",
    "other over 2 results",
  ]);
});

Deno.test("page and markdown have the trend before the reports of its results", () => {
  const trend = TREND;
  const page = renderReportPage(MODELS, null, [trend]).replaceAll("\u00a0", " ");
  assert.match(page, /<li><a href="#t1">Trend<\/a><\/li><li><a href="#e1">/);
  assert.ok(page.indexOf('<article id="t1">') < page.indexOf('<article id="e1">'));
  assert.ok(page.includes(`<p class="verdict">${trend.finding}</p>`));
  assert.equal(page.match(/<canvas id="t1-s1-[12]"/g)?.length, 2);
  assert.match(page, /<script type="application\/json" id="charts">\{"t1-s1/);
  const markdown = renderTrendMarkdown(trend).replaceAll("\u00a0", " ");
  assert.match(markdown, /^## fixture over 3 results\n\n\*\*From aaaaaaa to ccccccc, of 2 cells/);
  assert.match(markdown, /\n\| a \| ccccccc \| 2031-05-03 10:18 UTC \| 90\d \\\[/);
  assert.match(markdown, /\n### ccccccc against aaaaaaa\n/);
});

Deno.test("hostile texts stay text in a trend", () => {
  const trend = trendIn(hostileResults(), hostileResults());
  assert.doesNotMatch(renderTrendMarkdown(trend), /<|>/);
  assert.doesNotMatch(renderReportPage([], null, [trend]), /<img|<\/script><script>globalThis/);
});
