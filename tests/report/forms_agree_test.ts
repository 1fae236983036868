/** JSON, CSV, markdown and JUnit are of one model: the same numbers stand in each. */
import assert from "node:assert/strict";
import { parse } from "csv-parse/sync";
import { lexer, type Tokens } from "marked";
import { renderCsv, renderIntervalsCsv } from "../../report/render/csv.ts";
import { renderJunit, resultsSuite } from "../../report/render/junit.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { winnersTable } from "../../report/subjects/verdict/card.ts";
import { reportModel } from "../../report/model.ts";
import { thresholdBlocks } from "../../report/subjects/thresholds.ts";
import { results as schema } from "../../runner/result/result.ts";
import { parseThreshold } from "../../scenarios/claims/threshold.ts";
import { resultsFixture } from "./fixture.ts";
import { hostileResults } from "./hostile.ts";
import { tableIn } from "./said.ts";

const THRESHOLDS = ["p99 < 50ms", "success >= 99.9%"];

const RESULTS = resultsFixture({
  cells: ["static", "fib"].flatMap((scenario) => [
    { target: "hono", scenario, medianMs: 5, runs: 3 },
    { target: "express", scenario, medianMs: 8, runs: 3, wrongRatio: 0.01 },
  ]),
  experiment: {
    thresholds: THRESHOLDS.map((text) => {
      const parsed = parseThreshold(text);
      assert.ok("threshold" in parsed);
      return parsed.threshold;
    }),
  },
});
const MODEL = reportModel(RESULTS);
const THRESHOLD_TABLES = thresholdBlocks(MODEL.gates)
  .flatMap((block) => block.kind === "table" ? [block.table] : []);

type Row = Readonly<Record<string, string>>;

/** The tables of a text, as a renderer of markdown sees them: text of head and rows. */
function tablesOf(markdown: string): { head: string[]; rows: string[][] }[] {
  return lexer(markdown)
    .filter((token): token is Tokens.Table => token.type === "table")
    .map(({ header, rows }) => ({
      head: header.map(textOf),
      rows: rows.map((row) => row.map(textOf)),
    }));
}

/** Without its escapes, and with plain spaces. */
function textOf({ tokens }: Tokens.TableCell): string {
  const text = tokens.map((token) => "text" in token ? String(token.text) : token.raw).join("");
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
    .replaceAll("\u00a0", " ");
}

Deno.test("JSON comes back as the results that it was written from", () => {
  const read = JSON.parse(JSON.stringify(RESULTS));
  assert.deepEqual(schema.parse(read), read);
});

Deno.test("either CSV has the numbers of the runs in JSON, to the last digit", () => {
  const { runs } = schema.parse(JSON.parse(JSON.stringify(RESULTS)));
  const rows: Row[] = parse(renderCsv(MODEL), { columns: true });
  const intervals: Row[] = parse(renderIntervalsCsv(MODEL), { columns: true });
  assert.equal(rows.length, runs.length);
  for (const run of runs) {
    const row = rows.find(({ order }) => order === String(run.order));
    assert.ok(row);
    assert.deepEqual(
      [row.target, row.scenario, row.repetition, row.ratePerSec, row.latencyP99Ms, row.completed],
      [
        run.target,
        run.scenario,
        ...[run.repetition, run.rate, run.latency.percentiles["99"], run.requests.completed]
          .map(String),
      ],
    );
    const own = intervals.filter(({ order }) => order === String(run.order));
    assert.deepEqual(
      own.map(({ completed, latencyP99Ms }) => [Number(completed), Number(latencyP99Ms)]),
      run.timeline.points.map(({ completed, p99 }) => [completed, p99]),
    );
  }
});

Deno.test("the tables of markdown are those of the model, cell by cell", () => {
  const tables = tablesOf(renderMarkdown(MODEL));
  const wanted = [
    winnersTable(MODEL.card.winners),
    ...THRESHOLD_TABLES,
    ...MODEL.context.scenarios.map((_, i) => tableIn(MODEL, `verdict/${i + 1}`)),
    ...MODEL.context.scenarios.map(({ compared }) => compared.table),
    ...MODEL.context.scenarios.map((_, i) => tableIn(MODEL, `s${i + 1}/connections`)),
    tableIn(MODEL, "settling"),
  ].flatMap((table) => table ?? []);
  assert.equal(tables.length, wanted.length);
  wanted.forEach(({ columns, rows }, i) => {
    assert.deepEqual(
      tables[i].head,
      columns.map(({ label, unit }) => unit ? `${label}, ${unit}` : label),
    );
    assert.deepEqual(
      tables[i].rows,
      rows.map((row) =>
        row.map(({ text, below = "", weak }) =>
          `${weak ? `(${text})` : text} ${below}`.trim().replaceAll("\u00a0", " ")
        )
      ),
    );
  });
});

Deno.test("rates of markdown are the means of the rates in CSV", () => {
  const rows: Row[] = parse(renderCsv(MODEL), { columns: true });
  const summaries = tablesOf(renderMarkdown(MODEL))
    .filter(({ head }) => head.some((label) => label.startsWith("Errors")));
  for (const [i, { name, cells }] of MODEL.context.scenarios.entries()) {
    const summary = summaries[i];
    for (const [j, { label }] of cells.entries()) {
      const rates = rows.filter(({ target, scenario }) => target === label && scenario === name)
        .map(({ ratePerSec }) => Number(ratePerSec));
      const mean = rates.reduce((sum, rate) => sum + rate) / rates.length;
      const [, text] = summary.rows[j];
      assert.equal(text.split(" ")[0].replaceAll(",", ""), mean.toFixed(0));
    }
  }
});

Deno.test("JUnit has a case for the answers of each cell, and each outcome of the model", () => {
  const { cases } = resultsSuite(RESULTS, MODEL);
  const cells = MODEL.context.scenarios.flatMap(({ cells }) => cells);
  assert.equal(cases.length, cells.length + MODEL.gates.length);
  const count = (kind: string | undefined): number =>
    cases.filter(({ problem }) => problem?.kind === kind).length;
  const outcomes = MODEL.gates.map(({ outcome }) => outcome);
  const wrong = cells.filter(({ runs }) => runs.some(({ checks }) => checks.failed > 0)).length;
  assert.equal(count("failure"), wrong + outcomes.filter((one) => one === "fail").length);
  assert.equal(count("error"), outcomes.filter((one) => one === "inconclusive").length);
  const xml = renderJunit([resultsSuite(RESULTS, MODEL)]);
  assert.ok(xml.includes(` tests="${cases.length}" failures="${count("failure")}"`));
  for (const { found } of MODEL.gates.filter(({ outcome }) => outcome === "fail")) {
    assert.ok(xml.includes(`message="fail: ${found}"`), found);
  }
});

Deno.test("markdown of hostile texts has headings, tables and lists of ours alone", () => {
  const kinds = new Set(
    lexer(renderMarkdown(reportModel(hostileResults()))).map(({ type }) => type),
  );
  const ours = ["heading", "list", "paragraph", "space", "table", "text"];
  assert.deepEqual([...kinds].filter((kind) => !ours.includes(kind)), []);
});
