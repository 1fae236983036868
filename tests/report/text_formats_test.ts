import assert from "node:assert/strict";
import { renderCsv, renderMeasurementCsv } from "../../report/csv.ts";
import { renderMarkdown, renderMeasurementMarkdown } from "../../report/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { hostileResults, MARKUP } from "./hostile.ts";

/** RFC 4180, by its grammar. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (
    const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)
  ) {
    rows[rows.length - 1].push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "\r\n") rows.push([]);
  }
  assert.deepEqual(rows.pop(), []);
  return rows;
}

function recordsOf(text: string): Record<string, string>[] {
  const [head, ...rows] = parseCsv(text);
  return rows.map((row) => {
    assert.equal(row.length, head.length);
    return Object.fromEntries(head.map((name, i) => [name, row[i]]));
  });
}

Deno.test("CSV has one row a run with the figures of the results, one column per factor", () => {
  const results = resultsFixture({
    cells: [10, 50].map((connections) => ({
      target: "hono",
      scenario: "static",
      parameters: { connections, "set.cache": true },
      connections,
      medianMs: 5,
      runs: 2,
      duration: 1,
    })),
  });
  const rows = recordsOf(renderCsv(reportModel(results)));
  assert.equal(rows.length, 4);
  results.runs.forEach((run, i) => {
    assert.equal(rows[i].target, "hono");
    assert.equal(rows[i]["set.cache"], "true");
    assert.equal(Number(rows[i].connections), run.load.connections);
    assert.equal(Number(rows[i].ratePerSec), run.rate);
    assert.equal(Number(rows[i]["latencyP99.9Ms"]), run.latency.percentiles["99.9"]);
    assert.equal(Number(rows[i]["errors.timeout"]), run.errors.timeout ?? 0);
  });
});

Deno.test("CSV keeps every character of a hostile text", () => {
  const results = hostileResults();
  const [row] = recordsOf(renderCsv(reportModel(results)));
  assert.equal(row.target, results.runs[0].target);
  assert.equal(row.experiment, results.experiment.name);
});

Deno.test("CSV of a measurement is one row", () => {
  const measurement = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  const [row, ...none] = recordsOf(renderMeasurementCsv(measurement));
  assert.deepEqual(none, []);
  assert.equal(Number(row.completed), measurement.requests.completed);
});

Deno.test("markdown has the summary table of every scenario", () => {
  const model = reportModel(resultsFixture({
    cells: ["static", "fib"].map((scenario) => ({ target: "hono", scenario, medianMs: 5 })),
  }));
  const text = renderMarkdown(model);
  assert.match(text, /^## fixture\n/);
  assert.match(text, /### static: GET \/static\n\n\*\*hono answered [\d,]+ requests\/s\*\*: /);
  const tables = text.match(
    /\| Target \| Requests\/s \| .*\n\| --- \| ---: \| .*\n\| hono \| [\d,]+ \|/g,
  );
  assert.equal(tables?.length, 2);
});

Deno.test("markdown of a measurement is a table of its facts", () => {
  const text = renderMeasurementMarkdown(
    measurementFixture({ target: "", scenario: "static", medianMs: 5 }),
  );
  assert.match(text, /\| Requests\/s \| [\d,]+ \|/);
});

Deno.test("hostile texts stay text in markdown: no tag, link, cell or line of their own", () => {
  const text = renderMarkdown(reportModel(hostileResults()));
  assert.doesNotMatch(text, /<|>/);
  assert.ok(text.includes(MARKUP.replaceAll("<", "&lt;").replaceAll(">", "&gt;").slice(0, 20)));
  assert.doesNotMatch(text, /[^\\]\[x\]\(|[^\\]`a/);
  const cells = text.split("\n").filter((line) => line.startsWith("| "))
    .map((line) => line.match(/(?<!\\)\|/g)?.length);
  assert.equal(new Set(cells).size, 1);
});
