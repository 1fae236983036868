import assert from "node:assert/strict";
import fc from "fast-check";
import {
  durationMs,
  durationText,
  parseDurationMs,
  parseRatePerSec,
  ratePerSec,
  rateText,
} from "../../base/quantity.ts";
import { forAll } from "../for_all.ts";

const durations: [text: string, ms: number | null][] = [
  ["250ms", 250],
  ["10s", 10_000],
  ["1.5m", 90_000],
  ["2h", 7_200_000],
  ["500us", 0.5],
  ["500µs", 0.5],
  [" 1s ", 1_000],
  ["0s", 0],
  ["4.1m", 246_000],
  ["0.07h", 252_000],
  ["10", null],
  ["-1s", null],
  ["1e3ms", null],
  [".5s", null],
  ["1s2ms", null],
  ["1 s", null],
  ["s", null],
  ["", null],
  ["Infinitys", null],
];

for (const [text, ms] of durations) {
  Deno.test(`"${text}" ${ms === null ? "is no duration" : `is ${ms} ms`}`, () => {
    assert.equal(parseDurationMs(text), ms);
  });
}

for (const [ms, text] of [[0, "0s"], [0.5, "500us"], [1.5, "1.5ms"], [90_000, "90s"]] as const) {
  Deno.test(`${ms} ms is written ${text}`, () => assert.equal(durationText(ms), text));
}

const rates: [text: string, perSec: number | null][] = [
  ["1000/s", 1_000],
  ["30/m", 0.5],
  ["1800/h", 0.5],
  ["0.5/s", 0.5],
  ["10", null],
  ["10/ms", null],
  ["-1/s", null],
];

for (const [text, perSec] of rates) {
  Deno.test(`"${text}" ${perSec === null ? "is no rate" : `is ${perSec} per second`}`, () => {
    assert.equal(parseRatePerSec(text), perSec);
  });
}

const wrong: [schema: typeof durationMs, given: unknown, says: string][] = [
  [durationMs, "10", 'Cannot read "10" as a duration: write 10s'],
  [durationMs, 2.5, "Cannot read 2.5 as a duration: write 2.5s"],
  [
    durationMs,
    "ten",
    'Cannot read "ten" as a duration: write a number with us, ms, s, m or h, such as 250ms or 10s',
  ],
  [
    durationMs,
    "0",
    'Cannot read "0" as a duration: write a number with us, ms, s, m or h, such as 250ms or 10s',
  ],
  [ratePerSec, "100", 'Cannot read "100" as a rate: write 100/s'],
  [
    ratePerSec,
    "0/s",
    'Cannot read "0/s" as a rate: write a number above 0 per s, m or h, such as 1000/s',
  ],
];

for (const [schema, given, says] of wrong) {
  Deno.test(`a quantity given as ${JSON.stringify(given)} is told what to write`, () => {
    assert.deepEqual(schema.safeParse(given).error?.issues.map(({ message }) => message), [says]);
  });
}

for (const text of ["1000/s", "0.5/s", "100/m", "1.6/m", "7/h", "0/s", "0.1/s", "33333.3/h"]) {
  Deno.test(`a rate of ${text} is written so again`, () => {
    assert.equal(rateText(parseRatePerSec(text) ?? NaN), text);
  });
}

Deno.test("a rate is the same after it was written and read", () => {
  forAll([fc.integer({ min: 1, max: 1e7 }), fc.constantFrom(1, 7, 60, 3_600)], (n, by) => {
    assert.equal(parseRatePerSec(rateText(n / by)), n / by);
  });
});
