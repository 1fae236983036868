/** Where figures changed over many commits, and what a guard makes of it. */
import assert from "node:assert/strict";
import { trendChangeText, trendOutcome } from "../../report/subjects/trend/changes.ts";
import type { Results } from "../../runner/result/result.ts";
import { around } from "./rates.ts";
import { resultsOn, trendIn, trendsIn } from "./trended.ts";

const SIGNS = "0123456789abcdef";

/** A result a day, each of a commit of its own, with noise of some 0.5 %. */
function days(rates: readonly number[]): Results[] {
  return rates.map((rate, i) =>
    resultsOn(i + 1, SIGNS[i], { a: around(rate * (1 + 0.005 * Math.sin(5 * i))) })
  );
}

const at = (count: number, rate: number): number[] => Array(count).fill(rate);

Deno.test("a drop of 10 % is found between the two commits that it came between, with its size", () => {
  const { changes, scenarios } = trendIn(...days([...at(8, 1_000), ...at(6, 900)]));
  const [change] = changes.filter(({ figure }) => figure === "rate");
  assert.deepEqual(change.between, ["7777777", "8888888"]);
  assert.ok(change.isWorse && change.ratio.low < 0.9 && change.ratio.high > 0.9);
  assert.ok(change.ratio.high - change.ratio.low < 0.02);
  assert.match(
    trendChangeText(change),
    /^Worse between 7777777 and 8888888: static, a: requests\/s 0\.90\d*×\s\[0\.\d+,\s0\.\d+\]\.$/,
  );
  assert.ok(scenarios[0].findings.includes(trendChangeText(change)));
});

Deno.test("two changes are two, each with its own commits, and the better one is no failure", () => {
  const up = trendIn(...days([...at(7, 1_000), ...at(7, 1_100)]));
  assert.equal(trendOutcome([up]), "pass");
  const both = trendIn(...days([...at(5, 1_000), ...at(5, 800), ...at(5, 900)]));
  const rates = both.changes.filter(({ figure }) => figure === "rate");
  assert.deepEqual(rates.map(({ between, isWorse }) => [between[1], isWorse]), [
    ["5555555", true],
    ["aaaaaaa", false],
  ]);
  assert.equal(trendOutcome([both]), "fail");
});

Deno.test("steady commits pass, three are too few to say, and none at all too", () => {
  assert.equal(trendOutcome([trendIn(...days(at(12, 1_000)))]), "pass");
  assert.equal(trendOutcome([trendIn(...days(at(3, 1_000)))]), "inconclusive");
  assert.equal(trendOutcome([]), "inconclusive");
});

Deno.test("a change under the margin of 2 % is none", () => {
  const { changes } = trendIn(...days([...at(8, 1_000), ...at(8, 985)]));
  assert.deepEqual(changes.filter(({ figure }) => figure === "rate"), []);
});

Deno.test("results of another machine start a series of their own", () => {
  const all = days([...at(6, 1_000), ...at(6, 700)]).map((results, i) =>
    i < 6 ? results : { ...results, machine: { ...results.machine, cpu: "Another CPU" } }
  );
  const trends = trendsIn(...all);
  assert.deepEqual(trends.map(({ longest, changes }) => [longest, changes.length]), [[6, 0], [
    6,
    0,
  ]]);
  assert.match(trends[1].title, /^fixture on Another CPU, .* over 6 results$/);
});

Deno.test("results of another host that is alike stay in the series", () => {
  const all = days(at(6, 1_000)).map((results, i) => ({
    ...results,
    machine: { ...results.machine, hostname: `runner-${i}` },
  }));
  assert.equal(trendsIn(...all).length, 1);
});

Deno.test("a commit whose result lacks the cell is skipped: the change lies between those that have it", () => {
  const all = days([...at(8, 1_000), ...at(8, 900)]);
  const gap = resultsOn(8, "7", { b: around(500) });
  const { changes } = trendIn(...all.with(7, gap));
  const [change] = changes.filter(({ figure, label }) => figure === "rate" && label === "a");
  assert.deepEqual(change.between, ["6666666", "8888888"]);
});
