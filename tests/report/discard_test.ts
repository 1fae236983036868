import assert from "node:assert/strict";
import { groupRuns } from "../../report/cells/cells.ts";
import { said } from "./said.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import { percentileOf } from "../../report/figures/pool.ts";
import { steadinessOf } from "../../report/findings/steady_finding.ts";
import type { Results } from "../../runner/result/result.ts";
import { decodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { resultsFixture } from "./fixture.ts";

/** Runs of 6 s that start eight times as slow. */
function resultsOf(discard: number): Results {
  return resultsFixture({
    cells: [{ target: "hono", scenario: "static", medianMs: 2, runs: 3, duration: 6, warmUp: 8 }],
    experiment: { discard },
  });
}

const cellWith = (discard: number) => groupRuns(resultsOf(discard))[0].cells[0];

Deno.test("what is discarded is left out of rate and latency, and nothing else", () => {
  const [whole, rest] = [cellWith(0), cellWith(2_000)];
  whole.runs.forEach((run, i) => {
    const kept = run.timeline.points.slice(8);
    const histogram = new Histogram();
    for (const point of kept) histogram.add(decodeHistogram(point.histogram));
    const shown = rest.runs[i];
    assert.equal(shown.rate, kept.reduce((sum, { completed }) => sum + completed, 0) / 4);
    assert.equal(shown.latency.count, histogram.count);
    assert.equal(shown.latency.percentiles["50"], histogram.valueAtPercentile(50) / 1_000);
    assert.equal(shown.latency.percentiles["99"], histogram.valueAtPercentile(99) / 1_000);
    assert.ok(Math.abs(shown.latency.mean - histogram.meanUs / 1_000) < 1e-9);
    assert.ok(shown.latency.fastest >= run.latency.fastest);
    assert.equal(
      shown.perSecond.requests.min,
      Math.min(
        ...[0, 1, 2, 3].map((second) =>
          kept.slice(4 * second, 4 * second + 4).reduce((sum, { completed }) => sum + completed, 0)
        ),
      ),
    );
    assert.deepEqual([shown.requests, shown.timeline, shown.resources, shown.elapsedS], [
      run.requests,
      run.timeline,
      run.resources,
      run.elapsedS,
    ]);
  });
  assert.ok(rest.rate.median > whole.rate.median);
  assert.ok(percentileOf(rest.latency, 99) < percentileOf(whole.latency, 99));
});

Deno.test("intervals are of what is left, too", () => {
  const { interval: intervalOf, rate } = cellWith(2_000);
  const interval = intervalOf("rate");
  assert.ok(interval && interval.low < rate.median && rate.median < interval.high);
  const whole = cellWith(0).interval("rate");
  assert.ok(whole && interval.low > whole.low);
});

Deno.test("the whole run stays beside the steady part, whatever is discarded", () => {
  assert.deepEqual(steadinessOf(cellWith(2_000)).whole, steadinessOf(cellWith(0)).whole);
});

Deno.test("intervals that begin before the end of what is discarded go as a whole", () => {
  assert.deepEqual(cellWith(1_900).runs[0].rate, cellWith(2_000).runs[0].rate);
  assert.notEqual(cellWith(2_001).runs[0].rate, cellWith(2_000).runs[0].rate);
});

Deno.test("a run of which nothing would be left stays whole", () => {
  assert.deepEqual(cellWith(60_000).runs, cellWith(0).runs);
});

Deno.test("the report says what it left out, in its method and CSV alike", () => {
  const model = reportModel(resultsOf(2_000));
  const methodOf = (of: ReportModel): string => said(of, "method").map(({ text }) => text).join();
  assert.match(methodOf(model), /The first 2\ss of every run are left out/);
  assert.match(methodOf(reportModel(resultsOf(250))), /The first 0\.25\ss of/);
  assert.doesNotMatch(methodOf(reportModel(resultsOf(0))), /left out of rates/);
  assert.deepEqual(model.context.runs.map(({ rate }) => rate), [...cellWith(2_000).rate.values]);
});

/** The same, with a last interval of 50 ms, as where a number of requests ends a run. */
function cutShort(discard: number): Results {
  const results = resultsOf(discard);
  for (const { timeline: { points } } of results.runs) {
    points.push({ ...points[0], endS: 6.05, completed: 1 });
  }
  return results;
}

Deno.test("a last interval that was cut short is no part of a whole second", () => {
  const [run] = groupRuns(cutShort(3_250))[0].cells[0].runs;
  const whole = run.timeline.points.slice(13, -1).map(({ completed }) => completed);
  assert.ok(run.perSecond.requests.min >= 4 * Math.min(...whole), "four whole intervals each");
});

Deno.test("where less than a second is left the seconds are those of the whole run, not none", () => {
  const [whole, rest] = [cellWith(0), cellWith(5_250)];
  assert.deepEqual(rest.runs[0].perSecond, whole.runs[0].perSecond);
});
