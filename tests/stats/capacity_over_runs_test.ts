import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import {
  capacityOverRuns,
  type CellCapacity,
  type FoundCapacity,
} from "../../runner/stats/capacity/over_runs.ts";

const KNOWN = 1_000;
const SPREAD = 0.02;
const CELLS = 4_000;

interface Simulated {
  readonly runs: number;
  /** Where the generator is the limit, over the known capacity, in standard deviations of a run. */
  readonly limit: number;
}

function simulate({ runs, limit }: Simulated): CellCapacity[] {
  const random = new Random(runs);
  const run = (): FoundCapacity => {
    const off = random.normal();
    return { value: KNOWN * Math.exp(SPREAD * Math.min(off, limit)), isAtLeast: off > limit };
  };
  return Array.from({ length: CELLS }, () => {
    const cell = capacityOverRuns(Array.from({ length: runs }, run));
    assert.ok(cell !== null);
    return cell;
  });
}

/** Of all cells, in %; one that tells no end can't be wrong about it. */
function wrongIn(cells: readonly CellCapacity[]): number {
  const wrong = cells.filter(({ low, high }) =>
    (low !== null && low > KNOWN) || (high !== null && high < KNOWN)
  );
  return 100 * wrong.length / cells.length;
}

Deno.test("the interval over runs is Student's t of logarithms", () => {
  const cell = capacityOverRuns([900, 1_000, 1_100].map((value) => ({ value, isAtLeast: false })));
  assert.ok(cell?.low && cell.high);
  // 4.302653: the two-sided 95 % point of 2 degrees of freedom, as tables have it.
  const logs = [900, 1_000, 1_100].map(Math.log);
  const mean = logs.reduce((a, b) => a + b) / 3;
  const error = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / 2 / 3);
  assert.ok(Math.abs(cell.low - Math.exp(mean - 4.302653 * error)) < 1e-3);
  assert.ok(Math.abs(cell.high - Math.exp(mean + 4.302653 * error)) < 1e-3);
});

Deno.test("without runs there is no capacity, and one run has no interval", () => {
  assert.equal(capacityOverRuns([]), null);
  const one = capacityOverRuns([{ value: 1_000, isAtLeast: false }]);
  assert.deepEqual(one && [one.low, one.high], [null, null]);
});

Deno.test("a lower bound among the runs leaves the upper end open, and few runs tell no lower end", () => {
  const runs = [...[1_000, 1_010, 990, 1_005, 995].map((value) => ({ value, isAtLeast: false }))];
  const few = capacityOverRuns([...runs.slice(0, 3), { value: 1_000, isAtLeast: true }]);
  assert.deepEqual(few && [few.low, few.high, few.isAtLeast], [null, null, true]);
  const six = capacityOverRuns([...runs, { value: 1_000, isAtLeast: true }]);
  assert.ok(six?.low && six.low < six.value && six.high === null);
});

for (const runs of [2, 3, 5, 8]) {
  Deno.test(`the interval over ${runs} runs is wrong in about 5 % of cells`, () => {
    const wrong = wrongIn(simulate({ runs, limit: Infinity }));
    assert.ok(wrong > 3.5 && wrong < 6.5, `${wrong} %`);
  });

  Deno.test(`of ${runs} runs that a generator may limit, about 5 % of cells are wrong at most`, () => {
    for (const limit of [-1, 0, 0.1, 0.3, 1, 2]) {
      const wrong = wrongIn(simulate({ runs, limit }));
      assert.ok(wrong < 6.5, `${wrong} % at ${limit}`);
    }
  });
}
