import assert from "node:assert/strict";
import {
  comparisonJson,
  renderComparison,
  renderComparisonMarkdown,
} from "../../report/render/comparison.ts";
import { comparedModel, comparisonSentence } from "../../report/subjects/compared_conclusion.ts";
import { compareResults, type ResultsComparison } from "../../report/subjects/compared_results.ts";
import { renderComparisonPage } from "../../report/render/html/compared_page.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { doubted } from "./concluded.ts";
import { around, type Rates, resultsAt } from "./rates.ts";
import { assertReadable, plain } from "./readable.ts";

const BASE = { a: around(1_000), b: around(2_000) };

/** Those of the new runs that are picked are not valid. */
function against(
  rates: Rates,
  isDoubted: (run: Run) => boolean,
  base: Results = resultsAt(BASE),
): ResultsComparison {
  return compareResults(base, doubted(resultsAt(rates), isDoubted));
}

Deno.test("compared: all runs valid is green, and nothing more is said", () => {
  const { reliability } = compareResults(resultsAt(BASE), resultsAt(BASE));
  assert.deepEqual(reliability, {
    survival: "all-valid",
    light: "green",
    level: "valid",
    sentence: "All 10 runs of BASE and all 10 of NEW are valid.",
  });
});

Deno.test("compared: a verdict that survives without the runs that are not valid says so", () => {
  const { reliability } = against(
    { a: around(1_002, 0.001), b: around(2_004, 0.001) },
    ({ repetition }) => repetition === 1,
  );
  assert.equal(reliability.survival, "same");
  assert.equal(reliability.light, "amber");
  assert.equal(
    reliability.sentence,
    "All 10 runs of BASE and 8 of 10 of NEW are valid; without the others the verdict is the same.",
  );
});

Deno.test("compared: a verdict that rests on runs that are not valid is red, or amber in part", () => {
  // Within the valid ones the new rates are the old ones; the doubted ones are far below.
  const slow = (
    rate: number,
  ): number[] => [...around(rate).slice(0, 2), 0.5 * rate, 0.5 * rate, 0.5 * rate];
  const isSlow = ({ repetition }: Run): boolean => repetition > 2;
  const both = against({ a: slow(1_000), b: slow(2_000) }, isSlow);
  const part = against(
    { a: slow(1_000), b: around(2_000) },
    (run) => run.target === "a" && isSlow(run),
  );
  for (const { reliability } of [both, part]) assertReadable(plain(reliability.sentence));
  assert.deepEqual([part.reliability.survival, part.reliability.light], ["partly", "amber"]);
  assert.match(
    part.reliability.sentence,
    /; without the others the verdict is another in 1 of 2 cells\.$/,
  );
  assert.deepEqual([both.reliability.survival, both.reliability.light], ["changed", "red"]);
  assert.match(both.reliability.sentence, /the verdict is another in every cell\.$/);
});

Deno.test("compared: a side without a valid run leaves nothing to compare", () => {
  const { reliability } = against(BASE, () => true);
  assert.deepEqual([reliability.survival, reliability.light], ["none-valid", "red"]);
  assert.match(reliability.sentence, /; without NEW there is nothing to compare\.$/);
});

Deno.test("compared: a cell that loses all its runs has another verdict", () => {
  const { reliability } = against(BASE, ({ target }) => target === "a");
  assert.equal(reliability.survival, "partly");
});

Deno.test("compared: no word is said twice where nothing is decided", () => {
  const many = compareResults(
    resultsAt({ a: [1_000], b: [2_000] }),
    resultsAt({ a: [1_100], b: [1_900] }),
  );
  assert.equal(
    comparisonSentence(many),
    "Inconclusive in both cells: neither requests/s nor p99 decides.",
  );
  const alike = compareResults(resultsAt(BASE), resultsAt(BASE));
  const sentence = plain(comparisonSentence(alike));
  assert.equal(sentence.match(/the same within/g)?.length, 1, sentence);
});

Deno.test("compared: page, terminal, markdown and JSON say whether the verdict survives", () => {
  const comparison = against(
    { a: around(1_002, 0.001), b: around(2_004, 0.001) },
    ({ repetition }) => repetition === 1,
  );
  const { sentence } = comparison.reliability;
  const forms = [
    renderComparison(comparison, { width: 400, color: false, unicode: true }),
    renderComparisonMarkdown(comparison),
    JSON.stringify(comparisonJson(comparison)),
    renderComparisonPage(comparison),
  ];
  for (const form of forms) {
    assert.ok(plain(form).replaceAll("\\", "").includes(plain(sentence)), form.slice(0, 300));
  }
});

Deno.test("compared: rows of one scenario do not repeat its name, rows of several have it", () => {
  const { card } = comparedModel(compareResults(resultsAt(BASE), resultsAt(BASE)));
  assert.match(card.forest?.title ?? "", /against BASE in static,/);
  assert.deepEqual(card.forest?.rows.map(({ label }) => label).toSorted(), ["a", "b"]);
});
