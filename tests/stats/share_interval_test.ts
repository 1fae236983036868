import assert from "node:assert/strict";
import { shareInterval } from "../../runner/stats/confidence/proportion_interval.ts";

/** The first: R. G. Newcombe, Statistics in Medicine 17, 1998, table I, method 3. */
const known: [count: number, of: number, low: number, high: number][] = [
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
  [5, 5, 0.5655, 1],
];

for (const [count, of, low, high] of known) {
  Deno.test(`Wilson's interval of ${count} in ${of}`, () => {
    const interval = shareInterval(count, of);
    assert.deepEqual([interval.low, interval.high].map((end) => Number(end.toFixed(4))), [
      low,
      high,
    ]);
  });
}
