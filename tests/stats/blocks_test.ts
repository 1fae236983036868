import assert from "node:assert/strict";
import { blocksShow } from "../../runner/stats/comparison/blocks.ts";

/** Of the F-distribution with equal degrees of freedom, from tables. */
const TABLES: [runs: number, upperQuarter: number, upperFortieth: number][] = [
  [4, 2.3556, 15.4392],
  [5, 2.0642, 9.6045],
  [11, 1.5513, 3.7168],
];

/** The spread between blocks over that within, as what pairs gain. */
const gainAt = (f: number): number => (f + 1) / 2;

for (const [runs, quarter, fortieth] of TABLES) {
  Deno.test(`of ${runs} pairs blocks show where their spread is the larger in a quarter of cases`, () => {
    assert.equal(blocksShow(gainAt(quarter * 1.01), runs), true);
    assert.equal(blocksShow(gainAt(quarter * 0.99), runs), false);
  });

  Deno.test(`of ${runs} sides that take turns pairs stay, where chance makes such in 1 of 40 cases`, () => {
    assert.equal(blocksShow(gainAt(0.99 / fortieth), runs), true);
    assert.equal(blocksShow(gainAt(1.01 / fortieth), runs), false);
  });
}

Deno.test("three pairs stay pairs, as they are too few to see blocks by", () => {
  assert.equal(blocksShow(1, 3), true);
  assert.equal(blocksShow(1, 4), false);
});

Deno.test("sides that exclude each other entirely stay pairs", () => {
  assert.equal(blocksShow(0.5, 5), true);
  assert.equal(blocksShow(0.4, 5), true);
});
