import assert from "node:assert/strict";
import { signFlip } from "../../runner/stats/comparison/significance_tests.ts";

const table: [sentence: string, differences: number[], p: number, leastP: number][] = [
  ["five that all point one way are one way in 16", [1, 2, 3, 4, 5], 1 / 16, 1 / 16],
  ["six are one in 32: the first to pass 0.05", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 1 / 32, 1 / 32],
  // Sums of ± 1 ± 2 ± 3 that are at least 2 from 0: all but 1 + 2 − 3 and its mirror.
  ["signs that differ leave many ways", [1, -2, 3], 6 / 8, 1 / 4],
  ["differences of nothing say nothing", [0, 0, 0], 1, 1 / 4],
  ["equal differences count though sums are rounded", [0.1, 0.2, 0.3, -0.6], 1, 1 / 8],
  ["of no pairs nothing is known", [], 1, 1],
];

for (const [sentence, differences, p, leastP] of table) {
  Deno.test(`sign flips: ${sentence}`, () => {
    assert.deepEqual(signFlip(differences), { p, leastP });
  });
}

Deno.test("sign flips: the p of sixteen pairs is that of all 65,536 ways, counted one by one", () => {
  const differences = Array.from({ length: 16 }, (_, i) => Math.sin(7 * i) + 0.3);
  const sum = differences.reduce((total, one) => total + one, 0);
  let extreme = 0;
  for (let way = 0; way < 2 ** 16; way++) {
    const flipped = differences.reduce((total, one, i) => total + ((way >> i) & 1 ? one : -one), 0);
    if (Math.abs(flipped) >= Math.abs(sum) - 1e-9) extreme++;
  }
  assert.equal(signFlip(differences).p, extreme / 2 ** 16);
});
