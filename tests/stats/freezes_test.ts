import assert from "node:assert/strict";
import {
  type Completions,
  findFreezes,
  type Freezes,
} from "../../runner/stats/steady_state/freezes.ts";

const SECONDS = 0.25;
const LATENCY_MS = 5;

/** Intervals with so many completed requests each. */
const run = (...completed: number[]): Completions[] =>
  completed.map((count) => ({ seconds: SECONDS, completed: count }));

const at = (count: number, length: number): number[] => new Array(length).fill(count);
const halted = (length: number): number[] => at(0, length);

/** 30 s: 2 s without an answer every 10 s, which begin and end half way through an interval. */
const PERIODIC = run(
  ...at(100, 20),
  ...[50, ...halted(7), 50, ...at(100, 31)],
  ...[50, ...halted(7), 50, ...at(100, 31)],
  ...[50, ...halted(7), 50, ...at(100, 11)],
);

Deno.test("freezes are counted and timed, the parts of intervals at their ends too", () => {
  const found = findFreezes(PERIODIC, LATENCY_MS);
  assert.deepEqual(found, { count: 3, longestS: 2, shareRatio: 0.2 * 30 / 30, periodS: 10 });
});

const found: [sentence: string, intervals: Completions[], freezes: Partial<Freezes> | null][] = [
  [
    "two that come when they like have no period",
    run(
      ...at(100, 9),
      ...halted(4),
      ...at(100, 9),
      ...halted(4),
      ...at(100, 40),
      ...halted(4),
      100,
    ),
    { count: 3, longestS: 1, periodS: null },
  ],
  ["one of a second is a freeze", run(...at(100, 9), ...halted(4), ...at(100, 9)), { count: 1 }],
  [
    "one of half a second alone is an outlier",
    run(...at(100, 9), ...halted(2), ...at(100, 9)),
    null,
  ],
  ["next to nothing is nothing", run(...at(100, 9), ...at(3, 4), ...at(100, 9)), { count: 1 }],
  ["a tenth of the rate is not", run(...at(100, 9), ...at(10, 8), ...at(100, 9)), null],
  ["a server that starts late is no freeze", run(...halted(8), ...at(100, 20)), null],
  ["nor is one that ends early", run(...at(100, 20), ...halted(8)), null],
  [
    "few requests leave intervals empty by chance",
    run(...at(3, 9), ...halted(4), ...at(4, 9), ...halted(4), ...at(4, 9)),
    null,
  ],
  ["no intervals have none", [], null],
];

for (const [sentence, intervals, freezes] of found) {
  Deno.test(`freezes: ${sentence}`, () => {
    const one = findFreezes(intervals, LATENCY_MS);
    if (freezes === null || one === null) assert.equal(one, freezes);
    else assert.deepEqual({ ...one, ...freezes }, one);
  });
}

Deno.test("requests of a second that all end together are no freezes", () => {
  const bursts = Array.from({ length: 40 }, (_, i) => i % 4 === 3 ? 0 : 50);
  const long = [...at(50, 9), ...halted(4), ...at(50, 9), ...halted(4), ...at(50, 9)];
  assert.equal(findFreezes(run(...bursts), 1_000), null);
  assert.equal(findFreezes(run(...long), 1_000), null);
  assert.ok(findFreezes(run(...long), 100));
});
