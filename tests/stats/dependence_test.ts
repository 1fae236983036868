/** What one run shows where its intervals depend on each other: the variance of its mean, the lag, and whether it keeps its level. */
import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import {
  clustered,
  clustersOf,
  presumedDispersion,
  probabilityAtMost,
} from "../../runner/stats/dependence/clustered_share.ts";
import { independentFrom } from "../../runner/stats/dependence/rank_correlation.ts";
import {
  dependenceIn,
  dispersionOf,
  reachOf,
  whyUnclear,
} from "../../runner/stats/dependence/ratio_series.ts";

const CASES = 200;

function waves(random: Random, length: number, correlation: number): Float64Array {
  return Float64Array.from(random.waves(length, { stdev: 1, correlation }));
}

function ones(length: number): Float64Array {
  return new Float64Array(length).fill(1);
}

function share(isSo: (random: Random) => boolean, cases = CASES): number {
  const random = new Random(61);
  let count = 0;
  for (let i = 0; i < cases; i++) if (isSo(random)) count++;
  return count / cases;
}

for (const [correlation, length] of [[0, 40], [0.5, 120], [0.8, 240], [0.9, 480], [0.95, 1_200]]) {
  Deno.test(`intervals of ${length} values hold the mean, each value ${correlation} like the one before`, () => {
    let given = 0;
    const right = share((random) => {
      const found = dependenceIn({
        amounts: waves(random, length, correlation),
        of: ones(length),
      });
      if (found === null || whyUnclear(found) !== null) return false;
      given++;
      return Math.abs(found.ratio) <= reachOf(found, 0.95);
    }) * CASES / given;
    assert.ok(given >= 0.5 * CASES, `${given}`);
    assert.ok(right >= 0.92, `${right}`);
  });
}

Deno.test("a random walk, and a trend, have no interval", () => {
  for (const length of [40, 120, 480]) {
    const walks = share((random) => {
      let level = 0;
      const amounts = Float64Array.from({ length }, () => level += random.normal());
      return whyUnclear(dependenceIn({ amounts, of: ones(length) })) === null;
    });
    assert.ok(walks <= 0.05, `${walks} of ${length}`);
  }
  const trends = share((random) => {
    const amounts = waves(random, 480, 0).map((value, i) => value + i / 240);
    return whyUnclear(dependenceIn({ amounts, of: ones(480) })) === null;
  });
  assert.ok(trends <= 0.05, `${trends}`);
});

Deno.test("the reasons are of what is missing", () => {
  const reasonOf = (amounts: Float64Array): string | null =>
    whyUnclear(dependenceIn({ amounts, of: ones(amounts.length) }));
  const random = new Random(3);
  assert.equal(reasonOf(waves(random, 35, 0)), "too-short");
  assert.equal(reasonOf(waves(random, 36, 0)), null);
  assert.equal(reasonOf(waves(random, 120, 0.99)), "depends-too-long");
  assert.equal(reasonOf(waves(random, 480, 0).map((value, i) => value + i / 50)), "not-stationary");
  assert.equal(dependenceIn({ amounts: ones(19), of: ones(19) }), null);
});

Deno.test("what never changes is known, and worth all of its intervals", () => {
  const found = dependenceIn({ amounts: new Float64Array(40), of: ones(40) });
  assert.ok(found !== null);
  assert.deepEqual([found.standardError, found.effective, found.independentFrom], [0, 40, 1]);
});

Deno.test("the lag is where ranks no longer agree", () => {
  const random = new Random(5);
  assert.equal(independentFrom(waves(random, 1_000, 0)), 1);
  // Sums of five values in turn share one with the fourth after them, and none with the fifth.
  const values = waves(random, 2_004, 0);
  const sums = Float64Array.from(
    { length: 2_000 },
    (_, i) => values.subarray(i, i + 5).reduce((sum, value) => sum + value, 0),
  );
  const lag = independentFrom(sums);
  assert.ok(lag !== null && lag >= 4 && lag <= 6, `${lag}`);
  assert.equal(independentFrom(Float64Array.from({ length: 100 }, (_, i) => i)), null);
});

Deno.test("a share counts for as many requests as it has clusters", () => {
  const random = new Random(8);
  // Twenty at once in one of five intervals, of a hundred requests each.
  const amounts = Float64Array.from({ length: 1_000 }, () => random.uniform() < 0.2 ? 20 : 0);
  const found = dependenceIn({ amounts, of: ones(1_000).map(() => 100) });
  assert.ok(found !== null);
  // 20² · 0.2 · 0.8 a hundred requests, over 100 · 0.04 · 0.96.
  const ratio = dispersionOf(found, 100_000);
  assert.ok(ratio !== null && ratio > 10 && ratio < 26, `${ratio}`);
  const dispersion = { ratio: 20, degreesOfFreedom: 8 };
  assert.equal(clustered({ count: 40, of: 1_000 }, dispersion).basis?.of, 50);
  assert.equal(clustersOf({ count: 40, of: 1_000 }, dispersion, 0.01), 2);
  assert.equal(Math.round(clustersOf({ count: 960, of: 1_000 }, dispersion, 0.9)), 5);
});

Deno.test("few clusters are presumed to be as large as they may be", () => {
  const of = 10_000;
  const ratio = (count: number, seen: number | null): number =>
    presumedDispersion({ count, of }, seen === null ? null : { ratio: seen, degreesOfFreedom: 8 })
      .ratio;
  assert.deepEqual([ratio(0, null), ratio(0, 1), ratio(9, 1), ratio(10, 1)], [20, 20, 20, 1]);
  assert.deepEqual([ratio(300, 25), ratio(60, 30), ratio(50, null)], [25, 30, 50]);
});

Deno.test("a share twenty times its mean is met in a twentieth of all runs at the most", () => {
  assert.equal(Number(probabilityAtMost({ count: 20, of: 100 }, 0.01).toFixed(6)), 0.05);
  assert.equal(probabilityAtMost({ count: 1, of: 1_000 }, 0.01), 1);
  assert.equal(Number(probabilityAtMost({ count: 50, of: 100 }, 0.99).toFixed(6)), 0.02);
});
