import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import { knownGroupsOf, twoGroupsOf } from "../../runner/stats/comparison/bimodality.ts";

function counts(values: readonly number[]): string {
  return twoGroupsOf(values)?.map(({ count, value }) => `${count} near ${Math.round(value)}`)
    .join(", ") ?? "one group";
}

const table: [sentence: string, values: number[], found: string][] = [
  ["one slow run in five", [15_000, 15_100, 11_900, 14_950, 15_050], "4 near 15025, 1 near 11900"],
  ["half and half", [100, 101, 140, 99, 141, 140, 100, 139, 140, 101], "5 near 100, 5 near 140"],
  ["runs that spread", [900, 1_200, 1_000, 1_100, 850], "one group"],
  ["groups that differ by 2 %", [1_000, 1_000.1, 1_000.2, 1_020, 1_020.1], "one group"],
  ["three runs are too few", [1_000, 1_000, 500], "one group"],
  ["equal runs and one apart", [1_000, 1_000, 1_000, 1_000, 500], "4 near 1000, 1 near 500"],
  ["a run that answered nothing has no place", [0, 1_000, 1_000, 1_000, 1_000], "one group"],
];

for (const [sentence, values, found] of table) {
  Deno.test(`two groups: ${sentence}`, () => assert.equal(counts(values), found));
}

const NOISES: Record<string, (random: Random) => number> = {
  normal: (random) => random.normal(),
  "log-normal, σ 0.5": (random) => Math.exp(0.5 * random.normal()),
  "log-normal, σ 1": (random) => Math.exp(random.normal()),
  exponential: (random) => random.exponential(),
  "gamma, shape 0.5": (random) => random.normal() ** 2,
  "gamma, shape 2, to the left": (random) => -random.exponential() - random.exponential(),
};

for (const [name, draw] of Object.entries(NOISES)) {
  Deno.test(`two groups: 1 in 20 groups of one ${name} kind, however wide, is taken for two`, () => {
    const random = new Random(3);
    for (const runs of [4, 5, 6, 10, 20, 40]) {
      const found = Array.from(
        { length: 1_000 },
        () => twoGroupsOf(Array.from({ length: runs }, () => Math.exp(draw(random)))),
      ).filter((groups) => groups !== null).length;
      assert.ok(found <= 60, `${runs} runs: ${found} of 1,000`);
    }
  });
}

Deno.test("two groups: real ones are found, 25 % apart, of runs within 1 %", () => {
  const random = new Random(5);
  for (const [runs, slow, least] of [[5, 2, 75], [10, 1, 80], [10, 3, 95], [20, 4, 95]]) {
    const found = Array.from({ length: 100 }, () =>
      twoGroupsOf(
        Array.from({ length: runs }, (_, i) =>
          (i < slow ? 1.25 : 1) * Math.exp(0.01 * random.normal())),
      )).filter((groups) => groups !== null);
    assert.ok(found.length >= least, `${slow} of ${runs}: ${found.length} of 100`);
  }
});

Deno.test("groups that something else tells apart need no gap, but a difference", () => {
  assert.deepEqual(
    knownGroupsOf([[1_000, 1_020], [1_100, 1_090, 1_110]])?.map(({ count }) => count),
    [3, 2],
  );
  assert.equal(knownGroupsOf([[1_000, 1_020], [1_010, 1_030, 1_040]]), null);
  assert.equal(knownGroupsOf([[], [1_000, 2_000]]), null);
});
