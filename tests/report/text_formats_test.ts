import assert from "node:assert/strict";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { type ColumnOf, measuredCell, tableOf } from "../../report/subjects/tables/table.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { md } from "../../report/writing/markdown.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { PERCENTILES } from "../../runner/stats/quantile.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { hostileResults, MARKUP } from "./hostile.ts";
import { measured, renderMeasurement, renderMeasurementMarkdown } from "./measured.ts";
import { tableIn, tablesIn } from "./said.ts";

Deno.test("markdown has the summary table of every scenario", () => {
  const model = reportModel(resultsFixture({
    cells: ["static", "fib"].map((scenario) => ({ target: "hono", scenario, medianMs: 5 })),
  }));
  const text = renderMarkdown(model);
  assert.match(text, /^## fixture\n/);
  assert.match(text, /### static: GET \/static\n\n\*\*hono serves [\d,]+ requests\/s\.\*\*\n/);
  const tables = text.match(
    /\| Target \| Requests\/s \| .*\n\| --- \| ---: \| .*\n\| hono \| [\d,]+ \|/g,
  );
  assert.equal(tables?.length, 2);
});

Deno.test("markdown of a measurement has its figures, percentiles, status codes and errors", () => {
  const measurement = measurementFixture({
    target: "",
    scenario: "static",
    medianMs: 5,
    timeoutRatio: 0.01,
  });
  const text = renderMeasurementMarkdown(measurement).replaceAll("\u00a0", " ");
  assert.match(text, /^- Requests\/s: [\d,]+$/m);
  for (const p of PERCENTILES) assert.match(text, new RegExp(`\\| p${p} \\| .*\\d.* \\|`));
  assert.match(text, /\| Status code \| Responses \|\n\| --- \| ---: \|\n\| 200 \| [\d,]+ \|/);
  assert.match(text, /\| Error \| Times \|\n\| --- \| ---: \|\n\| timeout \| \d+ \|/);
});

/** As a run whose every request was refused. */
function silence(run: Measurement): void {
  run.rate = 0;
  run.histogram = encodeHistogram(new Histogram().toSparse());
  Object.assign(run.latency, { count: 0, censored: 0, mean: 0, stdev: 0, fastest: 0, max: 0 });
  for (const key of Object.keys(run.latency.percentiles)) {
    Object.assign(run.latency.percentiles, { [key]: 0 });
  }
  for (const point of run.timeline.points) Object.assign(point, { completed: 0, histogram: "" });
}

Deno.test("tables of a run without any answer have no latency, in place of one of 0", () => {
  const results = resultsFixture({ cells: [{ target: "a", scenario: "s", medianMs: 5 }] });
  results.runs.forEach(silence);
  const model = reportModel(results);
  const summary = tableIn(model, "verdict/1");
  const percentiles = tableIn(model, "s1/percentiles");
  const runs = tableIn(model, "s1/runs");
  for (const { columns, rows, notes } of [summary, percentiles, runs]) {
    rows[0].forEach(({ text }, i) => {
      if (/^(?:p\d|Mean|Stdev|Min|Max)/.test(columns[i].label)) assert.equal(text, "–");
    });
    assert.doesNotMatch(notes.join(" "), /round brackets/);
  }
});

Deno.test("a measurement without any answer has no latency, in place of one of 0", () => {
  const measurement = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  silence(measurement);
  const { texts, notes } = measured(measurement);
  const ofLatency = ["Mean latency", "Fastest", "Slowest", ...PERCENTILES.map((p) => `p${p}`)];
  for (const label of ofLatency) assert.equal(texts[label] ?? "–", "–", label);
  assert.deepEqual(notes, []);
});

Deno.test("a terminal says once what round brackets mean, of a measurement and of an experiment", () => {
  const options = { width: 200, color: false, unicode: true };
  const cell = { target: "", scenario: "static", medianMs: 5 };
  const experiment = reportModel(resultsFixture({
    cells: ["static", "fib"].map((scenario) => ({ target: "hono", scenario, medianMs: 5 })),
  }));
  const texts = [
    renderMeasurement(measurementFixture(cell), options),
    renderSummary(experiment, options),
  ];
  for (const text of texts) {
    assert.match(text, /\s\([≥\s\d.]+\)/);
    assert.equal(text.split("In round brackets: ").length, 2, text);
  }
});

Deno.test("a host without a scheme becomes no link in markdown", () => {
  assert.equal(md`${"see www.evil.example/x"}`.text, "see www&#46;evil.example/x");
});

Deno.test("hostile texts stay text in markdown: no tag, link, cell or line of their own", () => {
  const text = renderMarkdown(reportModel(hostileResults()));
  assert.doesNotMatch(text, /<|>/);
  assert.ok(text.includes(MARKUP.replaceAll("<", "&lt;").replaceAll(">", "&gt;").slice(0, 20)));
  assert.doesNotMatch(text, /[^\\]\[x\]\(|[^\\]`a/);
  const tables = text.split("\n\n").filter((part) => part.startsWith("| "));
  assert.notEqual(tables.length, 0);
  for (const table of tables) {
    const cells = table.trimEnd().split("\n").map((line) => line.match(/(?<!\\)\|/g)?.length);
    assert.equal(new Set(cells).size, 1);
  }
});

Deno.test("visitors of whom none came to the end have no length", () => {
  const measurement = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  const length = { ...measurement.service, count: 0 };
  const sessions = { created: 9, completed: 0, failed: 0, unfinished: 9, length };
  assert.equal(measured({ ...measurement, sessions }).texts["Session length"], "–");
});

Deno.test("percentiles of three seconds are left out; of a longer run beside it they are there", () => {
  const results = resultsFixture({ cells: [{ target: "a", scenario: "s", medianMs: 5, runs: 2 }] });
  for (const run of results.runs) run.elapsedS = 3;
  assert.deepEqual(tablesIn(reportModel(results), "s1/per-second"), []);
  assert.ok(!renderReportPage([reportModel(results)]).includes("<h3>Per second</h3>"));
  results.runs[1].elapsedS = 4.01;
  for (const { rows } of tablesIn(reportModel(results), "s1/per-second")) {
    assert.deepEqual(rows.map(([, run]) => run.text), ["2"]);
  }
  assert.equal(tablesIn(reportModel(results), "s1/per-second").length, 2);
});

Deno.test("a column that holds nothing in any row is left out, and so is an interval of no width", () => {
  const column = (label: string, texts: readonly string[]): ColumnOf<number> => ({
    label,
    cell: (i: number) => ({ text: texts[i] }),
  });
  const { columns, rows } = tableOf({ caption: "" }, [0, 1], [
    { ...column("Name", ["–", "–"]), kind: "name" },
    column("Some", ["–", "1"]),
    column("None", ["–", ""]),
  ]);
  assert.deepEqual(columns.map(({ label }) => label), ["Name", "Some"]);
  assert.deepEqual(rows.map((row) => row.map(({ text }) => text)), [["–", "–"], ["–", "1"]]);
  const size = { name: "B", size: 1, decimals: 1 };
  assert.deepEqual(
    measuredCell({ value: 179.7, interval: { low: 179.69, high: 179.71 } }, size),
    { text: "180", value: 179.7 },
  );
});

Deno.test("in every table a percentile that lower bounds reach is one itself", () => {
  const results = resultsFixture({
    cells: [{ target: "a", scenario: "s", medianMs: 5, timeoutRatio: 0.02 }],
  });
  const model = reportModel(results);
  const summary = tableIn(model, "verdict/1");
  const percentiles = tableIn(model, "s1/percentiles");
  const runs = tableIn(model, "s1/runs");
  for (const { columns, rows: [row] } of [summary, percentiles, runs]) {
    const textOf = (label: string): string =>
      row[columns.findIndex((column) => column.label === label)].text;
    assert.match(textOf("p99"), /^≥ 5,000$/);
    assert.doesNotMatch(textOf("p50"), /≥/);
  }
});
