import assert from "node:assert/strict";
import { goalOf, type SearchTerms, unseenRatio } from "../../runner/capacity/search_terms.ts";
import type { SearchGoal } from "../../runner/stats/capacity/search.ts";
import { objective } from "../../scenarios/claims/objective.ts";

function searchFor(rule: string, more: Partial<SearchTerms>): { goal: SearchGoal; unseen: number } {
  const terms: SearchTerms = {
    objectives: [objective.parse("success >= 99%"), objective.parse(rule)],
    ...{ widthRatio: 0.02, trialS: [5, 30], budgetS: 1_200, recoverS: 30 },
    ...more,
  };
  const goal = goalOf(terms, 1_000);
  return { goal, unseen: unseenRatio(goal) };
}

Deno.test("trials that show an overload of the width anyway are as long as they should be", () => {
  const { goal: { shortS, longS, longestS }, unseen } = searchFor("p99 < 50ms", {});
  assert.deepEqual([shortS, longS, longestS, unseen], [5, 30, 150, 0]);
});

Deno.test("a slow limit makes short trials longer, too: shorter than the limit, any rate would hold", () => {
  const { goal: { shortS, longS }, unseen } = searchFor("p99 < 2s", { trialS: [1, 30] });
  assert.deepEqual([shortS, longS, unseen], [6, 150, 0]);
});

Deno.test("what no trial of the budget can show is told, and makes the interval wide", () => {
  const { goal: { shortS, longS }, unseen } = searchFor("p99 < 2s", {
    ...{ trialS: [1, 5], budgetS: 60 },
  });
  assert.deepEqual([shortS, longS], [6, 7.5]);
  assert.equal(unseen, 2 / 7.5);
});

Deno.test("where no rule has a time, an overload of the width uses up a burst of a tenth of a second", () => {
  const { goal: { shortS, longS }, unseen } = searchFor("errors < 1%", { trialS: [1, 2] });
  assert.deepEqual([shortS, Number(longS.toFixed(9)), unseen], [1, 15, 0]);
  const brief = searchFor("errors < 1%", { trialS: [1, 2], budgetS: 20 });
  assert.deepEqual([brief.goal.longS, brief.unseen], [2.5, 0.04]);
});
