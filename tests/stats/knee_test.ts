import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import { bootstrap } from "../../runner/stats/confidence/bootstrap.ts";
import { fitSegmentedLine } from "../../runner/stats/regression/segmented_regression.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { type Knee, kneeOf, type KneePoint } from "../../runner/stats/regression/knee.ts";

const EMPTY = new Histogram().toSparse();

interface Noise {
  readonly random: Random;
  /** Standard deviation of the runs' logarithms. */
  readonly stdev: number;
  readonly runs?: number;
}

/** Runs at each value, with rates about `truth` of it. */
function pointsOf(
  values: readonly number[],
  truth: (at: number) => number,
  { random, stdev, runs = 5 }: Noise,
): KneePoint[] {
  return values.map((at) => {
    const rates = Array.from({ length: runs }, () => truth(at) * Math.exp(stdev * random.normal()));
    const [served] = bootstrap(
      rates.map((rate) => [{ seconds: 1, completed: rate, latency: EMPTY }]),
      { figures: ["rate"], resamples: 400 },
    );
    assert.ok(served);
    return { at, served };
  });
}

function noise(seed: number, stdev = 0.01, runs = 5): Noise {
  return { random: new Random(seed), stdev, runs };
}

const RATES = [1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 8_000];
const CONNECTIONS = [1, 2, 4, 8, 16, 32, 64, 128];

function assertKnee(knee: Knee): Extract<Knee, { kind: "knee" }> {
  assert.ok(knee.kind === "knee", knee.kind);
  return knee;
}

Deno.test("knee: a server of 4,900 requests/s stops growing at 4,900/s, whatever rates are tried", () => {
  for (const rates of [RATES, [1_000, 4_000, 16_000], [2_500, 5_000, 7_500, 10_000]]) {
    const points = pointsOf(rates, (rate) => Math.min(rate, 4_900), noise(1, 0.002));
    const { at, interval } = assertKnee(kneeOf(points, { isOffered: true }));
    assert.ok(Math.abs(at / 4_900 - 1) < 0.005, `${rates}: ${at}`);
    assert.ok(interval && interval.low < at && at < interval.high);
  }
});

Deno.test("knee: one that breaks down beyond its capacity stopped growing at its peak", () => {
  const truth = (rate: number): number => rate <= 4_000 ? rate : 4_000 * (4_000 / rate);
  const { at } = assertKnee(kneeOf(pointsOf(RATES, truth, noise(2)), { isOffered: true }));
  assert.ok(Math.abs(at / 4_000 - 1) < 0.03, String(at));
});

Deno.test("knee: asked for less than it can serve from the first value on, the knee is below it", () => {
  const points = pointsOf([1_000, 2_000, 4_000], () => 700, noise(3));
  const { at } = assertKnee(kneeOf(points, { isOffered: true }));
  assert.ok(Math.abs(at / 700 - 1) < 0.03, String(at));
});

Deno.test("knee: growth up to 12 connections ends between the values around", () => {
  const truth = (n: number): number => Math.min(500 * n, 6_000);
  const knee = assertKnee(kneeOf(pointsOf(CONNECTIONS, truth, noise(4)), { isOffered: false }));
  assert.ok(Math.abs(knee.at / 12 - 1) < 0.05, String(knee.at));
  assert.deepEqual(
    [knee.interval?.low, knee.interval?.high].map((end) => Math.round(end ?? 0)),
    [8, 16],
  );
});

Deno.test("knee: at a measured value the interval reaches to both neighbours", () => {
  const truth = (n: number): number => Math.min(n, 16) ** 0.7;
  const points = pointsOf(CONNECTIONS, truth, noise(5, 0, 3));
  const { at, interval } = assertKnee(kneeOf(points, { isOffered: false }));
  assert.ok(Math.abs(at - 16) < 1e-6);
  assert.deepEqual([interval?.low, interval?.high].map((end) => Math.round(end ?? 0)), [8, 32]);
});

Deno.test("knee: a single run at a value leaves the knee without an interval", () => {
  const points = pointsOf(CONNECTIONS, (n) => Math.min(n, 16), noise(6, 0, 1));
  assert.equal(assertKnee(kneeOf(points, { isOffered: false })).interval, null);
});

const NONE: [sentence: string, kind: Knee["kind"], truth: (at: number) => number][] = [
  ["growth in proportion", "grows", (n) => 10 * n],
  ["slowing growth, half as much again for twice the load", "grows", (n) => 10 * n ** 0.58],
  ["as much at one connection as at many", "flat", () => 3_000],
  ["less with every connection", "falls", (n) => 3_000 / n ** 0.5],
];

for (const [sentence, kind, truth] of NONE) {
  Deno.test(`no knee within the range: ${sentence}`, () => {
    for (let seed = 0; seed < 20; seed++) {
      const knee = kneeOf(pointsOf(CONNECTIONS, truth, noise(seed)), { isOffered: false });
      assert.equal(knee.kind, kind, `seed ${seed}`);
    }
  });
}

Deno.test("no knee within the range: everything that was asked for was served", () => {
  const points = pointsOf(RATES, (rate) => rate, noise(7));
  assert.equal(kneeOf(points, { isOffered: true }).kind, "grows");
});

Deno.test("a knee that only some of the resamples have is not told", () => {
  const truth = (rate: number): number => Math.min(rate, 7_000);
  const kinds = Array.from(
    { length: 20 },
    (_, seed) => kneeOf(pointsOf(RATES, truth, noise(seed, 0.2, 3)), { isOffered: true }).kind,
  );
  const unsure = kinds.filter((kind) => kind === "unsure").length;
  assert.ok(unsure >= 8, kinds.join(" "));
});

Deno.test("three values tell a capacity, but no bend of an unknown curve", () => {
  const points = pointsOf([1, 10, 100], (n) => Math.min(n, 5), noise(9));
  assert.equal(kneeOf(points, { isOffered: false }).kind, "too-few");
  assert.equal(kneeOf(points, { isOffered: true }).kind, "knee");
  const falling = pointsOf([1, 10, 100], (n) => 100 / n, noise(9));
  assert.equal(kneeOf(falling, { isOffered: false }).kind, "falls");
});

Deno.test("knee: at least 90 of 100 intervals hold the true capacity", () => {
  const random = new Random(10);
  let held = 0;
  const CASES = 200;
  for (let i = 0; i < CASES; i++) {
    const capacity = random.uniform(2_500, 6_000);
    const points = pointsOf(RATES, (rate) => Math.min(rate, capacity), { random, stdev: 0.02 });
    const knee = kneeOf(points, { isOffered: true });
    if (knee.kind !== "knee" || knee.interval === null) continue;
    if (knee.interval.low <= capacity && capacity <= knee.interval.high) held++;
  }
  assert.ok(held >= 0.9 * CASES, `${held} of ${CASES}`);
});

Deno.test("knee: intervals hold the true corner of growth by any power", () => {
  const random = new Random(11);
  let [held, told] = [0, 0];
  for (let i = 0; i < 100; i++) {
    const corner = random.uniform(4, 30);
    const power = random.uniform(0.6, 1);
    const truth = (n: number): number => 800 * Math.min(n, corner) ** power;
    const knee = kneeOf(pointsOf(CONNECTIONS, truth, { random, stdev: 0.02 }), {
      isOffered: false,
    });
    if (knee.kind !== "knee" || knee.interval === null) continue;
    told++;
    if (knee.interval.low <= corner && corner <= knee.interval.high) held++;
  }
  assert.ok(told >= 90 && held >= 0.95 * told, `${held} of ${told} of 100`);
});

Deno.test("hinge: no corner and slope of a fine grid come nearer", () => {
  const random = new Random(12);
  for (let i = 0; i < 30; i++) {
    const xs = Array.from({ length: 6 }, (_, j) => j + random.uniform(0, 0.5));
    const ys = xs.map((x) => Math.min(x, 3) * 0.8 + 0.1 * random.normal());
    const found = fitSegmentedLine(xs, ys, 1);
    assert.ok(found);
    for (let corner = xs[1]; corner <= xs[4]; corner += (xs[4] - xs[1]) / 60) {
      for (let slope = 0.05; slope <= 1.6; slope += 0.05) {
        const shape = xs.map((x) => slope * Math.min(0, x - corner));
        const level = ys.reduce((sum, y, j) => sum + y - shape[j], 0) / ys.length;
        const squaredError = ys.reduce((sum, y, j) => sum + (y - shape[j] - level) ** 2, 0);
        assert.ok(squaredError >= found.squaredError - 1e-9, `${corner}, ${slope}`);
      }
    }
  }
});
