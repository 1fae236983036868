/** The table of figures as a whole, and what single figures say of lower bounds and of requests that only began. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { FIGURE_NAMES, type FigureName, UNITS } from "../../base/figures/figure.ts";
import { reportModel } from "../../report/model.ts";
import { groupRuns } from "../../report/cells/cells.ts";
import { bounded } from "../../report/figures/lower_bounds.ts";
import { FIGURES, rangeOf } from "../../report/figures/figures.ts";
import type { JudgedRun } from "../../report/figures/range.ts";
import type { Run } from "../../runner/result/result.ts";
import { decodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { censoredMeasurement, type Ended, FROZEN, TIMED_OUT } from "./censored_results.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { offered } from "./concluded.ts";
import { capacities } from "./searched.ts";

const RUN = measurementFixture({ target: "", scenario: "static", medianMs: 5, duration: 4 });

/** Of all that took no less than the fastest answer. */
function endedUs(run: JudgedRun, percentile: number): number {
  const ended = new Histogram();
  decodeHistogram(run.histogram).forEachBucket((_lowUs, highUs, count) => {
    if (highUs < Math.floor(run.latency.fastest * 1_000)) return;
    for (let i = 0; i < count; i++) ended.record(highUs);
  });
  return ended.valueAtPercentile(percentile);
}

/** Runs that have every figure. */
function fullRuns(runs = 6): Run[] {
  const own = capacities({ hono: { perSec: 1_000, runs: 3 } }).runs;
  return Array.from({ length: runs }, (_, i): Run => {
    const run = { ...structuredClone(own[i % own.length]), repetition: i + 1 };
    const kept = { latency: run.latency, histogram: run.histogram };
    const times = { ...run.service, histogram: run.histogram };
    const responses = (["2xx", "3xx", "4xx", "5xx"] as const).map((name) => [name, kept]);
    return {
      ...run,
      startUp: 100 + i,
      statusLatency: Object.fromEntries(responses),
      instances: [1, 2].map((instance) => ({ instance, ...kept })),
      cache: { hit: kept, miss: kept },
      streams: {
        messages: { due: 8 + i, received: 7 + i, failed: 1, unfinished: 0, dropped: 0 },
        ...{ events: 7 + i, eventsPerSec: 7 + i, whole: 1, byName: [] },
        ...{ ttfe: times, gap: times },
        tokens: { tokens: 5 + i, tokensPerSec: 5 + i, ttft: times, tpot: times },
      },
      sockets: {
        messages: { due: 9 + i, received: 7 + i, failed: 1, unfinished: 0, dropped: 1 },
        ...{ message: times, opened: 1, sent: 8 + i, received: 7 + i, messagesPerSec: 7 + i },
        ...{ unmatched: 0, closeCodes: { 1000: 1 } },
      },
      sessions: { ...SESSIONS, length: run.service },
      parts: [{ role: "redis", name: "redis", points: [], keyspace: { hits: 3 + i, misses: 1 } }],
    };
  });
}

const SESSIONS = { created: 1, completed: 1, failed: 0, unfinished: 0 };

Deno.test("every figure is read from a run, pooled between its runs, and named in the docs", () => {
  const docs = readFileSync(new URL("../../docs/claims.md", import.meta.url), "utf8");
  const [{ cells: [cell] }] = groupRuns({ runs: fullRuns() });
  for (const name of FIGURE_NAMES) {
    const { unit, distribution, statistic, estimate, supported } = FIGURES[name];
    assert.ok(UNITS.includes(unit), name);
    const range = rangeOf(name, cell);
    assert.ok("value" in range, `${name}: ${JSON.stringify(range)}`);
    const { value, interval, byRun } = range;
    assert.equal(byRun.length, 6, name);
    // A percentile of the added histograms is the upper edge of its bucket.
    const [least, most] = [0.999 * Math.min(...byRun), 1.001 * Math.max(...byRun)];
    assert.ok(least <= value && value <= most, `${name}: ${value} of ${byRun}`);
    assert.ok(interval === null || interval.low <= value && value <= interval.high, name);
    const drawn = estimate === null ? undefined : cell.estimates.get(estimate)?.value;
    if (drawn !== undefined) assert.equal(value, name === "rate" ? drawn : drawn / 1_000, name);
    assert.deepEqual([supported(0), supported(1e9)], [false, true], name);
    const isExtreme = statistic === "min" || statistic === "max";
    assert.equal(interval === null, isExtreme, name);
    const written = distribution === null ? `\`${name}\`` : `\`${distribution}`;
    assert.ok(distribution === "latency" || docs.includes(written), `${name} is not in the docs`);
  }
});

Deno.test("percentiles of which no histogram is kept have an interval from six runs on: that of the median run", () => {
  const lagOf = (runs: number): ReturnType<typeof rangeOf> => {
    const open = offered(10, { ...resultsFixture({ cells: [] }), runs: fullRuns(runs) }).runs;
    open.forEach(({ generator }, i) => generator.lag = { p50: 1, p99: 10 + i, max: 99 });
    const [{ cells: [cell] }] = groupRuns({ runs: open });
    return rangeOf("lag.p99", cell);
  };
  const intervals = [2, 5, 6, 9].map((runs) => {
    const range = lagOf(runs);
    return "value" in range && range.interval;
  });
  assert.deepEqual(intervals, [null, null, { low: 10, high: 15 }, { low: 11, high: 17 }]);
});

Deno.test("a closed loop has a lag where its WebSockets send by a clock", () => {
  const [{ sockets }] = fullRuns();
  assert.ok(sockets);
  const generator = { ...RUN.generator, lag: { p50: 1, p99: 2, max: 3 } };
  const read = (sent: number): unknown =>
    FIGURES["lag.p99"].of({ ...RUN, generator, sockets: { ...sockets, opened: 4, sent } });
  assert.deepEqual(read(40), bounded(2));
  assert.ok("none" in (read(4) as object));
});

Deno.test("percentiles below the median are of requests that ended: those under way pass for no fast ones", () => {
  for (const p of [2.5, 10, 25] as const) {
    assert.deepEqual(FIGURES[`p${p}`].of(RUN), bounded(endedUs(RUN, p) / 1_000));
  }
  const slow = measurementFixture({ target: "", scenario: "static", medianMs: 500, duration: 4 });
  const whole = decodeHistogram(slow.histogram).valueAtPercentile(2.5);
  assert.ok(whole < endedUs(slow, 2.5), "unfinished requests are among the fastest of all");
  assert.deepEqual(FIGURES["p2.5"].of(slow), bounded(endedUs(slow, 2.5) / 1_000));
});

Deno.test("the fastest of no answers is none, not 0, which would keep every limit", () => {
  const dead = { ...RUN, latency: { ...RUN.latency, fastest: 0 } };
  assert.deepEqual(FIGURES.min.of(dead), { none: "no request was completed" });
  assert.deepEqual(FIGURES.min.of(RUN), bounded(RUN.latency.fastest));
});

Deno.test("p97.5 is of all requests, as its neighbours are, and as sure", () => {
  const ms = decodeHistogram(RUN.histogram).valueAtPercentile(97.5) / 1_000;
  assert.deepEqual(FIGURES["p97.5"].of(RUN), bounded(ms));
  const latency = { ...RUN.latency, censored: Math.round(RUN.latency.count / 20) };
  assert.deepEqual(FIGURES["p97.5"].of({ ...RUN, latency }), bounded(ms, true));
});

Deno.test("what a run discards is in none of them", () => {
  const results = resultsFixture({
    cells: [{ target: "hono", scenario: "static", medianMs: 5, duration: 4, warmUp: 5 }],
    experiment: { discard: 1_000 },
  });
  const [run] = reportModel(results).context.runs;
  const [whole] = results.runs;
  assert.deepEqual(FIGURES.p25.of(run), bounded(endedUs(run, 25) / 1_000));
  assert.ok(endedUs(run, 25) < endedUs(whole, 25));
});

Deno.test("a figure is what the results say under another name", () => {
  const { perSecond: { requests, bytes }, connect, generator, latency } = RUN;
  const expected: [FigureName, number][] = [
    ["rate.p2.5", requests.p2_5],
    ["rate.stdev", requests.stdev],
    ["bytes.p97.5", bytes.p97_5],
    ["bytes.min", bytes.min],
    ["bytes", RUN.bytes.inPerSecond],
    ["read", RUN.bytes.in],
    ["size", RUN.bytes.in / RUN.requests.completed],
    ["requests", RUN.requests.completed],
    ["stdev", latency.stdev],
    ["connect.stdev", connect.stdev],
    ["connect.p99.9", connect.percentiles["99.9"]],
    ["generator.cpu", generator.cpu],
  ];
  for (const [name, value] of expected) {
    assert.deepEqual(FIGURES[name].of(RUN), bounded(value), name);
  }
  assert.deepEqual(FIGURES["rate.min"].of({ ...RUN, elapsedS: 0.8 }), {
    none: "no whole second was measured",
  });
});

const RULES: [name: FigureName, isLasting: boolean, flattered: "time" | "rate" | null][] = [
  ["rate", true, "rate"],
  ["perCpu", true, "rate"],
  ["eventsPerCpu", false, null],
  ["bytes", true, null],
  ["memory", false, null],
  ["startUp", false, null],
  ["p99", true, "time"],
  ["stdev", true, null],
  ["max", false, "time"],
  ["service.mean", true, "time"],
  ["firstByte.min", false, "time"],
  ["connect.p99", false, null],
  ["5xx.p99", false, null],
  ["rate.p2.5", true, null],
  ["bytes.min", false, null],
  ["initial", false, "time"],
  ["stable", false, null],
];

Deno.test("rules know which figures last as long as the load, and which ones wrong responses flatter", () => {
  for (const [name, isLasting, flattered] of RULES) {
    const figure = FIGURES[name];
    assert.deepEqual([figure.isLasting, figure.flattered], [isLasting, flattered], name);
  }
});

Deno.test("of several runs they are those of all together, likewise without requests that only began", () => {
  const results = resultsFixture({
    cells: [{ target: "hono", scenario: "static", medianMs: 5, duration: 4, runs: 3 }],
  });
  // What is faster than the fastest answer had only begun.
  for (const run of results.runs) run.latency.fastest = run.latency.percentiles["50"];
  const [{ cells: [cell] }] = groupRuns(results);
  const range = rangeOf("p2.5", cell);
  assert.ok("value" in range && range.interval !== null);
  assert.ok(range.value >= Math.min(...cell.runs.map(({ latency }) => latency.fastest)) - 0.01);
});

const FROZEN_RUN = censoredMeasurement(FROZEN);
const TIMED_OUT_RUN = censoredMeasurement(TIMED_OUT);

Deno.test("the most that a figure can be is the figure, unless lower bounds could make it larger", () => {
  for (const name of ["p50", "p75", "p95", "p97.5", "min", "rate", "success"] as const) {
    const found = FIGURES[name].of(TIMED_OUT_RUN);
    assert.ok("value" in found);
    assert.deepEqual(found, bounded(found.value), name);
  }
  for (
    const name of ["p99", "p99.9", "mean", "stdev", "max", "service.p99", "service.mean"] as const
  ) {
    const found = FIGURES[name].of(TIMED_OUT_RUN);
    assert.ok("value" in found);
    assert.deepEqual(found, bounded(found.value, true), name);
  }
});

Deno.test("a percentile above short lower bounds can be no more than if they were the longest of all", () => {
  // Fifty of 1,000 were watched for a millisecond only; the others took 1 to 950 ms.
  const requests = Array.from(
    { length: 1_000 },
    (_, i): Ended =>
      i < 50 ? { atS: 1, ms: 1, as: "unfinished" } : { atS: 1, ms: i - 49, as: "completed" },
  );
  const run = censoredMeasurement({ clock: "intended", durationS: 1, requests });
  const p90 = FIGURES.p90.of(run);
  assert.ok("value" in p90 && p90.isAtLeast);
  assert.ok(Math.abs(p90.value - 850) < 1 && Math.abs(p90.atMost - 900) < 1);
});

Deno.test("requests that were never sent are no success, but no service time hangs on them", () => {
  const share = 383 / 990; // of all but the ten unfinished
  assert.deepEqual(FIGURES.errors.of(FROZEN_RUN), bounded(share));
  assert.deepEqual(FIGURES.success.of(FROZEN_RUN), bounded(607 / 990));
  assert.deepEqual(FIGURES.dropped.of(FROZEN_RUN), bounded(383 / 1_000));
  const [p95, service] = [FIGURES.p95.of(FROZEN_RUN), FIGURES["service.p95"].of(FROZEN_RUN)];
  assert.ok("value" in p95 && "value" in service);
  assert.ok(p95.isAtLeast && p95.value > 1_700);
  assert.deepEqual(service, bounded(FROZEN_RUN.service.percentiles["95"]));
});
