import assert from "node:assert/strict";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderCsv } from "../../report/render/csv.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import { type ReportModel, reportModel } from "../../report/model.ts";
import { type Results, results as schema, type Run } from "../../runner/result/result.ts";
import type { Claim } from "../../scenarios/claims/claim.ts";
import { claimOf } from "./claimed.ts";
import { resultsFixture } from "./fixture.ts";
import { plain } from "./readable.ts";
import { chartsIn, saidAs, tableIn } from "./said.ts";

/** A median that is `startMs` for so many intervals of 250 ms, then `finalMs`. */
interface Course {
  readonly startMs: number;
  readonly intervals: number;
  readonly finalMs: number;
}

/** By target; each in its order, with runs of 6 s that differ by nothing. */
function resultsOf(courses: Readonly<Record<string, Course>>, warmup?: Run["warmup"]): Results {
  const results = resultsFixture({
    cells: Object.keys(courses).map((target) => ({
      target,
      scenario: "static",
      medianMs: 5,
      runs: 2,
      duration: 6,
    })),
  });
  for (const run of results.runs) {
    const { startMs, intervals, finalMs } = courses[run.target];
    run.warmup = warmup === undefined ? { label: "flat", steadyFromS: 0 } : warmup;
    run.timeline.points.forEach((point, i) => {
      for (const name of ["p50", "p75", "p90", "p99"] as const) {
        point[name] = i < intervals ? startMs : finalMs;
      }
    });
  }
  return results;
}

function findingOf(model: ReportModel): string {
  return saidAs(model, "settling", "settling")[0];
}

const SLOW_IS_LATE = resultsOf({
  gin: { startMs: 1, intervals: 0, finalMs: 1 },
  fastify: { startMs: 9, intervals: 4, finalMs: 2 },
  hapi: { startMs: 12, intervals: 6, finalMs: 4 },
  express: { startMs: 20, intervals: 10, finalMs: 8 },
  feathers: { startMs: 30, intervals: 14, finalMs: 16 },
  adonisjs: { startMs: 8, intervals: 5, finalMs: 3 },
  nestjs: { startMs: 15, intervals: 8, finalMs: 6 },
});

Deno.test("time to stable latency stands against the final latency of every percentile", () => {
  const { columns, rows } = tableIn(reportModel(SLOW_IS_LATE), "settling");
  assert.deepEqual(columns.slice(0, 3).map(({ label, unit }) => [label, unit]), [
    ["Target", ""],
    ["Final p50", "ms"],
    ["p50 stable after", "s"],
  ]);
  assert.equal(columns.length, 1 + 2 * 4);
  const express = rows.find(([{ text }]) => text === "express") ?? [];
  assert.deepEqual(express.map(({ value }) => value).slice(1, 3), [8, 2_500]);
});

Deno.test("the finding tells which way final latency and time to it go, who is first and who last", () => {
  assert.match(
    findingOf(reportModel(SLOW_IS_LATE)),
    /^The lower the final median, the sooner it settles: Spearman’s rank correlation 1\.00 \[0\.\d\d, 1\.00\] over 7 cells; of p75 1\.00, p90 1\.00, p99 1\.00\. The first median to be stable is that of gin, from the start, at 1\.00\sms; the last that of feathers, after 3\.50\ss, at 16\.0\sms\.$/,
  );
});

Deno.test("an experiment that has published settling times is answered in its conclusion, too", () => {
  const published = {
    ...{ figure: "stable", unit: "ms", relative: null, confounders: [] },
    values: { gin: { static: 100 } },
  };
  const asked = schema.parse({
    ...SLOW_IS_LATE,
    experiment: { ...SLOW_IS_LATE.experiment, published },
  });
  const brief =
    "Median latency is stable after 1.50 s in half of the cells, and after 3.50 s at the latest (feathers).";
  assert.ok(reportModel(asked).card.notes.map(plain).includes(brief));
  assert.doesNotMatch(reportModel(SLOW_IS_LATE).card.notes.join(), /stable/);
});

Deno.test("an experiment most of whose claims are of how far latency falls has them in its conclusion, also open ones", () => {
  const falls = claimOf("final(express) < 0.8 × initial(express)", { source: "Latency falls" });
  const open = claimOf("final(nobody) < initial(nobody)", { source: "Nobody falls" });
  const others = [claimOf("p50(gin) < p50(express)"), claimOf("p50(gin) < p50(hapi)")];
  const notesWith = (claims: Claim[]): string =>
    reportModel(
      schema.parse({ ...SLOW_IS_LATE, experiment: { ...SLOW_IS_LATE.experiment, claims } }),
    ).card.notes.map(plain).join();
  assert.match(
    notesWith([falls, others[0], open]),
    /Latency falls: reproduced, 0\.40×.*Nobody falls: inconclusive/,
  );
  assert.doesNotMatch(notesWith([open, ...others]), /Nobody falls/);
  assert.doesNotMatch(notesWith(others), /reproduced/);
});

Deno.test("its chart has a dot a cell, and nothing that is to be equal", () => {
  const [chart] = chartsIn(reportModel(SLOW_IS_LATE), "settling", "xy");
  assert.equal(chart.references, undefined);
  assert.deepEqual([chart.x.unit, chart.x.scale, chart.y.unit, chart.y.min], ["ms", "log", "s", 0]);
  assert.deepEqual(
    chart.series.map(({ label, points: [{ x, y }] = [] }) => [label, x, y]).slice(0, 2),
    [["gin", 1, 0], ["fastify", 2, 1]],
  );
});

Deno.test("of few cells no relation is claimed, and none is drawn", () => {
  const fastify = { startMs: 9, intervals: 4, finalMs: 2 };
  const express = { startMs: 20, intervals: 10, finalMs: 8 };
  const two = reportModel(resultsOf({ fastify, express }));
  assert.match(findingOf(two), /^Fewer than 4 cells cannot show /);
  const one = reportModel(resultsOf({ fastify }));
  assert.match(findingOf(one), /^The p50 is stable after 1\.00\ss, at 2\.00\sms\.$/);
  for (const [model, rows] of [[two, 2], [one, 1]] as const) {
    assert.deepEqual(chartsIn(model, "settling", "xy"), []);
    assert.equal(tableIn(model, "settling").rows.length, rows);
  }
});

Deno.test("where all is flat from the start, or the load itself changes, there is nothing to tell", () => {
  const flat = { startMs: 2, intervals: 0, finalMs: 2 };
  for (
    const results of [resultsOf({ flat }), resultsOf({ late: { ...flat, intervals: 4 } }, null)]
  ) {
    const model = reportModel(results);
    assert.ok(model.groups.every(({ id }) => id !== "settling"));
  }
});

Deno.test("page, markdown and CSV have it, too", () => {
  const model = reportModel(SLOW_IS_LATE);
  const page = renderReportPage([model]);
  assert.match(page, /<h2>Settling time<\/h2>[\s\S]*the sooner it settles/);
  assert.match(page, /<canvas id="e1-settling-/);
  assert.match(renderMarkdown(model), /### Settling time[^]*\| Final p50, ms \|/);
  const [head, , row] = renderCsv(model).split("\r\n").map((line) => line.split(","));
  assert.deepEqual(["stableP50Ms", "finalP99Ms"].map((name) => row[head.indexOf(name)]), [
    "0",
    "1",
  ]);
  const last = renderCsv(model).split("\r\n").at(-2)?.split(",") ?? [];
  assert.equal(last[head.indexOf("stableP90Ms")], "2000");
});
