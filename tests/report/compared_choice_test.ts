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
  assert.equal(named.code, "gains");
  assert.deepEqual(named.forest?.rows.map(({ label }) => label), [
    "target builtin",
    "target nginx",
  ]);
  assert.match(named.forest?.title ?? "", / against round-robin, /);
  const targets = concluded(sweepResults(POLICIES));
  assert.deepEqual(targets.winners.map(({ winner }) => winner), ["nginx", "nginx"]);
});

Deno.test("compared: of one target the values of a factor of words, against the base", () => {
  const one = POLICIES.slice(0, 2);
  const { code, forest } = concluded(choosing(sweepResults(one), { base: "round-robin" }));
  assert.equal(code, "gains");
  assert.equal(forest?.title, "Requests/s against round-robin, more is better");
  assert.deepEqual(forest?.rows.map(({ label }) => label), ["least-connections"]);
});

Deno.test("compared: a value that says nothing alone has the name of its factor", () => {
  const cells = ["off", "on"].map((cache, i): SweepCell => ({
    parameters: { "set.cache": cache },
    rate: 1_000 * (i + 1),
  }));
  const { sentence } = concluded(sweepResults(cells));
  assert.equal(sentence, "cache on leads: 2.0× the requests/s of cache off.");
});

Deno.test("compared: of one target three numbers are a sweep, and nothing is compared", () => {
  const { code, figure } = concluded(sweepResults([1, 16, 64].map((connections) => ({
    parameters: { connections },
    rate: 1_000 * Math.min(connections, 10),
  }))));
  assert.deepEqual([code, figure?.unit], ["alone", "requests/s"]);
});

Deno.test("compared: a base that is no first target turns the forest around", () => {
  const { forest } = concluded(choosing(resultsAt(TWO), { base: "b" }));
  assert.deepEqual(forest?.rows.map(({ label, word }) => `${label} ${word}`), ["a worse"]);
});

Deno.test("compared: the base may be a value that says nothing alone, whichever side is ahead", () => {
  const sides = [[2, 4], ["off", "on"], [500, 1_000], ["500/s", "1000/s"]];
  const sentences = sides.flatMap((values) =>
    values.map((base) => {
      const cells = values.map((value, i): SweepCell => ({
        parameters: { "set.x": value },
        rate: 100 * (i + 1),
      }));
      return concluded(choosing(sweepResults(cells), { factor: "x", base: String(base) })).sentence;
    })
  );
  assert.deepEqual(sentences.map((one) => one.replaceAll("\u00a0", " ")), [
    "x 4 has 2.0× the requests/s of x 2.",
    "x 2 costs 50 % of the throughput of x 4.",
    "x on has 2.0× the requests/s of x off.",
    "x off costs 50 % of the throughput of x on.",
    "x 1,000 has 2.0× the requests/s of x 500.",
    "x 500 costs 50 % of the throughput of x 1,000.",
    "x 1,000/s has 2.0× the requests/s of x 500/s.",
    "x 500/s costs 50 % of the throughput of x 1,000/s.",
  ]);
});
