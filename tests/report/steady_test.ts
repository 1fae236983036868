import assert from "node:assert/strict";
import { renderCsv } from "../../report/render/csv.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import {
  type CellRuns,
  groupRuns,
  noSteadyStateText,
  unsteadyOf,
} from "../../report/cells/cells.ts";
import { steadinessOf, steadyFindings } from "../../report/findings/steady_finding.ts";
import type { Group } from "../../report/blocks.ts";
import { groupsOf } from "../../report/subjects/subject.ts";
import type { SteadyLabel } from "../../runner/stats/steady_state/steady_state.ts";
import { steady } from "../../report/subjects/tables/steady.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { decodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { concluded, survivors, swinging } from "./concluded.ts";
import { resultsFixture } from "./fixture.ts";
import { around, resultsAt } from "./rates.ts";
import { said, saidAs, tableIn, tablesIn } from "./said.ts";
import { sum } from "../../report/writing/spread.ts";

type Warmup = NonNullable<Run["warmup"]>;

const FLAT: Warmup = { label: "flat", steadyFromS: 0 };
const NEVER: Warmup = { label: "no-steady-state", steadyFromS: null };
const SHORT: Warmup = { label: "too-short", steadyFromS: null };
const warm = (steadyFrom: number): Warmup => ({ label: "warm-up", steadyFromS: steadyFrom });

/** Runs of 6 s that start three times as slow, with the given labels. */
function resultsOf(
  warmups: readonly (Warmup | null)[],
  experiment: Record<string, unknown> = {},
): Results {
  const results = resultsFixture({
    cells: [{
      target: "hono",
      scenario: "static",
      medianMs: 2,
      runs: warmups.length,
      duration: 6,
      warmUp: 3,
    }],
    experiment,
  });
  results.runs.forEach((run, i) => run.warmup = warmups[i]);
  return results;
}

function cellOf(
  warmups: readonly (Warmup | null)[],
  experiment?: Record<string, unknown>,
): CellRuns {
  return groupRuns(resultsOf(warmups, experiment))[0].cells[0];
}

const p50Of = (points: readonly { histogram: string }[]): number => {
  const whole = new Histogram();
  for (const { histogram } of points) whole.add(decodeHistogram(histogram));
  return whole.valueAtPercentile(50) / 1_000;
};

Deno.test("start-up is what comes before the steady part, and both are told from the intervals", () => {
  const cell = cellOf([warm(1.5)]);
  const { points } = cell.runs[0].timeline;
  const [before, after] = [points.slice(0, 6), points.slice(6)];
  const completed = (part: typeof points): number =>
    part.reduce((sum, point) => sum + point.completed, 0);
  const { startUp, steady, whole, seconds, requests } = steadinessOf(cell);
  assert.ok(startUp && steady && seconds && requests);
  assert.equal(startUp.rate, completed(before) / 1.5);
  assert.equal(steady.rate, completed(after) / 4.5);
  assert.equal(startUp.p50, p50Of(before));
  assert.equal(steady.p50, p50Of(after));
  assert.ok(startUp.p50 > 1.2 * steady.p50);
  assert.equal(whole.rate, cell.runs[0].rate);
  assert.equal(seconds.median, 1.5);
  assert.equal(requests.median, completed(before));
});

Deno.test("of several runs the medians are given, with the lowest and highest", () => {
  const { seconds } = steadinessOf(cellOf([warm(1), FLAT, warm(2), NEVER, warm(1.25)]));
  assert.deepEqual(seconds && [seconds.min, seconds.median, seconds.max], [0, 1.125, 2]);
});

/** Runs that answer nothing in their first half second. */
function silentAtFirst(warmups: readonly Warmup[]): CellRuns {
  const results = resultsOf(warmups);
  for (const { timeline } of results.runs) {
    for (const point of timeline.points.slice(0, 2)) {
      Object.assign(point, { completed: 0, p50: 0, p75: 0, p90: 0, p99: 0, histogram: "" });
    }
  }
  return groupRuns(results)[0].cells[0];
}

/** What the subject says of some cells. */
function steadyOf(cells: readonly CellRuns[]): { groups: Group[] } {
  const [context] = reportModel(resultsOf([FLAT])).context.scenarios;
  return { groups: groupsOf([["steady", "", "detail", steady]], { ...context, cells }) };
}

Deno.test("a start-up without an answer has a rate of 0, and no latency to be told", () => {
  const cell = silentAtFirst([warm(0.5)]);
  assert.match(
    steadyFindings([cell])[0].text,
    /: steady from 0\.5 s on, after 0 requests; [\d,]+ requests\/s then, 0 before\.$/,
  );
  const [row] = tableIn(steadyOf([cell]), "steady", "Start-up").rows;
  assert.deepEqual(row.slice(1).map(({ text }) => text), ["start-up", "0", "–", "–"]);
});

const findings: [warmups: Warmup[], text: RegExp, code: SteadyLabel][] = [
  [[FLAT, FLAT, FLAT], /^hono is flat from the start\.$/, "flat"],
  [
    [warm(1.5)],
    /^hono warms up: steady from 1\.5 s on, after [\d,]+ requests; (p50 \d[\d.]+\sms then, \d[\d.]+\sms before|[\d,]+ requests\/s then, [\d,]+ before)\.$/,
    "warm-up",
  ],
  [
    [warm(1), warm(2), FLAT, NEVER],
    /^hono warms up in 2 of 4 runs: steady from 1\.5 s \(1–2\) on, .* before\. 1 run reaches no steady state: longer runs may reach one\. 1 run is flat from the start\.$/,
    "warm-up",
  ],
  [
    [FLAT, FLAT, warm(1)],
    /^hono is flat from the start in 2 of 3 runs\. 1 run warms up: /,
    "warm-up",
  ],
  [
    [NEVER, NEVER],
    /^hono reaches no steady state: longer runs may reach one\.$/,
    "no-steady-state",
  ],
  [[{ label: "slowdown", steadyFromS: 3 }], /^hono slows down: steady from 3 s on/, "slowdown"],
  [
    [SHORT],
    /^hono has too few intervals with responses to judge its warm-up: that takes 20 intervals of 0\.25\ss\.$/,
    "too-short",
  ],
];

Deno.test("a run with few answers a second is told that most intervals must have one", () => {
  const cell = cellOf([SHORT]);
  const { points } = cell.runs[0].timeline;
  points.push(...points.map((point) => ({ ...point, completed: 0 })));
  const [{ text }] = steadyFindings([cell]);
  assert.match(
    text,
    /: that takes 20 intervals of 0\.25\ss, and responses in more than half of all\.$/,
  );
});

for (const [warmups, text, code] of findings) {
  const labels = warmups.map((warmup) => warmup?.label).join(", ");
  Deno.test(`runs that are ${labels} are told in words`, () => {
    const [finding, ...others] = steadyFindings([cellOf(warmups)]);
    assert.match(finding.text, text);
    assert.equal(finding.code, `steady.${code}`);
    assert.deepEqual(others, []);
  });
}

Deno.test("where every run is too short that is told once", () => {
  const cells = [cellOf([SHORT, SHORT]), cellOf([SHORT])];
  const texts = steadyFindings(cells).map(({ text }) => text);
  assert.equal(texts.length, 1);
  assert.match(
    texts[0],
    /^No run has enough intervals with responses to judge its warm-up: that takes 20 intervals of 0\.25\ss\.$/,
  );
  assert.equal(steadyFindings([cellOf([SHORT]), cellOf([FLAT])]).length, 2);
});

Deno.test("a load that itself changes has no warm-up to look for", () => {
  const cell = cellOf([null, null]);
  assert.deepEqual(steadyFindings([cell]), []);
  assert.deepEqual(steadyOf([cell]).groups, []);
});

Deno.test("the tables show labels, and start-up, steady part and whole run side by side", () => {
  const found = steadyOf([cellOf([warm(1), FLAT, FLAT])]);
  const [row] = tableIn(found, "steady", "Time to steady").rows;
  assert.equal(row[1].text, "2 flat, 1 warm-up");
  assert.deepEqual([row[2].text, row[2].below], ["0", "0–1"]);
  const { columns, rows } = tableIn(found, "steady", "Start-up");
  assert.deepEqual(columns.map(({ label }) => label), [
    "Target",
    "Part",
    "Requests/s",
    "p50",
    "p99",
  ]);
  assert.deepEqual(rows.map(([, part]) => part.text), ["start-up", "steady", "whole run"]);
  assert.ok(
    rows.every((row) => row.slice(2).every(({ value }) => value !== undefined && value > 0)),
  );
  // Beside a cell that has the other parts, one that has none has the whole; alone, it has nothing to show.
  const alone = tablesIn(steadyOf([cellOf([NEVER])]), "steady");
  assert.ok(alone.every(({ caption }) => !caption.startsWith("Start-up")));
  const both = tableIn(steadyOf([cellOf([NEVER]), cellOf([warm(1)])]), "steady", "Start-up").rows;
  assert.deepEqual(both.slice(0, 2).map(([, part]) => part.text), ["whole run", "start-up"]);
});

Deno.test("page, terminal and CSV tell of the steady state; the terminal only of cells that are not flat", () => {
  const model = reportModel(resultsOf([warm(1.5), warm(1.5)]));
  const flat = reportModel(resultsOf([FLAT]));
  const options = { width: 100, color: false, unicode: true };
  assert.match(renderReportPage([model]), /<p>hono warms up: steady from 1\.5 s on/);
  assert.match(renderReportPage([flat]), /<p>hono is flat from the start\.<\/p>/);
  assert.match(renderSummary(model, options), /^hono warms up: /m);
  assert.doesNotMatch(renderSummary(flat, options), /flat/);
  const [head, row] = renderCsv(model).split("\r\n").map((line) => line.split(","));
  assert.equal(row[head.indexOf("steadyLabel")], "warm-up");
  assert.equal(row[head.indexOf("steadyFromS")], "1.5");
});

/** Runs that say more of how they settle. */
const DRIFTS: Warmup = { ...NEVER, unsettled: "drift", driftRatio: 0.5 };
const WITHIN: Warmup = { ...warm(2), withinRatio: 0.021, withinMs: null };
const FROZEN: Warmup = {
  ...NEVER,
  unsettled: "freezes",
  freezes: { count: 3, longestS: 2, shareRatio: 0.2, periodS: 10 },
};
const flat = (withinRatio: number, withinMs: number | null = null): Warmup => ({
  ...{ label: "flat", steadyFromS: 0, withinRatio, withinMs },
});

const STEADY = { figures: "steady" };

function allTexts(model: ReportModel): string[] {
  const terminal = renderSummary(model, { width: 1_000, color: false, unicode: true });
  return [terminal, renderMarkdown(model), renderReportPage([model])]
    .map((text) => text.replaceAll("\u00a0", " "));
}

Deno.test("figures of the steady part are what a discard of the same length leaves", () => {
  const [steady, rest] = [
    cellOf([WITHIN, WITHIN, WITHIN], STEADY),
    cellOf([WITHIN, WITHIN, WITHIN], { discard: 2_000 }),
  ];
  assert.deepEqual([...steady.rate.values], [...rest.rate.values]);
  assert.deepEqual(steady.latency.percentiles, rest.latency.percentiles);
  for (const figure of ["rate", "mean", 50, 99] as const) {
    assert.deepEqual(steady.interval(figure), rest.interval(figure));
  }
});

Deno.test("a run without a steady part counts whole where others count by theirs, and the report says so", () => {
  const cell = cellOf([WITHIN, WITHIN, DRIFTS], STEADY);
  assert.deepEqual([...cell.rate.values], cell.runs.map(({ rate }) => rate));
  assert.equal(cell.runs[2].rate, cell.parts[2].whole.rate);
  assert.equal(cell.latency.count, sum(cell.runs, ({ latency }) => latency.count));
  assert.deepEqual(cell.wholeRuns, [3]);
  assert.ok(cell.interval("rate"));
  const model = reportModel(resultsOf([WITHIN, WITHIN, DRIFTS], STEADY));
  assert.deepEqual(saidAs(model, "about", "no-steady-part"), [
    "static, hono: 1 of 3 runs has no steady part and counts as a whole.",
  ]);
});

Deno.test("a headline does not rest on the runs that settled, where others of the cell are slower", () => {
  const { code, sentence, figure, next } = concluded(survivors());
  assert.equal(code, "undecided");
  assert.equal(
    sentence.replaceAll("\u00a0", " "),
    "Undecided between b and a: 5 of 12 runs of a have no steady state; they are near 1,460 requests/s, the others near 2,000 requests/s.",
  );
  assert.ok((figure?.value ?? 0) > 1.07, "whole runs say that b is 8 % ahead");
  assert.deepEqual(next.map(({ code, text }) => [code, text]), [
    ["longer-runs", "Make runs longer."],
  ]);
});

Deno.test("runs that never settled and are as fast as the others keep nobody from a verdict", () => {
  const rates = { a: around(2_000), b: around(1_000) };
  const alike = swinging(resultsAt(rates), ({ repetition }) => repetition === 2);
  assert.equal(concluded(alike).code, "leads");
});

Deno.test("every run of one ahead of every run of the other decides, however many of them never settled", () => {
  const rates = { a: [2_000, 2_000, 1_460, 2_005, 1_465], b: around(1_000) };
  const apart = swinging(resultsAt(rates), ({ target, rate }) => target === "a" && rate < 1_600);
  assert.equal(concluded(apart).code, "leads");
});

Deno.test("where no run has a steady part the figures are of whole runs, without intervals", () => {
  const short: Warmup = { label: "too-short", steadyFromS: null };
  const cell = cellOf([short, short], STEADY);
  assert.equal(cell.rate.values.length, 2);
  assert.equal(cell.interval("rate"), null);
  const warnings = saidAs(
    reportModel(resultsOf([short, short], STEADY)),
    "about",
    "no-steady-part",
  );
  assert.match(warnings.join(), /no run has a steady part, so its figures are of whole runs/);
});

Deno.test("figures of whole runs are not asked for steady parts", () => {
  assert.deepEqual(
    saidAs(reportModel(resultsOf([WITHIN, DRIFTS])), "about", "no-steady-part"),
    [],
  );
  assert.ok(cellOf([WITHIN, DRIFTS]).interval("rate"));
});

Deno.test("where most runs have no steady state the headline has no interval, and says why", () => {
  const warmups = [DRIFTS, DRIFTS, flat(0.02)];
  const { interval } = cellOf(warmups);
  assert.deepEqual([interval("rate"), interval("mean"), interval(99)], [null, null, null]);
  const model = reportModel(resultsOf(warmups));
  assert.deepEqual([model.card.code, model.card.figure?.interval], ["alone", ""]);
  for (const text of allTexts(model)) {
    assert.match(
      text,
      /static, hono: no steady state in 2 of 3 runs: run longer\. Figures of such a cell have no intervals, but its ratios do\./,
    );
  }
});

Deno.test("many unsteady cells are counted", () => {
  const cells = Array.from({ length: 6 }, (_, i) => ({
    ...{ target: `t${i}`, scenario: "static", medianMs: 2, runs: 2, duration: 6 },
  }));
  const results = resultsFixture({ cells });
  for (const run of results.runs) run.warmup = DRIFTS;
  assert.deepEqual(saidAs(reportModel(results), "about", "no-steady-state"), [
    "6 cells have no steady state in most of their runs, such as static, t0: " +
    "no steady state in 2 of 2 runs: run longer. Figures of such a cell have no intervals, but its ratios do.",
  ]);
});

Deno.test("freezes are named in terminal, page and markdown", () => {
  for (const text of allTexts(reportModel(resultsOf([FROZEN, FROZEN])))) {
    assert.match(
      text,
      /In 2 of 2 runs the server sent no response for 2\.0 s, 3 times, every 10 s\./,
    );
  }
});

const STRAYS: [warmups: Warmup[], says: RegExp][] = [
  [[flat(0.021), flat(0.012)], /^hono is flat from the start, within ± 2\.1\s?%\.$/],
  [[flat(0)], /^hono is flat from the start, within ± 0\.1\s%\.$/],
  [[flat(0.004, 0.04)], /^hono is flat from the start, within ± 0\.4\s% \(p50 ± 40\.0\sµs\)\.$/],
  [[WITHIN], /steady from 2 s on, after [\d,]+ requests, within ± 2\.1\s?%; /],
  [
    [DRIFTS],
    /^hono reaches no steady state: latency or rate drifts by 50 % from start to end; longer runs may reach one\.$/,
  ],
  [
    [FROZEN],
    /^hono reaches no steady state: longer runs may reach one\. The server sent no response for 2\.0 s, 3 times, every 10 s\.$/,
  ],
];

for (const [warmups, says] of STRAYS) {
  Deno.test(`how flat, or why not, is told: ${says.source}`, () => {
    const [{ text }] = said(reportModel(resultsOf(warmups)), "s1/steady");
    assert.match(text, says);
  });
}

const labelled = (...labels: SteadyLabel[]) =>
  labels.map((label) => ({ warmup: { label, steadyFromS: null } }));

Deno.test("a cell is unsteady when more than half of its runs have no steady state", () => {
  const found = unsteadyOf(labelled("no-steady-state", "flat", "no-steady-state"));
  assert.deepEqual(found, { count: 2, of: 3 });
});

Deno.test("a cell is not unsteady when half of its runs have no steady state", () =>
  assert.equal(unsteadyOf(labelled("no-steady-state", "flat")), null));

Deno.test("runs of a load that changes, and no runs at all, are not unsteady", () => {
  assert.equal(unsteadyOf([{ warmup: null }]), null);
  assert.equal(unsteadyOf([]), null);
});

Deno.test("unsteady runs are counted, but for the only one", () => {
  assert.equal(noSteadyStateText({ count: 4, of: 5 }), "no steady state in 4 of 5 runs");
  assert.equal(noSteadyStateText({ count: 1, of: 1 }), "no steady state");
});
