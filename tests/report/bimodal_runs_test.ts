import assert from "node:assert/strict";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { resultsAt } from "./rates.ts";
import { saidAs } from "./said.ts";

const MIXED = reportModel(resultsAt({
  even: [15_000, 15_100, 15_040, 14_950, 15_050],
  mixed: [15_000, 15_100, 11_900, 14_950, 15_050],
}));

Deno.test("a cell whose runs fall into two groups is named, with the groups and what that means", () => {
  assert.deepEqual(saidAs(MIXED, "about", "two-groups"), [
    "Runs fall into two groups in static, mixed (4 near 15,025 requests/s, 1 near 11,900 requests/s): " +
    "the 95 % intervals there are too narrow.",
  ]);
});

Deno.test("terminal and markdown warn of it, and the comparison of such a cell is inconclusive", () => {
  const terminal = renderSummary(MIXED, { width: 400, color: false, unicode: true });
  assert.match(terminal, /Runs fall into two groups in static, mixed/);
  const markdown = renderMarkdown(MIXED);
  assert.match(markdown, /Runs fall into two groups in static, mixed/);
  assert.match(markdown, /\| mixed \| even \| 0\.9\d*×.*? inconclusive: two groups of runs \|/);
  const said = "Undecided between even and mixed: their runs fall into two groups.";
  for (const form of [terminal, markdown, renderReportPage([MIXED])]) {
    assert.ok(form.includes(said));
    assert.doesNotMatch(form, /no significant difference|two groups of runs[^\n|]*would show/);
  }
});

Deno.test("seen from the other side the ratios of pairs are turned as well", () => {
  const [{ compared: { lookup, contests: [{ ranked: [even, mixed] }] } }] = MIXED.context.scenarios;
  const [rate] = lookup(mixed, even).figures;
  assert.deepEqual([even.label, rate.reason], ["even", "groups"]);
  assert.deepEqual(rate.groups?.clusters.map(({ count, value }) => [count, value.toFixed(2)]), [
    [4, "1.00"],
    [1, "1.26"],
  ]);
});
