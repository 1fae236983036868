import assert from "node:assert/strict";
import {
  comparePairs,
  comparisonOf,
  type GroupComparison,
  type JudgeOptions,
} from "../../report/comparison.ts";
import { type Group, groupOfBlocks } from "../../report/comparison/group.ts";
import { formatRatio, ratioText } from "../../report/comparison/words.ts";
import { reportModel } from "../../report/model.ts";
import type { Run } from "../../runner/result.ts";
import { blocksOf } from "../../runner/stats/blocks.ts";
import { intervalBlocks } from "../../runner/stats/interval_blocks.ts";
import { resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";

/** Fewer than in earnest, as only the order of magnitude of an interval is looked at. */
const RESAMPLES = 400;

function runsAt(rates: readonly number[]): readonly Run[] {
  return resultsAt({ a: rates }).runs;
}

function groupOf(runs: readonly Run[], seed: number): Group {
  const blocks = runs.map(({ timeline, latency }) =>
    blocksOf(intervalBlocks(timeline.points, latency.clock))
  );
  return groupOfBlocks(runs, blocks, { seed, resamples: RESAMPLES });
}

/** One comparison for itself. */
function compare(
  base: readonly Run[],
  next: readonly Run[],
  { seed = 0, ...judge }: JudgeOptions & { seed?: number } = {},
): GroupComparison {
  return comparePairs([{ base: groupOf(base, seed), next: groupOf(next, seed + 1) }], judge)[0];
}

function rateVerdict(comparison: GroupComparison): string {
  return comparisonOf(comparison, "rate").verdict;
}

const verdicts: [sentence: string, next: readonly number[], verdict: string][] = [
  ["a rate twice as high is better", around(2_000, 0.001), "better"],
  ["a rate of half is worse", around(500, 0.001), "worse"],
  ["nearly the same rate is equivalent", around(1_001, 0.0005), "equivalent"],
  ["runs that spread are inconclusive", [900, 1_200, 1_000, 1_100, 850], "inconclusive"],
];

for (const [sentence, next, verdict] of verdicts) {
  Deno.test(`comparison: ${sentence}`, () => {
    const comparison = compare(runsAt(around(1_000)), runsAt(next));
    assert.equal(rateVerdict(comparison), verdict);
  });
}

Deno.test("comparison: the interval holds the ratio, and Mann-Whitney is exact beside it", () => {
  const comparison = compare(runsAt(around(1_000)), runsAt(around(2_000, 0.001)));
  const { base, next, ratio, interval, mannWhitney, p, adjustedP } = comparisonOf(
    comparison,
    "rate",
  );
  assert.ok(Math.abs(base - 1_000) < 1 && Math.abs(next - 2_002) < 2);
  assert.ok(interval && ratio !== null && p !== null && adjustedP !== null);
  assert.ok(interval.low < ratio && ratio < interval.high && interval.high - interval.low < 0.1);
  // 2 of the 252 ways to deal ten runs out to two groups of five.
  assert.equal(mannWhitney?.p, 2 / 252);
  assert.equal(adjustedP, p);
});

Deno.test("comparison: of many made together, only a larger change would have been seen", () => {
  const [base, next] = [around(1_000), around(1_000, 0.001)].map((rates, seed) =>
    groupOf(runsAt(rates), seed)
  );
  const changeOf = (count: number): number =>
    comparisonOf(comparePairs(Array(count).fill({ base, next }))[0], "rate").smallestChange ?? 0;
  assert.ok(changeOf(5) > 1.3 * changeOf(1), `${changeOf(1)} ${changeOf(5)}`);
});

Deno.test("comparison: p99 of a slower target is worse, its times are in ms", () => {
  const [base, next] = [20, 40].map((medianMs) =>
    resultsFixture({ cells: [{ target: "a", scenario: "s", medianMs, runs: 5, duration: 2 }] }).runs
  );
  const p99 = comparisonOf(compare(base, next), 99);
  assert.equal(p99.verdict, "worse");
  assert.ok(p99.base > 25 && p99.base < 70 && p99.next > 1.5 * p99.base);
});

Deno.test("comparison: one run a side has a ratio, and no interval and no verdict", () => {
  const comparison = compare(runsAt([1_000]), runsAt([2_000]));
  const rate = comparisonOf(comparison, "rate");
  assert.deepEqual(
    [rate.ratio, rate.interval, rate.p, rate.verdict, rate.smallestChange],
    [2, null, null, "inconclusive", null],
  );
  assert.equal(ratioText(rate), "2.00×");
});

Deno.test("comparison: a side that answered nothing has no ratio", () => {
  const comparison = compare(runsAt([0, 0]), runsAt([1_000, 1_010]));
  const rate = comparisonOf(comparison, "rate");
  assert.deepEqual([rate.ratio, rate.interval, rate.verdict], [null, null, "inconclusive"]);
});

Deno.test("comparison: of many cells, Holm's correction raises what is not sure", () => {
  const [base, next] = [[1_000, 1_040, 970], [1_080, 1_050, 1_130]].map((rates, seed) =>
    groupOf(runsAt(rates), seed)
  );
  const alone = comparisonOf(comparePairs([{ base, next }])[0], "rate");
  const twenty = comparePairs(Array.from({ length: 20 }, () => ({ base, next })));
  const among = comparisonOf(twenty[0], "rate");
  assert.equal(among.p, alone.p);
  assert.equal(among.adjustedP, Math.min(1, 20 * (alone.p ?? 0)));
});

Deno.test("comparison: a wider margin makes a small difference equivalent", () => {
  const sides = [runsAt(around(1_000)), runsAt(around(1_030, 0.0005))] as const;
  assert.equal(rateVerdict(compare(...sides, { marginRatio: 0.1 })), "equivalent");
  assert.equal(rateVerdict(compare(...sides, { marginRatio: 0.001 })), "better");
});

Deno.test("comparison: the same runs and seed give the same comparison", () => {
  const again = (): GroupComparison =>
    compare(runsAt(around(1_000)), runsAt(around(1_100)), { seed: 3 });
  assert.deepEqual(again(), again());
});

const written: [ratio: number, ends: [number, number] | null, text: string][] = [
  [4.312, [4.203, 4.427], "4.31× [4.20, 4.43]"],
  [0.2412, [0.2204, 0.2598], "0.24× [0.22, 0.26]"],
  [1.0021, [0.9981, 1.0062], "1.002× [0.998, 1.006]"],
  [0.0241, [0.0221, 0.026], "0.024× [0.022, 0.026]"],
  [0.0024, null, "0.0024×"],
  [0.00033, [0.00031, 0.00035], "0.00033× [0.00031, 0.00035]"],
  [3e-12, null, "0.000000×"],
  [143.2, [120.1, 171.8], "143× [120, 172]"],
  [2.5, null, "2.50×"],
  [2.224, [1.204, Infinity], "2.22× [1.20, ∞)"],
  [0.5, [0, Infinity], "0.50× [0, ∞)"],
  [Infinity, [1.5, Infinity], "∞× [1.50, ∞)"],
  [Infinity, [Infinity, Infinity], "∞×"],
  [0, [0, 0.5], "0× [0, 0.500]"],
  [0, [0, 0], "0×"],
];

for (const [ratio, ends, text] of written) {
  Deno.test(`a ratio is written ${text}`, () => {
    const interval = ends && { low: ends[0], high: ends[1] };
    assert.equal(formatRatio(ratio, interval).replaceAll("\u00a0", " "), text);
  });
}

Deno.test("a report compares every target with the first, and each cell with that of its parameters", () => {
  const parameters = [{ connections: 10 }, { connections: 50 }];
  const cells = ["a", "b"].flatMap((target) =>
    parameters.map((parameters) => ({
      target,
      scenario: "static",
      medianMs: target === "a" ? 20 : 10,
      duration: 2,
      runs: 5,
      parameters,
      ...parameters,
    }))
  );
  const { scenarios: [{ tables: { compared } }] } = reportModel(resultsFixture({ cells }));
  assert.deepEqual(compared?.rows.map(([name, against]) => [name.text, against.text]), [
    ["b · connections 10", "a · connections 10"],
    ["b · connections 50", "a · connections 50"],
  ]);
  assert.match(compared?.rows[0][2].text ?? "", /×\s\[.*\] better$/);
});

Deno.test("a report of one target with one cell has nothing to compare", () => {
  const { scenarios: [{ tables: { compared } }] } = reportModel(resultsAt({ a: [1_000, 1_010] }));
  assert.equal(compared, null);
});
