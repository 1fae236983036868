import assert from "node:assert/strict";
import { comparedModel } from "../../report/subjects/compared_conclusion.ts";
import { compareResults } from "../../report/subjects/compared_results.ts";
import { around, resultsAt } from "./rates.ts";

/** What to do next, of one target at these rates of both sides. */
function nextOf(base: readonly number[], next: readonly number[]): string[] {
  const compared = compareResults(resultsAt({ a: base }), resultsAt({ a: next }));
  return comparedModel(compared).card.next.map(({ text }) => text);
}

Deno.test("compared: where some more runs would decide, the next step says how many", () => {
  const [text, ...others] = nextOf(around(1_000), [930, 1_010, 920, 985, 940]);
  assert.match(text, /^Add runs: about \d\d? runs would show a difference as large\.$/);
  assert.deepEqual(others, []);
});

Deno.test("compared: nobody adds hundreds of runs, so the next step is another one", () => {
  assert.deepEqual(nextOf([900, 1_100, 1_000, 1_050, 950], [1_050, 890, 970, 860, 1_030]), [
    "Longer runs or a quieter machine: over 50 runs are needed.",
  ]);
});

Deno.test("compared: a row of single runs says why nothing is decided, as its ratio has no interval", () => {
  const compared = compareResults(resultsAt({ a: [1_000] }), resultsAt({ a: [1_500] }));
  const words = comparedModel(compared).card.forest?.rows.map(({ text, word }) => [text, word]);
  assert.deepEqual(words, [["1.50×", "inconclusive: one run"]]);
});
