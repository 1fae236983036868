/** How latencies are distributed: what of all requests a figure draws, in which order, and what it may not know. */
import assert from "node:assert/strict";
import type { Xy, XySeries } from "../../report/chart.ts";
import { reportModel } from "../../report/model.ts";
import { censoredResults, FROZEN, TIMED_OUT } from "./censored_results.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { chartsIn, saidAs, tableIn } from "./said.ts";

function densityOf(cells: readonly Omit<CellSpec, "scenario">[]): Xy {
  const results = resultsFixture({ cells: cells.map((cell) => ({ ...cell, scenario: "s" })) });
  const model = reportModel(results);
  const density = chartsIn(model, "s1/latency", "xy")[0];
  assert.ok(density);
  return density;
}

Deno.test("series lie above each other in the order of the tables, whatever their medians", () => {
  const model = reportModel(resultsFixture({
    cells: [[2, 9], [4, 30], [8, 5]].map(([connections, medianMs]) => ({
      ...{ target: "a", scenario: "s", parameters: { connections } },
      ...{ connections, medianMs },
    })),
  }));
  const [{ series, ridges }] = chartsIn(model, "s1/latency", "xy");
  const labels = [2, 4, 8].map((n) => `a · connections ${n}`);
  assert.deepEqual(series.map(({ label }) => label), labels);
  assert.deepEqual(
    tableIn(model, "s1/percentiles").rows.map(([{ text }]) => text),
    labels,
  );
  assert.equal(ridges, true);
  const [half] = saidAs(model, "s1/latency", "half");
  assert.deepEqual(half.match(/connections \d/g), [
    "connections 2",
    "connections 4",
    "connections 8",
  ]);
});

Deno.test("what lies within each edge grows to all completed requests, by the shares that are drawn", () => {
  const { series: [{ values = [], within = [] }], at = [] } = densityOf([
    { target: "a", medianMs: 5 },
  ]);
  assert.deepEqual([values.length, within.length], [at.length - 1, at.length]);
  assert.ok(within[0] < 0.2, `${within[0]}`);
  const last = within[within.length - 1];
  assert.ok(last > 95 && last <= 100, `${last}`);
  const sum = values.reduce((all: number, share) => all + (share ?? 0), 0);
  assert.ok(Math.abs(sum - (100 - within[0])) < 0.2, `${sum}`);
});

Deno.test("from where lower bounds begin, what lies within a limit is a bound itself", () => {
  const model = reportModel(censoredResults({ timed: TIMED_OUT, frozen: FROZEN }));
  const [density] = chartsIn(model, "s1/latency", "xy");
  const { at = [] } = density;
  const of = (label: string): XySeries | undefined =>
    density.series.find((one) => one.label === label);
  // 607 of 1,000, and 98 of 100; what froze had waited for 5 ms or longer, what timed out for a second.
  assert.equal(of("frozen")?.within?.at(-1), 60.7);
  assert.equal(of("timed")?.within?.at(-1), 98);
  assert.equal(of("timed")?.boundsFrom, undefined);
  const from = of("frozen")?.boundsFrom ?? Infinity;
  assert.ok(from < at.length && at[from] < 20, `${at[from]}`);
});
