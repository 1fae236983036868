import assert from "node:assert/strict";
import { type ComparedPair, forestOf } from "../../report/subjects/tables/compared.ts";
import { reportModel } from "../../report/model.ts";
import type { ScenarioComparison } from "../../report/subjects/verdict/compared_scenarios.ts";
import type { Run } from "../../runner/result/result.ts";
import { cellLabel } from "../../report/cells/cell_label.ts";
import type { CellRuns } from "../../report/cells/cells.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";

function cell(target: string, medianMs: number, more: Partial<CellSpec> = {}): CellSpec {
  return { target, scenario: "static", medianMs, runs: 5, ...more };
}

function comparedOf(cells: readonly CellSpec[]): ScenarioComparison {
  return reportModel(resultsFixture({ cells })).context.scenarios[0].compared;
}

const FOUR = comparedOf([
  cell("express", 5),
  cell("fastify", 2.8),
  cell("koa", 7.5),
  cell("once", 4, { runs: 1 }),
]);

Deno.test("a forest plot has the ratios, intervals and verdicts of the compared table", () => {
  const { forest, table } = FOUR;
  assert.ok(table);
  const [rate] = forest;
  const shown = rate.chart.rows.map(({ label, text, word }) => `${label} ${text} ${word}`);
  const written = table.rows.map(([name, , figure]) => `${name.text} ${figure.text}`);
  assert.deepEqual(shown.slice(0, 2), written.slice(0, 2));
  assert.match(shown[2], /^once \d\.\d\d× $/);
  assert.deepEqual(rate.chart.rows.map(({ tone }) => tone), ["better", "worse", "open"]);
  assert.deepEqual(rate.chart.rows.map(({ low }) => low === null), [false, false, true]);
});

Deno.test("every interval, the margin and equality are on the axis, which is logarithmic", () => {
  for (const { chart: { axis, rows, margin = 1 } } of FOUR.forest) {
    assert.equal(axis.scale, "log");
    const ends = rows.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
    for (const end of [...ends, 1, margin, 1 / margin]) {
      assert.ok(end > axis.min && end < axis.max, `${end} in ${axis.min}–${axis.max}`);
    }
  }
});

Deno.test("an interval that says nothing is neither drawn nor on the axis", () => {
  const results = resultsFixture({ cells: [cell("a", 3, { runs: 2 }), cell("b", 5, { runs: 2 })] });
  const [first, ...runs] = results.runs;
  // One run of the two a hundred times as long for as many answers.
  const points = first.timeline.points.map((point) => ({ ...point, endS: point.endS * 100 }));
  const slow = { ...first, timeline: { ...first.timeline, points } };
  const model = reportModel({ ...results, runs: [slow, ...runs] });
  const [{ chart: { axis, rows } }] = model.context.scenarios[0].compared.forest;
  assert.match(rows[0].text, /\[too wide\]$/);
  assert.deepEqual([rows[0].low, rows[0].high, rows[0].tone], [null, null, "open"]);
  assert.ok(axis.max / axis.min < 1_000, `${axis.min}–${axis.max}`);
});

Deno.test("nothing to compare is no figure", () => {
  assert.deepEqual(comparedOf([cell("alone", 3)]).forest, []);
});

Deno.test("where requests come at a rate, only latencies are compared", () => {
  const { forest, cells } = FOUR;
  assert.equal(forest.length, 3);
  const pairs = FOUR.rows;
  assert.deepEqual(forestOf(pairs, true).map(({ title }) => title.split(" ")[0]), [
    "p50",
    "p99",
  ]);
  assert.equal(cells.length, 4);
});

Deno.test("many pairs are several charts on one axis, with every pair in one of them", () => {
  const [first] = FOUR.rows;
  const pairs = Array.from({ length: 35 }, (_, i) => ({ ...first, name: `t${i}` }));
  const charts = forestOf(pairs, true);
  assert.deepEqual(charts.map(({ chart }) => chart.rows.length), [16, 16, 16, 16, 3, 3]);
  const shown = charts.flatMap(({ chart }, i) => i % 2 === 0 ? chart.rows : []);
  assert.deepEqual(shown.map(({ label }) => label), pairs.map(({ name }) => name));
  const axes = charts.map(({ title, chart }) => `${title} ${JSON.stringify(chart.axis)}`);
  assert.equal(new Set(axes).size, 2, "of two figures");
});

type CellName = Partial<Pick<Run, "target" | "parameters">>;

/** The pair, as if it were of cells that are called so. */
function between(
  { cells: [to, of], ...pair }: ComparedPair,
  next: CellName,
  base: CellName,
): ComparedPair {
  const named = (cell: CellRuns, name: CellName): CellRuns => {
    const runs = cell.runs.map((run) => ({ ...run, ...name }));
    return { ...cell, runs, label: cellLabel(runs[0]) };
  };
  const cells = [named(to, base), named(of, next)] as const;
  return { ...pair, cells, name: cells[1].label, base: cells[0].label };
}

Deno.test("different bases are told row by row", () => {
  const [first, second] = FOUR.rows;
  const forest = forestOf([first, between(second, { target: "koa" }, { target: "hono" })], false);
  assert.deepEqual(forest[0].chart.rows.map(({ label }) => label), [
    "fastify / express",
    "koa / hono",
  ]);
});

Deno.test("what two cells share is told once", () => {
  const [pair] = FOUR.rows;
  const at = (target: string, connections: number): CellName => ({
    target,
    parameters: { connections },
  });
  const other = between(pair, at("hono", 10), at("nginx", 10));
  const self = between(pair, at("hono", 50), at("hono", 1));
  const charts = forestOf([other, self], false);
  const [{ rows }] = charts.map(({ chart }) => chart);
  assert.deepEqual(rows.map(({ label }) => label), [
    "hono / nginx · connections 10",
    "hono · connections 50 / connections 1",
  ]);
});
