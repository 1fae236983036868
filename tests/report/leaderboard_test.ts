/** The cells of a running experiment, by result, with intervals that narrow as runs come. */
import assert from "node:assert/strict";
import { liveLines } from "../../report/render/terminal/live.ts";
import { advance, NOTHING_YET } from "../../report/render/terminal/progress.ts";
import { printed } from "../../report/writing/terminal.ts";
import { Repetition } from "../../runner/experiment/repetition.ts";
import type { CellProgress, Progress } from "../../runner/result/progress.ts";
import type { Run } from "../../runner/result/result.ts";
import type { Repeat } from "../../scenarios/plan/repetition.ts";
import { type CellSpec, resultsFixture } from "./fixture.ts";
import { LIVE, MISSING, STARTING } from "./progress_events.ts";

const SCENARIOS = ["static", "validation", "database", "redis", "error"];
const TARGETS = ["hono", "express", "fastify", "koa", "hapi", "gin", "flask", "rails", "actix"];

/** Runs of each target in each scenario, block after block, the first target the fastest. */
function runsOf(
  targets: number,
  { scenarios = 1, runs = 2, ...more }: Partial<CellSpec> & { readonly scenarios?: number } = {},
): Run[] {
  const cells = SCENARIOS.slice(0, scenarios).flatMap((scenario) =>
    TARGETS.slice(0, targets).map((target, t) => ({
      target,
      scenario,
      medianMs: 2 + 2 * t,
      duration: 1,
      runs,
      ...more,
    }))
  );
  return resultsFixture({ cells }).runs.toSorted((a, b) => a.repetition - b.repetition);
}

interface Shown {
  readonly columns?: number;
  readonly rows?: number;
  readonly unicode?: boolean;
  readonly repeat?: Repeat;
  /** The scenario of the run in progress. */
  readonly scenario?: string;
  readonly events?: readonly Progress[];
}

const progress = new WeakMap<readonly Run[], Map<string, readonly Progress[]>>();

/** What is told after each of the runs; resampled once. */
function toldOf(runs: readonly Run[], repeat: Repeat): readonly Progress[] {
  const known = progress.get(runs) ?? new Map<string, readonly Progress[]>();
  progress.set(runs, known);
  const key = JSON.stringify(repeat);
  const repetition = new Repetition(repeat, { discardS: 0, figures: "whole" });
  const told = known.get(key) ??
    runs.map((run) => ({ kind: "cell" as const, cell: repetition.add(run)() }));
  known.set(key, told);
  return told;
}

/** The lines of the view after these runs, while another one loads. */
function view(
  runs: readonly Run[],
  { columns = 80, rows = 24, unicode = true, repeat = 5, scenario, events = [] }: Shown = {},
): string[] {
  const planned: Progress = {
    kind: "planned",
    cells: 2,
    runs: 10,
    expectedMs: 1_000,
    mostRuns: 10,
    mostMs: 1_000,
    mayEndEarly: false,
    until: typeof repeat === "number" ? null : repeat.until,
  };
  const all: readonly Progress[] = [
    planned,
    { ...STARTING, repetitions: 5 },
    ...toldOf(runs, repeat),
    ...events,
    { ...STARTING, repetitions: 5, scenario: scenario ?? STARTING.scenario },
    LIVE,
  ];
  const state = all.reduce((before, event) => advance(before, event, 0), NOTHING_YET);
  return liveLines(state, { columns, rows, unicode, nowMs: 0 })
    .map((line) => printed(line, { color: false, unicode }).trimEnd());
}

/** The rows of the leaderboard alone. */
function board(runs: readonly Run[], shown: Shown = {}): string[] {
  const lines = view(runs, shown);
  const from = lines.indexOf(LIVE.url) + 1;
  return lines.slice(from, lines.findIndex((line) => line.startsWith("Requests/s")));
}

function nameOf(row: string): string {
  return row.split(" ")[0];
}

Deno.test("cells stand by result, each with its runs, its figure and its interval", () => {
  const [heading, ...rows] = board(runsOf(3).reverse());
  assert.match(heading, /^static +Runs +Requests\/s {2}± 95 %$/);
  assert.deepEqual(rows.map(nameOf), ["hono", "express", "fastify"]);
  for (const row of rows) {
    assert.match(row, /^[a-z]+ +2\/5 +█+░* +[\d,]+ {2}± (?:\d\.\d|\d{2,}|> 999) %$/);
  }
});

Deno.test("a cell of one run has no interval: nothing of its bar is certain", () => {
  const [, hono] = board(runsOf(2, { runs: 1 }));
  assert.match(hono, /^hono +1\/5 +░+ +[\d,]+$/);
});

Deno.test("the uncertain part of a bar, and the figure beside it, narrow with the runs", () => {
  const runs = runsOf(1, { runs: 14 });
  const half = (count: number): number =>
    Number(/± ([\d.]+)/.exec(board(runs.slice(0, count), { columns: 120 })[1])?.[1]);
  const open = (count: number): number =>
    board(runs.slice(0, count), { columns: 120 })[1].match(/░/g)?.length ?? 0;
  assert.ok(half(2) > half(5) && half(5) > half(14), `${half(2)}, ${half(5)}, ${half(14)}`);
  assert.ok(open(2) > open(14));
});

Deno.test("an interval that reaches anywhere leaves the other bars their length", () => {
  const [wild] = runsOf(1, { target: "wild", medianMs: 40, runs: 1 });
  const [steady] = [
    board([...runsOf(1), wild, { ...runsOf(1, { target: "wild", medianMs: 2 })[1] }]),
  ];
  const lengths = steady.slice(1).map((row) => [nameOf(row), row.match(/[█░]/g)?.length ?? 0]);
  const bars = Object.fromEntries(lengths);
  assert.match(steady.find((row) => nameOf(row) === "wild") ?? "", /± (?:\d{3}|> 999) %$/);
  assert.ok(bars.hono > 0.4 * bars.wild, JSON.stringify(bars));
});

Deno.test("with a rule for the end, the widest of rate and p50 counts, and a mark says where it is met", () => {
  const repeat: Repeat = { until: 0.2, atMost: null, budget: null };
  const steady = runsOf(1, { runs: 5 });
  const wild = [2, 9, 3, 8, 5].flatMap((medianMs, i) =>
    runsOf(1, { target: "wild", medianMs, runs: 5 }).slice(i, i + 1)
  );
  const [heading, ...rows] = board([...steady, ...wild], { repeat });
  assert.match(heading, /^static +Runs +Requests\/s {2}Until ± 20 %$/);
  const [first, second] = ["hono", "wild"].map((name) => rows.find((row) => nameOf(row) === name));
  assert.match(first ?? "", / {2}± \d\.\d % ✓$/);
  assert.match(second ?? "", / {2}± \d+ %$/);
});

Deno.test("a half width has two digits also where it is rounded up to a power of ten", () => {
  const shownAs = (until: number): string =>
    /Until (.*)$/.exec(board(runsOf(1), { repeat: { until, atMost: null, budget: null } })[0])
      ?.[1] ?? "";
  assert.deepEqual([0.0994, 0.0996, 9.994, 9.996].map(shownAs), [
    ...["± 9.9 %", "± 10 %", "± 999 %", "± > 999 %"],
  ]);
});

Deno.test("fast errors do not lead, and what is wrong or doubtful says so", () => {
  const wrong = runsOf(1, { target: "broken", medianMs: 1, wrongRatio: 0.3 });
  const runs = [...wrong, ...runsOf(2)];
  for (const run of runs) if (run.target === "express") run.generator.trust = "suspect";
  const [, hono, express, broken] = board(runs);
  assert.match(hono, /^hono .*%$/);
  assert.match(express, /^express .* {2}2 not valid$/);
  assert.match(broken, /^broken .* {2}30\.\d % errors$/);
});

Deno.test("a failed run counts as one, of a cell with other runs or without any", () => {
  const missing = (target: string): Progress => ({
    kind: "missing",
    missing: {
      target,
      scenario: "static",
      parameters: {},
      repetition: 1,
      kind: "failed",
      reason: "it died",
      evidence: [],
    },
  });
  const [, hono, dead] = board(runsOf(1), { events: [missing("hono"), missing("dead"), MISSING] });
  assert.match(hono, /^hono +2\/5 .* {2}1 failed$/);
  assert.match(dead, /^dead +0\/5 +– +1 failed$/);
});

Deno.test("an open load is ranked by p99, the lowest first, in its unit and as a lower bound where it is one", () => {
  const cell: CellProgress = {
    runs: runsOf(1),
    figure: "p99",
    value: 12.3,
    interval: { low: 12, high: 13 },
    halfWidth: null,
  };
  const late = resultsFixture({
    cells: [{ target: "late", scenario: "static", medianMs: 2, timeoutRatio: 0.02 }],
  }).runs;
  const [heading, first, second] = board([], {
    events: [
      { kind: "cell", cell: { ...cell, runs: late, value: 45, interval: null } },
      { kind: "cell", cell },
    ],
  });
  assert.match(heading, /^static +Runs +p99 ms {2}± 95 %$/);
  assert.match(first, /^hono .* 12\.3 {2}± 4\.1 %$/);
  assert.match(second, /^late .* ≥ 45\.0/);
});

Deno.test("80 columns and 24 rows hold nine cells with the timeline; of five scenarios that of the run", () => {
  const one = view(runsOf(9));
  assert.equal(one.length, 22);
  assert.equal(board(runsOf(9)).length, 10);
  const many = board(runsOf(9, { scenarios: 5 }), { scenario: "redis" });
  assert.match(many[0], /^redis /);
  assert.deepEqual(many.slice(1, 10).map(nameOf), TARGETS);
});

Deno.test("where the current scenario has more cells than rows, the best are shown, and the rest is counted", () => {
  const lines = board(runsOf(9), { rows: 16 });
  assert.deepEqual(lines.slice(1).map(nameOf), ["hono", "express", "7"]);
  assert.equal(lines.at(-1), "7 more cells");
  assert.deepEqual(board(runsOf(9), { rows: 10 }), []);
});

Deno.test("a high terminal has all scenarios, in an order that stays", () => {
  const runs = runsOf(9, { scenarios: 5 });
  const texts = SCENARIOS.map((scenario) => board(runs, { rows: 80, scenario }).join("\n"));
  assert.equal(new Set(texts).size, 1);
  assert.equal(texts[0].split("\n").length, 50);
  assert.equal(view(runs, { columns: 120, rows: 40 }).length, 39);
});

Deno.test("no view is larger than its terminal, with and without Unicode", () => {
  const runs = runsOf(9, { scenarios: 3, target: "測試-with-a-long-name" });
  for (const unicode of [true, false]) {
    for (const columns of [1, 20, 40, 80, 120, 200]) {
      for (const rows of [1, 5, 10, 16, 24, 40, 60]) {
        const lines = view(runs, { columns, rows, unicode });
        assert.ok(lines.length <= Math.max(1, rows - 1), `${columns} × ${rows}: ${lines.length}`);
      }
    }
  }
  assert.match(view(runsOf(2), { unicode: false }).join("\n"), /^[\n\x20-\x7e]+$/);
});
