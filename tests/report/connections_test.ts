import assert from "node:assert/strict";
import { renderCsv } from "../../report/render/csv.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import type { Distribution, Measurement, Results } from "../../runner/result/result.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { resultsFixture } from "./fixture.ts";
import { distributionOf } from "./intervals.ts";
import { tableIn, tablesIn } from "./said.ts";

const NO_CONNECT: Distribution = {
  count: 0,
  min: 0,
  mean: 0,
  stdev: 0,
  max: 0,
  percentiles: { "50": 0, "75": 0, "90": 0, "95": 0, "99": 0, "99.9": 0, "99.99": 0 },
};

/** Two runs of one cell, with the given times to connect. */
function resultsOf(connects: readonly Partial<Distribution>[]): Results {
  const cell = { target: "hono", scenario: "static", medianMs: 5, runs: connects.length };
  const results = resultsFixture({ cells: [cell] });
  results.runs.forEach((run, i) => {
    run.connect = { ...NO_CONNECT, ...connects[i] };
    run.bytes.in = 873 * run.requests.completed;
  });
  return results;
}

const RESULTS = resultsOf([
  { count: 50, min: 0.3, mean: 1, max: 4, percentiles: { ...NO_CONNECT.percentiles, "50": 0.9 } },
  { count: 50, min: 0.2, mean: 1.5, max: 3, percentiles: { ...NO_CONNECT.percentiles, "50": 1.1 } },
]);

Deno.test("connecting and the size of an answer have a table, a row a cell", () => {
  const { columns, rows: [row] } = tableIn(reportModel(RESULTS), "s1/connections");
  assert.deepEqual(
    columns.map(({ label }, i) => [label, row[i].value]).slice(0, -1),
    [
      ["Target", undefined],
      ["Connections opened", 100],
      ["Connect, mean", 1.25],
      ["Min", 0.2],
      ["p50", 0.9],
      ["p99", 0],
      ["Max", 4],
      ["Size per response", 873],
    ],
  );
  assert.match(row[2].below ?? "", /^\[.*\]$/);
  // Of a hundred connections nobody knows what one in a hundred takes.
  assert.deepEqual(row.map(({ weak = false }) => weak).indexOf(true), 5);
});

/** A run that connected so often in so many ms. */
function connected(
  times: readonly (readonly [count: number, ms: number])[],
): Required<Pick<Measurement, "connect" | "histograms">> {
  const histogram = new Histogram();
  for (const [count, ms] of times) {
    for (let i = 0; i < count; i++) histogram.record(ms * 1_000);
  }
  const connect = distributionOf(histogram);
  return { connect, histograms: { connect: encodeHistogram(histogram.toSparse()) } };
}

function pooledResults(runs: readonly ReturnType<typeof connected>[]): Results {
  const results = resultsOf(runs.map(() => ({})));
  results.runs.forEach((run, i) => Object.assign(run, runs[i]));
  return results;
}

Deno.test("the percentiles of connecting are those of all runs' connections together", () => {
  // Nine runs of 1 ms and a bit, and one of 41 ms: the mean of their medians is 5.1 ms, and nobody's.
  const quick = Array.from({ length: 9 }, (_, i) => connected([[50, 1 + i * 0.05]]));
  const results = pooledResults([...quick, connected([[50, 41]])]);
  const { columns, rows: [row], notes } = tableIn(reportModel(results), "s1/connections");
  const of = (name: string) => row[columns.findIndex(({ label }) => label === name)];
  assert.ok(Math.abs((of("p50").value ?? 0) - 1.2) < 0.01, `p50 ${of("p50").value}`);
  assert.match(of("p50").below ?? "", /^\[1\.\d+,/);
  const mean = (9 * 1.2 + 41) / 10;
  assert.ok(
    Math.abs((of("Connect, mean").value ?? 0) - mean) < 0.01,
    `${of("Connect, mean").value}`,
  );
  assert.doesNotMatch(notes.join(" "), /without a histogram/);
  assert.match(
    tableIn(reportModel(RESULTS), "s1/connections")?.notes.join(" "),
    /median run/,
  );
});

Deno.test("a run with more connections weighs more", () => {
  const results = pooledResults([
    connected([[1_000, 2]]),
    connected([[10, 8]]),
    connected([[10, 9]]),
  ]);
  const table = tableIn(reportModel(results), "s1/connections");
  const p50 = table.rows[0][table.columns.findIndex(({ label }) => label === "p50")].value ?? 0;
  assert.ok(Math.abs(p50 - 2) < 0.01, `p50 ${p50}`);
});

Deno.test("a p99 that too few connections support has no interval", () => {
  const percentilesOf = (p99: number) => ({ ...NO_CONNECT.percentiles, "99": p99 });
  const p99Of = (count: number) => {
    const runs = [3, 4, 3, 4, 3, 4].map((p99) => ({
      count,
      percentiles: percentilesOf(p99),
    }));
    const table = tableIn(reportModel(resultsOf(runs)), "s1/connections");
    return table.rows[0][table.columns.findIndex(({ label }) => label === "p99")];
  };
  assert.deepEqual([p99Of(50)?.weak, p99Of(50)?.below], [true, undefined]);
  assert.match(p99Of(5_000)?.below ?? "", /^\[/);
});

Deno.test("where no connection was made only the answers are told, and of nothing there is no table", () => {
  assert.deepEqual(
    tableIn(reportModel(resultsOf([{}])), "s1/connections").columns.map(({ label }) => label),
    [
      "Target",
      "Size per response",
      "Received",
    ],
  );
  const silent = resultsOf([{}]);
  const { requests } = silent.runs[0];
  requests.unfinished += requests.completed;
  requests.completed = 0;
  assert.deepEqual(tablesIn(reportModel(silent), "s1/connections"), []);
});

Deno.test("page, markdown and CSV have connections and sizes, too", () => {
  const model = reportModel(RESULTS);
  assert.match(renderReportPage([model]), /<h3>Connections and responses<\/h3>/);
  assert.match(renderMarkdown(model), /\| Target \| Connections opened \| Connect, mean, ms \|/);
  const [head, row] = renderCsv(model).split("\r\n").map((line) => line.split(","));
  assert.deepEqual(
    ["connects", "connectMinMs", "connectMeanMs", "connectMaxMs", "responseBytes"]
      .map((name) => row[head.indexOf(name)]),
    ["50", "0.3", "1", "4", "873"],
  );
});
