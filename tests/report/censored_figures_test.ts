/** What lower bounds do to the figures of a report, and to what it draws. */
import { parse } from "csv-parse/sync";
import assert from "node:assert/strict";
import { renderIntervalsCsv, renderMeasurementCsv } from "../../report/render/csv.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import { decodeSparse } from "../../runner/stats/histogram/hdr.ts";
import {
  censoredMeasurement,
  censoredResults,
  FROZEN,
  INTERRUPTED,
  type Load,
  TIMED_OUT,
} from "./censored_results.ts";
import { measured } from "./measured.ts";
import { chartsIn, said, saidAs, tableIn } from "./said.ts";

const plain = (text: string): string => text.replaceAll("\u00a0", " ");

function modelOf(loads: Readonly<Record<string, Load>>): ReportModel {
  return reportModel(censoredResults(loads));
}

Deno.test("requests that were never sent are faults: in table, finding, answer and CSV", () => {
  const model = modelOf({ frozen: FROZEN, timed: TIMED_OUT });
  const { columns, rows } = tableIn(model, "verdict/1");
  const faults = rows.map((row) => row[columns.findIndex(({ label }) => label === "Errors")].text);
  // 383 of the 990 that did not stay unfinished.
  assert.deepEqual(faults, ["38.7", "2.00"]);
  assert.match(
    plain(saidAs(model, "outcomes/1", "errors")[0]),
    /^frozen: 38\.7 % of 990 requests went wrong \(never sent 383\)/,
  );
  const { code, sentence } = model.card;
  assert.equal(code, "falls-short");
  assert.match(
    sentence,
    /^Both targets fall short: .* requests to frozen were never sent, timed times out on 2\s% of requests\.$/,
  );
});

Deno.test("histograms are of completed requests, and the finding says how many are not drawn", () => {
  const model = modelOf({ frozen: FROZEN });
  const [density] = chartsIn(model, "s1/latency", "xy");
  assert.ok(density);
  // Answers took from 5 to 11 ms; those never sent waited for up to two seconds.
  assert.ok(density.x.max < 20 && density.x.unit === "ms");
  assert.match(
    plain(saidAs(model, "s1/latency", "half")[0]),
    /393 requests that timed out, were unfinished or never sent are not drawn\.$/,
  );
  const { texts } = measured(censoredMeasurement(FROZEN));
  assert.ok("11.0" in texts, "the last step of the histogram ends where the last response did");
});

Deno.test("a tail is drawn as a lower bound from where lower bounds could make it higher", () => {
  const tails = chartsIn(modelOf({ timed: TIMED_OUT }), "s1/latency", "xy")[1];
  const { at = [], series: [{ boundsFrom = Infinity, values = [] }] } = tails;
  // 200 of 10,000 timed out: one in 50.
  assert.ok(at[boundsFrom] > 50 && at[boundsFrom - 1] <= 50.1);
  assert.equal(values[boundsFrom], 1_000);
  const completed = TIMED_OUT.requests.filter(({ as }) => as === "completed");
  const cleanModel = modelOf({ clean: { ...TIMED_OUT, requests: completed } });
  const [, { series: [clean] }] = chartsIn(cleanModel, "s1/latency", "xy");
  assert.ok(!("boundsFrom" in clean));
});

Deno.test("what was waited for after the deadline is a fact, where the wait is worth a word", () => {
  const late: Load = {
    ...INTERRUPTED,
    requests: INTERRUPTED.requests.map((one) =>
      one.as === "unfinished" ? { atS: 2, ms: 1_000, as: "completed" } : one
    ),
  };
  const { texts: { Completed: completed } } = measured(censoredMeasurement(late));
  assert.equal(completed, "100, 60 of them in the 800 ms after the deadline");
  assert.ok(
    tableIn(modelOf({ late }), "outcomes/1", "Outcomes").notes.map(plain).some((note) =>
      /^60 requests completed within 800 ms after the deadline/.test(note)
    ),
  );
  const [row]: Record<string, string>[] = parse(renderMeasurementCsv(censoredMeasurement(late)), {
    columns: true,
  });
  assert.deepEqual([Number(row.drainS).toFixed(3), row.drainCompleted, row.drainFailed], [
    "0.800",
    "60",
    "0",
  ]);
});

Deno.test("without its start a run keeps the bounds of the rest, and no others", () => {
  const early: Load = {
    ...TIMED_OUT,
    requests: TIMED_OUT.requests.filter(({ as, atS }) => as === "completed" || atS < 1),
  };
  const [whole] = reportModel(censoredResults({ early })).context.runs;
  const [rest] = reportModel(censoredResults({ early }, { discard: 1_000 })).context.runs;
  assert.ok(whole.latency.censored > 0);
  assert.deepEqual([rest.latency.censored, rest.censoredHistogram], [0, undefined]);
  const [late] =
    reportModel(censoredResults({ timed: TIMED_OUT }, { discard: 2_000 })).context.runs;
  assert.ok(late.censoredHistogram);
  assert.equal(decodeSparse(late.censoredHistogram).count, late.latency.censored);
  assert.equal(late.latency.percentiles["99"], 1_000);
});

Deno.test("intervals mark what lower bounds could make larger: in their table, their CSV and the finding", () => {
  const model = reportModel(censoredResults({ frozen: FROZEN }));
  const [{ runs: [{ lowerBounds, t }] }] = chartsIn(model, "s1/time", "timeline");
  const last = t.length - 1;
  assert.deepEqual(lowerBounds, { p50: [last], p75: [last], p90: [last], p99: [last] });
  assert.match(
    plain(said(model, "s1/time")[0].text),
    /^The slowest interval had a p99 of at least 1\.95 s: frozen/,
  );
  const rows: Record<string, string>[] = parse(renderIntervalsCsv(model), { columns: true });
  assert.deepEqual(rows.map((row) => row.latencyLowerBounds).filter(Boolean), [
    "p50 p75 p90 p99 max",
  ]);
  assert.equal(rows[last].latencyLowerBounds, "p50 p75 p90 p99 max");
});
