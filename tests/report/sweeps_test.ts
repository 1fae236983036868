import assert from "node:assert/strict";
import type { Axis, Xy } from "../../report/chart.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { COLORS } from "../../report/cells/colors.ts";
import { reportModel } from "../../report/model.ts";
import { type SweepFigure, type SweepModel } from "../../report/subjects/sweeps/sweeps.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { type SweepCell, sweepResults } from "./sweep_results.ts";

function sweepsOf(cells: readonly SweepCell[]): readonly SweepModel[] {
  return reportModel(sweepResults(cells)).context.sweeps;
}

function figureOf(cells: readonly SweepCell[]): SweepFigure {
  const [sweep] = sweepsOf(cells);
  assert.equal(sweep.figures.length, 1);
  return sweep.figures[0];
}

function findings(cells: readonly SweepCell[]): string[] {
  return figureOf(cells).findings.map(plain);
}

function plain(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

function rateChart({ facets: [{ drawings }] }: SweepFigure): Xy {
  return drawings[0].chart;
}

/** As many requests as `served` says, at each rate that is asked for. */
function atRates(rates: readonly number[], served: (rate: number) => number): SweepCell[] {
  return rates.map((rate) => ({ parameters: { rate: `${rate}/s` }, rate: served(rate) }));
}

const RATES = [1_000, 2_000, 4_000, 5_000, 6_000, 8_000];

/** Five runs about what the universal scalability law gives, at each number of connections. */
function byLaw(contention: number, coherency: number, counts: readonly number[]): SweepCell[] {
  return counts.map((n) => ({
    parameters: { connections: n },
    rate: 1_000 * n / (1 + contention * (n - 1) + coherency * n * (n - 1)),
  }));
}

const LAW = /scalability law/;
const COUNTS = [1, 2, 4, 8, 16, 32, 64];

Deno.test("sweep: a line that follows the scalability law says its terms, and only those that its runs show", () => {
  const [both] = findings(byLaw(0.05, 0.001, COUNTS));
  assert.match(
    both,
    /By the universal scalability law contention is (?:4\.\d+|5(?:\.\d+)?) % \[.*?\], coherency is 0\.\d+ % \[.*?\], most are served with (?:29|3\d) connections \[\d+, \d+\]\./,
  );
  const [contended] = findings(byLaw(0.05, 0, COUNTS));
  assert.match(contended, /contention is (?:4|5)[.\d]* %/);
  assert.doesNotMatch(contended, /most are served with/);
});

Deno.test("sweep: growth in proportion, a sharp knee, few values and other factors have no scaling law", () => {
  const knee = COUNTS.map((connections) => ({
    parameters: { connections },
    rate: 800 * Math.min(connections, 6),
  }));
  const other = byLaw(0.05, 0.001, COUNTS).map(({ rate, parameters: { connections } }) => ({
    parameters: { size: connections },
    rate,
  }));
  const lines = [byLaw(0, 0, COUNTS), knee, byLaw(0.05, 0.001, COUNTS.slice(0, 4)), other];
  for (const cells of lines) assert.doesNotMatch(findings(cells).join(" "), LAW);
});

const FINDINGS: [sentence: string, cells: readonly SweepCell[], finding: RegExp][] = [
  [
    "a capacity is where requests/s leave what was asked for",
    atRates(RATES, (rate) => Math.min(rate, 4_900)),
    /^a serves 4,9\d\d requests\/s at most; it stops growing at 4,\d\d\d\/s \[4,8\d\d, 4,9\d\d\]; p99/,
  ],
  [
    "one that keeps up has no knee",
    atRates(RATES, (rate) => rate),
    /^a serves the whole offered rate, up to 8,000\/s: no knee within the range; p99/,
  ],
  [
    "growth with connections ends between measured values",
    [1, 2, 4, 8, 16, 32].map((connections) => ({
      parameters: { connections },
      rate: 800 * Math.min(connections, 6),
    })),
    /^a serves 4,8\d\d requests\/s at most; it stops growing at about 6 connections \[4, 8\]; p99/,
  ],
  [
    "what grows to the end says so",
    [1, 4, 16, 64].map((connections) => ({
      parameters: { connections },
      rate: 500 * connections,
    })),
    /^a serves 32,\d+ requests\/s at 64 connections and still grows there: no knee within the range; p99/,
  ],
  [
    "what falls is told from end to end",
    [0, 100, 300, 1_000].map((ms, i) => ({
      parameters: { "set.delay": `${ms}ms` },
      rate: 5_000 / (1 + i),
    })),
    /^a serves 5,\d+ requests\/s at delay 0ms and 1,2\d\d requests\/s at delay 1000ms; p99/,
  ],
  [
    "what nothing changes is told so",
    [1, 4, 16, 64].map((connections) => ({ parameters: { connections }, rate: 3_000 })),
    /^a serves as much at 1 connection as at any: 3,00\d requests\/s; p99/,
  ],
  [
    "p99 passes a round time",
    [1, 4, 16, 64].map((connections) => ({
      parameters: { connections },
      rate: 1_000,
      medianMs: 0.6 * connections,
    })),
    /; p99 passes 10 ms at 16 connections\.$/,
  ],
  [
    "values with too many wrong responses count for nothing",
    [1, 4, 16, 64].map((connections) => ({
      parameters: { connections },
      rate: 1_000 * connections,
      wrongRatio: connections === 64 ? 0.5 : 0,
      medianMs: 2,
    })),
    /^a serves 16,\d+ requests\/s at most, at 16 connections; .* wrong or failed: 64 connections\.$/,
  ],
];

for (const [sentence, cells, finding] of FINDINGS) {
  Deno.test(`sweep: ${sentence}`, () => assert.match(findings(cells)[0], finding));
}

Deno.test("sweep: points stand at their numbers with the intervals of their cells", () => {
  const cells = atRates(RATES, (rate) => Math.min(rate, 4_900));
  const chart = rateChart(figureOf(cells));
  const { references: [offered, knee] = [], series: [{ points = [] }] } = chart;
  assert.equal(offered.kind, "equality");
  assert.deepEqual(points.map(({ x }) => x), RATES);
  for (const { y, low, high } of points) {
    assert.ok(typeof low === "number" && typeof high === "number" && low < y && y < high);
    assert.ok(high - low < 0.1 * y);
  }
  assert.ok(knee.kind === "vertical" && knee.low < knee.at && knee.at < knee.high);
});

Deno.test("sweep: one run a cell has points without intervals, and a knee without one", () => {
  const cells = atRates(RATES, (rate) => Math.min(rate, 4_900))
    .map((cell) => ({ ...cell, rates: [cell.rate] }));
  const figure = figureOf(cells);
  const [{ points = [] }] = rateChart(figure).series;
  assert.ok(points.every(({ low, high }) => low === null && high === null));
  assert.match(plain(figure.findings[0]), /it stops growing at 4,900\/s; /);
});

Deno.test("sweep: decades make the axis logarithmic, and a 0 stands a step beside them", () => {
  const axisOf = (values: readonly number[]): Axis =>
    rateChart(figureOf(values.map((cpuTime) => ({ parameters: { cpuTime }, rate: 1_000 })))).x;
  const [linear, log, broken] = [[1, 2, 3], [1, 10, 100], [0, 1, 10, 100]].map(axisOf);
  assert.deepEqual([linear.scale, linear.breakAt], ["linear", undefined]);
  assert.deepEqual([log.scale, log.breakAt], ["log", undefined]);
  assert.equal(broken.scale, "log");
  const { ticks = [], breakAt = NaN } = broken;
  assert.deepEqual(ticks.map(({ text }) => text), ["0", "1", "10", "100"]);
  const [zero, one] = ticks.map(({ at }) => at);
  assert.ok(zero > 0 && zero < breakAt && breakAt < one);
});

Deno.test("sweep: texts with units are numbers, in the order of their size", () => {
  const values = ["64KB", "1MB", "512B", "8KB"];
  const { table } = figureOf(values.map((size) => ({ parameters: { size }, rate: 1_000 })));
  assert.deepEqual(table.rows.map((row) => row[1].text), ["512B", "8KB", "64KB", "1MB"]);
  assert.deepEqual(table.rows.map((row) => row[1].value), [512, 8_000, 64_000, 1_000_000]);
});

Deno.test("sweep: two values, texts and mixed units make no figure", () => {
  const sweepCount = (values: readonly (string | number)[]): number =>
    sweepsOf(values.map((value) => ({ parameters: { value }, rate: 1_000 }))).length;
  assert.equal(sweepCount([1, 2]), 0);
  assert.equal(sweepCount(["redis", "memory", "none"]), 0);
  assert.equal(sweepCount(["1s", "1MB", "1/s"]), 0);
  assert.equal(sweepCount([1, 2, 3]), 1);
});

Deno.test("sweep: a line for each target and value of another factor, in colours of their own", () => {
  const cells = ["slow", "fast"].flatMap((target) =>
    ["off", "on"].flatMap((cache) =>
      [1, 2, 3].map((connections): SweepCell => ({
        target,
        parameters: { connections, "set.cache": cache },
        rate: 1_000,
      }))
    )
  );
  const { facets } = figureOf(cells);
  const series = facets.flatMap(({ series }) => series);
  assert.deepEqual(
    new Map(series.map(({ label, color }) => [label, color % COLORS])),
    new Map([
      ["slow · cache off", 0],
      ["slow · cache on", 0],
      ["fast · cache off", 1],
      ["fast · cache on", 1],
    ]),
  );
  assert.equal(new Set(series.map(({ color }) => color)).size, 4);
});

Deno.test("sweep: factors that end alike keep their whole paths", () => {
  const cells = [1, 2, 3].map((ttl): SweepCell => ({
    parameters: { "proxy.ttl": ttl, "inner.proxy.ttl": "1s" },
    rate: 1_000,
  }));
  assert.equal(figureOf(cells).factor, "proxy.ttl");
});

Deno.test("sweep: more lines than can be told apart are dealt out to drawings with equal axes", () => {
  const cells = [1, 2, 3].flatMap((connections) =>
    Array.from({ length: 6 }, (_, i) => i).flatMap((delay) =>
      ["off", "on"].map((cache): SweepCell => ({
        parameters: { connections, delay: `d${delay}`, cache },
        rate: 1_000 * (delay + 1),
      }))
    )
  );
  const { facets, findings, table } = figureOf(cells);
  assert.deepEqual(facets.map(({ label }) => label), ["cache off", "cache on"]);
  assert.ok(facets.every(({ series }) => series.length === 6));
  assert.deepEqual(facets[0].drawings[0].chart.y, facets[1].drawings[0].chart.y);
  assert.equal(table.rows.length, 36);
  assert.equal(findings.at(-1), "6 more lines: see the figures and the table.");
});

Deno.test("sweep: targets keep their colours in every scenario", () => {
  const results = sweepResults(
    ["slow", "fast"].flatMap((target) =>
      [1, 2, 3].map((connections): SweepCell => ({
        target,
        parameters: { connections },
        rate: 1_000,
      }))
    ),
  );
  const alone = results.runs.filter(({ target }) => target === "fast")
    .map((run) => ({ ...run, scenario: "other" }));
  const { sweeps } = reportModel({ ...results, runs: [...results.runs, ...alone] }).context;
  assert.deepEqual(
    sweeps.map(({ figures }) =>
      Object.fromEntries(figures[0].facets[0].series.map(({ label, color }) => [label, color]))
    ),
    [
      { slow: 0, fast: 1 },
      { fast: 1 },
    ],
  );
});

Deno.test("a point whose percentile lower bounds reach is one itself, without an interval", () => {
  const results = sweepResults([1, 2, 4].map((n) => ({ parameters: { n }, rate: 1_000 })));
  for (const { latency } of results.runs) latency.censored = Math.ceil(latency.count / 50);
  const [{ facets: [{ drawings }] }] = reportModel(results).context.sweeps[0].figures;
  const points = drawings.flatMap(({ chart }) => chart.series[0].points?.[0] ?? []);
  assert.deepEqual(points.map(({ lines: [text] }) => /: ≥/.test(text)), [false, false, true]);
  assert.deepEqual(points.map(({ low }) => low === null), [false, false, true]);
});

Deno.test("sweeps are told in the terminal and in markdown, and not at all without factors", () => {
  const model = reportModel(sweepResults(atRates(RATES, (rate) => Math.min(rate, 4_900))));
  const options = { color: false, unicode: true, width: 200 };
  assert.match(
    renderSummary(model, options),
    /\nSweeps\n\nstatic by rate\na serves 4,9\d\d requests\/s at most; it stops/,
  );
  assert.match(
    renderMarkdown(model),
    /\n#### static by rate\n\na serves 4,9\d\d requests\/s at most; it stops/,
  );
  const none = reportModel(sweepResults([{ parameters: {}, rate: 1_000 }]));
  assert.doesNotMatch(renderSummary(none, options) + renderMarkdown(none), /Sweeps|static by/);
});
