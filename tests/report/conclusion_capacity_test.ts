import assert from "node:assert/strict";
import { renderComparison } from "../../report/render/comparison.ts";
import { compareResults } from "../../report/subjects/compared_results.ts";
import type { Results } from "../../runner/result/result.ts";
import { concluded } from "./concluded.ts";
import { plain } from "./readable.ts";
import { capacities } from "./searched.ts";

const [SLOW, FAST] = [{ perSec: 1_000 }, { perSec: 2_000 }];

Deno.test("capacity: who takes more is ahead, and latency at the limit is no price of it", () => {
  const { sentence, figure, forest, matrix } = concluded(capacities({ slow: SLOW, fast: FAST }));
  assert.equal(sentence, "fast takes 2.0× slow.");
  assert.equal(figure?.label, "capacity of fast over slow");
  assert.equal(forest?.title, "Capacity against slow, more is better");
  assert.deepEqual(matrix?.rows.map(({ label }) => label), ["fast", "slow"]);
});

Deno.test("capacity: a lower bound is ahead of what is below it", () => {
  const { sentence, figure, matrix } = concluded(
    capacities({ slow: SLOW, fast: { ...FAST, bound: "generator" } }),
  );
  assert.equal(sentence, "fast takes at least 2.0× slow.");
  assert.match(figure?.text ?? "", /^≥ \d\.\d+×$/);
  assert.match(plain(matrix?.rows[0].cells[0]?.text ?? ""), /^≥ ?2,0\d\d\/s$/);
});

for (const runs of [5, 1]) {
  Deno.test(`capacity: what is above a lower bound is not ahead of it, in ${runs} runs each`, () => {
    const { sentence, figure } = concluded(
      capacities({ slow: { ...SLOW, bound: "generator", runs }, fast: { ...FAST, runs } }),
    );
    assert.equal(
      sentence,
      "fast against slow: inconclusive, as a search ended below the limit of a target.",
    );
    assert.equal(figure?.certainty, "open");
  });
}

Deno.test("capacity: two lower bounds are not the same, however near they are", () => {
  const bound = { perSec: 2_000, bound: "generator" } as const;
  const { sentence } = concluded(capacities({ a: bound, b: bound }));
  assert.match(sentence, /inconclusive, as a search ended below the limit of a target\.$/);
});

Deno.test("capacity: of one target it is what it takes, not what it served at a share of that", () => {
  const { sentence, figure } = concluded(capacities({ slow: SLOW }, 0.8));
  assert.match(plain(sentence), /^slow takes 1,00\d requests\/s with p99 < 50ms\.$/);
  assert.match(figure?.text ?? "", /^1,00\d$/);
  assert.equal(figure?.label, "capacity of slow");
  const least = concluded(capacities({ slow: { ...SLOW, bound: "generator" } }));
  assert.match(plain(least.sentence), /^slow takes at least 1,00\d requests\/s with p99 < 50ms\.$/);
});

/** In each run 3 % more requests end so, and without a response. */
function ending(as: "dropped" | "failed", results: Results): Results {
  const runs = results.runs.map((run) => {
    const more = Math.round(0.03 * run.requests.due);
    return {
      ...run,
      requests: { ...run.requests, due: run.requests.due + more, [as]: more },
      ...as === "failed" && { errors: { reset: more } },
    };
  });
  return { ...results, runs };
}

Deno.test("capacity: what could not be sent at the limit is late by the rules, and no error beside them", () => {
  const [slow, fast] = [capacities({ slow: SLOW }), capacities({ fast: FAST })];
  const ofBoth = (as: "dropped" | "failed"): Results => (
    { ...fast, runs: [...slow.runs, ...ending(as, fast).runs] }
  );
  assert.equal(concluded(ofBoth("dropped")).sentence, "fast takes 2.0× slow.");
  assert.match(plain(concluded(ofBoth("failed")).sentence), /fast fails on 2\.9 %/);

  const [base, next] = [5_000, 4_500].map((perSec) => capacities({ work: { perSec } }));
  const verdictOf = (as: "dropped" | "failed"): unknown => {
    const [{ errors, comparison }] = compareResults(base, ending(as, next)).cells;
    return [errors, comparison.figures.find(({ figure }) => figure === "rate")?.verdict];
  };
  assert.deepEqual(verdictOf("dropped"), ["", "worse"]);
  const [errors] = verdictOf("failed") as string[];
  assert.match(plain(errors), /^wrong or failed: 0 % of the requests before, 2\.9\d? % now$/);
});

Deno.test("compare: at the capacity p99 is what the rules allow, and decides nothing", () => {
  const decisiveAt = (share: number): readonly unknown[] => {
    const sides = [5_000, 4_500].map((perSec) => capacities({ work: { perSec } }, share));
    const compared = compareResults(sides[0], sides[1]);
    const text = renderComparison(compared, { width: 200, color: false, unicode: true }).replaceAll(
      "\u00a0",
      " ",
    );
    assert.equal(text.includes("what the rules of the capacity allow"), share === 1);
    assert.match(text, /0\.(?:9000|8999)× \[.*\] the requests/);
    assert.deepEqual(compared.differences, [], "the rate that a search found is no condition");
    return compared.cells[0].comparison.decisive;
  };
  assert.deepEqual(decisiveAt(1), ["rate", "cpuPerRequest"]);
  assert.deepEqual(decisiveAt(0.8), ["rate", 99, "cpuPerRequest"]);
});
