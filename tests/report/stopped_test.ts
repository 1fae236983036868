import assert from "node:assert/strict";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { stoppedCaveats } from "../../report/findings/caveats.ts";
import { said } from "./said.ts";
import { reportModel } from "../../report/model.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { Results } from "../../runner/result/result.ts";
import { smallestChangeOf } from "../../runner/stats/comparison/verdict.ts";
import { ratioInterval } from "../../runner/stats/confidence/confidence_interval.ts";
import { resultsFixture } from "./fixture.ts";

type Reached = NonNullable<Results["stopping"]>;

const REACHED: Reached = { repetitions: 5, halfWidth: 0.017, target: 0.02, reason: "precision" };

function resultsOf(reached?: Reached, runs = 5): Results {
  const results = resultsFixture({
    cells: [{ target: "hono", scenario: "static", medianMs: 2, runs }],
    experiment: { repeat: { until: 0.02, atMost: null, budget: null } },
  });
  return { ...results, stopping: reached };
}

const textOf = (results: Results, code = "stopped"): string =>
  stoppedCaveats(results, groupRuns(results)).filter((one) => one.code === code)
    .map(({ text }) => text).join("").replaceAll(/\s/g, " ");

const CHANGE = "a comparison with as many runs would show only changes of [\\d.]+ % or more\\.$";

const sentences: [reached: Reached, text: string][] = [
  [
    REACHED,
    "^Stopped after 5 repetitions: every interval of requests/s and p50 is within ± 2 % \\(widest ± 1.7 %\\); ",
  ],
  [
    { ...REACHED, reason: "budget", halfWidth: 0.043 },
    "^Stopped after 5 repetitions, because another would have exceeded the time budget: the widest interval of requests/s and p50 is ± 4.3 %, where ± 2 % was required; ",
  ],
  [
    { ...REACHED, reason: "limit", halfWidth: null },
    "^Stopped after 5 repetitions, the maximum: not every cell has an interval; ",
  ],
  [
    { ...REACHED, reason: "budget", target: null },
    "^Stopped after 5 repetitions, because another .*: the widest interval of requests/s and p50 is ± 1.7 %; ",
  ],
];

for (const [reached, text] of sentences) {
  Deno.test(`an end by ${reached.reason} is told, target ${reached.target}, width ${reached.halfWidth}`, () => {
    assert.match(textOf(resultsOf(reached)), new RegExp(text + CHANGE));
  });
}

Deno.test("who was precise early is told what rare slow runs do to such intervals", () => {
  assert.equal(
    textOf(resultsOf(REACHED), "stopped-early"),
    "If a few runs are far slower than the rest, 5 repetitions may include none of the slow runs. The 95 % intervals of an " +
      "experiment that stops early (`repeat: until`) then contain the true value in as few as 86 of 100 cases, and most of " +
      "those that miss it come from fewer than 14 repetitions, as here.",
  );
  const others: Reached[] = [
    { ...REACHED, repetitions: 14 },
    { ...REACHED, reason: "budget" },
    { ...REACHED, reason: "limit" },
  ];
  for (const reached of others) assert.equal(textOf(resultsOf(reached), "stopped-early"), "");
});

Deno.test("a change or a width beyond ten times is no number but a reason to add runs", () => {
  const results = resultsOf({ ...REACHED, reason: "limit", halfWidth: 4.2e108 }, 2);
  const [first, second] = results.runs;
  for (const point of second.timeline.points) point.completed = 1;
  assert.ok(first.timeline.points.every(({ completed }) => completed > 1));
  assert.equal(
    textOf(results),
    "Stopped after 5 repetitions, the maximum: the intervals of requests/s and p50 are too wide " +
      "to say anything; a comparison with as many runs would miss any change of less than 10×, so add runs.",
  );
});

Deno.test("the smallest change is that of the widest figure against as many runs like these", () => {
  const results = resultsOf(REACHED);
  const { estimates } = groupRuns(results)[0].cells[0];
  const changes = (["rate", 50] as const).map((figure) => {
    const estimate = estimates.get(figure);
    const apart = estimate && { ...estimate, session: null };
    const ratio = apart && ratioInterval(apart, apart);
    assert.ok(ratio && Math.abs(ratio.degreesOfFreedom - 8) < 1e-9);
    return smallestChangeOf(ratio, { marginRatio: 0.02 });
  });
  const [, told] = /changes of ([\d.]+) %/.exec(textOf(results)) ?? [];
  assert.ok(Math.abs(Number(told) / 100 / Math.max(...changes) - 1) < 0.06, told);
});

Deno.test("a fixed number needs no sentence, and an experiment without an end has none", () => {
  assert.equal(textOf(resultsOf({ ...REACHED, reason: "fixed", target: null })), "");
  assert.equal(textOf(resultsOf()), "");
});

Deno.test("one run leaves the smallest change out", () => {
  const reached: Reached = { repetitions: 1, halfWidth: null, target: 0.02, reason: "limit" };
  assert.match(textOf(resultsOf(reached, 1)), /not every cell has an interval\.$/);
});

Deno.test("page, markdown and terminal tell it, and the method says how the intervals were computed", () => {
  const model = reportModel(resultsOf(REACHED));
  for (const text of [renderReportPage([model]), renderMarkdown(model)]) {
    assert.match(text, /Stopped after 5 repetitions: every interval/);
  }
  assert.match(
    renderSummary(model, { width: 200, color: false, unicode: true }),
    /^Stopped after 5/m,
  );
  assert.ok(
    said(model, "method").some(({ text }) =>
      /checked several times to decide .* computed at 97\.5\s%/.test(text)
    ),
  );
});
