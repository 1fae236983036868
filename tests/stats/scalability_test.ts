import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import { bootstrap } from "../../runner/stats/confidence/bootstrap.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import {
  fitScaling,
  type SampledScalingPoint,
  type ScalingFit,
  scalingLawOf,
} from "../../runner/stats/regression/scalability.ts";

const EMPTY = new Histogram().toSparse();
const COUNTS = [1, 2, 4, 8, 16, 32, 64];

function fitOf(pairs: readonly (readonly [at: number, served: number])[]): ScalingFit {
  const fit = fitScaling(pairs.map(([at, served]) => ({ at, served })));
  assert.ok(fit !== null);
  return fit;
}

function law(single: number, contention: number, coherency: number): (at: number) => number {
  return (at) => single * at / (1 + contention * (at - 1) + coherency * at * (at - 1));
}

function assertNear(found: number, known: number, off: number): void {
  assert.ok(Math.abs(found - known) <= off, `${found}, not ${known}`);
}

/** Of runs that differ by 1 %. */
function sampled(
  truth: (at: number) => number,
  seed: number,
  counts: readonly number[] = COUNTS,
): SampledScalingPoint[] {
  const random = new Random(seed);
  return counts.map((at) => {
    const rates = Array.from({ length: 5 }, () => truth(at) * Math.exp(0.01 * random.normal()));
    const [served] = bootstrap(
      rates.map((rate) => [{ seconds: 1, completed: rate, latency: EMPTY }]),
      { figures: ["rate"], resamples: 200 },
    );
    assert.ok(served);
    return { at, served };
  });
}

// As published with the R package usl (S. Möding), whose solver is another.
Deno.test("scaling law: SPEC SDM91 on a SPARCcenter 2000 has the published contention, coherency and scale", () => {
  const fit = fitOf([
    ...[[1, 64.9], [18, 995.9], [36, 1_652.4], [72, 1_853.2]] as const,
    ...[[108, 1_828.9], [144, 1_775.0], [216, 1_702.2]] as const,
  ]);
  assertNear(fit.contention, 0.0277285, 5e-8);
  assertNear(fit.coherency, 0.0001044, 5e-8);
  assertNear(fit.single, 89.995233, 1e-6);
});

Deno.test("scaling law: the published ray tracer has contention and, at the bound, no coherency", () => {
  const fit = fitOf([
    ...[[1, 20], [4, 78], [8, 130], [12, 170], [16, 190], [20, 200]] as const,
    ...[[24, 210], [28, 230], [32, 260], [48, 280], [64, 310]] as const,
  ]);
  assertNear(fit.contention, 0.0578, 5e-5);
  assertNear(fit.single, 21.8488, 5e-5);
  assert.equal(fit.coherency, 0);
  assert.equal(fit.peak, Infinity);
});

Deno.test("scaling law: the published test data of 2 % contention and 2 % coherency peak at 7", () => {
  const fit = fitOf([[1, 1], [2, 1.8868], [4, 3.0769], [6, 3.5294], [8, 3.5398], [10, 3.3557]]);
  assertNear(fit.contention, 0.02, 1e-4);
  assertNear(fit.coherency, 0.02, 1e-4);
  assertNear(fit.peak, 7, 1e-3);
});

Deno.test("scaling law: exact points of any law give its parameters", () => {
  for (const [contention, coherency] of [[0, 0], [0.3, 0], [0, 0.001], [1, 0], [0.05, 0.002]]) {
    const truth = law(500, contention, coherency);
    const fit = fitOf(COUNTS.map((at) => [at, truth(at)]));
    assertNear(fit.contention, contention, 1e-6);
    assertNear(fit.coherency, coherency, 1e-8);
    assertNear(fit.single, 500, 1e-3);
  }
});

Deno.test("scaling law: no fit of four values, nor of a value that served nothing", () => {
  const truth = law(500, 0.1, 0);
  assert.equal(fitScaling(COUNTS.slice(0, 4).map((at) => ({ at, served: truth(at) }))), null);
  assert.equal(fitScaling(COUNTS.map((at) => ({ at, served: at === 8 ? 0 : 100 }))), null);
});

Deno.test("scaling law: growth beyond proportion keeps to the bounds", () => {
  const fit = fitOf(COUNTS.map((at) => [at, 100 * at ** 1.2]));
  assert.deepEqual([fit.contention, fit.coherency], [0, 0]);
});

Deno.test("scaling law: intervals hold what is there, and what is not is seldom told", () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed);
  const laws = (truth: (at: number) => number): NonNullable<ReturnType<typeof scalingLawOf>>[] =>
    seeds.map((seed) => scalingLawOf(sampled(truth, seed))).filter((found) => found !== null);
  const both = laws(law(500, 0.05, 0.001));
  assert.equal(both.length, seeds.length);
  const holds = (interval: { low: number; high: number } | null, known: number): boolean =>
    interval !== null && interval.low <= known && known <= interval.high;
  assert.ok(both.filter(({ contention }) => holds(contention, 0.05)).length >= 35);
  assert.ok(both.filter(({ coherency }) => holds(coherency, 0.001)).length >= 35);
  assert.ok(both.filter(({ peak }) => holds(peak, Math.sqrt(0.95 / 0.001))).length >= 35);
  const waiting = laws(law(500, 0.05, 0));
  assert.ok(
    waiting.filter(({ coherency, peak }) => coherency === null && peak === null).length >= 36,
  );
  const linear = laws(law(500, 0, 0));
  assert.ok(linear.filter(({ contention }) => contention === null).length >= 36);
});

Deno.test("scaling law: the same runs always give the same intervals", () => {
  const points = sampled(law(500, 0.05, 0.001), 1);
  assert.deepEqual(scalingLawOf(points), scalingLawOf(points));
});
