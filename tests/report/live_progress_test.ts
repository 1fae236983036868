import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import {
  advanceStatus,
  brokenStatus,
  endedStatus,
  GETTING_READY,
} from "../../report/render/html/live_page.ts";
import { GLUE } from "../../report/writing/units.ts";
import { remainingText } from "../../report/render/html/live_status.ts";
import type { CapacityTrial } from "../../runner/result/capacity.ts";
import type { Progress } from "../../runner/result/progress.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { factsIn } from "./said.ts";

const CELL = { target: "hono", scenario: "static", parameters: { connections: 50 }, repetition: 2 };
const EVENTS: readonly Progress[] = [
  {
    kind: "planned",
    cells: 2,
    runs: 4,
    expectedMs: 40_000,
    mostRuns: 4,
    mostMs: 40_000,
    mayEndEarly: false,
    until: null,
  },
  {
    kind: "starting",
    order: 1,
    runs: 4,
    mayEndEarly: false,
    repetitions: 2,
    ...CELL,
    remainingMs: 39_000,
  },
  {
    kind: "measured",
    order: 1,
    measurement: measurementFixture({ target: "hono", scenario: "static", medianMs: 2 }),
    remainingMs: 29_000,
  },
  {
    kind: "starting",
    order: 2,
    runs: 4,
    mayEndEarly: false,
    repetitions: 2,
    ...CELL,
    remainingMs: 29_000,
  },
  { kind: "missing", missing: { ...CELL, kind: "failed", reason: "it died", evidence: [] } },
];

Deno.test("a status counts the runs that ended, measured or not, and says what runs and how long it takes", () => {
  const told = EVENTS.map((_, i) => EVENTS.slice(0, i + 1).reduce(advanceStatus, GETTING_READY));
  assert.deepEqual(told.map(({ done, runs, leftMs }) => [done, runs, leftMs]), [
    [0, 4, 40_000],
    [0, 4, 39_000],
    [1, 4, 29_000],
    [1, 4, 29_000],
    [2, 4, 29_000],
  ]);
  assert.equal(told[0].text, "Getting ready");
  assert.equal(told[1].text, "Run 1 of 4: static, hono · connections 50, run 2");
});

Deno.test("two runs in turns are one step of the status, which names both", () => {
  const [planned, starting, measured] = EVENTS;
  assert.ok(starting.kind === "starting" && measured.kind === "measured");
  const pair: readonly Progress[] = [
    planned,
    { ...starting, mayEndEarly: true, partner: "express" },
    { ...measured, partner: measured.measurement },
  ];
  const told = pair.map((_, i) => pair.slice(0, i + 1).reduce(advanceStatus, GETTING_READY));
  assert.deepEqual(told.map(({ done }) => done), [0, 0, 2]);
  assert.equal(
    told[1].text,
    "Run 1 of at most 4: static, hono · connections 50, run 2, alternating with express",
  );
});

Deno.test("a search for a capacity shows its last trial and the bounds so far, after its run", () => {
  const trial: CapacityTrial = {
    ...{ ratePerSec: 900, plannedS: 5, elapsedS: 5, completedPerSec: 900, rules: [] },
    ...{ p50: 2, p99: 9, success: 1, findings: [], recoveryS: 0 },
    ...{ outcome: "held", counts: true, trust: "valid" },
  };
  const trials: readonly Progress[] = [
    { kind: "trial", number: 1, trial, low: null, high: null },
    { kind: "trial", number: 2, trial, low: 850, high: 990 },
  ];
  const texts = trials.map((_, i) =>
    [...EVENTS.slice(0, 2), ...trials.slice(0, i + 1)].reduce(advanceStatus, GETTING_READY).text
      .replaceAll(GLUE, " ")
  );
  const run = "Run 1 of 4: static, hono · connections 50, run 2; trial ";
  assert.deepEqual(texts, [
    `${run}[1] 900/s for 5 s: held, p99 9.00 ms`,
    `${run}[2] 900/s for 5 s: held, p99 9.00 ms; the capacity is between 850/s and 990/s`,
  ]);
});

Deno.test("what is no run changes no status", () => {
  const whole = { ...CELL, repetition: null };
  const status = EVENTS.reduce(advanceStatus, GETTING_READY);
  assert.equal(advanceStatus(status, { kind: "note", text: "Redis 7" }), status);
  const missing = { ...whole, kind: "skipped" as const, reason: "no Redis", evidence: [] };
  assert.equal(advanceStatus(status, { kind: "missing", missing }), status);
});

Deno.test("an end says how it ended, and where the page lies", () => {
  const status = { ...GETTING_READY, done: 3, runs: 4, leftMs: 10 };
  assert.deepEqual(endedStatus(status, { isWhole: true, path: "a/report.html" }), {
    done: 3,
    runs: 3,
    text: "Done: this page no longer changes. It is saved as a/report.html",
    leftMs: null,
    isOver: true,
  });
  const { text, runs } = endedStatus(status, { isWhole: false, path: "b" });
  assert.equal(runs, 4);
  assert.match(text, /^Interrupted after 3 of 4 runs: /);
  assert.ok(brokenStatus(status).isOver);
});

Deno.test("the time that is left is told in whole seconds, and never as none", () => {
  assert.match(remainingText(1), /^About 1.s left$/);
  assert.match(remainingText(61_500), /^About 1.min 2.s left$/);
});

Deno.test("an experiment without a run says what it is about to measure, of what was asked for", () => {
  const whole = resultsFixture({
    cells: ["hono", "express"].map((target) => ({ target, scenario: "static", medianMs: 2 })),
  });
  const empty = { ...whole, runs: [], planned: 20, state: "running" as const, finishedAt: null };
  const factOf = (results: typeof empty) => factsIn(reportModel(results))[0];
  assert.deepEqual(factOf(empty), {
    label: "To be measured",
    text: "hono, express in static (GET /static): 20 runs",
  });
  const flags = { set: {}, only: { targets: ["express"] } };
  assert.match(factOf({ ...empty, flags }).text, /^express in static/);
  assert.equal(factsIn(reportModel(whole))[0].label, "Measured");
});
