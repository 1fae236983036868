import assert from "node:assert/strict";
import { supportsPercentile } from "../../runner/stats/quantile.ts";

const table: [string, number, number, boolean][] = [
  ["10,000 values support p99.9", 10_000, 99.9, true],
  ["9,999 don't", 9_999, 99.9, false],
  ["100,000 support p99.99", 100_000, 99.99, true],
  ["1,000 support p99", 1_000, 99, true],
  ["20 support the median", 20, 50, true],
  ["19 don't", 19, 50, false],
  ["none support nothing", 0, 50, false],
];

for (const [sentence, count, percentile, supported] of table) {
  Deno.test(sentence, () => assert.equal(supportsPercentile(count, percentile), supported));
}
