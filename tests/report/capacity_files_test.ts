import assert from "node:assert/strict";
import { renderJunit, resultsSuite } from "../../report/render/junit.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import type { CapacityEnd, CapacityTrial } from "../../runner/result/capacity.ts";
import type { Results } from "../../runner/result/result.ts";
import { capacities } from "./searched.ts";
import { tableIn } from "./said.ts";

function trialAt(ratePerSec: number, outcome: CapacityTrial["outcome"]): CapacityTrial {
  return {
    ...{ ratePerSec, outcome, counts: true, plannedS: 5, elapsedS: 5 },
    ...{ completedPerSec: ratePerSec, rules: [], p50: 1, p99: outcome === "held" ? 12 : 80 },
    ...{ success: 1, trust: "valid", findings: [], recoveryS: 0 },
  };
}

function searchedResults(ends: readonly CapacityEnd[]): Results {
  const results = capacities({ work: { perSec: 489, runs: ends.length } });
  const trials = [trialAt(480, "held"), trialAt(500, "broken")];
  const runs = results.runs.map((run, i) => ({
    ...run,
    ...(run.capacity && { capacity: { ...run.capacity, end: ends[i], trials } }),
  }));
  return { ...results, runs };
}

Deno.test("JUnit has a testcase a search, with what its end means, and every trial in its output", () => {
  const results = searchedResults(["found", "budget", "generator", "nothing-holds"]);
  const suite = resultsSuite(results, reportModel(results));
  const cases = suite.cases.filter(({ name }) => name.endsWith("capacity found"));
  assert.deepEqual(cases.map(({ name, problem }) => [name, problem?.kind, problem?.type]), [
    ["work, run 1: capacity found", undefined, undefined],
    ["work, run 2: capacity found", "error", "budget"],
    ["work, run 3: capacity found", "skipped", "generator"],
    ["work, run 4: capacity found", "failure", "nothing-holds"],
  ]);
  const xml = renderJunit([suite]).replaceAll("\u00a0", " ");
  assert.match(
    xml,
    /work, run 1: 4\d\d\/s \[.* with p99 &lt; 50ms.*&#10;\[1\] 480\/s .*held, p99 12\.0 ms&#10;\[2\] 500/,
  );
});

Deno.test("markdown has the capacity of each cell, and the page its trials by rate", () => {
  const model = reportModel(searchedResults(["found"]));
  const text = renderMarkdown(model).replaceAll("\u00a0", " ");
  assert.match(text, /### Capacity\n\n#### [^]*?work: 4\d\d\/s \\\[/);
  const { rows } = tableIn(model, "capacity/1", "Trials of work");
  assert.deepEqual(rows.map((row) => [row[0].text, row[row.length - 1].text]), [
    ["480", "held"],
    ["500", "broken"],
  ]);
});

Deno.test("a load that is no search has no capacity in JUnit and markdown", () => {
  const { runs, ...rest } = searchedResults(["found"]);
  const results = { ...rest, runs: runs.map(({ capacity: _, ...run }) => run) };
  const model = reportModel(results);
  assert.ok(!resultsSuite(results, model).cases.some(({ name }) => name.includes("capacity")));
  assert.doesNotMatch(renderMarkdown(model), /### Capacity/);
});
