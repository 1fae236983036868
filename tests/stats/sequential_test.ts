import assert from "node:assert/strict";
import type { ConfidenceInterval } from "../../runner/stats/confidence/confidence_interval.ts";
import {
  halfWidthOf,
  isNarrow,
  LOOKS,
  nextLook,
} from "../../runner/stats/confidence/sequential.ts";

function interval(low: number, high: number): ConfidenceInterval {
  return { value: Math.sqrt(low * high), low, high, logStandardError: 0.01, degreesOfFreedom: 4 };
}

const looks: [string, number, number | null][] = [
  ["the first is after five", 0, 5],
  ["after one comes the next", 5, 7],
  ["in between too", 6, 7],
  ["after the last there is none", 56, null],
];

for (const [sentence, repetitions, look] of looks) {
  Deno.test(`looks: ${sentence}`, () => assert.equal(nextLook(repetitions), look));
}

Deno.test("the looks grow by about √2", () => {
  for (let i = 1; i < LOOKS.length; i++) {
    assert.ok(LOOKS[i] / LOOKS[i - 1] >= 1.35 && LOOKS[i] / LOOKS[i - 1] <= 1.45);
  }
});

Deno.test("half a width is a share of the value, as a ratio", () => {
  assert.ok(Math.abs(halfWidthOf(interval(100 / 1.02, 100 * 1.02)) - 0.02) < 1e-12);
});

const stops: [string, (ConfidenceInterval | null)[], boolean][] = [
  ["when every cell is narrow", [interval(99, 101), interval(0.995, 1.005)], true],
  ["not while one is wide", [interval(99, 101), interval(0.9, 1.1)], false],
  ["not while one has no interval", [interval(99, 101), null], false],
];

for (const [sentence, intervals, stop] of stops) {
  Deno.test(`repeating until 2 % stops ${sentence}`, () =>
    assert.equal(isNarrow(intervals, 0.02), stop));
}
