/** Lower bounds in page, terminal, markdown, CSV and JSON: one truth of them in all. */
import { parse } from "csv-parse/sync";
import assert from "node:assert/strict";
import { renderCsv, renderMeasurementCsv } from "../../report/render/csv.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import {
  censoredMeasurement,
  censoredResults,
  FROZEN,
  INTERRUPTED,
  TIMED_OUT,
} from "./censored_results.ts";
import { measured, renderMeasurement, renderMeasurementMarkdown } from "./measured.ts";
import { tableIn } from "./said.ts";

const PLAIN = { width: 140, color: false, unicode: true };
const LOADS = { frozen: FROZEN, interrupted: INTERRUPTED, timed: TIMED_OUT };

const plain = (text: string): string => text.replaceAll("\u00a0", " ");

const RESULTS = censoredResults(LOADS);
const MODEL = reportModel(RESULTS);
const NAMES = Object.keys(LOADS) as (keyof typeof LOADS)[];
const PERCENTILES = ["50", "75", "90", "95", "99", "99.9", "99.99"] as const;

/** Of a target, the percentiles that its results name as lower bounds. */
function namedIn(target: string): string[] {
  const run = RESULTS.runs.find((run) => run.target === target);
  assert.ok(run);
  return PERCENTILES.filter((p) => run.latency.lowerBounds?.includes(p));
}

/** Those that texts mark, one text for each of PERCENTILES. */
function marked(texts: readonly string[]): string[] {
  assert.equal(texts.length, PERCENTILES.length, texts.join("|"));
  return PERCENTILES.filter((_, i) => /^\(?≥ /.test(plain(texts[i])));
}

Deno.test("the fixtures have every kind of lower bound, and figures without one", () => {
  assert.deepEqual(namedIn("frozen"), PERCENTILES.slice(1));
  assert.deepEqual(namedIn("interrupted"), [...PERCENTILES]);
  assert.deepEqual(namedIn("timed"), ["99", "99.9", "99.99"]);
});

Deno.test("the table of percentiles marks what the results name, on the page too", () => {
  const { columns, rows } = tableIn(MODEL, "s1/percentiles");
  const page = plain(renderReportPage([MODEL]));
  for (const target of NAMES) {
    const row = rows.find(([name]) => name.text === target) ?? [];
    const texts = PERCENTILES.map((p) =>
      row[columns.findIndex(({ label }) => label === `p${p}`)].text
    );
    assert.deepEqual(marked(texts), namedIn(target));
    for (const text of texts) assert.ok(page.includes(plain(text)), text);
  }
});

Deno.test("the terminal marks what the results name", () => {
  const lines = renderSummary(MODEL, PLAIN).split("\n");
  const head = lines.findIndex((line) => /^Target +p50 s? +p75|^Target +p50 ms +p75/.test(line));
  for (const target of NAMES) {
    const line = lines.slice(head + 1).find((text) => text.startsWith(`${target}  `)) ?? "";
    const [, ...texts] = line.split(/ {2,}/);
    assert.deepEqual(marked(texts), namedIn(target));
  }
});

Deno.test("CSV names the lower bounds that the results name, beside their numbers", () => {
  const rows: Record<string, string>[] = parse(renderCsv(MODEL), { columns: true });
  for (const target of NAMES) {
    const row = rows.find((row) => row.target === target);
    const run = RESULTS.runs.find((run) => run.target === target);
    assert.ok(row && run);
    const named = row.latencyLowerBounds.split(" ");
    assert.deepEqual(
      named.map((name) => name.replace(/^p/, "")).filter((name) =>
        PERCENTILES.some((p) => p === name)
      ),
      namedIn(target),
    );
    assert.deepEqual(named.slice(-2), ["mean", "max"]);
    assert.deepEqual(
      [row.latencyP50Ms, row.latencyP99Ms, row.latencyMeanMs, row.dropped],
      [
        run.latency.percentiles["50"],
        run.latency.percentiles["99"],
        run.latency.mean,
        run.requests.dropped,
      ].map(String),
    );
  }
});

Deno.test("markdown has the marks of the summary, and says what they mean", () => {
  const markdown = plain(renderMarkdown(MODEL));
  const { columns, rows } = tableIn(MODEL, "verdict/1");
  for (const label of ["p50", "p99", "Max"]) {
    const at = columns.findIndex((column) => column.label === label);
    for (const row of rows) assert.ok(markdown.includes(plain(row[at].text)), row[at].text);
  }
  assert.match(
    markdown,
    /653 latencies are lower bounds, because requests timed out, were unfinished at the end or were never sent\./,
  );
  assert.match(markdown, /Histograms do not show these lower bounds\./);
});

for (const [name, load] of Object.entries(LOADS)) {
  Deno.test(`a single measurement, ${name}, has the same marks in terminal, markdown and CSV`, () => {
    const measurement = censoredMeasurement(load);
    const { texts, weak, notes } = measured(measurement);
    const percentiles = PERCENTILES.map((p) => `p${p}`);
    assert.deepEqual(marked(percentiles.map((p) => texts[p])), namedIn(name));
    const terminal = plain(renderMeasurement(measurement, PLAIN));
    const markdown = plain(renderMeasurementMarkdown(measurement)).replaceAll("\\", "");
    for (const p of percentiles) {
      const [text] = texts[p].split(/ (?=\D+$)/);
      const shown = weak.includes(p) ? `(${text})` : text;
      assert.ok(terminal.includes(shown), shown);
      assert.ok(markdown.includes(shown), shown);
    }
    assert.match(texts["Mean latency"], /^≥ /);
    assert.match(texts.Slowest, /^≥ /);
    assert.ok(notes.some((note) => note.includes("lower bounds")));
    const [row]: Record<string, string>[] = parse(renderMeasurementCsv(measurement), {
      columns: true,
    });
    assert.deepEqual(
      row.latencyLowerBounds.split(" ").filter((figure) => figure === "mean" || figure === "max"),
      ["mean", "max"],
    );
  });
}

Deno.test("a server that froze: p95 is the wait of those never sent, at least", () => {
  assert.match(measured(censoredMeasurement(FROZEN)).texts.p95, /^≥ 1\.72 s$|^≥ 1,720 ms$/);
});

Deno.test("a closed loop that was interrupted: p50 is the second that answers take, at least", () => {
  assert.equal(measured(censoredMeasurement(INTERRUPTED)).texts.p50, "≥ 1.02 s");
});
