import assert from "node:assert/strict";
import { capacityRange } from "../../report/figures/capacity.ts";
import { reportModel } from "../../report/model.ts";
import { renderCsv } from "../../report/render/csv.ts";
import type { Results } from "../../runner/result/result.ts";
import { claim } from "../../scenarios/claims/claim_text.ts";
import { thresholdText } from "../../scenarios/claims/threshold.ts";
import { resultsFixture } from "./fixture.ts";
import { type Found, foundAt, searchOf } from "./searched.ts";
import { tableIn } from "./said.ts";

/** Two targets, of which each run searched: the capacities by run. */
function searched(capacities: Readonly<Record<string, readonly (Found | null)[]>>): Results {
  const cells = Object.keys(capacities).map((target) => ({
    target,
    scenario: "static",
    medianMs: 5,
    runs: capacities[target].length,
  }));
  const results = resultsFixture({ cells });
  return {
    ...results,
    runs: results.runs.map((run) => ({
      ...run,
      capacity: searchOf(capacities[run.target][run.repetition - 1]),
    })),
  };
}

const [SLOW, FAST] = [[1_000, 1_010, 990, 1_005], [2_000, 2_020, 1_990, 2_010]]
  .map((values) => values.map((value) => foundAt(value)));

Deno.test("a cell's capacity has the interval over its runs, of one run that of its search", () => {
  const several = capacityRange(SLOW.map((found) => ({ capacity: searchOf(found) })), 0.95);
  assert.ok(several?.interval);
  assert.ok(several.interval.low < 1_001 && several.interval.high > 1_001);
  assert.ok(several.interval.high - several.interval.low < 50);
  const one = capacityRange([{ capacity: searchOf(SLOW[0]) }], 0.95);
  assert.deepEqual(one, {
    value: 1_000,
    isAtLeast: false,
    interval: { low: 990, high: 1_010 },
  });
  assert.equal(capacityRange([{ capacity: searchOf(null) }], 0.95), null);
});

function outcomesOf(rule: string, results: Results): string[] {
  const threshold = thresholdText.parse(rule);
  const experiment = { ...results.experiment, thresholds: [threshold] };
  return reportModel({ ...results, experiment }).gates.map(({ outcome }) => outcome);
}

Deno.test("thresholds judge a capacity by its interval, and a lower bound only upwards", () => {
  const results = searched({ slow: SLOW });
  assert.deepEqual(outcomesOf("capacity >= 900/s", results), ["pass"]);
  assert.deepEqual(outcomesOf("capacity >= 1100/s", results), ["fail"]);
  assert.deepEqual(outcomesOf("capacity >= 1002/s", results), ["inconclusive"]);
  const limited = searched({ slow: SLOW.map(({ value }) => foundAt(value, "generator")) });
  assert.deepEqual(outcomesOf("capacity >= 900/s", limited), ["pass"]);
  assert.deepEqual(outcomesOf("capacity >= 1100/s", limited), ["inconclusive"]);
  assert.deepEqual(
    outcomesOf(
      "capacity >= 900/s",
      resultsFixture({
        cells: [{ target: "slow", scenario: "static", medianMs: 5 }],
      }),
    ),
    ["fail"],
  );
});

function verdictOf(text: string, results: Results): string {
  const claims = [claim.parse(text)];
  const { claims: judged } = reportModel({
    ...results,
    experiment: { ...results.experiment, claims },
  });
  return JSON.stringify(judged);
}

Deno.test("claims compare capacities, and an open one decides nothing against it", () => {
  const results = searched({ slow: SLOW, fast: FAST });
  const text = "capacity(fast, static) > 1.5 × capacity(slow, static)";
  assert.match(verdictOf(text, results), /"reproduced"/);
  assert.match(
    verdictOf("capacity(fast, static) > 3 × capacity(slow, static)", results),
    /"not reproduced"/,
  );
  const open = searched({ slow: SLOW, fast: FAST.map(({ value }) => foundAt(value, "generator")) });
  assert.match(
    verdictOf("capacity(fast, static) > 3 × capacity(slow, static)", open),
    /"code":"at-least"/,
  );
});

Deno.test("the table and the CSV have the capacity of runs that searched one", () => {
  const results = searched({ slow: SLOW, fast: FAST });
  const model = reportModel(results);
  const { columns } = tableIn(model, "verdict/1");
  assert.ok(columns.some(({ label }) => label === "Capacity/s"));
  const [head, first] = renderCsv(model).split("\r\n");
  const at = head.split(",").indexOf("capacityPerSec");
  assert.ok(Number(first.split(",")[at]) >= 990);
});
