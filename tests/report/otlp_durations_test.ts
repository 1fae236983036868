/** Durations of requests as exponential histograms: every latency, and lower bounds apart. */
import assert from "node:assert/strict";
import { otlpRequests } from "../../report/render/otlp.ts";
import { decodeSparse, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import {
  Histogram,
  sumOfSparse,
  valueAtPercentile,
} from "../../runner/stats/histogram/histogram.ts";
import { read, runOf, twoCells } from "./otlp_sample.ts";
import { attributesOf, durationPoints, type HistogramPoint, pointsOf } from "./otlp_schema.ts";

/** Of the values in it, the middle of the bucket of rank ⌈p·n/100⌉, seconds. */
function percentileOf({ count, scale, zeroCount, positive }: HistogramPoint, p: number): number {
  const rank = Math.ceil(p * Number(count) / 100);
  let seen = Number(zeroCount);
  const at = positive.bucketCounts.findIndex((counted) => (seen += Number(counted)) >= rank);
  return 2 ** ((positive.offset + at + 0.5) / 2 ** scale);
}

Deno.test("lower bounds are points of their own, and together with the others every latency", () => {
  const requests = read(otlpRequests(runOf(20)));
  const [ended, bounds, ...none] = durationPoints(requests);
  assert.deepEqual(none, []);
  assert.deepEqual([ended.count, bounds.count], ["1000", "20"]);
  assert.equal(attributesOf(ended)["plateau.lower_bound"], "false");
  assert.equal(attributesOf(ended)["error.type"], undefined);
  assert.deepEqual(
    [attributesOf(bounds)["plateau.lower_bound"], attributesOf(bounds)["error.type"]],
    ["true", "timeout"],
  );
  for (const { count, zeroCount, positive } of [ended, bounds]) {
    const counted = positive.bucketCounts.reduce((sum, one) => sum + Number(one), 0);
    assert.equal(counted + Number(zeroCount), Number(count));
  }
  assert.ok(Math.abs((bounds.sum ?? NaN) / (20 * 5) - 1) < 0.001);
  assert.ok(Math.abs((ended.sum ?? NaN) / 1.5005 - 1) < 0.001);
});

Deno.test("bounds of requests that did not time out alone have another type of error", () => {
  const requests = { due: 1_020, completed: 1_000, failed: 5, unfinished: 7, dropped: 8 };
  const [, bounds] = durationPoints(
    read(otlpRequests(runOf(20, { requests, errors: { timeout: 5 } }))),
  );
  assert.equal(attributesOf(bounds)["error.type"], "_OTHER");
});

Deno.test("where results don't say which latencies are bounds, nothing is said of it", () => {
  const points = durationPoints(read(otlpRequests(runOf(20, { censoredHistogram: undefined }))));
  assert.deepEqual(points.map(({ count }) => count), ["1020"]);
  assert.equal(attributesOf(points[0])["plateau.lower_bound"], undefined);
});

Deno.test("figures without bounds are exact, and percentiles within 0.3 %", () => {
  const results = runOf(0);
  const [{ latency, histogram }] = results.runs;
  const [point] = durationPoints(read(otlpRequests(results)));
  assert.deepEqual([point.min, point.max], [1.001e-3, 2e-3]);
  assert.ok(Math.abs((point.sum ?? NaN) - latency.mean * latency.count / 1_000) < 1e-9);
  for (const p of [50, 75, 90, 99, 99.9]) {
    const exact = valueAtPercentile(decodeSparse(histogram), p) / 1e6;
    assert.ok(Math.abs(percentileOf(point, p) / exact - 1) < 0.003, `p${p}`);
  }
});

Deno.test("responses of several classes are several points, of which errors name their status", () => {
  const group = (us: number, count: number) => {
    const held = new Histogram();
    for (let at = 0; at < count; at++) held.record(us);
    const { runs: [{ latency: { percentiles } }] } = twoCells();
    const ms = us / 1_000;
    const latency = { count, min: ms, max: ms, mean: ms, stdev: 0, percentiles };
    return { latency, histogram: encodeHistogram(held.toSparse()) };
  };
  const points = durationPoints(read(otlpRequests(runOf(0, {
    status: { "101": 50, "200": 600, "404": 100, "500": 200, "503": 100, "999": 20 },
    statusLatency: {
      ...{ "1xx": group(900, 50), "2xx": group(100, 600), "4xx": group(200, 100) },
      ...{ "5xx": group(300, 300), "9xx": group(400, 20) },
    },
  }))));
  assert.deepEqual(
    points.map((point) => {
      const { "http.response.status_code": status, "error.type": error } = attributesOf(point);
      return [point.count, status, error];
    }),
    [
      ["50", "101", undefined],
      ["600", "200", undefined],
      ["100", "404", "404"],
      ["300", undefined, "5xx"],
      ["20", "999", "999"],
    ],
  );
  const requests = pointsOf(
    read(otlpRequests(runOf(0, { status: { "200": 900, "500": 100 } }))),
    "plateau.requests",
  );
  assert.deepEqual(
    requests.map(({ is, value }) => [is["http.response.status_code"], is["error.type"], value]),
    [["200", undefined, 900], ["500", "500", 100]],
  );
});

Deno.test("what the points of a run hold is what its histogram holds", () => {
  const results = twoCells(0.02);
  const points = durationPoints(read(otlpRequests(results)));
  const held = points.reduce((sum, { count }) => sum + Number(count), 0);
  const all = sumOfSparse(results.runs.map(({ histogram }) => decodeSparse(histogram)));
  assert.equal(held, all.count);
});
