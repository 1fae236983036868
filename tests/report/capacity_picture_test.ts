import assert from "node:assert/strict";
import { breakingWord } from "../../report/subjects/capacity_picture.ts";
import type { Reference } from "../../report/chart.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import type { CapacityTrial, RunCapacity } from "../../runner/result/capacity.ts";
import { resultsFixture } from "./fixture.ts";
import { chartsIn } from "./said.ts";

function trialAt(ratePerSec: number, p99: number, counts = true): CapacityTrial {
  return {
    ratePerSec,
    plannedS: 5,
    elapsedS: 5,
    completedPerSec: Math.min(ratePerSec, 1_280),
    outcome: p99 < 50 ? "held" : "broken",
    counts,
    rules: [],
    p50: p99 / 4,
    p99,
    success: 1,
    trust: counts ? "valid" : "invalid",
    findings: [],
    recoveryS: 0.5,
  };
}

const FOUND = { value: 1_270, low: 1_262, high: 1_279, bound: "target" as const };

const SEARCH: RunCapacity = {
  within: ["p99 < 50ms", "success >= 99.9%"],
  widthRatio: 0.02,
  trialS: [5, 30],
  budgetS: 1_200,
  peakPerSec: 1_300,
  end: "found",
  capacity: FOUND,
  binding: "p99 < 50ms",
  breaking: [],
  trials: [trialAt(1_000, 5), trialAt(2_000, 900), trialAt(900, 70, false), trialAt(1_250, 26)],
};

function modelOf(searches: readonly RunCapacity[]): ReportModel {
  const { runs, ...rest } = resultsFixture({
    cells: [{ target: "express", scenario: "static", medianMs: 3, runs: searches.length }],
  });
  const searched = runs.map((run, i) => ({ ...run, capacity: searches[i] }));
  return reportModel({ ...rest, runs: searched });
}

Deno.test("a scenario without a search for a capacity has no picture of one", () => {
  const model = reportModel(
    resultsFixture({ cells: [{ target: "a", scenario: "static", medianMs: 3 }] }),
  );
  assert.ok(model.groups.every(({ id }) => id !== "capacity"));
});

Deno.test("latency stands over the rate that was achieved, with the limit of the rule for latency alone", () => {
  const [latency] = chartsIn(modelOf([SEARCH]), "capacity/1", "xy");
  const [limit, knee, ...others] = latency.references ?? [];
  assert.deepEqual(limit, { kind: "horizontal", at: 50, color: "alarm" });
  const { label, color, ...found } = knee as Extract<Reference, { kind: "vertical" }>;
  assert.deepEqual(found, { kind: "vertical", at: 1_270, low: 1_262, high: 1_279 });
  assert.deepEqual([label, color, others], ["express", 0, []]);
  const [{ points = [] }, p50] = latency.series;
  assert.deepEqual(points.map(({ x, y }) => [x, y]), [[900, 70], [1_000, 5], [1_250, 26], [
    1_280,
    900,
  ]]);
  assert.ok(p50.isFaint);
  assert.deepEqual(points.map(({ fill }) => fill === "hollow"), [true, false, false, true]);
});

Deno.test("bounds close in by the trials that count", () => {
  const [, chart] = chartsIn(modelOf([SEARCH]), "capacity/1", "xy");
  const [{ points = [] }] = chart.series;
  assert.deepEqual(points.map(({ low, high }) => [low, high]), [
    [null, null],
    [1_000, 2_000],
    [1_000, 2_000],
    [1_250, 2_000],
  ]);
  assert.deepEqual(points.map(({ mark }) => mark === "cross"), [false, false, true, false]);
});

Deno.test("of several runs each has bounds of its own, and the median run is told", () => {
  const faster = { ...SEARCH, capacity: { ...FOUND, value: 1_300, high: 1_310 } };
  const slower = { ...SEARCH, capacity: { ...FOUND, value: 1_200, low: 1_190 } };
  const [latency, trials] = chartsIn(modelOf([faster, SEARCH, slower]), "capacity/1", "xy");
  const { points = [] } = trials.series[0];
  assert.deepEqual(points.map(({ x }) => x), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  assert.equal(points[4].low, null);
  const knee = latency.references?.find(({ kind }) => kind === "vertical");
  assert.ok(knee && "at" in knee && knee.at === 1_270);
});

Deno.test("a target falls off a cliff by its p99 or its success, and is on a slope else", () => {
  const at = (ofCapacity: number, p99: number, success = 1) => ({
    ...{ ofCapacity, ratePerSec: ofCapacity * 1_000, p99, success, recoveryS: 1 },
  });
  assert.equal(breakingWord([at(1, 40), at(1.1, 160)]), "cliff");
  assert.equal(breakingWord([at(1, 40), at(1.1, 159)]), "slope");
  assert.equal(breakingWord([at(1, 40), at(1.1, 41, 0.89)]), "cliff");
  assert.equal(breakingWord([at(0.8, 4), at(1.3, 400)]), "");
});
