import assert from "node:assert/strict";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import { type CellRuns, groupRuns } from "../../report/cells/cells.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { said, saidAs } from "./said.ts";

type Warmup = Run["warmup"];

const NEVER: Warmup = {
  label: "no-steady-state",
  steadyFromS: null,
  unsettled: "drift",
  driftRatio: 0.5,
};
const warm = (steadyFrom: number): Warmup => ({
  label: "warm-up",
  steadyFromS: steadyFrom,
  withinRatio: 0.021,
  withinMs: null,
});
const flat = (withinRatio: number, withinMs: number | null = null): Warmup => ({
  label: "flat",
  steadyFromS: 0,
  withinRatio,
  withinMs,
});
const FROZEN: Warmup = {
  label: "no-steady-state",
  steadyFromS: null,
  unsettled: "freezes",
  freezes: { count: 3, longestS: 2, shareRatio: 0.2, periodS: 10 },
};

/** Runs of 6 s that start eight times as slow. */
function resultsOf(warmups: readonly Warmup[], experiment = {}): Results {
  const results = resultsFixture({
    cells: [{
      ...{ target: "hono", scenario: "static", medianMs: 2 },
      ...{ runs: warmups.length, duration: 6, warmUp: 8 },
    }],
    experiment,
  });
  results.runs.forEach((run, i) => run.warmup = warmups[i]);
  return results;
}

const STEADY = { figures: "steady" };

function cellOf(warmups: readonly Warmup[], experiment = {}): CellRuns {
  return groupRuns(resultsOf(warmups, experiment))[0].cells[0];
}

function allTexts(model: ReportModel): string[] {
  const terminal = renderSummary(model, { width: 1_000, color: false, unicode: true });
  return [terminal, renderMarkdown(model), renderReportPage([model])]
    .map((text) => text.replaceAll("\u00a0", " "));
}

Deno.test("figures of the steady part are what a discard of the same length leaves", () => {
  const [steady, rest] = [
    cellOf([warm(2), warm(2), warm(2)], STEADY),
    cellOf([warm(2), warm(2), warm(2)], { discard: 2_000 }),
  ];
  assert.deepEqual([...steady.rate.values], [...rest.rate.values]);
  assert.deepEqual(steady.latency.percentiles, rest.latency.percentiles);
  for (const figure of ["rate", "mean", 50, 99] as const) {
    assert.deepEqual(steady.interval(figure), rest.interval(figure));
  }
});

Deno.test("a run without a steady part has no figures where they are of steady parts, and the report says so", () => {
  const cell = cellOf([warm(2), warm(2), NEVER], STEADY);
  assert.equal(cell.runs.length, 3);
  assert.deepEqual([...cell.rate.values], cell.runs.slice(0, 2).map(({ rate }) => rate));
  assert.equal(cell.latency.count, cell.runs[0].latency.count + cell.runs[1].latency.count);
  assert.ok(cell.interval("rate"));
  const model = reportModel(resultsOf([warm(2), warm(2), NEVER], STEADY));
  assert.deepEqual(saidAs(model, "about", "no-steady-part"), [
    "static, hono: 1 of 3 runs has no steady part, and so no figures.",
  ]);
});

Deno.test("where no run has a steady part the figures are of whole runs, without intervals", () => {
  const short: Warmup = { label: "too-short", steadyFromS: null };
  const cell = cellOf([short, short], STEADY);
  assert.equal(cell.rate.values.length, 2);
  assert.equal(cell.interval("rate"), null);
  const warnings = saidAs(
    reportModel(resultsOf([short, short], STEADY)),
    "about",
    "no-steady-part",
  );
  assert.match(warnings.join(), /no run has a steady part, so its figures are of whole runs/);
});

Deno.test("figures of whole runs are not asked for steady parts", () => {
  assert.deepEqual(
    saidAs(reportModel(resultsOf([warm(2), NEVER])), "about", "no-steady-part"),
    [],
  );
  assert.ok(cellOf([warm(2), NEVER]).interval("rate"));
});

Deno.test("where most runs have no steady state the headline has no interval, and says why", () => {
  const warmups = [NEVER, NEVER, flat(0.02)];
  const { interval } = cellOf(warmups);
  assert.deepEqual([interval("rate"), interval("mean"), interval(99)], [null, null, null]);
  const model = reportModel(resultsOf(warmups));
  assert.deepEqual([model.card.code, model.card.figure?.interval], ["alone", ""]);
  for (const text of allTexts(model)) {
    assert.match(
      text,
      /static, hono: no steady state in 2 of 3 runs: run longer\. Figures without a steady state have no intervals\./,
    );
  }
});

Deno.test("many unsteady cells are counted", () => {
  const cells = Array.from({ length: 6 }, (_, i) => ({
    ...{ target: `t${i}`, scenario: "static", medianMs: 2, runs: 2, duration: 6 },
  }));
  const results = resultsFixture({ cells });
  for (const run of results.runs) run.warmup = NEVER;
  assert.deepEqual(saidAs(reportModel(results), "about", "no-steady-state"), [
    "6 cells have no steady state in most of their runs, such as static, t0: " +
    "no steady state in 2 of 2 runs: run longer. Figures without a steady state have no intervals.",
  ]);
});

Deno.test("freezes are named in terminal, page and markdown", () => {
  for (const text of allTexts(reportModel(resultsOf([FROZEN, FROZEN])))) {
    assert.match(
      text,
      /In 2 of 2 runs the server sent no response for 2\.0 s, 3 times, every 10 s\./,
    );
  }
});

const findings: [warmups: Warmup[], says: RegExp][] = [
  [[flat(0.021), flat(0.012)], /^hono is flat from the start, within ± 2\.1\s?%\.$/],
  [[flat(0)], /^hono is flat from the start, within ± 0\.1\s%\.$/],
  [[flat(0.004, 0.04)], /^hono is flat from the start, within ± 0\.4\s% \(p50 ± 40\.0\sµs\)\.$/],
  [[warm(2)], /steady from 2 s on, after [\d,]+ requests, within ± 2\.1\s?%; /],
  [
    [NEVER],
    /^hono reaches no steady state: it drifts by 50 % from start to end; longer runs may\.$/,
  ],
  [
    [FROZEN],
    /^hono reaches no steady state: longer runs may\. The server sent no response for 2\.0 s, 3 times, every 10 s\.$/,
  ],
];

for (const [warmups, says] of findings) {
  Deno.test(`how flat, or why not, is told: ${says.source}`, () => {
    const [{ text }] = said(reportModel(resultsOf(warmups)), "s1/steady");
    assert.match(text, says);
  });
}
