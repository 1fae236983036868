import assert from "node:assert/strict";
import { type ReportModel, reportModel } from "../../report/model.ts";
import { renderMarkdown } from "../../report/render/markdown.ts";
import type { Run } from "../../runner/result/result.ts";
import { FAULTS_MODEL } from "../browser/faults_sample.ts";
import { resultsFixture } from "./fixture.ts";
import { said, saidAs, tableIn } from "./said.ts";

type SlowRequest = NonNullable<Run["slowest"]>[number];

const SLOW: SlowRequest = {
  latency: 40,
  dueS: 1.5,
  sentS: 1.51,
  request: "GET /user/7",
  connection: 3,
  outcome: "completed",
  status: 200,
};

function modelOf(byRun: readonly (readonly SlowRequest[])[]): ReportModel {
  const results = resultsFixture({
    cells: [{ target: "hono", scenario: "user", medianMs: 3, runs: byRun.length }],
  });
  const runs = results.runs.map((run, i) => ({ ...run, slowest: [...byRun[i]] }));
  return reportModel({ ...results, runs });
}

function textsOf(model: ReportModel): string[][] {
  return tableIn(model, "outcomes/1", "Slowest").rows.map((row) => row.map(({ text }) => text));
}

Deno.test("the slowest of a cell are those of all its runs, slowest first", () => {
  const run = (first: number): SlowRequest[] =>
    Array.from({ length: 10 }, (_, i) => ({ ...SLOW, latency: first - i * 2 }));
  const rows = textsOf(modelOf([run(50), run(61)]));
  assert.equal(rows.length, 10);
  assert.deepEqual(rows.slice(4, 8).map(([, run, latency]) => `${run}: ${latency}`), [
    "2: 53.0",
    "2: 51.0",
    "1: 50.0",
    "2: 49.0",
  ]);
});

Deno.test("lower bounds say that they are, and a request that was never sent says so", () => {
  const timedOut = {
    ...SLOW,
    outcome: "timeout",
    status: null,
    sentS: null,
    request: null,
  } as const;
  const wrong = { ...SLOW, latency: 30, outcome: "wrong" } as const;
  const model = modelOf([[
    timedOut,
    { ...SLOW, latency: 35, outcome: "unfinished", status: null },
    wrong,
  ]]);
  assert.deepEqual(textsOf(model).map((row) => row.slice(2)), [
    ["≥ 40.0", "1.500", "–", "never sent", "3", "timed out"],
    ["≥ 35.0", "1.500", "10.000", "GET /user/7", "3", "unfinished"],
    ["30.0", "1.500", "10.000", "GET /user/7", "3", "status 200, wrong response"],
  ]);
  assert.match(tableIn(model, "outcomes/1", "Slowest").notes.join(" "), /at least this long/);
});

Deno.test("what went wrong is told by target, kind and moment", () => {
  assert.match(
    saidAs(FAULTS_MODEL, "outcomes/1", "errors")[0],
    /^koa: .* requests went wrong \(timed out .*, wrong responses .*\), between .* of a run\.$/,
  );
});

Deno.test("without faults there is one sentence for all scenarios, and no figure", () => {
  const cells = ["user", "home", "login"].map((scenario) => ({
    target: "hono",
    scenario,
    medianMs: 3,
  }));
  const NONE = "o request failed, none was left unsent, and no response was wrong.";
  const saidOf = (wrongRatio: number) =>
    said(
      reportModel(resultsFixture({
        cells: cells.map((cell) => cell.scenario === "login" ? { ...cell, wrongRatio } : cell),
      })),
      "outcomes",
    );
  assert.deepEqual(saidOf(0), [{ code: "flawless", text: `N${NONE}` }]);
  const [flawless, wrong] = saidOf(0.1);
  assert.equal(flawless.text, `In user and home n${NONE}`);
  assert.equal(wrong.code, "errors");
});

Deno.test("markdown begins with the verdict and tells what went wrong", () => {
  const text = renderMarkdown(FAULTS_MODEL);
  assert.match(text, /^## .*\n\n\*\*Undecided between /);
  assert.match(text, /\nkoa: 0\.58/);
});
