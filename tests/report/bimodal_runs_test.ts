import assert from "node:assert/strict";
import type { Ends } from "../../report/figures/range.ts";
import { areOneSided, arePairsOneSided, groupsAmong } from "../../report/judge/bimodal_runs.ts";
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
    "Runs fall into two groups in static, mixed (4 near 15,025 requests/s, 1 near 11,900 requests/s), " +
    "so the 95 % intervals there are too narrow.",
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

type Side = Parameters<typeof groupsAmong>[0][number];

/** @param whole Repetitions of runs that count whole, as they have no steady part. */
const side = (of: Side[0], byRun: readonly number[], ...whole: number[]): Side => [
  of,
  { byRun, repetitions: byRun.map((_, i) => i + 1), wholeRuns: whole },
];

/** Sides, the logarithms of the ratios of pairs, and what is found: of what, the values of both groups, how many whole runs. */
const GROUPS: Readonly<Record<string, [readonly Side[], number[] | null, unknown]>> = {
  "runs of a side": [[side("base", [10, 10.02, 9.98, 10.01, 6])], null, ["base", [10, 6], null]],
  "of two sides the first is told of": [
    [side("next", [10, 10.02, 9.98, 10.01, 6]), side("base", [20, 20.02, 19.98, 20.01, 9])],
    null,
    ["next", [10, 6], null],
  ],
  "of sides that are compared pair by pair the ratios decide alone": [
    [side("next", [10, 10.02, 9.98, 10.01, 6]), side("base", [5, 5.01, 4.99, 5, 3])],
    [2, 2, 2, 2, 2].map(Math.log),
    null,
  ],
  "ratios of pairs": [
    [side("next", [10, 10.1]), side("base", [5, 5.1])],
    [2, 2.01, 1.99, 2.005, 1.2].map(Math.log),
    ["ratios", [2, 1.2], null],
  ],
  "a run without a steady part, far from those with one": [
    [side("next", [10, 10.3, 7, 9.8], 3)],
    [2, 2, 2, 2].map(Math.log),
    ["next", [10, 7], 1],
  ],
  "near them it makes no difference": [[side("next", [10, 10, 9.8, 10], 3)], null, null],
  "the repetition of another run makes none either": [
    [side("next", [10, 10.3, 7, 9.8], 9)],
    null,
    null,
  ],
  "a run that served nothing is no group, as it has no level": [
    [side("next", [10, 10, 0, 10], 3)],
    null,
    null,
  ],
};

for (const [sentence, [sides, logRatios, expected]] of Object.entries(GROUPS)) {
  Deno.test(`two groups: ${sentence}`, () => {
    const found = groupsAmong(sides, logRatios);
    const values = found?.clusters.map(({ value }) => Number(value.toPrecision(2)));
    assert.deepEqual(found && [found.of, values, found.unsettled?.count ?? null], expected);
  });
}

const isAbove1 = ({ low, high }: Ends): boolean => low > 1 || high < 1;

const ONE_SIDED: [sentence: string, of: number[], to: number[], is: boolean][] = [
  ["four above four are no chance: 2 of 70 ways", [5, 6, 7, 8], [1, 2, 3, 4], true],
  ["four below four", [1, 2, 3, 4], [5, 6, 7, 8], true],
  ["three above three may be chance: 2 of 20 ways", [5, 6, 7], [1, 2, 3], false],
  ["one of five among the others", [5, 6, 7, 8, 2], [1, 1, 3, 1, 1], false],
];

for (const [sentence, of, to, is] of ONE_SIDED) {
  Deno.test(`two groups: on one side: ${sentence}`, () => {
    assert.equal(areOneSided(of, to, isAbove1), is);
  });
}

Deno.test("two groups: pairs on one side are no chance from six on: 2 of 64 ways", () => {
  const areAt = (...ratios: number[]): boolean => arePairsOneSided(ratios.map(Math.log), isAbove1);
  assert.deepEqual(
    [areAt(2, 2, 2, 2, 2, 3), areAt(2, 2, 2, 2, 2), areAt(2, 2, 2, 2, 2, 0.9)],
    [true, false, false],
  );
});
