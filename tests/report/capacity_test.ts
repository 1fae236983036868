/** Searches for a capacity: their sentences, their picture, and what files have of them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Reference } from "../../report/chart.ts";
import { reportModel } from "../../report/model.ts";
import { renderJunit, resultsSuite } from "../../report/render/junit.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { renderBlocks } from "../../report/render/terminal/blocks.ts";
import {
  breakingWord,
  capacityBlocks,
  capacitySentence,
  trialSentence,
  trialsTable,
} from "../../report/subjects/capacity.ts";
import { GLUE } from "../../report/writing/units.ts";
import {
  CAPACITY_ENDS,
  type CapacityResult,
  type CapacityTrial,
  type RunCapacity,
} from "../../runner/result/capacity.ts";
import type { Results } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { chartsIn, tableIn } from "./said.ts";
import { searchOf } from "./searched.ts";

const TRIAL: CapacityTrial = {
  ratePerSec: 13_640,
  plannedS: 30,
  elapsedS: 1.5,
  completedPerSec: 12_300,
  outcome: "broken",
  counts: true,
  rules: [],
  p50: 400,
  p99: 800,
  success: 1,
  trust: "valid",
  findings: [],
  recoveryS: 2,
};

const RESULT: CapacityResult = {
  schema: "plateau.capacity/1",
  version: "0.0.0",
  url: "http://127.0.0.1/",
  within: ["p99 < 50ms"],
  load: { connections: 50, arrivals: "uniform", keepAlive: true, timeout: 5_000 },
  widthRatio: 0.02,
  trialS: [5, 30],
  budgetS: 1_200,
  seed: 1,
  elapsedS: 100,
  peakPerSec: 13_000,
  end: "found",
  capacity: { value: 12_400, low: 12_150, high: 12_650, bound: "target" },
  binding: "p99 < 50ms",
  breaking: [{ ofCapacity: 1.1, ratePerSec: 13_640, p99: 800, success: 1, recoveryS: 2 }],
  trials: [TRIAL],
};

function sentence(changed: Partial<CapacityResult> = {}): string {
  return capacitySentence({ ...RESULT, ...changed }).replaceAll(GLUE, " ");
}

Deno.test("the sentence of a capacity has its interval, its rule, how it breaks and how it recovers", () => {
  assert.equal(
    sentence(),
    "12,400/s [12,150, 12,650] with p99 < 50ms; p99 is 800 ms at 1.1 × the capacity; the target recovers in 2 s",
  );
});

Deno.test("what was full is named, and a target that did not recover", () => {
  const full = { ...TRIAL, bottleneck: { kind: "core" as const } };
  const breaking = [{ ...RESULT.breaking[0], ofCapacity: 1.3 }];
  assert.match(
    sentence({ trials: [full], breaking }),
    /; beyond the capacity, one core is full; p99 is 800 ms at 1\.3 × the capacity; the target recovers in 2 s$/,
  );
  assert.match(
    sentence({ trials: [{ ...full, recoveryS: null }] }),
    /; after at least one trial, the target did not recover$/,
  );
});

Deno.test("of several rules the one that breaks first is named", () => {
  const within = ["p99 < 50ms", "success >= 99.9%"];
  assert.match(
    sentence({ within }),
    /with p99 < 50ms and success >= 99.9%; p99 < 50ms breaks first;/,
  );
});

Deno.test("a capacity that the generator ended is at least so many", () => {
  const capacity = { value: 52_000, low: 52_000, high: null, bound: "generator" as const };
  assert.equal(
    sentence({ capacity, end: "generator", binding: null, breaking: [] }),
    "At least 52,000/s (generator) with p99 < 50ms",
  );
});

Deno.test("a bound has no multiple of the capacity, nor what was full beyond it", () => {
  const capacity = { value: 906, low: 906, high: null, bound: "target" as const };
  const full = { ...TRIAL, bottleneck: { kind: "core" as const } };
  assert.equal(
    sentence({ capacity, end: "disturbed", trials: [full] }),
    "At least 906/s with p99 < 50ms; inconclusive: the machine disturbed so many trials that the search ended early; " +
      "next: search again on a quieter machine",
  );
});

Deno.test("the interval of a slow target has the digits of its value", () => {
  const capacity = { value: 5.274, low: 3.968, high: 5.371, bound: "target" as const };
  assert.match(sentence({ capacity }), /^5\.27\/s \[3\.97, 5\.37\] with/);
});

Deno.test("a search without a rate that holds, and one that was cut off, have their reasons", () => {
  const none = { capacity: null, breaking: [] };
  assert.equal(
    sentence({ ...none, end: "nothing-holds" }),
    "Even 13,640/s is more than the target can take with p99 < 50ms",
  );
  assert.match(
    sentence({ end: "budget" }),
    /; inconclusive: the budget ended before the interval was within ± 2.00 %$/,
  );
  assert.match(sentence({ ...none, end: "interrupted" }), /^No capacity known.*; interrupted$/);
});

Deno.test("the last lines break between words on a terminal, and into a pipe there is one", () => {
  const within = ["p99 < 50ms", "success >= 99.9%"];
  const linesIn = (width: number): string[] =>
    renderBlocks(capacityBlocks({ ...RESULT, within }), { width, color: false, unicode: true })
      .trimEnd().split("\n");
  const whole = sentence({ within });
  assert.ok(whole.length > 80);
  assert.equal(linesIn(Infinity).at(-1), whole);
  const shown = linesIn(80);
  const last = shown.slice(shown.indexOf("Capacity") + 1);
  assert.ok(last.length > 1 && last.every(({ length }) => length <= 80), last.join("\n"));
  assert.equal(last.map((line) => line.trimStart()).join(" "), whole);
});

Deno.test("where no trial counted, that is said with its reason, and no rate is said to break", () => {
  const late: CapacityTrial = {
    ...TRIAL,
    counts: false,
    trust: "invalid",
    findings: [
      {
        ...{ code: "unsteady", severity: "suspect", advice: ["longer-run"] },
        evidence: { unsettled: null },
      },
      { code: "sent-late", severity: "invalid", evidence: { lag: 5 }, advice: ["own-machine"] },
    ],
  };
  const none: Partial<CapacityResult> = {
    ...{ capacity: null, binding: null, end: "budget" },
    breaking: [],
  };
  assert.equal(
    sentence({ ...none, trials: [late] }),
    "No capacity known with p99 < 50ms; the only trial did not count: the generator did not keep up: " +
      "requests were sent up to 5 ms late (p99) although connections were free; " +
      "inconclusive when the budget of 20 min ended; " +
      "next: run the generator on its own machine (plateau agent there, --agents here)",
  );
  assert.match(
    sentence({ ...none, end: "disturbed", trials: [late, late] }),
    /; none of the 2 trials counted; the last one: the generator did not keep up: .*; inconclusive: the machine disturbed so many trials that the search ended early; next: run the generator on its own machine \(plateau agent there, --agents here\)$/,
  );
  assert.match(
    sentence({ ...none, trials: [late, { ...TRIAL, ratePerSec: 20_000 }] }),
    /^Even 20,000\/s is more than the target can take /,
  );
});

Deno.test("a trial has its outcome, and where the capacity is by then", () => {
  const event = { kind: "trial", number: 3, trial: TRIAL, low: 12_000, high: 12_900 } as const;
  assert.equal(
    trialSentence(event).replaceAll(GLUE, " "),
    "[3] 13,640/s for 1.5 s: broken, p99 800 ms; the capacity is between 12,000/s and 12,900/s",
  );
  const doubted = { ...event, trial: { ...TRIAL, counts: false }, low: null };
  assert.match(
    trialSentence(doubted),
    /not counted, because the generator or the machine may have caused this outcome$/,
  );
});

Deno.test("a request that was never sent is neither failed nor wrong", () => {
  const unsent: CapacityTrial = { ...TRIAL, success: 0.76, droppedRatio: 0.24 };
  const mixed: CapacityTrial = {
    ...unsent,
    ...{ droppedRatio: 0.2, errors: { timeout: 1_200 }, wrong: 34 },
  };
  const textOf = (trial: CapacityTrial): string =>
    trialSentence({ number: 1, trial, low: null, high: null }).replaceAll(GLUE, " ");
  assert.match(textOf(unsent), /, p99 800 ms, 24\.0 % of requests never sent$/);
  // 1 − 2,397/2,402 − 5/2,402 is not quite 0 in floating point.
  const rounded: CapacityTrial = { ...TRIAL, success: 2_397 / 2_402, droppedRatio: 5 / 2_402 };
  assert.match(textOf(rounded), /, p99 800 ms, 0\.21 % of requests never sent$/);
  assert.match(
    textOf(mixed),
    /, p99 800 ms, 4\.00 % of requests failed or wrong \(timed out 1,200, wrong responses 34\), 20\.0 % of requests never sent$/,
  );
  const { columns, rows } = trialsTable([unsent, mixed]);
  const at = (label: string): number => columns.findIndex((column) => column.label === label);
  const shown = rows.map((row) =>
    [at("Failed or wrong"), at("Never sent")].map((i) => row[i].value)
  );
  assert.deepEqual(shown, [[0, 0.24], [0.04, 0.2]]);
});

// In a report.

function trialAt(ratePerSec: number, p99: number, counts = true): CapacityTrial {
  return {
    ...TRIAL,
    ...{ ratePerSec, counts, p50: p99 / 4, p99 },
    completedPerSec: Math.min(ratePerSec, 1_280),
    outcome: p99 < 50 ? "held" : "broken",
  };
}

const FOUND = { value: 1_270, low: 1_262, high: 1_279, bound: "target" as const };
const SEARCH: RunCapacity = {
  ...searchOf(FOUND),
  within: ["p99 < 50ms", "success >= 99.9%"],
  trials: [trialAt(1_000, 5), trialAt(2_000, 900), trialAt(900, 70, false), trialAt(1_250, 26)],
};

/** One run a search, of one cell. */
function resultsOf(searches: readonly (RunCapacity | undefined)[]): Results {
  const { runs, ...rest } = resultsFixture({
    cells: [{ target: "express", scenario: "static", medianMs: 3, runs: searches.length }],
  });
  return { ...rest, runs: runs.map((run, i) => ({ ...run, capacity: searches[i] })) };
}

Deno.test("latency stands over the rate that was achieved, with the limit of the rule for latency alone", () => {
  const [latency, ...others] = chartsIn(reportModel(resultsOf([SEARCH])), "capacity/1", "xy");
  assert.deepEqual(others, []);
  assert.deepEqual(latency.references, [
    { kind: "horizontal", at: 50, color: "alarm" },
    { kind: "vertical", label: "express", color: 0, at: 1_270, low: 1_262, high: 1_279 },
  ]);
  const [{ points = [] }, p50] = latency.series;
  const places = [[900, 70], [1_000, 5], [1_250, 26], [1_280, 900]];
  assert.deepEqual(points.map(({ x, y }) => [x, y]), places);
  assert.ok(p50.isFaint);
  assert.deepEqual(points.map(({ fill }) => fill === "hollow"), [true, false, false, true]);
  assert.deepEqual(points.map(({ mark }) => mark === "cross"), [true, false, false, false]);
});

Deno.test("of several runs the median one is told, and the table has the trials of all in their order", () => {
  const faster = { ...SEARCH, capacity: { ...FOUND, value: 1_300, high: 1_310 } };
  const slower = { ...SEARCH, capacity: { ...FOUND, value: 1_200, low: 1_190 } };
  const model = reportModel(resultsOf([faster, SEARCH, slower]));
  const isKnee = (one: Reference): boolean => one.kind === "vertical" && one.at === 1_270;
  assert.ok(chartsIn(model, "capacity/1", "xy")[0].references?.some(isKnee));
  const { rows } = tableIn(model, "capacity/1", "Trials of express");
  assert.deepEqual(
    rows.slice(0, 5).map((row) => [row[0], row[1], ...row.slice(-1)].map(({ text }) => text)),
    [
      ["1", "1,000", "held"],
      ["2", "2,000", "broken"],
      ["3", "900", "broken, not counted"],
      ["4", "1,250", "held"],
      ["5", "1,000", "held"],
    ],
  );
});

Deno.test("a target falls off a cliff by its p99 or its success, and is on a slope else", () => {
  const at = (ofCapacity: number, p99: number, success = 1) => ({
    ...{ ofCapacity, ratePerSec: ofCapacity * 1_000, p99, success, recoveryS: 1 },
  });
  assert.equal(breakingWord([at(1, 40), at(1.1, 160)]), "cliff");
  assert.equal(breakingWord([at(1, 40), at(1.1, 159)]), "slope");
  assert.equal(breakingWord([at(1, 40), at(1.1, 41, 0.89)]), "cliff");
  assert.equal(breakingWord([at(0.8, 4), at(1.3, 400)]), "");
});

Deno.test("JUnit has a testcase a search, with what its end means, and every trial in its output", () => {
  const ends = ["found", "budget", "generator", "nothing-holds"] as const;
  const results = resultsOf(ends.map((end) => ({ ...SEARCH, end })));
  const suite = resultsSuite(results, reportModel(results));
  const cases = suite.cases.filter(({ name }) => name.endsWith("capacity found"));
  assert.deepEqual(cases.map(({ name, problem }) => [name, problem?.kind, problem?.type]), [
    ["express, run 1: capacity found", undefined, undefined],
    ["express, run 2: capacity found", "error", "budget"],
    ["express, run 3: capacity found", "skipped", "generator"],
    ["express, run 4: capacity found", "failure", "nothing-holds"],
  ]);
  const xml = renderJunit([suite]).replaceAll(GLUE, " ");
  assert.match(
    xml,
    /express, run 1: 1,270\/s \[.* with p99 &lt; 50ms.*&#10;\[1\] 1,000\/s .*held, /,
  );
  assert.match(xml, /&#10;\[2\] 2,000\/s /);
});

Deno.test("docs/outputs.md says which testcase each end of a search is", () => {
  const page = readFileSync(new URL("../../docs/outputs.md", import.meta.url), "utf8");
  const [, ...columns] =
    /^\| run that searches for a .*$/m.exec(page)?.[0].split("|").slice(1, -1) ?? [];
  const documented = ["failure", "error", "skipped"].flatMap((kind, i) =>
    [...(columns[i] ?? "").matchAll(/`([\w-]+)`/g)].map(([, end]) => [end, kind] as const)
  );
  const results = resultsOf(CAPACITY_ENDS.map((end) => ({ ...SEARCH, end })));
  const { cases } = resultsSuite(results, reportModel(results));
  const problems = cases.filter(({ name }) => name.endsWith("capacity found"))
    .flatMap(({ problem }) => problem === undefined ? [] : [[problem.type, problem.kind] as const]);
  assert.deepEqual(new Map(documented), new Map(problems));
});

Deno.test("markdown has the capacity of each cell, and no form one of a load that is no search", () => {
  const model = reportModel(resultsOf([SEARCH]));
  const text = renderMarkdown(model).replaceAll(GLUE, " ");
  assert.match(text, /### Capacity\n\n[^]*?express: 1,270\/s \\\[/);
  const none = resultsOf([undefined]);
  const without = reportModel(none);
  assert.ok(without.groups.every(({ id }) => id !== "capacity"));
  assert.ok(!resultsSuite(none, without).cases.some(({ name }) => name.includes("capacity")));
});

Deno.test("a rate that did not last is no capacity: the sentence names it, and what would show one that does", () => {
  const fell: CapacityTrial = {
    ...TRIAL,
    ...{ ratePerSec: 12_150, plannedS: 150, isSustained: true },
  };
  const none = { capacity: null, binding: null, breaking: [], end: "unsustained" as const };
  assert.equal(
    sentence({ ...none, trialS: [5, 30], trials: [TRIAL, fell] }),
    "No capacity known with p99 < 50ms; inconclusive: 12,150/s held in trials of 30 s, " +
      "but not for 2 min 30 s after an overload; " +
      "longer trials (--trial 5s,300s) would show a rate that can be sustained",
  );
  assert.match(
    trialSentence({ number: 4, trial: fell, low: null, high: null }),
    /after an overload: broken/,
  );
});

Deno.test("what held in trials that were too short to bound the capacity is named, with longer ones as the next step", () => {
  const held: CapacityTrial = { ...TRIAL, outcome: "held", ratePerSec: 1_201, elapsedS: 2 };
  const uncounted: CapacityTrial = { ...TRIAL, counts: false };
  const none = { capacity: null, binding: null, breaking: [], end: "budget" as const };
  assert.equal(
    sentence({ ...none, budgetS: 12, trialS: [1, 2], trials: [uncounted, held] }),
    "No capacity known with p99 < 50ms; inconclusive when the budget of 12 s ended: 1,201/s held for 2 s, " +
      "which is too short to show that it can be sustained; next: use longer trials (--trial 1s,4s) and a larger budget",
  );
});

Deno.test("a search that the budget ended says which budget would probably decide, where that is known", () => {
  assert.match(
    sentence({ end: "budget", wouldTakeS: 2_630 }),
    /; inconclusive: the budget ended before the interval was within ± 2.00 %; a budget of about 44m would probably decide$/,
  );
});
