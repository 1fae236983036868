import assert from "node:assert/strict";
import type { Results } from "../../runner/result/result.ts";
import { concluded, POLICIES, TWO } from "./concluded.ts";
import { resultsAt } from "./rates.ts";
import { type SweepCell, sweepResults } from "./sweep_results.ts";

/** With what the experiment file says of its question. */
function choosing(results: Results, choice: { factor?: string; base?: string }): Results {
  const { factor, base } = choice;
  Object.assign(results.experiment, {
    ...(factor && { compare: { factor } }),
    ...(base && { base }),
  });
  return results;
}

Deno.test("compared: the factor that the experiment names, at equal targets", () => {
  const named = concluded(
    choosing(sweepResults(POLICIES), { factor: "policy", base: "round-robin" }),
  );
  assert.match(
    named.sentence,
    /^least-connections is fastest in both settings, 1\.09–1\.2× the next\.$/,
  );
  assert.deepEqual(named.forest?.rows.map(({ label }) => label), [
    "target builtin: least-connections",
    "target nginx: least-connections",
  ]);
  assert.match(named.forest?.title ?? "", / against round-robin, /);
  const targets = concluded(sweepResults(POLICIES));
  assert.match(targets.sentence, /^nginx is fastest in both settings/);
});

Deno.test("compared: of one target the values of a factor of words, against the base", () => {
  const one = POLICIES.slice(0, 2);
  const { sentence, forest } = concluded(choosing(sweepResults(one), { base: "round-robin" }));
  assert.match(sentence, /^least-connections serves 1\.2× round-robin\.$/);
  assert.equal(forest?.title, "Requests/s against round-robin, more is better");
  assert.deepEqual(forest?.rows.map(({ label }) => label), ["least-connections"]);
});

Deno.test("compared: a value that says nothing alone has the name of its factor", () => {
  const cells = ["off", "on"].map((cache, i): SweepCell => ({
    parameters: { "set.cache": cache },
    rate: 1_000 * (i + 1),
  }));
  assert.equal(concluded(sweepResults(cells)).sentence, "cache on serves 2.0× cache off.");
});

Deno.test("compared: of one target three numbers are a sweep, with its line in words", () => {
  const { sentence, figure } = concluded(sweepResults([1, 16, 64].map((connections) => ({
    parameters: { connections },
    rate: 1_000 * Math.min(connections, 10),
  }))));
  assert.match(sentence, /^a serves 10,0\d\d requests\/s at most, at (16|64) connections; /);
  assert.equal(figure?.unit, "requests/s");
});

Deno.test("compared: a base that is no first target turns the forest around", () => {
  const { forest } = concluded(choosing(resultsAt(TWO), { base: "b" }));
  assert.deepEqual(forest?.rows.map(({ label, word }) => `${label} ${word}`), ["a worse"]);
});
