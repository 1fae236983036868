import assert from "node:assert/strict";
import { type ReportModel, reportModel } from "../../report/model.ts";
import type { Table } from "../../report/subjects/tables/table.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, type Rates, resultsAt } from "./rates.ts";
import { chartsIn, factsIn, said, saidAs, tableIn } from "./said.ts";

const TWO: readonly CellSpec[] = [
  { target: "slow", scenario: "static", medianMs: 20, runs: 2, warmUp: 5 },
  { target: "fast", scenario: "static", medianMs: 5, runs: 2 },
  { target: "fast", scenario: "fib", medianMs: 40, runs: 2 },
];

/** Values of a table's column by the names of its rows. */
function columnOf({ columns, rows }: Table, label: string): Record<string, number | undefined> {
  const index = columns.findIndex((column) => column.label === label);
  assert.notEqual(index, -1, `no column ${label}`);
  return Object.fromEntries(rows.map((row) => [row[0].text, row[index].value]));
}

Deno.test("scenarios keep the order of the experiment file, and targets come from the fastest", () => {
  const results = resultsFixture({ cells: TWO });
  results.runs.reverse();
  const { scenarios } = reportModel(results).context;
  assert.deepEqual(scenarios.map(({ name }) => name), ["static", "fib"]);
  assert.deepEqual(scenarios[0].cells.map(({ label }) => label), ["fast", "slow"]);
});

Deno.test("a target has the same colour in every scenario", () => {
  const [first, second] = reportModel(resultsFixture({ cells: TWO })).context.scenarios
    .map(({ cells }) => cells.map(({ label, color }) => ({ label, color })));
  assert.deepEqual(first, [{ label: "fast", color: 1 }, { label: "slow", color: 0 }]);
  assert.deepEqual(second, [{ label: "fast", color: 1 }]);
});

Deno.test("factors are part of a cell's name and order it by number, not by letter", () => {
  const cells = [200, 50, 1_000].map((connections): CellSpec => ({
    target: "api",
    scenario: "static",
    medianMs: 20,
    duration: 1,
    connections,
    parameters: { connections, "set.cache": "redis" },
  }));
  const model = reportModel(resultsFixture({ cells }));
  const series = model.context.scenarios[0].cells;
  const facts = factsIn(model);
  assert.deepEqual(series.map(({ label }) => label), [
    "api · connections 50 · cache redis",
    "api · connections 200 · cache redis",
    "api · connections 1000 · cache redis",
  ]);
  assert.match(facts.map(({ text }) => text).join(), /50, 200 or 1,000 connections/);
});

Deno.test("the summary has medians of rates and pooled percentiles", () => {
  const results = resultsFixture({ cells: TWO });
  const model = reportModel(results);
  const summary = tableIn(model, "verdict/1");
  const rates = results.runs.filter(({ target }) => target === "slow").map(({ rate }) => rate);
  assert.equal(columnOf(summary, "Requests/s")["slow"], (rates[0] + rates[1]) / 2);
  const p99 = columnOf(summary, "p99")["fast"] ?? 0;
  const each = results.runs
    .filter(({ target, scenario }) => target === "fast" && scenario === "static")
    .map(({ latency }) => latency.percentiles["99"]);
  assert.ok(p99 >= Math.min(...each) && p99 <= Math.max(...each));
});

Deno.test("the table of runs has every run's figures as they are in the results", () => {
  const results = resultsFixture({ cells: [{ ...TWO[0], runs: 1 }] });
  const [run] = results.runs;
  const model = reportModel(results);
  const runs = tableIn(model, "s1/runs");
  const value = (label: string): number | undefined => columnOf(runs, label)["slow"];
  assert.equal(value("Requests/s"), run.rate);
  assert.equal(value("p99.9"), run.latency.percentiles["99.9"]);
  assert.equal(value("Completed"), run.requests.completed);
  assert.equal(value("Generator CPU"), run.generator.cpu);
});

Deno.test("outcomes account for every request that was due", () => {
  const cells = [{ ...TWO[0], timeoutRatio: 0.02, wrongRatio: 0.1 }];
  const results = resultsFixture({ cells });
  const model = reportModel(results);
  const outcomes = tableIn(model, "outcomes/1", "Outcomes");
  const of = (label: string): number => columnOf(outcomes, label)["slow"] ?? NaN;
  assert.ok(of("Timed out") > 0 && of("Wrong responses") > 0);
  assert.equal(of("Due"), of("Status 200") + of("Status 500") + of("Timed out") + of("Unfinished"));
});

Deno.test("a percentile that too few requests support is marked weak", () => {
  const model = reportModel(resultsFixture({ cells: [{ ...TWO[0], runs: 1, duration: 1 }] }));
  const percentiles = tableIn(model, "s1/percentiles");
  const weak = percentiles.columns
    .filter((_, i) => percentiles.rows[0][i].weak)
    .map(({ label }) => label);
  assert.deepEqual(weak, ["p99.9", "p99.99"]);
  assert.match(percentiles.notes.join(" "), /percentiles that fewer than ten requests exceed/);
});

Deno.test("timelines of a scenario share their axes, which hold every point", () => {
  const model = reportModel(resultsFixture({ cells: TWO }));
  const timelines = chartsIn(model, "s1/time", "timeline");
  const [slow, fast] = timelines;
  assert.deepEqual(slow.latency, fast.latency);
  assert.deepEqual(slow.rate, fast.rate);
  for (const { latency, rate, runs } of timelines) {
    const values = runs.flatMap((run) => run.latency.flat());
    assert.ok(
      values.every((value) => value !== null && value >= latency.min && value <= latency.max),
    );
    assert.ok(runs.every((run) => run.rate.every((value) => value <= rate.max)));
  }
});

Deno.test("an interval without a request is a gap, not a latency of 0", () => {
  const results = resultsFixture({ cells: [{ ...TWO[0], runs: 1 }] });
  Object.assign(results.runs[0].timeline.points[3], {
    completed: 0,
    histogram: "",
    ...{ p50: 0, p75: 0, p90: 0, p99: 0, max: 0 },
  });
  const [{ runs: [{ latency, rate }] }] = chartsIn(reportModel(results), "s1/time", "timeline");
  assert.deepEqual(latency.map((values) => values[3]), [null, null, null, null]);
  assert.equal(rate[3], 0);
});

Deno.test("a last interval that was cut short does not look like a collapse", () => {
  const results = resultsFixture({ cells: [{ ...TWO[0], runs: 1 }] });
  const { points } = results.runs[0].timeline;
  const { endS } = points[points.length - 1];
  points.push({ ...points[0], endS: endS + 0.004, completed: 1 });
  const [{ runs: [run] }] = chartsIn(reportModel(results), "s1/time", "timeline");
  assert.equal(run.t.length, points.length - 1);
});

Deno.test("shares of the latency histogram are of all requests of their cell", () => {
  const [density] = chartsIn(reportModel(resultsFixture({ cells: TWO })), "s1/latency", "xy");
  for (const { values = [] } of density.series) {
    assert.equal(values.length, (density.at?.length ?? 0) - 1);
    const total = values.reduce((total: number, share) => total + (share ?? 0), 0);
    assert.ok(total > 99 && total < 100.1, `${total} %`);
  }
});

Deno.test("parts without a measurement are told once per reason", () => {
  const model = reportModel(missingRedis());
  assert.deepEqual(said(model, "missing"), [
    { code: "missing.skipped", text: "redis, slow; fast, run 2: skipped: there is no Redis" },
  ]);
  assert.match(
    saidAs(model, "about", "parts-missing").join(),
    /2 parts of the plan were not measured/,
  );
});

function missingRedis(): ReturnType<typeof resultsFixture> {
  const part = { scenario: "redis", parameters: {}, reason: "there is no Redis", evidence: [] };
  return resultsFixture({
    cells: TWO,
    missing: [
      { ...part, target: "slow", repetition: null, kind: "skipped" },
      { ...part, target: "fast", repetition: 2, kind: "skipped" },
    ],
  });
}

/** Results that a crash, an early interruption or a broken target leave behind. */
const POOR: Record<string, () => ReportModel> = {
  "no run at all": () => reportModel(resultsFixture({ cells: [], state: "interrupted" })),
  "runs of targets that cannot be watched": () =>
    reportModel(resultsFixture({ cells: [{ ...TWO[0], watched: false }] })),
  "a run in which nothing was answered": () => {
    const results = resultsFixture({ cells: [{ ...TWO[0], runs: 1 }] });
    const none = { count: 0, min: 0, mean: 0, stdev: 0, max: 0 };
    const percentiles = { "50": 0, "75": 0, "90": 0, "95": 0, "99": 0, "99.9": 0, "99.99": 0 };
    Object.assign(results.runs[0], {
      rate: 0,
      requests: { due: 0, completed: 0, failed: 0, unfinished: 0, dropped: 0 },
      status: {},
      checks: { passed: 0, failed: 0 },
      histogram: encodeHistogram(new Histogram().toSparse()),
      latency: { ...none, percentiles, clock: "sent", censored: 0, fastest: 0 },
      timeline: { intervalS: 0.25, points: [] },
      resources: [],
    });
    return reportModel(results);
  },
};

for (const [sentence, model] of Object.entries(POOR)) {
  Deno.test(`${sentence}: the model is whole and has no number that is none`, () => {
    const made = model();
    assert.doesNotMatch(JSON.stringify(made.groups), /NaN|Infinity|undefined/);
    made.context.scenarios.forEach((_, i) => {
      // JSON turns what is no number into null, and axes must have numbers.
      const axes = [
        ...chartsIn(made, `s${i + 1}/time`, "timeline").flatMap((one) => [one.latency, one.rate]),
        ...chartsIn(made, `s${i + 1}/latency`, "xy").flatMap(({ x, y }) => [x, y]),
      ];
      for (const axis of axes) assert.ok(axis.max > axis.min && Number.isFinite(axis.max));
    });
  });
}

Deno.test("where all serve as much, nothing is traded for it", () => {
  const tradeoff = (rates: Rates) => chartsIn(reportModel(resultsAt(rates)), "tradeoff", "xy")[0];
  assert.equal(tradeoff({ a: around(1_000), b: around(1_003) }), undefined);
  assert.notEqual(tradeoff({ a: around(1_000), b: around(1_100) }), undefined);
});
