import assert from "node:assert/strict";
import fc from "fast-check";
import {
  classifyRun,
  classifySeries,
  type RunInterval,
  type SteadyLabel,
} from "../../runner/stats/steady_state/steady_state.ts";
import { forAll } from "../for_all.ts";

const SEED = 20_171_025;

/** `length` values about `level`, with even noise of ± 2 % and no randomness. */
const at = (level: number, length: number): number[] =>
  Array.from({ length }, (_, i) => level * (1 + ((i * 7) % 5 - 2) / 100));

/** Values that go evenly from one level to another, with the same noise. */
const ramp = (from: number, to: number, length: number): number[] =>
  at(1, length).map((value, i) => value * (from + (to - from) * i / (length - 1)));

function replace<T>(values: number[], replacements: Record<number, T>): (number | T)[] {
  return values.map((value, i) => replacements[i] ?? value);
}

const latencies: Readonly<Record<string, [(number | null)[], SteadyLabel, number | null]>> = {
  "one level is flat": [at(5, 40), "flat", 0],
  "equal values are flat": [new Array(40).fill(5), "flat", 0],
  "a slow start is a warm-up": [[...at(9, 8), ...at(5, 32)], "warm-up", 8],
  "a slow start in two steps is one, that ends with the second": [
    [...at(9, 8), ...at(7, 9), ...at(5, 32)],
    "warm-up",
    17,
  ],
  "a slow start of two intervals is a warm-up, to the interval": [
    [...at(9, 2), ...at(5, 38)],
    "warm-up",
    3,
  ],
  "a slow first interval is a warm-up of one": [[...at(9, 1), ...at(5, 39)], "warm-up", 1],
  "a first interval that is a little slow is noise": [[...at(5.3, 1), ...at(5, 39)], "flat", 0],
  "a fast first interval is an outlier": [[...at(2, 1), ...at(5, 39)], "flat", 0],
  "a slow second interval is an outlier": [[...at(5, 1), ...at(9, 1), ...at(5, 38)], "flat", 0],
  "latency that rises and stays is a slowdown, steady on its new level": [
    [...at(5, 12), ...at(8, 28)],
    "slowdown",
    12,
  ],
  "a warm-up that ends above its best is a slowdown": [
    [...at(9, 8), ...at(4, 8), ...at(5, 32)],
    "slowdown",
    16,
  ],
  "a difference of 1 % is none": [[...at(5.05, 20), ...at(5, 20)], "flat", 0],
  "spikes are outliers, not segments": [replace(at(5, 40), { 7: 40, 8: 30, 23: 90 }), "flat", 0],
  "a stall of an eighth of the run leaves no steady state: latency comes back to a level that it had left":
    [[...at(5, 15), ...at(50, 5), ...at(5, 20)], "no-steady-state", null],
  "a stall shorter than a tenth of the run is an outlier that took its time": [
    [...at(5, 30), ...at(50, 5), ...at(5, 30)],
    "flat",
    0,
  ],
  "a change in the last quarter leaves no steady state": [
    [...at(9, 31), ...at(5, 9)],
    "no-steady-state",
    null,
  ],
  "a change at exactly three quarters still does": [[...at(9, 30), ...at(5, 10)], "warm-up", 30],
  "a rise that never ends is no steady state": [ramp(5, 7, 80), "no-steady-state", null],
  "a drift of 1 % over the run is flat": [ramp(5, 5.05, 80), "flat", 0],
  "a ramp that settles is a warm-up": [[...ramp(20, 5, 20), ...at(5, 60)], "warm-up", 19],
  "19 intervals are too few": [at(5, 19), "too-short", null],
  "20 are enough": [at(5, 20), "flat", 0],
  "intervals without samples are none, but count as time": [
    [null, null, ...at(9, 6), null, ...at(5, 32), null],
    "warm-up",
    9,
  ],
  "a run with few samples is too short": [
    replace<number | null>(new Array(60).fill(NaN), {}).map((_, i) => i % 4 === 0 ? 5 : null),
    "too-short",
    null,
  ],
  "no intervals at all are too short": [[], "too-short", null],
};

for (const [sentence, [values, label, steadyFrom]] of Object.entries(latencies)) {
  Deno.test(`steady state of latency: ${sentence}`, () => {
    const found = classifySeries(values, "latency");
    assert.deepEqual([found.label, found.steadyFrom], [label, steadyFrom]);
  });
}

const rates: Readonly<Record<string, [number[], SteadyLabel, number | null]>> = {
  "a rate that rises at first is a warm-up": [[...at(500, 8), ...at(900, 32)], "warm-up", 8],
  "a rate that falls is a slowdown": [[...at(900, 8), ...at(500, 32)], "slowdown", 8],
  "a server that answers nothing at first warms up": [[...at(0, 8), ...at(900, 32)], "warm-up", 8],
  "a server that never answers is too short to say": [at(0, 40), "too-short", null],
};

for (const [sentence, [values, label, steadyFrom]] of Object.entries(rates)) {
  Deno.test(`steady state of the rate: ${sentence}`, () => {
    const found = classifySeries(values, "rate");
    assert.deepEqual([found.label, found.steadyFrom], [label, steadyFrom]);
  });
}

Deno.test("segments tell their start and their level in the unit of the series", () => {
  const { segments } = classifySeries([...at(9, 10), ...at(5, 30)], "latency");
  assert.deepEqual(segments.map(({ from }) => from), [0, 10]);
  assert.ok(Math.abs(segments[0].level - 9) < 0.1 && Math.abs(segments[1].level - 5) < 0.1);
});

function intervals(
  completed: readonly number[],
  medians: readonly (number | null)[],
): RunInterval[] {
  return completed.map((count, i) => ({ seconds: 0.25, completed: count, medianMs: medians[i] }));
}

Deno.test("a run has the worse label and the later start of its two series", () => {
  const run = intervals([...at(500, 8), ...at(900, 32)], [...at(5, 12), ...at(8, 28)]);
  const found = classifyRun(run);
  assert.deepEqual([found.rate.label, found.latency.label], ["warm-up", "slowdown"]);
  assert.deepEqual([found.label, found.steadyFrom], ["slowdown", 12]);
});

Deno.test("a run is not steady when one of its series isn't", () => {
  const found = classifyRun(intervals(at(900, 40), [...at(9, 35), ...at(5, 5)]));
  assert.deepEqual([found.label, found.steadyFrom], ["no-steady-state", null]);
});

Deno.test("a last interval that was cut short is left out", () => {
  const whole = intervals(at(900, 20), at(5, 20));
  const found = classifyRun([...whole, { seconds: 0.1, completed: 300, medianMs: 5 }]);
  assert.deepEqual([found.label, found.steadyFrom], ["flat", 0]);
  assert.equal(
    classifyRun([...whole.slice(1), { seconds: 0.1, completed: 300, medianMs: 5 }]).label,
    "too-short",
  );
});

Deno.test("a run without intervals is too short", () =>
  assert.equal(classifyRun([]).label, "too-short"));

Deno.test("the unit of a series changes nothing but its levels", () => {
  const series = fc.array(fc.double({ min: 1, max: 100, noNaN: true }), {
    minLength: 20,
    maxLength: 60,
  });
  forAll([series, fc.constantFrom("latency" as const, "rate" as const)], (values, kind) => {
    const [small, large] = [values, values.map((value) => value * 1024)].map((scaled) =>
      classifySeries(scaled, kind)
    );
    assert.deepEqual([large.label, large.steadyFrom], [small.label, small.steadyFrom]);
    large.segments.forEach(({ from, level }, i) => {
      assert.equal(from, small.segments[i].from);
      assert.ok(Math.abs(level / small.segments[i].level / 1024 - 1) < 1e-9);
    });
  }, { seed: SEED, numRuns: 100 });
});
