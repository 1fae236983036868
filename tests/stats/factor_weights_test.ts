import assert from "node:assert/strict";
import { Random } from "../../bench/statistics/random.ts";
import {
  type FactorialCell,
  varianceExplained,
} from "../../runner/stats/regression/variance_explained.ts";

/** Tooth growth of 60 guinea pigs by supplement and dose (C. I. Bliss, 1952; R's data set ToothGrowth). */
const TOOTH_GROWTH: FactorialCell[] = [
  { levels: ["VC", "0.5"], values: [4.2, 11.5, 7.3, 5.8, 6.4, 10, 11.2, 11.2, 5.2, 7] },
  { levels: ["VC", "1"], values: [16.5, 16.5, 15.2, 17.3, 22.5, 17.3, 13.6, 14.5, 18.8, 15.5] },
  { levels: ["VC", "2"], values: [23.6, 18.5, 33.9, 25.5, 26.4, 32.5, 26.7, 21.5, 23.3, 29.5] },
  { levels: ["OJ", "0.5"], values: [15.2, 21.5, 17.6, 9.7, 14.5, 10, 8.2, 9.4, 16.5, 9.7] },
  { levels: ["OJ", "1"], values: [19.7, 23.3, 23.6, 26.4, 20, 25.2, 25.8, 21.2, 14.5, 27.3] },
  { levels: ["OJ", "2"], values: [25.5, 26.4, 22.4, 24.5, 24.8, 30.9, 26.4, 27.3, 29.4, 23] },
];
/** Sums of squares of R's `summary(aov(len ~ supp * factor(dose), ToothGrowth))`. */
const AOV = { supp: 205.4, dose: 2426.4, interaction: 108.3, residuals: 712.1 };

function assertNear(found: number, expected: number, within = 1e-9): void {
  assert.ok(Math.abs(found - expected) <= within, `${found}, not ${expected}`);
}

Deno.test("weights are the sums of squares of R's aov, as shares", () => {
  const weights = varianceExplained(TOOTH_GROWTH);
  assert.ok(weights);
  const total = AOV.supp + AOV.dose + AOV.interaction + AOV.residuals;
  assertNear(weights.factors[0], AOV.supp / total, 5e-5);
  assertNear(weights.factors[1], AOV.dose / total, 5e-5);
  assertNear(weights.together, AOV.interaction / total, 5e-5);
  assertNear(weights.runs, AOV.residuals / total, 5e-5);
});

/** Cells of 3 × 4 × 2 values, `value` of their indices. */
function cellsOf(value: (at: readonly number[]) => number[]): FactorialCell[] {
  const cells: FactorialCell[] = [];
  for (let a = 0; a < 3; a++) {
    for (let b = 0; b < 4; b++) {
      for (let c = 0; c < 2; c++) {
        cells.push({ levels: [`a${a}`, `b${b}`, `c${c}`], values: value([a, b, c]) });
      }
    }
  }
  return cells;
}

/** Share that a least-squares fit with an indicator for each value of one factor explains: R² of one factor. */
function explainedBy(cells: readonly FactorialCell[], factor: number): number {
  const runs = cells.flatMap(({ levels, values }) =>
    values.map((value) => ({ level: levels[factor], value }))
  );
  const mean = runs.reduce((sum, { value }) => sum + value, 0) / runs.length;
  const squares = (center: (level: string) => number): number =>
    runs.reduce((sum, { level, value }) => sum + (value - center(level)) ** 2, 0);
  const levelMean = (level: string): number => {
    const of = runs.filter((run) => run.level === level);
    return of.reduce((sum, { value }) => sum + value, 0) / of.length;
  };
  return 1 - squares(levelMean) / squares(() => mean);
}

Deno.test("each factor's weight is what a regression on it alone explains, and all sum to 1", () => {
  const random = new Random(1);
  for (let i = 0; i < 50; i++) {
    const cells = cellsOf(([a, b, c]) => {
      const center = a + 2 * b * c + random.normal();
      return [0, 1, 2].map(() => center + 0.5 * random.normal());
    });
    const weights = varianceExplained(cells);
    assert.ok(weights);
    weights.factors.forEach((share, factor) => assertNear(share, explainedBy(cells, factor)));
    const sum = weights.factors.reduce((total, share) => total + share, 0);
    assertNear(sum + weights.together + weights.runs, 1);
  }
});

Deno.test("factors that multiply each other's effect have no interaction on logarithms", () => {
  const weights = varianceExplained(cellsOf(([a, b, c]) => [Math.log(2 ** a * 3 ** b * 1.5 ** c)]));
  assert.ok(weights);
  assertNear(weights.together, 0);
  assertNear(weights.runs, 0);
});

Deno.test("what one factor does only where another is on is told as together", () => {
  const weights = varianceExplained([
    { levels: ["off", "1"], values: [0] },
    { levels: ["off", "2"], values: [1] },
    { levels: ["on", "1"], values: [1] },
    { levels: ["on", "2"], values: [0] },
  ]);
  assert.deepEqual(weights, { factors: [0, 0], together: 1, runs: 0 });
});

Deno.test("there are no weights where a combination is missing, or nothing differs", () => {
  assert.equal(varianceExplained(TOOTH_GROWTH.slice(1)), null);
  assert.equal(varianceExplained(cellsOf(() => [7, 7])), null);
  assert.equal(varianceExplained([]), null);
});
