/** What targets used: the figures, the table, the sentence, the CSV and the timelines. */
import assert from "node:assert/strict";
import { renderCsv } from "../../report/render/csv.ts";
import { bounded } from "../../report/figures/lower_bounds.ts";
import { reportModel } from "../../report/model.ts";
import {
  cpuSecondsOf,
  perCpuSecondOf,
  switchesPerRequestOf,
  systemShareOf,
} from "../../report/figures/resources.ts";
import type { Table } from "../../report/subjects/tables/table.ts";
import { type Results, results, type Run } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { FIGURES } from "../../report/figures/figures.ts";
import { SOCKETS, STREAMS } from "./message_figures.ts";
import { chartsIn, said, saidAs, tableIn } from "./said.ts";

/** Two points: half a second at one core and half a second at two. */
function runWith(completed: number, points: Run["resources"] = POINTS): Run {
  const [run] = resultsFixture({ cells: [{ target: "a", scenario: "s", medianMs: 5 }] }).runs;
  return { ...run, requests: { ...run.requests, completed }, resources: points };
}

const HELD = { memory: 5_000_000, threads: 4 };
const POINTS: Run["resources"] = [
  {
    endS: 0.5,
    cpu: 1,
    user: 0.9,
    system: 0.1,
    ...HELD,
    switches: { voluntary: 40, involuntary: 4 },
  },
  { endS: 1, cpu: 2, user: 1.5, system: 0.5, ...HELD, switches: { voluntary: 80, involuntary: 0 } },
];

Deno.test("rates per second count for the time since the point before", () => {
  const run = runWith(3_000);
  assert.equal(cpuSecondsOf(run), 1.5);
  assert.equal(systemShareOf(run), 0.3 / 1.5);
  assert.equal(perCpuSecondOf(run), 2_000);
  assert.equal(switchesPerRequestOf("voluntary", run, run), 60 / 3_000);
  assert.equal(switchesPerRequestOf("involuntary", run, run), 2 / 3_000);
});

Deno.test("what older results and other systems do not tell is not made up", () => {
  const run = runWith(3_000, POINTS.map(({ endS, cpu, memory }) => ({ endS, cpu, memory })));
  assert.equal(systemShareOf(run), null);
  assert.equal(switchesPerRequestOf("voluntary", run, run), null);
  assert.equal(perCpuSecondOf(run), 2_000);
  assert.equal(perCpuSecondOf(runWith(3_000, [])), null);
});

Deno.test("perCpu is requests per second of CPU time, of a target that used some", () => {
  assert.deepEqual(FIGURES.perCpu.of(runWith(3_000)), bounded(2_000));
  const idle = runWith(3_000, POINTS.map((point) => ({ ...point, cpu: 0, user: 0, system: 0 })));
  for (const run of [runWith(3_000, []), idle]) assert.ok("none" in FIGURES.perCpu.of(run));
  assert.ok("none" in FIGURES.eventsPerCpu.of(runWith(3_000)), "no response is a stream");
});

Deno.test("eventsPerCpu counts the messages of streams and of WebSockets alike, each once", () => {
  const run = runWith(3_000); // 1.5 s of CPU time in one second
  const perCpuOf = (more: Partial<Run>): unknown =>
    FIGURES.eventsPerCpu.of({ ...run, elapsedS: 1, ...more });
  assert.deepEqual(perCpuOf({ streams: STREAMS }), bounded(250 / 1.5));
  assert.deepEqual(perCpuOf({ sockets: SOCKETS }), bounded(250 / 1.5));
  const pushed = { sockets: SOCKETS, streams: STREAMS };
  assert.deepEqual(perCpuOf(pushed), bounded(250 / 1.5));
  const { requests, rate, latency, histogram } = run;
  const step = {
    ...{ requests, wrong: 0, status: {}, errors: {}, rate },
    ...{ seconds: [], latency, histogram },
  };
  const steps = [
    { ...step, name: "feed", ...pushed },
    { ...step, name: "news", streams: STREAMS },
    { ...step, name: "page" },
  ];
  assert.deepEqual(perCpuOf({ ...pushed, steps }), bounded(500 / 1.5));
});

Deno.test("behind a cache requests per CPU-second count the whole chain, never the idle origin alone", () => {
  const idle = { endS: 1, cpu: 0.0005, memory: 5_000_000 };
  const parts: Run["parts"] = [
    { role: "gateway", name: "proxy", points: [{ ...idle, cpu: 1 }] },
    { role: "upstream", name: "plain", points: [idle] },
    { role: "redis", name: "Redis", points: [{ ...idle, cpu: 0.4995 }] },
  ];
  const run = { ...runWith(3_000, [{ ...idle, cpu: 1.0005 }]), parts };
  assert.deepEqual(FIGURES.perCpu.of(run), bounded(2_000));
  const results = resultsFixture({ cells: [{ target: "a", scenario: "s", medianMs: 5 }] });
  results.runs = [run];
  const model = reportModel(results);
  const perCpuFinding = saidAs(model, "s1/resources", "per-cpu")[0];
  assert.match(
    perCpuFinding,
    /^Per CPU-second, a served 2,000 requests .* plain of a: 0\.0005/,
  );
  const [head] = renderCsv(reportModel(results)).split("\r\n");
  assert.deepEqual(head.split(",").filter((name) => /PerCpuSecond/.test(name)), [
    "requestsPerCpuSecond",
  ]);
});

const CELLS = [
  { target: "plain", scenario: "s", medianMs: 5, runs: 3 },
  {
    target: "cached",
    scenario: "s",
    medianMs: 2,
    runs: 3,
    parts: [
      { role: "gateway", name: "nginx", cores: 0.25 },
      { role: "redis", name: "Redis", cores: 0.5 },
    ],
  },
] as const;

/** As files were before there were parts and all but CPU and memory. */
function older({ runs, ...rest }: Results): Results {
  return results.parse({
    ...rest,
    runs: runs.map(({ parts: _, resources, ...run }) => ({
      ...run,
      resources: resources.map(({ endS, cpu, memory }) => ({ endS, cpu, memory })),
    })),
  });
}

function resourcesOf(from: Results): Table {
  return tableIn(reportModel(from), "s1/resources");
}

function column({ columns, rows }: Table, label: string): (string | undefined)[] {
  const at = columns.findIndex((column) => column.label === label);
  return rows.map((row) => row[at]?.text);
}

Deno.test("the table has a row for each target and below it one for each part", () => {
  const table = resourcesOf(resultsFixture({ cells: CELLS }));
  assert.deepEqual(column(table, "Target"), ["cached", "cached", "cached", "plain"]);
  assert.deepEqual(column(table, "Part"), ["whole target", "nginx", "Redis", "whole target"]);
  assert.deepEqual(column(table, "CPU, mean").slice(1, 3), ["0.250", "0.500"]);
  assert.deepEqual(column(table, "In the kernel"), Array(4).fill("25.0"));
  assert.deepEqual(column(table, "Threads"), Array(4).fill("11"));
  assert.deepEqual(column(table, "Start-up").slice(1, 3), ["–", "–"]);
  assert.match(table.notes.join(" "), /do not include the run's Redis/);
  const perCpu = table.columns.findIndex(({ label }) => label === "Requests per CPU-second");
  for (const [i, row] of table.rows.entries()) {
    if (i === 0 || i === 3) assert.match(row[perCpu].below ?? "", /^\[[\d,.]+,.[\d,.]+\]$/);
    else assert.equal(row[perCpu].text, "–", "a part alone serves nothing");
  }
});

Deno.test("older results have a table without what they do not tell", () => {
  const table = resourcesOf(older(resultsFixture({ cells: CELLS })));
  assert.deepEqual(table.columns.map(({ label }) => label), [
    ...["Target", "CPU, mean", "CPU, peak", "Requests per CPU-second", "Memory, peak", "Start-up"],
  ]);
  assert.equal(table.rows.length, 2);
});

Deno.test("a sentence says who needs the least CPU for a request, and what the parts need", () => {
  const model = reportModel(resultsFixture({ cells: CELLS }));
  const perCpuFinding = saidAs(model, "s1/resources", "per-cpu")[0];
  const plain = perCpuFinding.replaceAll(/[\d,.]*\d/g, "N");
  assert.equal(
    plain,
    "Per CPU-second, cached served the most, N requests (N cores); plain the least, " +
      "N requests (N cores). nginx of cached: N cores. Redis of cached: N cores.",
  );
  const alone = resultsFixture({ cells: [{ ...CELLS[0], runs: 1 }] });
  assert.match(
    saidAs(reportModel(alone), "s1/resources", "per-cpu")[0],
    /^Per CPU-second, plain served [\d,.]+ requests \([\d.]+ cores\)\.$/,
  );
  const unwatched = resultsFixture({ cells: [{ ...CELLS[0], watched: false }] });
  assert.deepEqual(said(reportModel(unwatched), "s1/resources"), []);
});

Deno.test("the CSV has what each run's target used, and its parts under their names", () => {
  const model = reportModel(resultsFixture({ cells: CELLS }));
  const [head, ...lines] = renderCsv(model).trimEnd().split("\r\n").map((line) => line.split(","));
  const value = (line: string[], column: string): number => Number(line[head.indexOf(column)]);
  assert.equal(lines.length, 6);
  for (const [i, line] of lines.entries()) {
    const seconds = value(line, "cpuSeconds");
    assert.ok(Math.abs(seconds - cpuSecondsOf(model.context.runs[i])) < 1e-9);
    assert.ok(
      Math.abs(value(line, "cpuUserSeconds") + value(line, "cpuSystemSeconds") - seconds) < 1e-9,
    );
    assert.equal(value(line, "threadsPeak"), 11);
    assert.equal(
      value(line, "Redis.cpuCores"),
      model.context.runs[i].target === "cached" ? 0.5 : 0,
    );
  }
});

Deno.test("timelines have the memory of the target, on an axis of all of them", () => {
  const model = reportModel(resultsFixture({ cells: CELLS }));
  const timelines = chartsIn(model, "s1/time", "timeline");
  for (const { tracks: [, { axis }], runs } of timelines) {
    assert.equal(axis.unit, "MB");
    assert.ok(axis.min === 0 && axis.max > 60);
    for (const { t, tracks: [, memory] } of runs) {
      assert.equal(memory.length, t.length);
      assert.ok(memory.every((value) => value !== null && value >= 60 && value <= 61));
    }
  }
  const unwatched = resultsFixture({ cells: [{ ...CELLS[0], watched: false }] });
  assert.deepEqual(chartsIn(reportModel(unwatched), "s1/time", "timeline")[0].tracks, []);
});
