import assert from "node:assert/strict";
import { formatCount, formatNumber, GLUE } from "../../report/writing/units.ts";
import { recapOf } from "../../report/subjects/measurement.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { widthOf } from "../../report/writing/columns.ts";
import type { TrustFinding } from "../../runner/result/findings.ts";
import type { TerminalOptions } from "../../report/writing/terminal.ts";
import { claimOf } from "./claimed.ts";
import { doubted } from "./concluded.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { hostileResults } from "./hostile.ts";
import { measured, renderMeasurement } from "./measured.ts";

const PLAIN: TerminalOptions = { width: 100, color: false, unicode: true };

const MODEL = reportModel(resultsFixture({
  title: "Which is faster?",
  cells: [
    { target: "hono", scenario: "static", medianMs: 2, runs: 2 },
    { target: "express", scenario: "static", medianMs: 5, runs: 2, wrongRatio: 0.3 },
  ],
}));

const STATIC = { target: "", scenario: "static", medianMs: 2 };
const MEASUREMENT = measurementFixture({
  ...STATIC,
  timeoutRatio: 0.001,
  reasons: ["no whole answer after 5,000 ms", "the connection was reset"],
});

Deno.test("the summary has title, request, table, answer and, once, trust", () => {
  const text = renderSummary(MODEL, PLAIN);
  const lines = text.split("\n");
  assert.equal(lines[1], "Which is faster?");
  assert.deepEqual(lines.slice(2, 4), ["Requests per second", "static  GET /static"]);
  assert.equal(text.match(/valid/gi)?.length, 1);
  assert.match(
    text.split("\nVerdict\n")[1],
    /^Only hono responds correctly: express responds wrongly to 30 %/,
  );
  assert.equal(text.match(/responds wrongly/g)?.length, 1);
  const table = lines.slice(4);
  assert.match(table[0], /^Target +Requests\/s +p50 ms +p99 ms +Max ms +Errors % +CPU cores$/);
  assert.match(table[1], /^hono +2\d,\d{3} +/);
  assert.match(table[2], /^ +\[[\d,]+, [\d,]+\] +\[[\d.]+, [\d.]+\] +\[[\d.]+, [\d.]+\]$/);
});

Deno.test("below who is faster stand the tables, histograms, percentiles and outcomes, under one heading of their scenario", () => {
  const text = renderSummary(MODEL, PLAIN);
  assert.equal(text.match(/^static {2}/gm)?.length, 1);
  const order = [
    /^Latency\nhono {5}[ ▁▂▃▄▅▆▇█]+\nexpress {2}[ ▁▂▃▄▅▆▇█]+\n +1\.\d+ ms +\d+\.\d ms\n/m,
    /^Target +p50 ms +p75 ms +p90 ms .*p99\.99 ms\nhono +[\d.]+ +/m,
    /^Target +Due +Status 200 +Status 500 +Wrong responses +Unfinished +Errors %\nhono +\d/m,
    /^Only hono responds correctly: express responds wrongly to 30 %/m,
  ].map((part) => text.search(part));
  assert.ok(!order.includes(-1), text);
  assert.deepEqual(order, order.toSorted((a, b) => a - b));
});

Deno.test("the histograms of a scenario share one axis: the slower target's peak is further right", () => {
  const [hono, express] = renderSummary(MODEL, PLAIN).split("\nLatency\n")[1].split("\n");
  assert.ok(hono.indexOf("█") < express.indexOf("█"));
  assert.ok(hono.indexOf("█") > 0);
});

Deno.test("where nothing failed a sentence says so, errors come with their reasons", () => {
  const fine = resultsFixture({ cells: [{ target: "a", scenario: "s", medianMs: 2, runs: 1 }] });
  assert.match(
    renderSummary(reportModel(fine), PLAIN),
    /^No request failed, none was left unsent, and no response was wrong\.$/m,
  );
  const reasons = ["the connection was reset"];
  const cells = [{ target: "a", scenario: "s", medianMs: 2, runs: 1, timeoutRatio: 0.01, reasons }];
  assert.match(
    renderSummary(reportModel(resultsFixture({ cells })), PLAIN),
    /^Target .* Timed out .*\n.*\nErrors\n +\d+ × a: the connection was reset$/m,
  );
});

Deno.test("bytes that no request had asked for are told where no request failed, too", () => {
  const results = resultsFixture({ cells: [{ target: "a", scenario: "s", medianMs: 2, runs: 2 }] });
  for (const run of results.runs) run.unsolicited = 3;
  const told = /connections closed because unsolicited bytes arrived on them/;
  assert.match(
    renderSummary(reportModel(results), PLAIN),
    /^Errors\n +6 × a: connections closed because /m,
  );
  const { texts } = measured({ ...MEASUREMENT, unsolicited: 3 });
  assert.deepEqual(
    Object.keys(texts).filter((label) => told.test(label)).map((label) => texts[label]),
    ["3"],
  );
});

Deno.test("of more than 24 cells only the tables and answers are printed", () => {
  const cells = Array.from({ length: 25 }, (_, i) => ({
    target: `t${i}`,
    scenario: "s",
    medianMs: 2,
    runs: 1,
  }));
  const text = renderSummary(reportModel(resultsFixture({ cells })), PLAIN);
  assert.match(text, /^t24 +\d/m);
  assert.doesNotMatch(text, /▁|p75/);
});

Deno.test("a narrow table keeps p99 and gives the intervals up", () => {
  const lines = renderSummary(MODEL, { ...PLAIN, width: 50 }).split("\n");
  const first = lines.findIndex((line) => line.startsWith("Target"));
  const [head, hono, express] = lines.slice(first);
  assert.match(head, /^Target +Requests\/s +p50 ms +p99 ms/);
  assert.match(hono, /^hono +2\d,\d{3} /);
  assert.match(express, /^express /);
});

Deno.test("numbers of a column stand on their decimal point", () => {
  const [hono, , express] = renderSummary(MODEL, PLAIN).split("\nTarget ")[1].split("\n").slice(
    1,
    4,
  );
  const point = (line: string): number => line.indexOf(".", line.indexOf(",") + 4);
  assert.equal(point(hono), point(express));
});

for (const width of [20, 40, 60, 80, 200]) {
  Deno.test(`tables and sentences fit a terminal of ${width} columns`, () => {
    const texts = [true, false].flatMap((unicode) => [
      renderSummary(MODEL, { ...PLAIN, width, unicode }),
      ...(width >= 40 ? [renderMeasurement(MEASUREMENT, { ...PLAIN, width, unicode })] : []),
    ]);
    for (const line of texts.join("").split("\n")) assert.ok(widthOf(line) <= width, line);
  });
}

/** Nine frameworks in five scenarios, of which some runs are not valid and one target fails. */
function frameworks(): ReportModel {
  const scenarios = ["static", "validation", "database", "redis", "error"];
  const cells = scenarios.flatMap((scenario, s) =>
    Array.from({ length: 9 }, (_, t) => ({
      target: `nestjs-on-framework-${t + 1}`,
      scenario,
      medianMs: 2 + ((t + s) % 9) * 1.5,
      runs: 3,
      duration: 1,
      wrongRatio: t === 8 ? 0.4 : 0,
    }))
  );
  const results = resultsFixture({ title: "Which framework is fastest?", cells });
  const claims = ["rate(nestjs-on-framework-1) > 2 × rate(nestjs-on-framework-2)"];
  results.experiment.claims = claims.map((text) => claimOf(text));
  return reportModel(doubted(results, ({ repetition }) => repetition === 2));
}

/** Below the summary: a blank line, where the report and the results are, how to resume, and the next prompt. */
const ROWS_BELOW = 5;

Deno.test("the last screen of 24 rows and 80 columns begins above the whole conclusion, of 45 cells too", () => {
  for (const model of [MODEL, frameworks()]) {
    const lines = renderSummary(model, { ...PLAIN, width: 80 }).trimEnd().split("\n");
    const last = lines.slice(lines.lastIndexOf("Verdict") + 1);
    assert.ok(last.length + ROWS_BELOW < 24, last.join("\n"));
    const text = last.map((line) => line.trim()).join(" ");
    assert.ok(text.startsWith(model.card.sentence.replaceAll(GLUE, " ")), text);
    for (const step of model.card.next) assert.ok(text.includes(`Next: ${step.text}`), text);
  }
});

Deno.test("colour marks faults, and only where colour is wanted", () => {
  const [, fault] = renderSummary(MODEL, { ...PLAIN, color: true }).split("\x1b[31m");
  assert.match(fault, /^ *30\.\d/);
  assert.ok(!renderSummary(MODEL, PLAIN).includes("\x1b"));
});

Deno.test("a terminal without Unicode gets ASCII", () => {
  const ascii = { ...PLAIN, unicode: false };
  assert.match(
    renderSummary(MODEL, ascii) + renderMeasurement(MEASUREMENT, ascii),
    /^[\n\x20-\x7e]+$/,
  );
});

Deno.test("a measurement shows rate, histogram, percentiles, statuses and errors", () => {
  const text = renderMeasurement(MEASUREMENT, PLAIN);
  assert.match(text, /^http:\/\/127\.0\.0\.1:8080\/static\n50 connections, 3 s, 1 worker\n/);
  for (
    const expected of [
      /Requests\/s +2\d,\d{3}/,
      /Latency histogram\nUp to ms +Requests %\n(?: *[\d.,]+ .*[\d.]+\n){11}/,
      /\np99 +[\d.]+\n/,
      /\np99\.99 +\(≥ [\d.,]+\)\n/,
      /Status codes\n.*\n200 +\d/,
      /Errors\n.*\ntimeout +\d+\nno whole answer after 5,000 ms +\d+\nthe connection was reset +1/,
      /latencies are lower bounds/,
    ]
  ) assert.match(text, expected);
});

/** The last line that a terminal shows of a measurement. */
function lastLineOf(measurement: typeof MEASUREMENT): string {
  const { text } = recapOf(measurement);
  assert.ok(widthOf(text) <= 80, text);
  return text.replaceAll(GLUE, " ");
}

Deno.test("the last line of a measurement is the whole of it, on any terminal of 80 columns", () => {
  const text = renderMeasurement(measurementFixture(STATIC), { ...PLAIN, width: 80 });
  const [last, end] = text.split("\n").slice(-2);
  assert.match(last, /^2\d,\d{3}\/s · p50 2\.0\d ms · p99 \d\.\d\d ms · 0 failed · valid$/);
  assert.equal(end, "");
});

Deno.test("the last line says which figures are lower bounds, and what failed, was wrong or never sent", () => {
  const late = measurementFixture({ ...STATIC, timeoutRatio: 0.02, wrongRatio: 0.1 });
  assert.match(
    lastLineOf(late),
    /^[\d,]+\/s · p50 [\d.]+ ms · p99 ≥ [\d.,]+ m?s · [1-9][\d,]* failed or wrong · valid$/,
  );
  const { requests } = MEASUREMENT;
  const due = Math.round(requests.due * 1.25);
  const { connections, keepAlive, timeout } = MEASUREMENT.load;
  const load = {
    ...{ kind: "rate" as const, rate: due / MEASUREMENT.elapsedS, arrivals: "uniform" as const },
    ...{ seed: 1, durationS: MEASUREMENT.elapsedS, connections, keepAlive, timeout },
  };
  const dropped = due - requests.due;
  const behind = { ...MEASUREMENT, load, requests: { ...requests, due, dropped } };
  const offered = formatNumber(due / MEASUREMENT.elapsedS);
  const recap = lastLineOf(behind);
  assert.ok(recap.startsWith(`${formatNumber(MEASUREMENT.rate)}/s of ${offered}/s · `), recap);
  assert.ok(recap.includes(` · ${formatCount(dropped)} never sent · `), recap);
});

Deno.test("why a measurement is doubtful stands above its last line, which has the verdict", () => {
  const finding: TrustFinding = {
    code: "too-short",
    severity: "suspect",
    evidence: { elapsedS: 0.012 },
    advice: ["longer-run"],
  };
  const generator = { ...MEASUREMENT.generator, trust: "suspect" as const, findings: [finding] };
  const text = renderMeasurement({ ...MEASUREMENT, generator }, PLAIN);
  assert.match(
    text,
    /The run took 12 ms, too short to judge the generator.*\n[^\n]* · suspect\n$/s,
  );
});

Deno.test("the longest bar of the histogram is that of the largest share", () => {
  const rows = renderMeasurement(MEASUREMENT, PLAIN).split("\n")
    .flatMap((line) => [...line.matchAll(/^ *[\d.,]+ +(█*)\S? +([\d.]+)$/g)]);
  const bars = rows.map(([, bar]) => bar.length);
  const shares = rows.map(([, , share]) => Number(share));
  assert.ok(bars.length >= 10);
  assert.equal(bars.indexOf(Math.max(...bars)), shares.indexOf(Math.max(...shares)));
});

Deno.test("no outside text steers the terminal", () => {
  const results = hostileResults();
  const text = renderSummary(reportModel(results), PLAIN) +
    renderMeasurement(results.runs[0], PLAIN);
  assert.doesNotMatch(text, /[^\n\P{Cc}]|[\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u);
  assert.match(text, /\\x1b\[2J/);
});
