import assert from "node:assert/strict";
import { FIGURE_NAMES, readFigure } from "../../base/figures/figure.ts";
import { reportModel } from "../../report/model.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { rangeOf } from "../../report/cells/figure_range.ts";
import { figureOfRun, type JudgedRun } from "../../report/cells/figures.ts";
import { atLeast, exactly } from "../../report/cells/lower_bounds.ts";
import { decodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { censoredMeasurement, type Ended, FROZEN, TIMED_OUT } from "./censored_results.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";

const RUN = measurementFixture({ target: "", scenario: "static", medianMs: 5, duration: 4 });

/** Of all that took no less than the fastest answer. */
function endedUs(run: JudgedRun, percentile: number): number {
  const ended = new Histogram();
  decodeHistogram(run.histogram).forEachBucket((_lowUs, highUs, count) => {
    if (highUs < Math.floor(run.latency.fastest * 1_000)) return;
    for (let i = 0; i < count; i++) ended.record(highUs);
  });
  return ended.valueAtPercentile(percentile);
}

Deno.test("every figure has a value, or a reason why there is none", () => {
  for (const name of FIGURE_NAMES) {
    const found = figureOfRun(name, RUN);
    assert.ok("none" in found ? found.none : Number.isFinite(found.value), name);
  }
});

Deno.test("percentiles below the median are of requests that ended: those under way pass for no fast ones", () => {
  for (const p of [2.5, 10, 25] as const) {
    assert.deepEqual(figureOfRun(`p${p}`, RUN), exactly(endedUs(RUN, p) / 1_000));
  }
  const slow = measurementFixture({ target: "", scenario: "static", medianMs: 500, duration: 4 });
  const whole = decodeHistogram(slow.histogram).valueAtPercentile(2.5);
  assert.ok(whole < endedUs(slow, 2.5), "unfinished requests are among the fastest of all");
  assert.deepEqual(figureOfRun("p2.5", slow), exactly(endedUs(slow, 2.5) / 1_000));
});

Deno.test("the fastest of no answers is none, not 0, which would keep every limit", () => {
  const dead = { ...RUN, latency: { ...RUN.latency, fastest: 0 } };
  assert.deepEqual(figureOfRun("min", dead), { none: "no request was completed" });
  assert.deepEqual(figureOfRun("min", RUN), exactly(RUN.latency.fastest));
});

Deno.test("p97.5 is of all requests, as its neighbours are, and as sure", () => {
  const ms = decodeHistogram(RUN.histogram).valueAtPercentile(97.5) / 1_000;
  assert.deepEqual(figureOfRun("p97.5", RUN), exactly(ms));
  const latency = { ...RUN.latency, censored: Math.round(RUN.latency.count / 20) };
  assert.deepEqual(figureOfRun("p97.5", { ...RUN, latency }), atLeast(ms));
});

Deno.test("what a run discards is in none of them", () => {
  const results = resultsFixture({
    cells: [{ target: "hono", scenario: "static", medianMs: 5, duration: 4, warmUp: 5 }],
    experiment: { discard: 1_000 },
  });
  const [run] = reportModel(results).runs;
  const [whole] = results.runs;
  assert.deepEqual(figureOfRun("p25", run), exactly(endedUs(run, 25) / 1_000));
  assert.ok(endedUs(run, 25) < endedUs(whole, 25));
});

Deno.test("seconds spread: autocannon's rows, of requests and of bytes", () => {
  const { requests, bytes } = RUN.perSecond;
  assert.deepEqual(figureOfRun("rate.p2.5", RUN), exactly(requests.p2_5));
  assert.deepEqual(figureOfRun("rate.stdev", RUN), exactly(requests.stdev));
  assert.deepEqual(figureOfRun("bytes.p97.5", RUN), exactly(bytes.p97_5));
  assert.deepEqual(figureOfRun("bytes.min", RUN), exactly(bytes.min));
  assert.deepEqual(figureOfRun("rate.min", { ...RUN, elapsedS: 0.8 }), {
    none: "no whole second was measured",
  });
});

Deno.test("bytes are those received per second, size those of an answer, stdev that of the times", () => {
  assert.deepEqual(figureOfRun("bytes", RUN), exactly(RUN.bytes.inPerSecond));
  assert.deepEqual(figureOfRun("size", RUN), exactly(RUN.bytes.in / RUN.requests.completed));
  assert.deepEqual(figureOfRun("stdev", RUN), exactly(RUN.latency.stdev));
  assert.deepEqual(figureOfRun("connect.stdev", RUN), exactly(RUN.connect.stdev));
});

const UNITS: [name: string, unit: string, better: string][] = [
  ["p2.5", "ms", "lower"],
  ["latency.p97.5", "ms", "lower"],
  ["stdev", "ms", "lower"],
  ["rate.p2.5", "perSec", "higher"],
  ["rate.stdev", "perSec", "lower"],
  ["bytes", "bytesPerSec", "higher"],
  ["bytes.min", "bytesPerSec", "higher"],
  ["bytes.stdev", "bytesPerSec", "lower"],
  ["size", "bytes", "lower"],
];

for (const [name, unit, better] of UNITS) {
  Deno.test(`${name} is in ${unit}, and ${better} is better`, () => {
    const read = readFigure(name);
    assert.ok("value" in read);
    assert.deepEqual([read.value.unit, read.value.better], [unit, better]);
  });
}

Deno.test("of several runs they are those of all together, likewise without requests that only began", () => {
  const results = resultsFixture({
    cells: [{ target: "hono", scenario: "static", medianMs: 5, duration: 4, runs: 3 }],
  });
  // What is faster than the fastest answer had only begun.
  for (const run of results.runs) run.latency.fastest = run.latency.percentiles["50"];
  const [{ name: scenario, cells: [{ label, runs, confidence: { estimates } }] }] = groupRuns(
    results,
  );
  const range = rangeOf("p2.5", { scenario, label, runs, estimates, level: 0.95 });
  assert.ok("value" in range && range.interval !== null);
  assert.ok(range.value >= Math.min(...runs.map(({ latency }) => latency.fastest)) - 0.01);
});

const FROZEN_RUN = censoredMeasurement(FROZEN);
const TIMED_OUT_RUN = censoredMeasurement(TIMED_OUT);

Deno.test("the most that a figure can be is the figure, unless lower bounds could make it larger", () => {
  for (const name of ["p50", "p75", "p95", "p97.5", "min", "rate", "success"] as const) {
    const found = figureOfRun(name, TIMED_OUT_RUN);
    assert.ok("value" in found);
    assert.deepEqual(found, exactly(found.value), name);
  }
  for (
    const name of ["p99", "p99.9", "mean", "stdev", "max", "service.p99", "service.mean"] as const
  ) {
    const found = figureOfRun(name, TIMED_OUT_RUN);
    assert.ok("value" in found);
    assert.deepEqual(found, atLeast(found.value), name);
  }
});

Deno.test("a percentile above short lower bounds can be no more than if they were the longest of all", () => {
  // Fifty of 1,000 were watched for a millisecond only; the others took 1 to 950 ms.
  const requests = Array.from(
    { length: 1_000 },
    (_, i): Ended =>
      i < 50 ? { atS: 1, ms: 1, as: "unfinished" } : { atS: 1, ms: i - 49, as: "completed" },
  );
  const run = censoredMeasurement({ clock: "intended", durationS: 1, requests });
  const p90 = figureOfRun("p90", run);
  assert.ok("value" in p90 && p90.isAtLeast);
  assert.ok(Math.abs(p90.value - 850) < 1 && Math.abs(p90.atMost - 900) < 1);
});

Deno.test("requests that were never sent are no success, but no service time hangs on them", () => {
  const share = 383 / 990; // of all but the ten unfinished
  assert.deepEqual(figureOfRun("errors", FROZEN_RUN), exactly(share));
  assert.deepEqual(figureOfRun("success", FROZEN_RUN), exactly(607 / 990));
  assert.deepEqual(figureOfRun("dropped", FROZEN_RUN), exactly(383 / 1_000));
  const [p95, service] = [figureOfRun("p95", FROZEN_RUN), figureOfRun("service.p95", FROZEN_RUN)];
  assert.ok("value" in p95 && "value" in service);
  assert.ok(p95.isAtLeast && p95.value > 1_700);
  assert.deepEqual(service, exactly(FROZEN_RUN.service.percentiles["95"]));
});
