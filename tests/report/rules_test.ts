/** The engine of rules: a value with its interval, against what is allowed. */
import assert from "node:assert/strict";
import { FIGURE_NAMES, figureNamed } from "../../base/figures/figure.ts";
import { contentionToward } from "../../report/judge/amounts.ts";
import { peakOpens } from "../../report/judge/claims.ts";
import type { Allowed, Outcome } from "../../report/judge/reasons.ts";
import {
  allowedAround,
  allowedBy,
  check,
  distanceTo,
  inverted,
  type Open,
  scaled,
  sideOf,
  turned,
} from "../../report/judge/rules.ts";
import { runAlone } from "../../report/cells/measured.ts";
import { measurementFixture } from "./fixture.ts";

const OVER_2 = allowedBy(">", 2);
const sides: [sentence: string, low: number, high: number, allowed: Allowed, outcome: Outcome][] = [
  ["all of it above the limit", 2.1, 3, OVER_2, "held"],
  ["it begins at the limit, which is not allowed", 2, 3, OVER_2, "inconclusive"],
  ["it begins at the limit, which is allowed", 2, 3, allowedBy(">=", 2), "held"],
  ["all of it below the limit", 1, 1.9, OVER_2, "broken"],
  ["it ends at the limit, which is not allowed", 1, 2, OVER_2, "broken"],
  ["it ends at the limit, which is allowed", 1, 2, allowedBy(">=", 2), "inconclusive"],
  ["it lies across the limit", 1, 3, OVER_2, "inconclusive"],
  ["it has no end, and no limit is above", 3, Infinity, OVER_2, "held"],
  ["below a limit", 1, 1.9, allowedBy("<", 2), "held"],
  ["above it", 2, 3, allowedBy("<", 2), "broken"],
  ["within a tolerance", 1.95, 2.05, allowedAround(2, 0.05), "held"],
  ["to the ends of a tolerance", 1.9, 2.1, allowedAround(2, 0.05), "held"],
  ["wider than a tolerance on both sides", 1.5, 2.5, allowedAround(2, 0.05), "inconclusive"],
  ["beyond a tolerance", 2.2, 2.5, allowedAround(2, 0.05), "broken"],
];

for (const [sentence, low, high, allowed, outcome] of sides) {
  Deno.test(`an interval is ${outcome} where ${sentence}`, () => {
    assert.equal(sideOf({ low, high }, allowed), outcome);
  });
}

Deno.test("what a reciprocal and a multiple may be", () => {
  assert.deepEqual(inverted(OVER_2), { low: -Infinity, high: 0.5, isClosed: false });
  assert.deepEqual(inverted(allowedBy("<=", 4)), { low: 0.25, high: Infinity, isClosed: true });
  assert.deepEqual(scaled(allowedBy("<", 2), 10), { low: -Infinity, high: 20, isClosed: false });
});

const open = (toward: Open["toward"], mostRatio = Infinity): Open => ({
  toward,
  mostRatio,
  why: { code: "at-least", name: toward },
});

const opened: [sentence: string, allowed: Allowed, opens: Open[], outcome: Outcome][] = [
  ["what may be more is surely more", OVER_2, [open("more")], "held"],
  ["what may be more is not surely less", allowedBy("<", 5), [open("more")], "inconclusive"],
  ["what may be less is not surely more", OVER_2, [open("less")], "inconclusive"],
  ["what may be less is surely less", allowedBy("<", 5), [open("less")], "held"],
  ["what may be either is nothing surely", OVER_2, [open("either")], "inconclusive"],
  ["a little more stays below", allowedBy("<", 5), [open("more", 1.2)], "held"],
  [
    "two that add up do not",
    allowedBy("<", 5),
    [open("more", 1.2), open("more", 1.2)],
    "inconclusive",
  ],
  ["what is broken anyway stays broken", allowedBy("<", 2), [open("more")], "broken"],
];

for (const [sentence, allowed, opens, outcome] of opened) {
  Deno.test(`of 3 to 4: ${sentence}`, () => {
    const checked = check({ low: 3, high: 4 }, allowed, opens);
    assert.equal(checked.outcome, outcome);
    assert.equal(checked.open, outcome === "inconclusive" ? opens[0] : null);
  });
}

Deno.test("an interval across the limit is not open for any other reason", () => {
  assert.equal(check({ low: 1, high: 4 }, OVER_2, [open("more")]).open, null);
});

Deno.test("what may be more makes less of what is divided by it", () => {
  assert.deepEqual(
    ["more", "less", "either"].map((toward) => turned({ toward: toward as Open["toward"] }).toward),
    ["less", "more", "either"],
  );
});

Deno.test("a limit at the end of an interval has a p of 5 %, whatever the interval's level", () => {
  const interval = { low: 1 / 1.1, high: 1.1 };
  for (const [limit, level] of [[1.1, 0.95], [1.1, 0.99], [1 / 1.1, 0.99]]) {
    const { p } = distanceTo(limit, { value: 1, interval, runs: 5, level });
    assert.ok(Math.abs(p - 0.05) < 1e-6, `${p}`);
  }
  assert.equal(distanceTo(1, { value: 1, interval, runs: 5, level: 0.95 }).p, 1);
});

Deno.test("the end of the interval on the limit's side says how far the limit is", () => {
  const pOf = (limit: number, value: number, low: number, high: number): string =>
    distanceTo(limit, { value, interval: { low, high }, runs: 5, level: 0.95 }).p.toFixed(6);
  assert.deepEqual([pOf(0.8, 1, 0.8, 1.1), pOf(1.1, 1, 0.8, 1.1)], ["0.050000", "0.050000"]);
  // 0 and ∞ are infinitely far on the logarithmic scale, but their intervals still end somewhere.
  assert.deepEqual([pOf(3, 0, 0, 3), pOf(3, Infinity, 3, Infinity)], ["0.050000", "0.050000"]);
  assert.deepEqual([pOf(3, 0, 0, 0), pOf(3, Infinity, Infinity, Infinity)], [
    ...["0.000000", "0.000000"],
  ]);
});

Deno.test("a busy machine makes rates lower and times longer, and leaves what is counted alone", () => {
  const toward = Object.groupBy(
    ["rate", "p99", "service.mean", "startUp", "capacity", "requests", "over.1s", "session.p50"]
      .concat("size", "2xx", "5xx", "hitRatio", "redis.hitRatio", "dropped", "lag.p99")
      .concat("generator.cpu", "machine.cpu", "cpu", "perCpu", "eventsPerCpu")
      .concat("memory", "stdev", "stable.p90")
      .concat("imbalance", "success", "errors").flatMap((name) => figureNamed(name) ?? []),
    ({ name }) => String(contentionToward(name)),
  );
  assert.deepEqual(
    Object.fromEntries(
      Object.entries(toward).map(([to, figures]) => [to, figures?.map(({ name }) => name)]),
    ),
    {
      more: ["rate", "capacity", "requests", "success"],
      less: ["p99", "service.mean", "startUp", "over.1s", "session.p50", "errors"],
      null: [
        ...["size", "2xx", "5xx", "hitRatio", "redis.hitRatio", "dropped", "lag.p99"],
        "generator.cpu",
      ],
      either: [
        ...["machine.cpu", "cpu", "perCpu", "eventsPerCpu", "memory", "stdev", "stable.p90"],
        "imbalance",
      ],
    },
  );
  assert.ok(FIGURE_NAMES.every((name) => figureNamed(name)?.contention !== undefined));
});

Deno.test("a peak is open where its rounds differ, or most runs after it were disturbed", () => {
  const run = runAlone(measurementFixture({ target: "a", scenario: "s", medianMs: 5 }), "");
  const suspect = { ...run, generator: { ...run.generator, trust: "suspect" as const } };
  const codes = (rounds: number[], undisturbed = 5, of = 10) => {
    const runs = Array.from({ length: of }, (_, i) => i < undisturbed ? run : suspect);
    return peakOpens("ceiling(redis)", rounds, { runs }).map(({ why }) => why.code);
  };
  assert.deepEqual(codes([19_000, 35_000, 48_000]), ["rounds-differ"]);
  assert.deepEqual(codes([30_000, 45_000]), []);
  assert.deepEqual(codes([30_000, 30_500], 4), ["busy-peak"]);
  assert.deepEqual(codes([30_000, 30_500], 0, 0), []);
});
