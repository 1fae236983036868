/** Both CSVs, as a reader of CSV reads them. */
import assert from "node:assert/strict";
import { parse } from "csv-parse/sync";
import {
  renderCsv,
  renderIntervalsCsv,
  renderMeasurementCsv,
  renderMeasurementIntervalsCsv,
} from "../../report/render/csv.ts";
import { reportModel } from "../../report/model.ts";
import { harmless } from "../../base/control.ts";
import { csvOf } from "../../report/writing/csv.ts";
import type { Measurement, Results } from "../../runner/result/result.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { hostileResults } from "./hostile.ts";
import { NONE, SOCKETS, STREAMS, times } from "./message_figures.ts";

type Read = Readonly<Record<string, string>>;

/** Fails where a row has not as many fields as the head. */
function read(text: string): Read[] {
  return parse(text, { columns: true });
}

function twoFactors(): Results {
  return resultsFixture({
    cells: [10, 50].map((connections) => ({
      target: "hono",
      scenario: "static",
      parameters: { connections, "set.delay": "50ms" },
      connections,
      medianMs: 5,
      runs: 2,
      duration: 1,
      parts: [{ role: "gateway" as const, name: "nginx", cores: 0.25 }],
    })),
  });
}

Deno.test("CSV has one row a run with the figures of the results, one column per factor", () => {
  const results = resultsFixture({
    cells: [10, 50].map((connections) => ({
      target: "hono",
      scenario: "static",
      parameters: { connections, "set.cache": true },
      connections,
      medianMs: 5,
      runs: 2,
      duration: 1,
    })),
  });
  const rows = read(renderCsv(reportModel(results)));
  assert.equal(rows.length, 4);
  results.runs.forEach((run, i) => {
    assert.equal(rows[i].target, "hono");
    assert.equal(rows[i]["set.cache"], "true");
    assert.equal(Number(rows[i].connections), run.load.connections);
    assert.equal(Number(rows[i].ratePerSec), run.rate);
    assert.equal(Number(rows[i]["latencyP99.9Ms"]), run.latency.percentiles["99.9"]);
    assert.equal(Number(rows[i]["errors.timeout"]), run.errors.timeout ?? 0);
  });
});

Deno.test("the CSV of streams and WebSockets has their tokens, and says which times may be longer", () => {
  const measurement = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  const tokens = { tokens: 40, tokensPerSec: 20, ttft: times(9, 90, ["99", "max"]), tpot: NONE };
  const streams = { ...STREAMS, tokens };
  const sockets = { ...SOCKETS, message: times(1, 2, ["50", "99", "mean"]) };
  const [row] = read(renderMeasurementCsv({ ...measurement, streams, sockets }));
  assert.deepEqual(
    [row["streams.tokens"], row["streams.tokensPerSec"], row["streams.ttftP99Ms"]],
    ["40", "20", "90"],
  );
  assert.equal(row["streams.lowerBounds"], "gap.p99 ttft.p99");
  assert.equal(row["sockets.lowerBounds"], "message.p50 message.p99");
  const exact = read(renderMeasurementCsv({ ...measurement, sockets: SOCKETS }))[0];
  assert.equal(exact["sockets.lowerBounds"], "");
});

Deno.test("the CSV of the intervals has a row for every interval of every run", () => {
  const results = twoFactors();
  const rows = read(renderIntervalsCsv(reportModel(results)));
  const points = results.runs.flatMap((run) =>
    run.timeline.points.map((point) => ({ run, point }))
  );
  assert.equal(rows.length, points.length);
  points.forEach(({ run, point }, i) => {
    const row = rows[i];
    assert.deepEqual(
      [row.experiment, row.target, row.scenario, row.repetition, row.order],
      ["fixture", run.target, run.scenario, String(run.repetition), String(run.order)],
    );
    assert.deepEqual([row.connections, row["set.delay"]], [
      String(run.parameters.connections),
      "50ms",
    ]);
    const numbers = [row.endS, row.completed, row.failed, row.bytes].map(Number);
    assert.deepEqual(numbers, [point.endS, point.completed, point.failed, point.bytes]);
    assert.deepEqual(
      ["P50", "P75", "P90", "P99", "Max"].map((name) => Number(row[`latency${name}Ms`])),
      [point.p50, point.p75, point.p90, point.p99, point.max],
    );
  });
});

Deno.test("an interval's row has what the target and its parts used then", () => {
  const results = twoFactors();
  const [run] = results.runs;
  const rows = read(renderIntervalsCsv(reportModel(results)));
  run.resources.forEach((point, i) => {
    const row = rows[i];
    assert.equal(Number(row.endS), point.endS);
    assert.deepEqual(
      [row.cpuCores, row.cpuSystemCores, row.memoryBytes, row.openFiles].map(Number),
      [point.cpu, point.system, point.memory, point.files],
    );
    assert.equal(Number(row.voluntarySwitchesPerSec), point.switches?.voluntary);
    assert.deepEqual([row["nginx.cpuCores"], row["nginx.memoryBytes"]], ["0.25", "8000000"]);
  });
});

Deno.test("an interval in which nothing ended has no latency", () => {
  const results = twoFactors();
  Object.assign(results.runs[0].timeline.points[1], { completed: 0, failed: 0, histogram: "" });
  const row = read(renderIntervalsCsv(reportModel(results)))[1];
  assert.deepEqual([row.completed, row.ratePerSec, row.latencyP99Ms], ["0", "0", ""]);
});

Deno.test("rows and rates of the intervals add up to those of the runs", () => {
  const results = twoFactors();
  const model = reportModel(results);
  const intervals = read(renderIntervalsCsv(model));
  for (const run of read(renderCsv(model))) {
    const own = intervals.filter(({ order }) => order === run.order);
    const total = own.reduce((sum, { completed }) => sum + Number(completed), 0);
    assert.equal(total, Number(run.completed));
    const counted = own.reduce(
      (sum, row) => sum + Number(row.ratePerSec) * (Number(row.endS) - Number(row.startS)),
      0,
    );
    assert.ok(Math.abs(counted - total) < 1e-6 * total);
  }
});

Deno.test("the intervals of a single measurement have its URL", () => {
  const measurement = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  const rows = read(renderMeasurementIntervalsCsv(measurement));
  assert.equal(rows.length, measurement.timeline.points.length);
  assert.ok(rows.every(({ url }) => url === measurement.url));
});

Deno.test("hostile texts come back from either CSV with their controls written out", () => {
  const results = hostileResults();
  const model = reportModel(results);
  for (const rows of [read(renderCsv(model)), read(renderIntervalsCsv(model))]) {
    const name = harmless(results.experiment.name);
    assert.equal(rows[0].experiment, name);
    assert.equal(rows[0].target, harmless(results.runs[0].target));
    assert.equal(rows[0][name], name);
  }
});

const TEXTS: [sentence: string, text: string, cell: string][] = [
  ["a formula gets an apostrophe", "=HYPERLINK(1)", "'=HYPERLINK(1)"],
  ["so does one that begins with a sign", "+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
  ["and one that begins with a minus", "-2+3", "'-2+3"],
  ["and with an at sign", "@SUM(A1)", "'@SUM(A1)"],
  ["and what a tab hides is none", "\t=1", "\\x09=1"],
  ["a negative number stays one", "-5", "-5"],
  ["so does one with an exponent", "-1.5e-7", "-1.5e-7"],
  ["quotes and commas stay", 'a,"b"', 'a,"b"'],
  ["line breaks are written out", "a\r\nb", "a\\x0d\\x0ab"],
  ["a formula in the middle is none", "a=1", "a=1"],
];

for (const [sentence, text, cell] of TEXTS) {
  Deno.test(`a cell of a CSV: ${sentence}`, () => {
    assert.deepEqual(read(csvOf([{ text, next: 1 }])), [{ text: cell, next: "1" }]);
    // Heads of columns are names of parameters, and so texts from outside.
    assert.deepEqual(Object.keys(read(csvOf([{ [text]: 1 }]))[0]), [cell]);
  });
}

Deno.test("a negative number of ours is no formula", () => {
  assert.deepEqual(read(csvOf([{ lag: -0.5 }])), [{ lag: "-0.5" }]);
});

Deno.test("where nothing has a latency its cells are empty, in place of 0", () => {
  const measurement = measurementFixture({ target: "", scenario: "static", medianMs: 5 });
  const cellsOf = (latency: Measurement["latency"]): string[] => {
    const [row] = read(renderMeasurementCsv({ ...measurement, latency }));
    return ["Min", "Fastest", "Mean", "Stdev", "Max"].map((name) => row[`latency${name}Ms`]);
  };
  assert.ok(cellsOf(measurement.latency).every((text) => Number(text) > 0));
  assert.deepEqual(cellsOf({ ...measurement.latency, count: 0, fastest: 0 }), Array(5).fill(""));
  // Where all timed out there are latencies, but no answer.
  const [, fastest, mean] = cellsOf({ ...measurement.latency, fastest: 0 });
  assert.deepEqual([fastest, mean], ["", String(measurement.latency.mean)]);
});
