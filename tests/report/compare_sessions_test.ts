/** Results of several measuring sessions held against each other. */
import assert from "node:assert/strict";
import { comparisonOf } from "../../report/judge/comparison.ts";
import { comparisonJson } from "../../report/render/comparison.ts";
import { comparedCard } from "../../report/subjects/comparison/card.ts";
import {
  compareSessions,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import { withoutSessionsOf } from "../../report/judge/sessions.ts";
import type { Results } from "../../runner/result/result.ts";
import { around, resultsAt } from "./rates.ts";
import { comparedText } from "./compared.ts";

/** Measured on a day of May. */
function session(day: number, rate: number): Results {
  const startedAt = `2031-05-${String(day).padStart(2, "0")}T10:00:00.000Z`;
  return { ...resultsAt({ a: around(rate) }), startedAt };
}

function rateOf({ cells: [{ comparison }] }: ResultsComparison): [string, string | null] {
  const { verdict, reason } = comparisonOf(comparison, "rate");
  return [verdict, reason];
}

Deno.test("results of two sessions differ in these, and are inconclusive however many runs agree", () => {
  const comparison = compareSessions([session(1, 1_000)], [session(2, 900)]);
  assert.deepEqual(rateOf(comparison), ["inconclusive", "sessions"]);
  assert.equal(comparison.outcome, "inconclusive");
  const text = comparedText(comparison);
  assert.match(text, /1,000 → 900 requests\/s, .*: differs in these two sessions\n/);
  assert.equal(
    text.match(/how much results differ between sessions on this machine is unknown/g)?.length,
    1,
  );
  assert.match(text, /^Next: Measure both sides in one experiment, or 3 sessions of each/m);
});

Deno.test("who seems ahead in two sessions is no likely leader: sessions may differ by as much", () => {
  const near = [1, 2].map((day) => ({
    ...resultsAt({ a: around(day === 1 ? 1_000 : 1_030, 0.01) }),
    startedAt: `2031-05-0${day}T10:00:00.000Z`,
  }));
  const apart = compareSessions([near[0]], [near[1]]);
  const [, reason] = rateOf(apart);
  assert.ok(reason === "margin" || reason === "exact" || reason === "many", `${reason}`);
  const { code, sentence } = comparedCard(apart);
  assert.equal(code, "undecided");
  assert.doesNotMatch(sentence, /probably|likely/);
  assert.match(comparedText(apart), /likely better in these two sessions/);
  const together = { ...near[1], startedAt: near[0].startedAt };
  assert.notEqual(comparedCard(compareSessions([near[0]], [together])).code, "undecided");
});

Deno.test("results of two sessions that are alike are inconclusive, too: sessions may hide a difference", () => {
  const [base, next] = [session(1, 1_000), session(2, 1_001)];
  const comparison = compareSessions([base], [next], { marginRatio: 0.1 });
  assert.deepEqual(rateOf(comparison), ["inconclusive", "sessions"]);
  assert.equal(comparison.outcome, "inconclusive");
  assert.match(comparedText(comparison), /requests\/s, .*: alike in these two sessions\n/);
});

Deno.test("the same difference in one experiment, or in a copy of its results, is worse", () => {
  assert.deepEqual(rateOf(compareSessions([session(1, 1_000)], [session(1, 900)])), [
    "worse",
    null,
  ]);
});

const HARDLY = [1_000, 1_004, 998, 1_003, 1_001, 999, 1_002, 997, 1_003, 1_000, 998, 1_001];
const EARLIER: [sentence: string, rates: number[], says: [string, string | null]][] = [
  ["that hardly differ", HARDLY, ["worse", null]],
  [
    "that differ by 5 %",
    [1_000, 1_060, 950, 1_040, 990, 1_070, 930, 1_010, 1_050, 960, 1_030, 1_000],
    ["inconclusive", "few-runs"],
  ],
  // One in five may be odd, and five may hold none.
  ["of which there are five", HARDLY.slice(7), ["inconclusive", "sessions"]],
  [
    "of which two are 10 % faster",
    HARDLY.map((rate, i) => i % 5 === 2 ? 1.1 * rate : rate),
    ["inconclusive", "groups"],
  ],
];

for (const [sentence, rates, says] of EARLIER) {
  Deno.test(`earlier sessions ${sentence} decide whether 10 % less is worse`, () => {
    const earlier = rates.map((rate, i) => session(10 + i, rate));
    const comparison = compareSessions([session(1, 1_000)], [session(2, 900)], { earlier });
    assert.deepEqual(rateOf(comparison), says);
    const isKnown = says[1] !== "sessions";
    assert.match(
      JSON.stringify(comparisonJson(comparison)),
      isKnown
        ? /"sessions":"known","sessionStdev":0\.\d+,"sessionCorrelation":0\.\d+/
        : /"sessions":"unknown","sessionStdev":null,"sessionCorrelation":null/,
    );
    const note =
      /^Intervals include the differences between sessions: 1 session of the base, 1 of the new side and 12 earlier ones\./m;
    assert.equal(note.test(comparedText(comparison)), isKnown);
  });
}

Deno.test("a session counts once, though it is named twice or among the earlier ones as well", () => {
  const [base, next] = [session(1, 1_000), session(2, 900)];
  const earlier = HARDLY.map((rate, i) => session(10 + i, rate));
  const [once, twice] = [earlier, [...earlier, base, ...earlier, next]].map((earlier) =>
    comparisonOf(compareSessions([base], [next], { earlier }).cells[0].comparison, "rate").interval
  );
  assert.deepEqual(twice, once);
});

Deno.test("one earlier session says nothing of how sessions differ", () => {
  const comparison = compareSessions([session(1, 1_000)], [session(2, 900)], {
    earlier: [session(10, 1_000)],
  });
  assert.deepEqual(rateOf(comparison), ["inconclusive", "sessions"]);
});

Deno.test("of several sessions a side each counts once", () => {
  const bases = [1_000, 1_003, 997].map((rate, i) => session(i + 1, rate));
  const alike = [902, 900, 898].map((rate, i) => session(i + 11, rate));
  const comparison = compareSessions(bases, alike);
  assert.deepEqual(rateOf(comparison), ["worse", null]);
  const { interval, base, pairs } = comparisonOf(comparison.cells[0].comparison, "rate");
  assert.ok(interval && interval.degreesOfFreedom <= 4 && interval.degreesOfFreedom > 2);
  assert.ok(Math.abs(base - 1_000) < 1, String(base));
  assert.equal(pairs, null);
  const apart = [1_000, 800, 900].map((rate, i) => session(i + 11, rate));
  assert.equal(rateOf(compareSessions(bases, apart))[0], "inconclusive");
});

Deno.test("a folder of sessions may hold those that it is compared with", () => {
  const all = [1, 2, 3].map((day) => session(day, 1_000));
  assert.deepEqual(withoutSessionsOf(all, [all[2]]), all.slice(0, 2));
  assert.deepEqual(withoutSessionsOf([all[2]], [all[2]]), [all[2]]);
});
