import fc from "fast-check";
import assert from "node:assert/strict";
import { type PackedStep, packSteps, unpackSteps } from "../../report/subjects/charts/packing.ts";
import { rangeFigures, stepsWithin } from "../../report/subjects/charts/time_range.ts";
import { EMPTY, Histogram, mergeHistograms } from "../../runner/stats/histogram/histogram.ts";
import { forAll } from "../for_all.ts";

const PERCENTILES = [50, 75, 90, 99, 99.9, 100];

function stepOf(valuesUs: readonly number[], seconds = 0.25): PackedStep {
  const histogram = new Histogram();
  for (const us of valuesUs) histogram.record(us);
  return {
    seconds,
    completed: valuesUs.length,
    failed: 1,
    latency: histogram.toSparse(),
    bounds: EMPTY,
  };
}

/** Latencies from 1 µs to an hour, most of them small. */
const latencyUs = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 0, max: 3_600_000_000 }),
);
function maxBucketOf(steps: readonly PackedStep[]): PackedStep[] {
  return steps.map((step) => ({
    ...step,
    latency: {
      ...step.latency,
      // Which value of the highest bucket it was is not packed, nor is it in the results' histograms.
      maxUs: mergeHistograms([{ ...step.latency, maxUs: Infinity }]).valueAtPercentile(100),
    },
  }));
}

Deno.test("seconds, completed and failed requests of every step come back", () => {
  const cells = [[[stepOf([1, 2]), { ...stepOf([], 0.021_5), latency: EMPTY }], []], [[
    stepOf([9]),
  ]]];
  const plain = (of: typeof cells) =>
    of.map((runs) =>
      runs.map((steps) =>
        steps.map(({ seconds, completed, failed }) => [seconds, completed, failed])
      )
    );
  assert.deepEqual(plain(unpackSteps(packSteps(cells)) as typeof cells), plain(cells));
});

Deno.test("counts and gaps of any size come back", () => {
  const latency = {
    ...stepOf([]).latency,
    indices: Uint16Array.of(127, 128, 20_000),
    counts: Float64Array.of(128, 2 ** 14, 2 ** 40 + 1),
    count: 128 + 2 ** 14 + 2 ** 40 + 1,
  };
  const [[[unpacked]]] = unpackSteps(packSteps([[[{ ...stepOf([]), latency }]]]));
  assert.equal(unpacked.latency.count, latency.count);
  assert.equal(unpacked.latency.indices.at(-1), 20_000);
  assert.equal(unpacked.latency.counts.at(-1), 2 ** 40 + 1);
});

Deno.test("values between all percentiles are packed in 16 groups for each doubling of the time", () => {
  const values = Array.from({ length: 4_000 }, (_, i) => i + 1);
  const [[[{ latency }]]] = unpackSteps(packSteps([[[stepOf(values)]]]));
  assert.equal(latency.count, 4_000);
  const between = (from: number, to: number): number[] =>
    [...latency.indices].filter((index) => index >= from && index < to);
  // Below 32 each microsecond is a group of its own.
  assert.deepEqual(between(0, 32), Array.from({ length: 31 }, (_, i) => i + 1));
  assert.equal(between(32, 64).length, 16);
  assert.equal(between(512, 1_024).length, 16);
  assert.deepEqual(between(1_024, 1_100), [1_087]);
});

Deno.test("a range holds the steps that lie in it, whatever adding up their seconds rounds", () => {
  const steps = Array.from({ length: 10 }, () => stepOf([1], 0.1));
  assert.equal(stepsWithin(steps, { fromS: 0.3, toS: 0.8 }).length, 5);
  assert.equal(stepsWithin(steps, { fromS: 0.25, toS: 0.8 }).length, 5);
  assert.equal(stepsWithin(steps, { fromS: 2, toS: 3 }).length, 0);
  assert.equal(stepsWithin(steps, null), steps);
});

Deno.test("the rate of a range is the mean of the runs, its percentiles are of all their requests", () => {
  const fast = [stepOf([100, 100, 100, 100]), stepOf([100, 100])];
  const slow = [stepOf([900, 900]), stepOf([])];
  const { ratePerSec, completed, failed, percentiles } = rangeFigures(
    { clock: "sent", runs: [fast, slow] },
    { fromS: 0, toS: 0.25 },
    [50, 99],
  );
  assert.equal(ratePerSec, (16 + 8) / 2);
  assert.deepEqual([completed, failed], [6, 2]);
  assert.deepEqual(percentiles.map((p) => p?.ms), [0.1, 0.9]);
});

/** With those of its values from `from` on as lower bounds. */
function boundedStep(valuesUs: readonly number[], from: number): PackedStep {
  return { ...stepOf(valuesUs), bounds: stepOf(valuesUs.slice(from)).latency };
}

Deno.test("lower bounds mark the percentiles that they could make larger", () => {
  const many = Array.from({ length: 100 }, (_, i) => i < 99 ? 50 : 90);
  const { percentiles, censored } = rangeFigures(
    { clock: "intended", runs: [[boundedStep(many, 99)]] },
    null,
    [50, 99, 100],
  );
  assert.equal(censored, 1);
  assert.deepEqual(percentiles.map((p) => p?.isAtLeast), [false, false, true]);
  assert.deepEqual(percentiles.map((p) => p?.isSupported), [true, false, false]);
});

const boundedRuns = fc.array(
  fc.array(
    fc.tuple(fc.array(latencyUs, { maxLength: 60 }), fc.nat({ max: 60 }))
      .map(([values, from]) => boundedStep(values, from)),
    { maxLength: 6 },
  ),
  { minLength: 1, maxLength: 3 },
);

Deno.test("any packed steps give every percentile of a page that their whole histograms give, and its mark", () => {
  forAll([
    fc.array(boundedRuns, { minLength: 1, maxLength: 3 }),
    fc.constantFrom("intended" as const, "sent" as const),
    fc.nat(),
    fc.nat(),
  ], (cells, clock, a, b) => {
    const unpacked = unpackSteps(packSteps(cells));
    cells.forEach((runs, i) => {
      const whole = runs.flat();
      const [from, to] = [a % (whole.length + 1), b % (whole.length + 1)].sort((x, y) => x - y);
      const figuresOf = (steps: readonly PackedStep[]) =>
        rangeFigures({ clock, runs: [steps] }, null, PERCENTILES);
      assert.deepEqual(
        figuresOf(unpacked[i].flat().slice(from, to)),
        figuresOf(maxBucketOf(whole.slice(from, to))),
      );
    });
  });
});

Deno.test("a range without an interval has no figures", () => {
  const { ratePerSec, percentiles } = rangeFigures(
    { clock: "sent", runs: [[stepOf([1])]] },
    { fromS: 5, toS: 6 },
    [50],
  );
  assert.equal(ratePerSec, null);
  assert.deepEqual(percentiles, [null]);
});
