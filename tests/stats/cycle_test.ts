import assert from "node:assert/strict";
import { strongestCycle } from "../../runner/stats/steady_state/flatness.ts";

const sine = (length: number, period: number, amplitude = 1): number[] =>
  Array.from({ length }, (_, i) => 7 + amplitude * Math.sin(2 * Math.PI * i / period + 1));

const table: [sentence: string, values: number[], period: number, amplitude: number][] = [
  ["a sine is found with its period and height", sine(120, 20, 0.1), 20, 0.1],
  ["so is one whose period is no whole part of the series", sine(120, 17, 3), 17, 3],
  ["so is one of four values a cycle", sine(120, 4), 4, 1],
  ["so is one of many values", sine(2_400, 100, 2), 100, 2],
];

for (const [sentence, values, period, amplitude] of table) {
  Deno.test(`cycles: ${sentence}`, () => {
    const cycle = strongestCycle(values);
    assert.ok(cycle);
    assert.ok(Math.abs(cycle.period / period - 1) < 0.03, `${cycle.period}`);
    assert.ok(Math.abs(cycle.amplitude / amplitude - 1) < 0.05, `${cycle.amplitude}`);
    assert.ok(cycle.explained > 0.95, `${cycle.explained}`);
  });
}

Deno.test("cycles: one step explains little, as a swing has two cycles at least", () => {
  const step = Array.from({ length: 120 }, (_, i) => i < 40 ? 2 : 1);
  assert.ok((strongestCycle(step)?.explained ?? 0) < 0.5);
});

Deno.test("cycles: equal values have none", () =>
  assert.equal(strongestCycle(new Array(40).fill(3)), null));
