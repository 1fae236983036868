import assert from "node:assert/strict";
import { formatRatio } from "../../report/writing/ratios.ts";
import {
  formatCount,
  formatDuration,
  formatInterval,
  formatMoment,
  formatMs,
  formatNumber,
  formatShare,
  sizeUnit,
  timeUnit,
  TOO_WIDE,
} from "../../report/writing/units.ts";

Deno.test("an interval over more than three powers of ten is too wide to state", () => {
  assert.equal(formatInterval({ low: 0.000001, high: 3_503_086 }), TOO_WIDE);
  assert.equal(plain(formatInterval({ low: 2, high: 2_000 })), "[2.00, 2,000]");
  assert.equal(plain(formatInterval({ low: 1_200, high: Infinity })), "[1,200, ∞)");
  assert.equal(plain(formatInterval({ low: 0, high: 3 })), "[0, 3.00]");
  assert.equal(plain(formatRatio(0.31, { low: 1e-9, high: 2.4e11 })), `0.31× ${TOO_WIDE}`);
});

const plain = (text: string): string => text.replaceAll("\u00a0", " ");

/** What is formatted, how it must read, and why. */
type Row = readonly [number, string, string];

function table(name: string, format: (value: number) => string, rows: readonly Row[]): void {
  Deno.test(name, () => {
    for (const [value, expected, why] of rows) {
      assert.equal(plain(format(value)), expected, `${value}: ${why}`);
    }
  });
}

table("formatNumber() writes at least three significant digits", formatNumber, [
  [0, "0", "nothing needs no digits"],
  [0.012345, "0.0123", "below 1 the zeros do not count"],
  [1.2, "1.20", "a zero can be significant"],
  [12.345, "12.3", "three digits, one of them a decimal"],
  [123.456, "123", "whole from 100 on"],
  [1_234_567.8, "1,234,568", "groups of three, nothing rounded away"],
  [9.999, "10.00", "rounding up may add a digit but never loses one"],
  [1e-9, "0.000000", "six decimals are the end"],
]);

table("formatMs() picks the unit of a single time", formatMs, [
  [0, "0 ms", "nothing is in ms"],
  [0.05, "50.0 µs", "below a tenth of a ms"],
  [0.001, "1.0 µs", "whole microseconds have no second decimal"],
  [0.24, "0.240 ms", "a tenth of a ms is still ms"],
  [999, "999 ms", "below a second"],
  [5_000, "5.00 s", "from a second on"],
]);

table("formatShare() never says none or all when it is neither", formatShare, [
  [0, "0 %", "exactly none"],
  [1, "100 %", "exactly all"],
  [0.000001, "< 0.01 %", "one in a million is not none"],
  [0.999999, "> 99.99 %", "all but one in a million is not all"],
  [0.0312, "3.12 %", "small shares have two decimals"],
  [0.5, "50.0 %", "larger ones have one"],
  [0.9995, "99.95 %", "close to all the second decimal matters again"],
]);

table("formatDuration() speaks as people do", formatDuration, [
  [0, "0 s", "nothing is nothing"],
  [0.0321, "32.1 ms", "milliseconds below a tenth of a second, which is not 0 s"],
  [0.25, "0.3 s", "tenths below 10 s"],
  [10, "10 s", "whole seconds from 10 on"],
  [59.6, "1 min", "rounding carries over"],
  [185, "3 min 5 s", "minutes and seconds"],
  [3_600, "1 h", "no empty minutes"],
  [7_800, "2 h 10 min", "hours and minutes"],
]);

table("formatCount() groups digits", formatCount, [
  [7, "7", "one group"],
  [1_000, "1,000", "two groups"],
]);

Deno.test("a column's unit follows its typical value, not its outliers", () => {
  assert.equal(timeUnit([0.02, 0.03, 900]).name, "µs");
  assert.equal(timeUnit([0.3, 0.4, 900]).name, "ms");
  assert.equal(timeUnit([1_500, 2_000, 0.1]).name, "s");
  assert.equal(timeUnit([0, 0, 5]).name, "ms");
  assert.equal(timeUnit([]).name, "ms");
  assert.equal(sizeUnit([500, 2_000_000, 3_000_000]).name, "MB");
  assert.equal(sizeUnit([]).name, "B");
});

Deno.test("formatMoment() keeps the date and minute of an ISO moment", () => {
  assert.equal(formatMoment("2031-05-04T10:18:59.123Z"), "2031-05-04 10:18 UTC");
});
