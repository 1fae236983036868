/** Histogram logs, as the reader of hdr-histogram-js has them. */
import assert from "node:assert/strict";
import * as hdr from "hdr-histogram-js";
import {
  renderHistogramLog,
  renderMeasurementHistogramLog,
} from "../../report/render/histogram_log.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { decodeSparse, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { EMPTY, sumOfSparse } from "../../runner/stats/histogram/histogram.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { hostileResults } from "./hostile.ts";
import { slicedSides } from "./sliced.ts";

type Interval = NonNullable<ReturnType<hdr.HistogramLogReader["nextIntervalHistogram"]>>;

const START_MS = Date.parse("2031-05-04T10:18:03.250Z");
const NO_TAG = "NO TAG";

/** Of each tag, in order. */
function read(log: string): Map<string, Interval[]> {
  const reader = new hdr.HistogramLogReader(log);
  const intervals: Interval[] = [];
  for (let next = reader.nextIntervalHistogram(); next; next = reader.nextIntervalHistogram()) {
    intervals.push(next);
  }
  return Map.groupBy(intervals, ({ tag }) => tag);
}

/** Fields of the lines of intervals, without a tag. */
function fieldsOf(log: string): string[][] {
  return log.trimEnd().split("\n").filter((line) => !/^[#"]/.test(line))
    .map((line) => line.replace(/^Tag=[^,]*,/, "").split(","));
}

function commentsOf(log: string): string[] {
  return [...log.matchAll(/^#\[(.*)\]$/gm)].map(([, text]) => text);
}

/** Two factors' values, twice each; each load starts 4 s after the one before. */
function fourRuns(): Results {
  const results = resultsFixture({
    cells: [10, 50].map((connections) => ({
      target: "größe 1",
      scenario: "static",
      parameters: { connections, "set.delay": "a,b=c/d" },
      connections,
      medianMs: 5,
      runs: 2,
      duration: 1,
      timeoutRatio: 0.01,
    })),
  });
  const runs = results.runs.map((run, i) => started(withTotal(run), START_MS + 4_000 * i));
  return { ...results, runs };
}

function started(run: Run, atMs: number): Run {
  return { ...run, loadStartedAt: new Date(atMs).toISOString() };
}

/** What is measured has the sum of its intervals as its histogram. */
function withTotal(run: Run): Run {
  const { timeline: { points }, latency } = run;
  const whole = sumOfSparse(points.map(({ histogram }) => decodeSparse(histogram)));
  return {
    ...run,
    latency: { ...latency, count: whole.count },
    histogram: encodeHistogram(whole),
  };
}

Deno.test("the lines of each tag add up to the histogram of its run, and begin with its load", () => {
  const { runs, ...results } = fourRuns();
  const byTag = read(renderHistogramLog({ ...results, runs }));
  assert.deepEqual([...byTag.keys()].map((tag) => tag.split("/").map(decodeURIComponent)), [
    ["größe 1", "static", "connections=10", "set.delay=a,b=c/d", "1"],
    ["größe 1", "static", "connections=10", "set.delay=a,b=c/d", "2"],
    ["größe 1", "static", "connections=50", "set.delay=a,b=c/d", "1"],
    ["größe 1", "static", "connections=50", "set.delay=a,b=c/d", "2"],
  ]);
  [...byTag.values()].forEach((intervals, i) => {
    const { timeline: { points }, histogram } = runs[i];
    assert.equal(intervals.length, points.length);
    const [first, last] = [intervals[0], intervals[intervals.length - 1]];
    assert.ok(Math.abs(first.startTimeStampMsec - (START_MS + 4_000 * i)) < 1);
    const endMs = START_MS + 4_000 * i + 1_000 * points[points.length - 1].endS;
    assert.ok(Math.abs(last.endTimeStampMsec - endMs) < 1);
    const whole = hdr.decodeFromCompressedBase64(histogram);
    for (const interval of intervals) whole.subtract(interval);
    assert.equal(whole.totalCount, 0);
    const left = intervals.reduce((sum, { totalCount }) => sum + totalCount, 0);
    assert.equal(left, decodeSparse(histogram).count);
  });
});

Deno.test("the largest value of a line is that of its histogram, in milliseconds", () => {
  const results = fourRuns();
  const log = renderHistogramLog(results);
  const intervals = [...read(log).values()].flat();
  const fields = fieldsOf(log);
  assert.equal(fields.length, intervals.length);
  fields.forEach(([, , max], i) => assert.equal(max, (intervals[i].maxValue / 1_000).toFixed(3)));
  assert.ok(
    commentsOf(log).includes("Values are whole microseconds; Interval_Max is in milliseconds"),
  );
});

Deno.test("the log of one measurement has no tags, and the moment of its start", () => {
  const measurement = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  const loadStartedAt = new Date(START_MS).toISOString();
  const log = renderMeasurementHistogramLog({ ...measurement, loadStartedAt });
  assert.deepEqual([...read(log).keys()], [NO_TAG]);
  const [version, start, base, about] = commentsOf(log);
  assert.equal(version, "Histogram log format version 1.3");
  assert.equal(
    start,
    "StartTime: 1935656283.250 (seconds since epoch), Sun, 04 May 2031 10:18:03 GMT",
  );
  assert.equal(base, "BaseTime: 1935656283.250 (seconds since epoch)");
  assert.equal(about, `Latencies of ${measurement.url}, measured by Plateau 0.1.0`);
  assert.deepEqual(fieldsOf(log)[0].slice(0, 2), ["0.000", "0.250"]);
});

Deno.test("where the start of a load is unknown, its comment says what its times count from", () => {
  const [first, ...others] = fourRuns().runs;
  const { loadStartedAt: _, ...older } = first;
  const log = renderHistogramLog({ ...fourRuns(), runs: [older, ...others] });
  const unknown = commentsOf(log).filter((text) => text.includes("is unknown"));
  assert.deepEqual(unknown.map((text) => text.replace(/^.*\/1: /, "")), [
    "the start of the load is unknown: times count from the start of the run, before its target was started",
  ]);
  const [[interval]] = read(log).values();
  assert.equal(interval.startTimeStampMsec, Date.parse(older.startedAt));
  const alone = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  const comments = commentsOf(renderMeasurementHistogramLog(alone));
  assert.ok(comments.includes("The start of the load is unknown"));
  assert.ok(comments.includes("BaseTime: 0.000 (seconds since epoch)"));
});

Deno.test("a run in slices says that its times leave out the slices of the other side", () => {
  const own = /took turns with another: times count only the measured parts of its own slices$/;
  const [sliced] = slicedSides({ processes: 1, pairs: 4, ratio: 1 });
  assert.equal(commentsOf(renderHistogramLog(sliced)).filter((text) => own.test(text)).length, 1);
  assert.ok(!commentsOf(renderHistogramLog(fourRuns())).some((text) => own.test(text)));
});

Deno.test("comments count lower bounds, requests without a latency, and what no interval has", () => {
  const measurement = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  const held = sumOfSparse(
    measurement.timeline.points.map(({ histogram }) => decodeSparse(histogram)),
  ).count;
  const of = (count: number, censored: number, errors: Record<string, number>): string[] =>
    commentsOf(renderMeasurementHistogramLog({
      ...measurement,
      latency: { ...measurement.latency, count, censored },
      requests: { ...measurement.requests, failed: errors.timeout + errors.reset },
      errors,
    })).filter((text) => /^[\d,]+ /.test(text)).map((text) => text.replaceAll(",", ""));
  assert.deepEqual(of(held, 0, { timeout: 3, reset: 0 }), []);
  assert.deepEqual(of(held + 7, 1_200, { timeout: 3, reset: 4 }), [
    `1200 of ${held + 7} values are lower bounds: these requests timed out were unfinished or ` +
    "were never sent and would have taken at least as long",
    "4 requests failed otherwise than by a time-out and therefore have no latency",
    `7 of ${held + 7} values are in no interval of the results and therefore not here`,
  ]);
});

Deno.test("an interval without a latency has a line with an empty histogram, and each begins where one ended", () => {
  const measurement = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  const points = [0.0014, 0.0026, 1.2341].map((endS, i) => ({
    ...measurement.timeline.points[i],
    endS,
    ...i === 1 && { histogram: "" },
  }));
  const log = renderMeasurementHistogramLog({ ...measurement, timeline: { intervalS: 1, points } });
  const fields = fieldsOf(log);
  assert.deepEqual(fields.map(([start, length]) => `${start} ${length}`), [
    "0.000 0.001",
    "0.001 0.002",
    "0.003 1.231",
  ]);
  assert.equal(fields[1][2], "0.000");
  const [, empty] = read(log).get(NO_TAG) ?? [];
  assert.equal(empty.totalCount, 0);
  assert.equal(fields[1][3], encodeHistogram(EMPTY));
});

Deno.test("an experiment without a run has a log without a line", () => {
  const results = { ...fourRuns(), runs: [] };
  const log = renderHistogramLog(results);
  assert.equal(read(log).size, 0);
  const seconds = (Date.parse(results.startedAt) / 1_000).toFixed(3);
  assert.ok(log.includes(`#[BaseTime: ${seconds} (seconds since epoch)]\n`));
});

Deno.test("hostile names and histograms stay in their line and tag", () => {
  const results = hostileResults();
  for (const { timeline } of results.runs) {
    for (const point of timeline.points) {
      point.histogram = point.histogram.replace(/^(.{9})/, "$1,\n::\r\n, ");
    }
  }
  const log = renderHistogramLog(results);
  const byTag = read(log);
  assert.deepEqual(
    [...byTag.keys()].map((tag) => decodeURIComponent(tag.split("/")[0])),
    results.runs.map(({ target }) => target),
  );
  assert.equal(
    fieldsOf(log).length,
    results.runs.flatMap(({ timeline }) => timeline.points).length,
  );
  assert.ok(fieldsOf(log).every((fields) => fields.length === 4));
  assert.doesNotMatch(log, /^\s*::/m);
  assert.match(log, /^[\n -~]*$/);
});
