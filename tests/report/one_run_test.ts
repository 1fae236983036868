/** Thresholds on one run, and its intervals, where requests depend on each other: in simulations with fixed seeds. */
import assert from "node:assert/strict";
import { burstRun, queueRun, queueTruth, requestTruth } from "../../bench/one_run/simulated.ts";
import { Random } from "../../bench/statistics/random.ts";
import { measurement as shape } from "../../runner/result/result.ts";
import { medianOf } from "../../runner/stats/quantile.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { inRunOf } from "../../runner/result/in_run.ts";
import { OF_THIS_RUN_TEXT } from "../../report/subjects/tables/in_run.ts";
import { reportModel } from "../../report/model.ts";
import type { Table } from "../../report/subjects/tables/table.ts";
import { resultsFixture } from "./fixture.ts";
import { renderMeasurement } from "./measured.ts";
import { tablesIn } from "./said.ts";
import { judge } from "./gated.ts";

const CASES = 60;
const PLAIN = { width: 100, color: false, unicode: true };

function outcomes(text: string, runOf: (random: Random) => Measurement): Record<string, number> {
  const random = new Random(71);
  const counts: Record<string, number> = { pass: 0, fail: 0, inconclusive: 0 };
  for (let i = 0; i < CASES; i++) counts[judge(text, runOf(random)).outcome]++;
  return counts;
}

Deno.test("a p99 of a queue that is at the limit neither passes nor fails", () => {
  const limit = `p99 < ${queueTruth(0.7).p99.toFixed(3)}ms`;
  // Requests taken as independent pass in about half of these runs, and fail in a third.
  const { pass, fail } = outcomes(
    limit,
    (random) => queueRun(random, { utilization: 0.7, seconds: 5 }),
  );
  assert.ok(pass <= 6 && fail <= 6, `${pass} pass, ${fail} fail`);
});

Deno.test("a nearly full queue that is far under its limit passes although its windows wander", () => {
  const { p99 } = queueTruth(0.7);
  let wandering = 0;
  const { pass, fail } = outcomes(`p99 < ${(p99 / 0.7).toFixed(3)}ms`, (random) => {
    const run = queueRun(random, { utilization: 0.7, seconds: 60 });
    if (run.warmup?.unsettled === "wander") wandering++;
    return run;
  });
  assert.ok(wandering > 10, `${wandering} wander`);
  // 50 of 100 where a run without a steady label never passes.
  assert.ok(pass >= 40 && fail === 0, `${pass} of ${CASES} pass`);
});

Deno.test("a short run of a queue says how long one must be to decide", () => {
  const { p99 } = queueTruth(0.9);
  const random = new Random(73);
  const named = Array.from({ length: 20 }, () => {
    const { reason } = judge(
      `p99 < ${(p99 / 0.7).toFixed(3)}ms`,
      queueRun(random, { utilization: 0.9, seconds: 30 }),
    );
    return reason?.code === "few-clusters" ? reason.seconds : [];
  }).flat();
  const seconds = medianOf(named);
  // Half of all runs of 300 s decide, and two of three of 420 s. Where the slowest hundredth alone is asked, it is 120 s.
  assert.ok(named.length > 15 && seconds > 0.7 * 300 && seconds < 1.3 * 420, `${seconds} s`);
});

Deno.test("noise with a heavy tail makes latencies that have a mean", () => {
  const heavy = (seed: number) => {
    const random = new Random(seed);
    const square = (): number => random.normal() ** 2;
    return () => random.normal() / Math.sqrt(square() + square() + square());
  };
  const [one, other] = [1, 2].map((seed) => requestTruth(heavy(seed)).mean);
  assert.ok(Math.abs(one / other - 1) < 0.01, `${one} and ${other} ms`);
});

Deno.test("failures in bursts at the limit neither pass nor fail", () => {
  const { pass, fail } = outcomes(
    "errors < 1%",
    (random) => burstRun(random, { share: 0.01, burst: 20, seconds: 10 }),
  );
  assert.ok(pass <= 6 && fail <= 6, `${pass} pass, ${fail} fail`);
});

Deno.test("a run shows what its figures may be, says what it does not know, and passes its schema", () => {
  const shown = (seed: number, seconds: number): Measurement => {
    const run = queueRun(new Random(seed), { utilization: 0.5, seconds });
    return { ...run, inRun: inRunOf(run) };
  };
  const run = shown(2, 30);
  assert.deepEqual(shape.parse(run).inRun, run.inRun);
  const { rate, p99, errors, ...rest } = run.inRun?.figures ?? {};
  assert.ok(rate?.interval && rate.interval.low < 1_000 && rate.interval.high > 1_000);
  assert.equal(rate.interval.of, "this run");
  assert.ok(p99?.interval && errors?.interval?.low === 0);
  assert.equal(rest["p99.9"]?.intervalReason, "few-clusters");
  const text = renderMeasurement(run, PLAIN);
  assert.match(
    text,
    /\nIn this run\nFigure +95 % interval +Effective samples +Independent after\n/,
  );
  assert.match(text, /do not show how another process/);
  const short = shown(2, 5);
  assert.equal(short.inRun?.figures.rate?.intervalReason, "too-short");
  assert.doesNotMatch(renderMeasurement(short, PLAIN), /In this run/);
});

Deno.test("a page shows intervals within a run where it is the only one of its cell, with what they are not", () => {
  const tablesOf = (runs: number): Table[] => {
    const results = resultsFixture({
      cells: [{ target: "app", scenario: "home", medianMs: 2, runs, duration: 20 }],
    });
    const known = results.runs.map((run) => ({ ...run, inRun: inRunOf(run) }));
    return tablesIn(reportModel({ ...results, runs: known }), "s1/in-run");
  };
  const [{ columns, rows: [row], notes }] = tablesOf(1);
  assert.deepEqual(columns.map(({ label }) => label), [
    ...["Target", "Requests/s", "Mean", "p50", "p99", "Errors"],
  ]);
  assert.match(row[1].below ?? "", /^\[[\d,.]+,\s[\d,.]+\]$/);
  assert.equal(notes[0], OF_THIS_RUN_TEXT);
  assert.deepEqual(tablesOf(2), []);
});
