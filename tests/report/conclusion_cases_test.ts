/** Verdicts that a first reader could take wrongly: few runs, failing targets, many targets, scenarios in part. */
import assert from "node:assert/strict";
import type { Results } from "../../runner/result/result.ts";
import { concluded, many } from "./concluded.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";
import { assertReadable, plain } from "./readable.ts";

/** Of `many`, with so few runs that no lead is certain. */
function fewRuns(): Results {
  const results = many();
  return { ...results, runs: results.runs.filter(({ repetition }) => repetition <= 2) };
}

Deno.test("conclusion: who seems ahead in most places is named, as likely", () => {
  assert.equal(
    concluded(fewRuns()).sentence,
    "gin is likely fastest in 3 of 5 scenarios, not proven: 2 runs each.",
  );
});

Deno.test("conclusion: a fast target that responds wrongly is named beside the winner", () => {
  const three = { a: around(1_000), b: around(2_000, 0.001), c: around(1_500, 0.002) };
  const { sentence } = concluded(
    resultsAt(three, (target) => ({ wrongRatio: target === "b" ? 0.3 : 0 })),
  );
  assert.match(plain(sentence), /^c serves 1\.5× a; b responds wrongly to \d\d %\.$/);
});

Deno.test("conclusion: of several that fall short all are named where there is no room for more", () => {
  const cells = ["x", "y", "z"].flatMap((scenario): CellSpec[] => [
    { target: "a", scenario, medianMs: 2, runs: 4 },
    { target: "b", scenario, medianMs: 3, runs: 4 },
    { target: "c", scenario, medianMs: 1, runs: 4, wrongRatio: 0.3 },
    { target: "d", scenario, medianMs: 1, runs: 4, wrongRatio: scenario === "z" ? 0.1 : 0 },
  ]);
  assert.match(
    plain(concluded(resultsFixture({ cells })).sentence),
    /; c and d fall short\.$/,
  );
});

Deno.test("conclusion: of thirty targets alike few are named", () => {
  const cells = Array.from({ length: 30 }, (_, i): CellSpec => ({
    ...{ target: `t${i}`, scenario: "static", medianMs: 10, runs: 3, duration: 1 },
  }));
  const { sentence } = concluded(resultsFixture({ cells }));
  assertReadable(plain(sentence));
  assert.match(sentence, / and \d\d others: inconclusive in 3 runs each\.$/);
});

Deno.test("conclusion: a comparison in one scenario of two says in which, and has its forest", () => {
  const { sentence, forest } = concluded(resultsFixture({
    cells: [
      { target: "a", scenario: "x", medianMs: 10, runs: 3 },
      { target: "b", scenario: "x", medianMs: 20, runs: 3 },
      { target: "a", scenario: "y", medianMs: 10, runs: 3, wrongRatio: 1 },
    ],
  }));
  assert.match(plain(sentence), /^x: a serves 2\.0× b; y: a responds wrongly to 100 %\.$/);
  assert.equal(forest?.rows.length, 1);
});

Deno.test("conclusion: two scenarios without any leader are two, and the largest figure has its place", () => {
  const cells = ["x", "y"].flatMap((scenario) =>
    ["a", "b", "c"].map((target): CellSpec => ({ target, scenario, medianMs: 10, runs: 5 }))
  );
  const { sentence, figure } = concluded(resultsFixture({ cells }));
  assert.equal(sentence, "None of 3 is fastest for certain in either scenario.");
  assert.match(figure?.label ?? "", /^requests\/s of [abc] in [xy]$/);
});

Deno.test("next: runs that differ more than the targets are not called near the margin", () => {
  const { next } = concluded(resultsAt({ a: [1_000, 2_000, 1_500], b: [1_400, 2_300, 900] }));
  assert.match(next[0].text, /^Make runs longer, or the machine quieter: /);
});
