import assert from "node:assert/strict";
import { rangeOf } from "../../report/figures/figures.ts";
import { formatInterval, GLUE } from "../../report/writing/units.ts";
import { type CellRuns, groupRuns } from "../../report/cells/cells.ts";
import { reportModel } from "../../report/model.ts";
import { bootstrap } from "../../runner/stats/confidence/bootstrap.ts";
import { intervalOf } from "../../runner/stats/confidence/confidence_interval.ts";
import { LOOK_CONFIDENCE } from "../../runner/stats/confidence/sequential.ts";
import { decodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import type { Results } from "../../runner/result/result.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { tableIn } from "./said.ts";

function resultsOf(
  spec: Partial<CellSpec> = {},
  experiment: Record<string, unknown> = {},
): Results {
  const cell = { target: "hono", scenario: "static", medianMs: 2, runs: 5, duration: 4, ...spec };
  return resultsFixture({ cells: [cell], experiment });
}

function cellOf(...of: Parameters<typeof resultsOf>): CellRuns {
  return groupRuns(resultsOf(...of))[0].cells[0];
}

function textsOf(results: Results, column: string): { text?: string; below?: string } {
  const { columns, rows } = tableIn(reportModel(results), "s1/percentiles");
  const { text, below } = rows[0][columns.findIndex(({ label }) => label === column)];
  return { text, below };
}

Deno.test("a cell's intervals are those of the bootstrap over the blocks of its runs", () => {
  const cell = cellOf();
  // The same by hand: every interval's histogram decoded as a whole one, and more resamples.
  const runs = cell.runs.map(({ timeline: { points } }) =>
    points.map(({ completed, histogram }) => ({
      seconds: 0.25,
      completed,
      latency: decodeHistogram(histogram).toSparse(),
    }))
  );
  const [rate, p50] = bootstrap(runs, { figures: ["rate", 50], resamples: 10_000 });
  const close = (found: number, expected: number): void =>
    assert.ok(Math.abs(found / expected - 1) < 0.005, `${found}, not ${expected}`);
  const [cellRate, cellP50] = [rangeOf("rate", cell), rangeOf("p50", cell)];
  const [rateBy, p50By] = [rate, p50].map((estimate) => estimate && intervalOf(estimate));
  assert.ok("value" in cellRate && cellRate.interval && rateBy && p50By);
  assert.ok("value" in cellP50 && cellP50.interval);
  assert.equal(cellRate.value, rateBy.value);
  close(cellRate.interval.low, rateBy.low);
  close(cellRate.interval.high, rateBy.high);
  close(cellP50.interval.low, p50By.low / 1_000);
  close(cellP50.interval.high, p50By.high / 1_000);
  assert.deepEqual(cell.interval("rate"), cellRate.interval);
});

Deno.test("one run has no interval, and shows none", () => {
  const cell = cellOf({ runs: 1 });
  assert.deepEqual([cell.interval("rate"), cell.interval("mean"), cell.interval(99)], [
    null,
    null,
    null,
  ]);
  const model = reportModel(resultsOf({ runs: 1 }));
  const cells = [tableIn(model, "verdict/1"), tableIn(model, "s1/percentiles")]
    .flatMap(({ rows }) => rows.flat());
  assert.deepEqual(cells.flatMap(({ below }) => below ?? []), []);
});

Deno.test("after repeat: until the intervals are those of the looks, and wider", () => {
  const fixed = cellOf({}, { repeat: 5 });
  const looked = cellOf({}, { repeat: { until: 0.3, atMost: null, budget: null } });
  const timed = cellOf({}, { repeat: { until: null, atMost: null, budget: 60_000 } });
  const estimate = fixed.estimates.get("rate");
  assert.ok(estimate);
  assert.equal(looked.interval("rate")?.low, intervalOf(estimate, LOOK_CONFIDENCE)?.low);
  assert.deepEqual(timed.interval("rate"), fixed.interval("rate"));
  assert.ok((looked.interval("rate")?.low ?? 0) < (fixed.interval("rate")?.low ?? 0));
});

Deno.test("a percentile stands in its interval; one that the count can't support, or lower bounds reach, has none", () => {
  const results = resultsOf({ medianMs: 20 });
  const [{ cells: [cell] }] = groupRuns(results);
  for (const figure of [50, 99] as const) {
    const { text, below } = textsOf(results, `p${figure}`);
    const [low, high] = (below ?? "").match(/[\d.]+/g)?.map(Number) ?? [];
    assert.ok(low <= Number(text) && Number(text) <= high, `${text} ${below}`);
  }
  assert.match(textsOf(results, "Mean").below ?? "", /^\[/);
  assert.equal(cell.latency.count < 100_000 && cell.latency.count > 1_000, true);
  assert.equal(textsOf(results, "p99.99").below, undefined);
  const slow = textsOf(resultsOf({ medianMs: 20, timeoutRatio: 0.05 }), "p99");
  assert.match(slow.text ?? "", /^≥/);
  assert.equal(slow.below, undefined);
});

Deno.test("a cell that answers nothing has no intervals, and takes nothing down", () => {
  assert.equal(cellOf({ timeoutRatio: 1 }).interval("rate"), null);
});

const written: [low: number, high: number, text: string][] = [
  [1_200, 1_270, "[1,200, 1,270]"],
  [0.82, 0.841, "[0.820, 0.841]"],
  [0.8201, 0.8204, "[0.8201, 0.8204]"],
  [0.0659, 16.25, "[0.0659, 16.3]"],
  [99_000, 101_000, "[99,000, 101,000]"],
  [5, 5, "[5.00, 5.00]"],
  [0, 2, "[0, 2.00]"],
];

Deno.test("an interval is written with as many digits as tell its ends apart", () => {
  for (const [low, high, text] of written) {
    assert.equal(formatInterval({ low, high }).replaceAll(GLUE, " "), text);
  }
  const us = { name: "µs", size: 0.001, decimals: 1 };
  assert.equal(formatInterval({ low: 0.0321, high: 0.0484 }, us), `[32.1,${GLUE}48.4]`);
});
