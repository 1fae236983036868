import assert from "node:assert/strict";
import { renderCsv } from "../../report/csv.ts";
import { renderPage } from "../../report/html/page.ts";
import { renderMarkdown } from "../../report/markdown.ts";
import { reportModel } from "../../report/model.ts";
import type { Distribution, Results } from "../../runner/result.ts";
import { resultsFixture } from "./fixture.ts";

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
  const [{ tables }] = reportModel(RESULTS).scenarios;
  assert.ok(tables.connections);
  const { columns, rows: [row] } = tables.connections;
  assert.deepEqual(
    columns.map(({ label }, i) => [label, row[i].value]).slice(0, -1),
    [
      ["Target", undefined],
      ["Connections opened", 100],
      ["Connect, mean", 1.25],
      ["Min", 0.2],
      ["p50", 1],
      ["p99", 0],
      ["Max", 4],
      ["Size per answer", 873],
    ],
  );
  assert.match(row[2].below ?? "", /^\[.*\]$/);
  // Of a hundred connections nobody knows what one in a hundred takes.
  assert.deepEqual(row.map(({ weak = false }) => weak).indexOf(true), 5);
});

Deno.test("a p99 that too few connections support has no interval", () => {
  const percentilesOf = (p99: number) => ({ ...NO_CONNECT.percentiles, "99": p99 });
  const p99Of = (count: number) => {
    const runs = [3, 4].map((p99) => ({ count, percentiles: percentilesOf(p99) }));
    const table = reportModel(resultsOf(runs)).scenarios[0].tables.connections;
    return table?.rows[0][table.columns.findIndex(({ label }) => label === "p99")];
  };
  assert.deepEqual([p99Of(50)?.weak, p99Of(50)?.below], [true, undefined]);
  assert.match(p99Of(5_000)?.below ?? "", /^\[/);
});

Deno.test("where no connection was made only the answers are told, and of nothing there is no table", () => {
  const [{ tables }] = reportModel(resultsOf([{}])).scenarios;
  assert.deepEqual(tables.connections?.columns.map(({ label }) => label), [
    "Target",
    "Size per answer",
    "Received",
  ]);
  const silent = resultsOf([{}]);
  const { requests } = silent.runs[0];
  requests.unfinished += requests.completed;
  requests.completed = 0;
  assert.equal(reportModel(silent).scenarios[0].tables.connections, null);
});

Deno.test("page, markdown and CSV have connections and sizes, too", () => {
  const model = reportModel(RESULTS);
  assert.match(renderPage([model]), /<h3>Connections and answers<\/h3>/);
  assert.match(renderMarkdown(model), /\| Target \| Connections opened \| Connect, mean, ms \|/);
  const [head, row] = renderCsv(model).split("\r\n").map((line) => line.split(","));
  assert.deepEqual(
    ["connects", "connectMinMs", "connectMeanMs", "connectMaxMs", "answerBytes"]
      .map((name) => row[head.indexOf(name)]),
    ["50", "0.3", "1", "4", "873"],
  );
});
