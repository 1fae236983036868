/** Each colour that a page names is in its styles. */
import assert from "node:assert/strict";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import { comparedPage } from "./compared.ts";
import { sweepResults } from "./sweep_results.ts";

Deno.test("every swatch of a comparison has its colour, shades of a factor too", () => {
  const cells = [10, 50, 200].flatMap((connections) =>
    ["a", "b"].map((target) => ({ target, parameters: { connections }, rate: 1_000 }))
  );
  const html = comparedPage(compareResults(sweepResults(cells), sweepResults(cells)));
  const classes = new Set([...html.matchAll(/class="swatch (s\d+)"/g)].map(([, name]) => name));
  assert.ok(classes.size >= 6, [...classes].join());
  assert.deepEqual([...classes].filter((name) => !new RegExp(`\\.${name}\\s*[{,]`).test(html)), []);
});
