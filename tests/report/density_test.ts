/** How latencies are distributed: what of all requests a figure draws, in which order, and what it may not know. */
import assert from "node:assert/strict";
import type { DensityChart } from "../../report/subjects/charts/charts.ts";
import { MOST_RIDGES } from "../../report/subjects/charts/density.ts";
import { reportModel } from "../../report/model.ts";
import { censoredResults, FROZEN, TIMED_OUT } from "./censored_results.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { chartsIn } from "./said.ts";

function densityOf(cells: readonly Omit<CellSpec, "scenario">[]): DensityChart {
  const results = resultsFixture({ cells: cells.map((cell) => ({ ...cell, scenario: "s" })) });
  const model = reportModel(results);
  const density = chartsIn(model, "s1/latency", "density")[0];
  assert.ok(density);
  return density;
}

Deno.test("series come from the lowest median, and a frame holds six of them", () => {
  const medians = [9, 2, 30, 5, 4, 8, 7, 3];
  const { series, most } = densityOf(
    medians.map((medianMs) => ({ target: `of ${medianMs}`, medianMs })),
  );
  assert.deepEqual(
    series.map(({ label }) => label),
    [2, 3, 4, 5, 7, 8, 9, 30].map((ms) => `of ${ms}`),
  );
  assert.equal(most, MOST_RIDGES);
});

Deno.test("shares, and what lies below the axis, are those of all completed requests", () => {
  const { series: [{ shares, below, completed }] } = densityOf([{ target: "a", medianMs: 5 }]);
  const sum = shares.reduce((all, share) => all + share, below);
  assert.ok(sum > 99.9 && sum <= 100.1, `${sum}`);
  assert.ok(below < 0.2, `${below}`);
  assert.ok(completed > 0.95 && completed <= 1, `${completed}`);
});

Deno.test("from where lower bounds begin, what lies within a limit is a bound itself", () => {
  const model = reportModel(censoredResults({ timed: TIMED_OUT, frozen: FROZEN }));
  const [density] = chartsIn(model, "s1/latency", "density");
  const { edges } = density;
  const of = (label: string): DensityChart["series"][number] | undefined =>
    density.series.find((one) => one.label === label);
  // 607 of 1,000, and 98 of 100; what froze had waited for 5 ms or longer, what timed out for a second.
  assert.equal(of("frozen")?.completed, 0.607);
  assert.equal(of("timed")?.completed, 0.98);
  assert.equal(of("timed")?.boundsFrom, undefined);
  const from = of("frozen")?.boundsFrom ?? Infinity;
  assert.ok(from < edges.length && edges[from] < 20, `${edges[from]}`);
});
