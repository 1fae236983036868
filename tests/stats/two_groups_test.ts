import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import { twoGroupsOf } from "../../runner/stats/comparison/two_groups.ts";

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

const NOISES: [name: string, most: number, draw: (random: Random) => number][] = [
  ["normal", 0.05, (random) => random.normal()],
  ["skewed", 0.07, (random) => Math.exp(0.5 * random.normal())],
];

for (const [name, most, draw] of NOISES) {
  Deno.test(`two groups: at most 1 in 20 of ${name} noise, however wide, is taken for them`, () => {
    const random = new Random(3);
    for (const runs of [4, 5, 6, 10, 20, 40]) {
      const found = Array.from({ length: 1_000 }, () =>
        twoGroupsOf(Array.from({ length: runs }, () =>
          Math.exp(draw(random))))).filter((groups) =>
          groups !== null).length / 1_000;
      assert.ok(found <= most, `${runs} runs: ${found}`);
    }
  });
}
