import assert from "node:assert/strict";
import { COLORS } from "../../report/cells/colors.ts";
import { legendOf } from "../../report/chart.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { around } from "./rates.ts";
import { chartsIn, tableIn, tablesIn } from "./said.ts";
import { type SweepCell, sweepResults } from "./sweep_results.ts";

function modelOf(cells: readonly SweepCell[]): ReportModel {
  return reportModel(sweepResults(cells));
}

/** What the first line has in the table of growths, by column, with intervals; absent: nothing. */
function growth(cells: readonly SweepCell[]): Readonly<Record<string, string>> {
  const { columns, rows: [row] } = tableIn(modelOf(cells), "sweeps", "Growth");
  const texts = row.map(({ text, below = "" }) =>
    `${text} ${below}`.replaceAll("\u00a0", " ").trim()
  );
  return Object.fromEntries(columns.map(({ label }, i) => [label, texts[i]]));
}

/** Rate, p50 and p99 of each facet. */
function chartsOf(cells: readonly SweepCell[]): ReturnType<typeof chartsIn<"xy">> {
  return chartsIn(modelOf(cells), "sweeps", "xy");
}

/** Headings of what there is on each factor. */
function headings({ groups }: ReportModel): string[] {
  return groups.filter(({ id }) => id === "sweeps").flatMap(({ blocks }) =>
    blocks.flatMap((block) => block.kind === "group" ? [block.title] : [])
  );
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

const COUNTS = [1, 2, 4, 8, 16, 32, 64];

Deno.test("sweep: a line that follows the scalability law has its terms, and only those that its runs show", () => {
  const both = growth(byLaw(0.05, 0.001, COUNTS));
  assert.match(both["Contention"], /^(?:4\.\d+|5(?:\.\d+)?) \[/);
  assert.match(both["Coherency"], /^0\.\d+ \[/);
  assert.match(both["Most served with"], /^(?:29|3\d)(?:\.\d)? \[/);
  // Each further one serves less from the first on: that is no peak.
  const falling = growth(byLaw(0.9, 0.2, COUNTS));
  assert.match(falling["Coherency"], /^\d+ \[|^\d+\.\d+ \[/);
  assert.equal(falling["Most served with"], undefined);
  const contended = growth(byLaw(0.05, 0, COUNTS));
  assert.match(contended["Contention"], /^(?:4|5)[.\d]* \[/);
  assert.equal(contended["Most served with"], undefined);
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
  for (const cells of lines) assert.equal(growth(cells)["Contention"], undefined);
});

/** So many requests/s at each number of connections. */
function byConnections(counts: readonly number[], served: (n: number) => number): SweepCell[] {
  return counts.map((connections) => ({ parameters: { connections }, rate: served(connections) }));
}

const GROWTHS: [
  sentence: string,
  cells: readonly SweepCell[],
  expected: [growth: string, most: RegExp, at: string, stopsAt?: RegExp],
][] = [
  [
    "a capacity is where requests/s leave what was asked for",
    atRates(RATES, (rate) => Math.min(rate, 4_900)),
    ["stops", /^4,9\d\d$/, "6,000/s", /^4,\d\d\d\/s \[4,8\d\d, 4,9\d\d\]$/],
  ],
  [
    "one that keeps up has no knee",
    atRates(RATES, (rate) => rate),
    ["keeps up to the end", /^8,0\d\d$/, "8,000/s"],
  ],
  [
    "growth with connections ends between measured values",
    byConnections([1, 2, 4, 8, 16, 32], (n) => 800 * Math.min(n, 6)),
    ["stops", /^4,8\d\d$/, "16", /^6 \[4, 8\]$/],
  ],
  [
    "what grows to the end says so",
    byConnections([1, 4, 16, 64], (n) => 500 * n),
    ["to the end", /^32,\d+$/, "64"],
  ],
  [
    "what falls says so",
    [0, 100, 300, 1_000].map((ms, i) => ({
      parameters: { "set.delay": `${ms}ms` },
      rate: 5_000 / (1 + i),
    })),
    ["falls", /^5,\d+$/, "0ms"],
  ],
  ["what nothing changes says so", byConnections([1, 4, 16, 64], () => 3_000), [
    "none",
    /^3,00\d$/,
    "64",
  ]],
  [
    "values with too many wrong responses count for nothing",
    byConnections([1, 4, 16, 64], (n) => 1_000 * n)
      .map((cell, i) => ({ ...cell, wrongRatio: i === 3 ? 0.5 : 0, medianMs: 2 })),
    ["unknown: needs 4 values", /^16,\d+$/, "16"],
  ],
];

for (const [sentence, cells, [kind, most, at, stopsAt]] of GROWTHS) {
  Deno.test(`sweep: ${sentence}`, () => {
    const found = growth(cells);
    const name = Object.keys(found).find((label) => label.startsWith("At ")) ?? "";
    assert.deepEqual([found["Growth"], found[name]], [kind, at]);
    assert.match(found["Most requests/s"], most);
    if (stopsAt === undefined) assert.equal(found["Stops growing at"], undefined);
    else assert.match(found["Stops growing at"], stopsAt);
    assert.equal(found["Not counted"], /wrong/.test(sentence) ? "64" : undefined);
  });
}

Deno.test("sweep: how many values a knee needs depends on the factor", () => {
  const refused = atRates([1_000, 2_000, 4_000], (rate) => rate / 2)
    .map((cell, i) => ({ ...cell, wrongRatio: i === 2 ? 0.5 : 0 }));
  assert.equal(growth(refused)["Growth"], "unknown: needs 3 values");
  assert.equal(
    growth(byConnections([2, 4, 8], (n) => 500 * n))["Growth"],
    "unknown: needs 4 values",
  );
});

Deno.test("sweep: only the columns that a table has are explained", () => {
  const explained = (cells: readonly SweepCell[]): string =>
    tableIn(modelOf(cells), "sweeps", "Growth").notes.join(" ");
  assert.equal(explained(byConnections([2, 4, 8], (n) => 500 * n)), "");
  assert.match(
    explained(byConnections([1, 2, 4, 8, 16, 32], (n) => 800 * Math.min(n, 6))),
    /^Growth stops at/,
  );
  assert.match(
    explained(byLaw(0.05, 0.001, COUNTS)),
    /Contention, .*Coherency, .*“Most served with”/,
  );
  assert.doesNotMatch(explained(byLaw(0.05, 0, COUNTS)), /Coherency|Most served|Not counted/);
});

Deno.test("sweep: points stand at their numbers with the intervals of their cells", () => {
  const [{ references: [offered, knee] = [], series: [{ points = [] }] }] = chartsOf(
    atRates(RATES, (rate) => Math.min(rate, 4_900)),
  );
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
  const [{ series: [{ points = [] }] }] = chartsOf(cells);
  assert.ok(points.every(({ low, high }) => low === null && high === null));
  assert.equal(growth(cells)["Stops growing at"], "4,900/s");
});

Deno.test("sweep: decades make the axis logarithmic, unless there is a 0", () => {
  const axes = [[1, 2, 3], [1, 10, 100], [0, 1, 10, 100]].map((values) =>
    chartsOf(values.map((cpuTime) => ({ parameters: { cpuTime }, rate: 1_000 })))[0].x
  );
  assert.deepEqual(axes.map(({ scale }) => scale), ["linear", "log", "linear"]);
  assert.deepEqual(axes[2].ticks?.map(({ text }) => text), ["0", "1", "10", "100"]);
});

Deno.test("sweep: texts with units are numbers, in the order of their size", () => {
  const cells = ["64KB", "1MB", "512B", "8KB"].map((size) => ({
    parameters: { size },
    rate: 1_000,
  }));
  const { rows } = tableIn(modelOf(cells), "sweeps", "static");
  assert.deepEqual(rows.map((row) => row[1].text), ["512B", "8KB", "64KB", "1MB"]);
  assert.deepEqual(rows.map((row) => row[1].value), [512, 8_000, 64_000, 1_000_000]);
});

Deno.test("sweep: two values, texts and mixed units make no figure", () => {
  const count = (values: readonly (string | number)[]): number =>
    chartsOf(values.map((value) => ({ parameters: { value }, rate: 1_000 }))).length;
  assert.deepEqual([[1, 2], ["redis", "memory", "none"], ["1s", "1MB", "1/s"]].map(count), [
    0,
    0,
    0,
  ]);
  assert.equal(count([1, 2, 3]), 3);
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
  const lines = legendOf(chartsOf(cells)[0]);
  assert.deepEqual(lines.map(({ label, color }) => `${label}: ${color % COLORS}`).sort(), [
    "fast · cache off: 1",
    "fast · cache on: 1",
    "slow · cache off: 0",
    "slow · cache on: 0",
  ]);
  assert.equal(new Set(lines.map(({ color }) => color)).size, 4);
});

Deno.test("sweep: factors that end alike keep their whole paths", () => {
  const cells = [1, 2, 3].map((ttl): SweepCell => ({
    parameters: { "proxy.ttl": ttl, "inner.proxy.ttl": "1s" },
    rate: 1_000,
  }));
  assert.deepEqual(headings(modelOf(cells)), ["static by proxy.ttl"]);
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
  const charts = chartsOf(cells);
  assert.deepEqual(charts.map(({ series }) => series.length), Array(6).fill(6));
  assert.match(charts[0].alt, /of static, cache off against/);
  assert.match(charts[3].alt, /of static, cache on against/);
  assert.deepEqual(charts[0].y, charts[3].y);
  assert.equal(tableIn(modelOf(cells), "sweeps", "static").rows.length, 36);
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
  const model = reportModel({ ...results, runs: [...results.runs, ...alone] });
  const [rate, , , other] = chartsIn(model, "sweeps", "xy");
  assert.deepEqual([rate, other].map(legendOf), [
    [{ label: "fast", color: 1 }, { label: "slow", color: 0 }],
    [{ label: "fast", color: 1 }],
  ]);
});

Deno.test("a point whose percentile lower bounds reach is one itself, without an interval", () => {
  const results = sweepResults([1, 2, 4].map((n) => ({ parameters: { n }, rate: 1_000 })));
  for (const { latency } of results.runs) latency.censored = Math.ceil(latency.count / 50);
  const points = chartsIn(reportModel(results), "sweeps", "xy")
    .flatMap(({ series }) => series[0].points?.[0] ?? []);
  assert.deepEqual(points.map(({ lines: [text] }) => /: ≥/.test(text)), [false, false, true]);
  assert.deepEqual(points.map(({ low }) => low === null), [false, false, true]);
});

Deno.test("sweeps are told in the terminal and in markdown, and not at all without factors", () => {
  const model = modelOf(atRates(RATES, (rate) => Math.min(rate, 4_900)));
  const options = { color: false, unicode: true, width: 200 };
  assert.match(
    renderSummary(model, options),
    /\nFactors\nstatic by rate\nTarget .*\na .* 4,9\d\d /,
  );
  assert.match(renderMarkdown(model), /\n#### static by rate\n\n\| Target \|/);
  assert.deepEqual(headings(modelOf([{ parameters: {}, rate: 1_000 }])), []);
});

// Which factor explains how much.

/** The table of what is explained; null where nothing is. */
function weightsTable(cells: readonly SweepCell[]): ReturnType<typeof tablesIn>[number] | null {
  const captions = /^(?:Variance explained|How factors change requests\/s) in /;
  return tablesIn(modelOf(cells), "sweeps").find(({ caption }) => captions.test(caption)) ?? null;
}

/** Texts of its rows. */
function weights(cells: readonly SweepCell[]): string[][] {
  return weightsTable(cells)?.rows.map((row) => row.map(({ text }) => text)) ?? [];
}

/** Requests/s grow 8 times with connections, in steps of equal ratio, and as given with the target. */
function explained(factors: readonly number[], connections = [1, Math.sqrt(8), 8]): SweepCell[] {
  return ["slow", "fast"].flatMap((target, i) =>
    connections.map((n): SweepCell => ({
      target,
      parameters: { connections: n },
      rate: 0,
      rates: around(1_000 * n * factors[i]),
    }))
  );
}

Deno.test("weights: shares of the variance, and what each factor does from end to end", () => {
  const rows = weights(explained([1, 2]));
  assert.deepEqual(rows.map(([name, ends, share, rate]) => [name, ends, rate, share]), [
    ["target", "slow → fast", "2.00", "14.3"],
    ["connections", "1 → 8", "8.00", "85.7"],
    ["interaction", "", "–", "–"],
    ["between runs", "", "–", "0.0069"],
  ]);
});

Deno.test("weights: a factor that does nothing has no share, and what noise alone does none either", () => {
  const noise = [0, 3, -2, 1, -1, 2, -3];
  const cells = [1, 2, 4].flatMap((n, i) =>
    ["slow", "fast"].map((target, t): SweepCell => ({
      target,
      parameters: { connections: n },
      rate: 0,
      rates: Array.from(
        { length: 5 },
        (_, run) => 1_000 + 8 * noise[(3 * run + 2 * i + 5 * t) % 7],
      ),
    }))
  );
  assert.deepEqual(weights(cells).map(([name, , share]) => [name, share]).slice(0, 3), [
    ["target", "–"],
    ["connections", "–"],
    ["interaction", "–"],
  ]);
});

Deno.test("weights: shares take three repetitions, and no variance is spoken of without them", () => {
  const twice = explained([1, 2]).map((cell) => ({ ...cell, rates: cell.rates?.slice(0, 2) }));
  const wordsOf = (cells: readonly SweepCell[]): string =>
    JSON.stringify([weightsTable(cells)?.caption, weightsTable(cells)?.notes]);
  assert.match(wordsOf(explained([1, 2])), /Variance explained in .*analysis of variance/);
  assert.match(wordsOf(twice), /How factors change requests\/s in .*geometric mean/);
  assert.doesNotMatch(wordsOf(twice) + headings(modelOf(twice)), /variance/i);
  assert.deepEqual(weights(twice).map(([name, , rate]) => [name, rate]), [
    ["target", "2.00"],
    ["connections", "7.98"],
  ]);
});

Deno.test("weights: a factor that one target has alone is told with the target", () => {
  const rows = weights([0, 500].flatMap((cpuTime): SweepCell[] => [
    { target: "one", parameters: { cpuTime }, rate: 1_000 },
    { target: "cluster", parameters: { cpuTime, "cluster.instances": 2 }, rate: 2_000 },
    { target: "cluster", parameters: { cpuTime, "cluster.instances": 4 }, rate: 4_000 },
  ]));
  assert.deepEqual(rows.slice(0, 2).map(([name]) => name), ["target and instances", "cpuTime"]);
  assert.equal(rows[0][1], "one → cluster · instances 4");
});

/** “From → to” of each row of both tables, in results whose experiment says what is compared. */
function effects(cells: readonly SweepCell[], experiment: Record<string, unknown>): string[] {
  const results = sweepResults(cells);
  const model = reportModel({ ...results, experiment: { ...results.experiment, ...experiment } });
  return tablesIn(model, "sweeps").filter(({ columns }) => columns[1].label === "From → to")
    .flatMap(({ rows }) => rows.map(([, { text }]) => text)).filter((text) => text !== "");
}

Deno.test("effects: they lead from the base, or else from the first target in the file", () => {
  const cells = explained([2, 1], [1, 4, 8]).map((cell): SweepCell => ({
    ...cell,
    target: cell.target === "slow" ? "quiet" : "logging",
  }));
  const parts = ["1 → 4", "1 → 8"];
  assert.deepEqual(effects(cells, {}), [
    ...["quiet → logging", "1 → 8"],
    ...["quiet → logging", ...parts],
  ]);
  assert.deepEqual(effects(cells, { base: "logging" }), [
    ...["logging → quiet", "1 → 8"],
    ...["logging → quiet", ...parts],
  ]);
  assert.equal(weightsTable(cells)?.rows[0].at(-1)?.text, "0.500");
});

Deno.test("effects: words come in the file's order, and lead to the one that differs most", () => {
  const cells = [["none", 4], ["redis", 2], ["memory", 3]].flatMap(([cache, times]) =>
    [1, 2].map((connections): SweepCell => ({
      parameters: { "set.cache": String(cache), connections },
      rate: 1_000 * connections * Number(times),
    }))
  );
  const targets = { a: { set: { cache: ["none", "redis", "memory"] } } };
  assert.deepEqual(effects(cells, { targets }), [
    ...["none → redis", "1 → 2"],
    ...["none → redis", "none → memory", "1 → 2"],
  ]);
  assert.deepEqual(effects(cells, { targets, base: "memory" }), [
    ...["memory → redis", "1 → 2"],
    ...["memory → none", "memory → redis", "1 → 2"],
  ]);
});

Deno.test("weights: a missing combination leaves nothing to weigh, nor do four cells", () => {
  const cells = explained([1, 2]);
  for (const some of [cells.slice(1), [0, 2, 3, 5].map((at) => cells[at])]) {
    assert.deepEqual(weights(some), []);
  }
});

Deno.test("weights: what a factor does a thousand times over is written out", () => {
  assert.equal(weights(explained([1, 1_500], [1, 4, 8]))[0][3], "1,500");
});
