/** Little's law: rate × (mean latency + think time) against the connections of a closed loop. */
import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { offered } from "./concluded.ts";
import { resultsFixture } from "./fixture.ts";
import { said, tablesIn } from "./said.ts";

/** Two runs of 10 connections that are dialed at once: 1,000 and 1,100 requests/s that take so long on average, changed by the test. */
function results(meanMs: number, change: (run: Run) => void = () => {}): Results {
  const made = resultsFixture({
    cells: [{ target: "a", scenario: "static", medianMs: 10, connections: 10, runs: 2 }],
  });
  made.runs.forEach((run, i) => {
    run.rate = 1_000 + 100 * i;
    run.latency.mean = meanMs;
    run.connect = { ...run.connect, count: 10, mean: 0 };
    change(run);
  });
  return made;
}

function law(of: Results): { codes: string[]; text: string; row: (number | undefined)[] } {
  const model = reportModel(of);
  const findings = said(model, "s1/littles-law");
  const [table] = tablesIn(model, "s1/littles-law");
  return {
    codes: findings.map(({ code }) => code),
    text: findings.map(({ text }) => text).join(" "),
    row: table?.rows[0].slice(1).map(({ value }) => value) ?? [],
  };
}

Deno.test("little's law: rate × mean latency is as many requests as there are connections", () => {
  const { codes, row } = law(results(9.4));
  const [slots, rate, latency, concurrency, ratio] = row.map(Number);
  assert.deepEqual(codes, ["littles-law.holds"]);
  assert.deepEqual([slots, rate], [10, 1_050]);
  assert.ok(Math.abs(latency - 9.4) < 1e-9);
  assert.ok(Math.abs(concurrency - 9.87) < 1e-9);
  assert.ok(Math.abs(ratio - 0.987) < 1e-9);
});

Deno.test("little's law: a pipeline holds several requests on each connection", () => {
  const { codes, row } = law(results(38, ({ load }) => Object.assign(load, { pipeline: 4 })));
  assert.deepEqual([codes, row[0]], [["littles-law.holds"], 40]);
});

Deno.test("little's law: a virtual user that thinks is not waiting", () => {
  const length = resultsFixture({ cells: [{ target: "a", scenario: "s", medianMs: 10 }] })
    .runs[0].service;
  const flow = results(2, (run) => {
    const completed = run.requests.completed / 2;
    const sessions = { created: completed, completed, failed: 0, unfinished: 0 };
    run.sessions = { ...sessions, length: { ...length, mean: 18.6 } };
  });
  const { codes, row } = law(flow);
  assert.deepEqual(codes, ["littles-law.holds"]);
  const [, , , think, concurrency] = row.map(Number);
  assert.ok(Math.abs(think - 7.3) < 1e-9);
  assert.ok(Math.abs(concurrency - 9.765) < 1e-9);
});

/** Eight users, sessions of 4.06 s with four requests and four pauses, in a run of 6 s: as it was measured. */
Deno.test("little's law: sessions that the end of the run cuts off make think time unknown", () => {
  const { service } = results(2).runs[0];
  const cut = (completed: number, unfinished: number, requests: number): Results =>
    results(9, (run) => {
      run.rate = 7.93;
      run.load.connections = 8;
      run.requests = { ...run.requests, due: requests, completed: requests };
      const created = completed + unfinished;
      const length = { ...service, mean: 4_064 };
      run.sessions = { created, completed, failed: 0, unfinished, length };
    });
  assert.deepEqual(law(cut(8, 8, 48)).codes, []);
  // 60 s of the same: those in the middle of the last one have sent half of it.
  assert.deepEqual(law(cut(112, 8, 464)).codes, ["littles-law.holds"]);
});

Deno.test("little's law: a connection that is dialed anew has no request meanwhile", () => {
  const { codes, row } = law(results(5.4, (run) => {
    run.connect = { ...run.connect, count: run.requests.completed, mean: 4 };
  }));
  assert.deepEqual(codes, ["littles-law.holds"]);
  assert.ok(Math.abs(Number(row[3]) - 1.05 * 9.4) < 1e-9, `${row}`);
});

const BROKEN: Readonly<Record<string, [Results, RegExp]>> = {
  "time between requests is the generator's": [results(7), /2\.65 .*lost .* in the generator/],
  "failed requests have no latency": [
    results(7, ({ requests }) => {
      requests.failed += 30;
      requests.completed -= 30;
    }),
    / 60 requests failed or were never sent/,
  ],
  "connections that were not opened hold nothing": [
    results(7, (run) => run.connect = { ...run.connect, count: 7 }),
    /Only 7 of 10 connections/,
  ],
  "requests that end after the run are in its latency, not in its rate": [
    results(12),
    /take long compared with a run of 3\.00 s/,
  ],
};

for (const [name, [of, meaning]] of Object.entries(BROKEN)) {
  Deno.test(`little's law does not hold: ${name}`, () => {
    const { codes, text } = law(of);
    assert.deepEqual(codes, ["littles-law.broken"]);
    assert.match(text, meaning);
  });
}

Deno.test("little's law says nothing of an open loop, or of connections whose number changes", () => {
  const stages = [{ durationS: 3, from: 1, to: 10 }];
  for (
    const of of [
      offered(1_000, results(10)),
      results(10, ({ load }) => Object.assign(load, { stages })),
    ]
  ) {
    assert.deepEqual(law(of), { codes: [], text: "", row: [] });
  }
});
