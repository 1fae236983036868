import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import { mergeHistograms } from "../../runner/stats/histogram/histogram.ts";
import { resultsFixture } from "./fixture.ts";
import { chartsIn, saidAs } from "./said.ts";

const RESULTS = resultsFixture({
  cells: [
    { target: "slow", scenario: "static", medianMs: 20, runs: 3 },
    { target: "fast", scenario: "static", medianMs: 2, runs: 3 },
  ],
});
const model = reportModel(RESULTS);
const tails = chartsIn(model, "s1/latency", "xy")[1];
const tailsFinding = saidAs(model, "s1/latency", "rare")[0];
const cells = model.context.scenarios[0].cells;

/** The curve of all runs of a cell, then of each. */
function curvesOf(label: string): number[][] {
  return tails?.series.filter((one) => one.label === label)
    .map(({ values = [] }) => values.map((value) => value ?? NaN)) ?? [];
}

Deno.test("a tail is the latency that one in so many of all requests exceeds", () => {
  assert.deepEqual(
    tails?.series.filter(({ isFaint }) => !isFaint).map(({ label }) => label),
    cells.map(({ label }) => label),
  );
  for (const { label, runs } of cells) {
    const [pooled] = curvesOf(label);
    const whole = mergeHistograms(runs.map(({ histogram }) => decodeSparse(histogram)));
    for (const odds of [2, 10, 100, 1_000]) {
      const at = tails?.at?.indexOf(odds) ?? -1;
      const ms = whole.valueAtPercentile(100 - 100 / odds) / 1_000;
      assert.ok(Math.abs(pooled[at] / ms - 1) < 0.001, `${label} at one in ${odds}`);
    }
  }
});

Deno.test("each run has its own tail, and every tail ends where ten requests lie beyond it", () => {
  for (const { label, latency, runs } of cells) {
    const counts = [latency.count, ...runs.map(({ latency }) => latency.count)];
    const curves = curvesOf(label);
    assert.equal(curves.length, counts.length);
    for (const [k, curve] of curves.entries()) {
      assert.ok(counts[k] / Number(tails?.at?.[curve.length - 1]) > 9.99);
      const beyond = tails?.at?.[curve.length];
      assert.ok(beyond === undefined || counts[k] / beyond < 10.01);
      assert.deepEqual(curve, curve.toSorted((a, b) => a - b));
    }
  }
});

Deno.test("the finding tells of the rarest request that every cell can tell of, fastest first", () => {
  assert.match(
    tailsFinding,
    /^One request in 1,000 took longer than [\d.]+\sms \(fast\), [\d.]+\sms or more \(slow\)\.$/,
  );
});

Deno.test("too few requests have no tail", () => {
  const few = resultsFixture({
    cells: [{ target: "one", scenario: "static", medianMs: 900, connections: 1, duration: 1 }],
  });
  const model = reportModel(few);
  assert.deepEqual(chartsIn(model, "s1/latency", "xy").slice(1), []);
  assert.deepEqual(saidAs(model, "s1/latency", "rare"), []);
});

Deno.test("where most requests timed out, half of them took as long or longer, and nobody knows how long", () => {
  const results = resultsFixture({
    cells: [{ target: "hung", scenario: "static", medianMs: 20, timeoutRatio: 0.7 }],
  });
  const model = reportModel(results);
  const densityFinding = saidAs(model, "s1/latency", "half")[0];
  assert.match(
    densityFinding,
    /^Half of the requests to hung took 5\.00\ss or longer\. \d+ requests .* are not drawn\.$/,
  );
});
