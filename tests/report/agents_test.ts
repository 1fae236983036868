import assert from "node:assert/strict";
import { renderMarkdown } from "../../report/render/markdown.ts";
import {
  agentFigures,
  agentsText,
  disagreements,
  measurementAgents,
} from "../../report/subjects/agents/agents.ts";
import { trustOf } from "../../report/findings/trust.ts";
import { reportModel } from "../../report/model.ts";
import type { Table } from "../../report/subjects/tables/table.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { type Measurement, type Results, results } from "../../runner/result/result.ts";
import { resultsFixture } from "./fixture.ts";
import { type AgentSpec, fleetMeasurement, type FleetSpec } from "./fleet.ts";
import { measured, renderMeasurement, renderMeasurementMarkdown } from "./measured.ts";
import { factsIn, said, saidAs, tableIn } from "./said.ts";

/** The table and the findings about the agents of a measurement. */
function shown(measurement: Measurement): { table: Table; findings: readonly unknown[] } {
  const [found, all] = measurementAgents(measurement);
  assert.ok(found.kind === "list" && all.kind === "table");
  return { table: all.table, findings: found.items };
}

/** Without the glue between numbers and units. */
function plain(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

function near(...names: readonly string[]): AgentSpec[] {
  return names.map((name) => ({ name, medianMs: 0.5 }));
}

/** What a column holds, by row. */
function column({ columns, rows }: Table, label: string): string[] {
  const index = columns.findIndex((column) => column.label === label);
  assert.notEqual(index, -1, label);
  return rows.map((row) => plain(row[index].text));
}

/** One run for each measurement, of one target. */
function resultsOf(measurements: readonly Measurement[], targets: readonly string[]): Results {
  const whole = resultsFixture({
    cells: targets.map((target) => ({ target, scenario: "static", medianMs: 2 })),
  });
  const per = measurements.length / targets.length;
  const runs = measurements.map((measurement, i) => ({
    ...whole.runs[Math.floor(i / per)],
    ...measurement,
    order: i + 1,
    repetition: i % per + 1,
  }));
  return results.parse({ ...whole, planned: runs.length, runs });
}

Deno.test("the table has the whole first, then each agent, whose rates and counts add up", () => {
  const { table } = shown(fleetMeasurement({ agents: near("a", "b", "c") }));
  assert.deepEqual(column(table, "Agent"), ["all", "a", "b", "c"]);
  assert.deepEqual(column(table, "Workers"), ["6", "2", "2", "2"]);
  const completed = table.columns.findIndex(({ label }) => label === "Completed");
  const [whole, ...parts] = table.rows.map((row) => row[completed].value ?? NaN);
  assert.equal(parts.reduce((sum, count) => sum + count, 0), whole);
  assert.deepEqual(column(table, "Machine"), ["–", "host-a", "host-b", "host-c"]);
  assert.ok(!table.columns.some(({ label }) => label === "Lost" || label === "Sent late, p99"));
});

Deno.test("a lost agent is marked in the table and the line, and its trust tells the rest", () => {
  const measurement = fleetMeasurement({
    agents: [...near("a", "b"), { name: "c", lostAt: 0.75 }],
    rate: 6_000,
  });
  const { table, findings } = shown(measurement);
  assert.deepEqual(column(table, "Lost"), ["–", "–", "–", "after 0.8 s"]);
  assert.deepEqual(column(table, "Trust"), ["suspect", "valid", "valid", "suspect"]);
  assert.deepEqual(column(table, "Dropped").slice(1), ["0", "0", "62.5"]);
  assert.deepEqual(findings, []);
  assert.equal(measured(measurement).texts.Agents, "3: a, b, c (lost)");
  assert.match(
    trustOf(measurement).reasons.join(),
    /^agent c: The agent's last report came 0\.75 s after the start/,
  );
});

Deno.test("percentiles that requests never sent could make larger are marked, of the agent and of the whole", () => {
  const agents = [{ name: "a" }, { name: "b", droppedRatio: 0.6 }];
  const { table } = shown(fleetMeasurement({ agents, rate: 4_000 }));
  const marked = (label: string) => column(table, label).map((text) => text.startsWith("≥ "));
  assert.deepEqual([marked("p50"), marked("p99")], [[false, false, true], [true, false, true]]);
});

Deno.test("what a lost agent measured is compared with nothing", () => {
  const lost: AgentSpec = { name: "c", medianMs: 5, lostAt: 0.75 };
  assert.deepEqual(sentences([...near("a", "b"), lost]), []);
  assert.deepEqual(sentences([...near("a"), lost]), []);
});

Deno.test("the line names as many agents as it has room for", () => {
  const many = Array.from({ length: 30 }, (_, i) => ({ name: `machine-${i}`, workers: 1 }));
  const text = agentsText([fleetMeasurement({ agents: many, seconds: 0.5 })]);
  assert.equal(text, "30: machine-0, machine-1, machine-2 and 27 more");
});

Deno.test("of several runs the table has medians, and who was lost in how many of them", () => {
  const runs = [0, 1, 2].map((seed) =>
    fleetMeasurement({
      agents: [...near("a"), { name: "b", ...(seed === 1 && { lostAt: 0.5 }) }],
      rate: 4_000,
      seed: seed + 1,
    })
  );
  const model = reportModel(resultsOf(runs, ["hono"]));
  const table = tableIn(model, "s1/agents");
  assert.deepEqual(column(table, "Agent"), ["all", "a", "b"]);
  assert.deepEqual(column(table, "Lost"), ["–", "–", "in 1 of 3 runs"]);
  assert.deepEqual(saidAs(model, "s1/agents", "agents").map(plain), [
    "Agent b was lost in 1 of 3 runs: last report 0.5 s after the start (killed, cut off or stalled).",
  ]);
  assert.equal(factsIn(model).find(({ label }) => label === "Agents")?.text, "2: a, b (lost)");
});

Deno.test("of two runs an agent's percentiles are those of one, and no mean of both", () => {
  const runs = [0.5, 0.7].map((medianMs) =>
    fleetMeasurement({ agents: ["a", "b"].map((name) => ({ name, medianMs })) })
  );
  for (const [i, own] of agentFigures(runs).entries()) {
    const of = runs.map(({ agents = [] }) => agents[i].latency);
    assert.equal(own.p50Ms, Math.min(...of.map(({ p50 }) => p50)));
    assert.equal(own.p99Ms, Math.min(...of.map(({ p99 }) => p99)));
    assert.notEqual(of[0].p99, of[1].p99);
  }
});

Deno.test("what holds of an agent on several targets is said once", () => {
  const far = [...near("a", "b"), { name: "c", networkMs: 20 }];
  const runs = [1, 2, 3].map((seed) => fleetMeasurement({ agents: far, seed }));
  const findings = said(reportModel(resultsOf(runs, ["hono", "express", "deno"])), "s1/agents");
  assert.equal(findings.length, 1);
  assert.match(findings[0].text, /^express and 2 more: agent c measured a median latency of /);
});

Deno.test("page, terminal and markdown lay the same table and sentences out", () => {
  const agents = [...near("a", "b"), { name: "<c>", medianMs: 0.5, networkMs: 20 }];
  const run = fleetMeasurement({ agents });
  const model = reportModel(resultsOf([run], ["hono"]));
  const page = renderReportPage([model]);
  assert.match(
    page,
    /<h3>Agents<\/h3>\n<p>Agent &lt;c&gt; measured a median /,
  );
  assert.match(page, /The load came from agents: /);
  const options = { width: 80, color: false, unicode: true };
  const summary = renderSummary(model, options);
  assert.match(summary, /\nAgents: 3: a, b, <c>\n/);
  assert.match(summary, /\nAgent <c> measured a median latency of 20\.\d ms, the others /);
  const bench = renderMeasurement(run, options);
  assert.match(bench, /\nAgents +3: a, b, <c>\n/);
  assert.match(bench, /\nAgents\nAgent <c> measured .+\n(?: {2}.+\n)+Agent +Requests\/s +p50 ms/);
  assert.ok(bench.split("\n").every((line) => line.length <= 80));
  const tables = [renderMarkdown(model), renderMeasurementMarkdown(run)];
  for (const text of tables) {
    assert.match(
      text,
      /###+ Agents\n\n(?:- )?Agent &lt;c&gt; measured .+\n\n\| Agent \| Requests\/s /,
    );
  }
});

Deno.test("results without agents say nothing of any", () => {
  const model = reportModel(resultsFixture({
    cells: [{ target: "hono", scenario: "static", medianMs: 2 }],
  }));
  assert.deepEqual(said(model, "s1/agents"), []);
  assert.ok(factsIn(model).every(({ label }) => label !== "Agents"));
});

// When agents disagree.

function sentences(agents: readonly AgentSpec[], spec: Partial<FleetSpec> = {}): string[] {
  const measurement = fleetMeasurement({ agents, ...spec });
  const isOpen = measurement.latency.clock === "intended";
  return disagreements(agentFigures([measurement]), { isOpen })
    .map(({ name, text }) => plain(`${name} ${text}`));
}

Deno.test("agents that measure alike have nothing to say", () => {
  assert.deepEqual(sentences(near("a", "b", "c", "d")), []);
  assert.deepEqual(sentences(near("a")), []);
  assert.deepEqual(sentences(near("a", "b"), { rate: 2_000 }), []);
});

Deno.test("an agent behind a slow network says so by what its connections took", () => {
  const [only, ...others] = sentences([...near("a", "b", "c"), { name: "d", networkMs: 20 }]);
  assert.deepEqual(others, []);
  assert.match(
    only,
    /^d measured a median latency of 20\.\d ms, the others 0\.6\d* ms; its fastest connection took 20\.\d ms, theirs 0\.1\d* ms$/,
  );
});

Deno.test("of agents that differ one is the measure of the other: each fact is told once", () => {
  const far = (name: string): AgentSpec => ({ name, medianMs: 0.5, networkMs: 20 });
  const names = (agents: readonly AgentSpec[]): string[] =>
    sentences(agents).map((text) => text[0]);
  assert.deepEqual(names([...near("a"), far("b")]), ["b"]);
  assert.match(sentences([...near("a"), far("b")])[0], /ms, agent a 0\.6/);
  assert.deepEqual(names([...near("a", "b"), far("c"), far("d")]), ["c", "d"]);
  assert.deepEqual(names([...near("a"), far("b"), far("c"), far("d")]), ["a"]);
});

Deno.test("a difference within 25 % or a tenth of a millisecond is none", () => {
  assert.deepEqual(sentences([...near("a", "b"), { name: "c", medianMs: 0.6 }]), []);
  const quick = (name: string, medianMs: number) => ({ name, medianMs, networkMs: 0.05 });
  assert.deepEqual(sentences([quick("a", 0.1), quick("b", 0.1), quick("c", 0.18)]), []);
});

Deno.test("in an open loop an agent that falls short of what was due to it says by how much", () => {
  const agents = [...near("a", "b", "c"), { name: "d", medianMs: 0.5, droppedRatio: 0.4 }];
  const [only, ...others] = sentences(agents, { rate: 8_000 });
  assert.deepEqual(others, []);
  assert.match(
    only,
    /^d completed (?:60\.0|59\.9) % of its scheduled requests, the others (?:100|99\.\d+) %/,
  );
  const all = agents.map((agent) => ({ ...agent, droppedRatio: 0.4 }));
  assert.deepEqual(sentences(all, { rate: 8_000 }), []);
});

Deno.test("an agent that falls short and is far away says both in one sentence", () => {
  const [only, ...others] = sentences(
    [...near("a", "b", "c"), { name: "d", networkMs: 20, droppedRatio: 0.4 }],
    { rate: 8_000 },
  );
  assert.deepEqual(others, []);
  assert.match(only, /^d measured a median latency of .+; completed .+; its fastest connection /);
});

Deno.test("in a closed loop a slower pace at a like median is told", () => {
  const measurement = fleetMeasurement({ agents: near("a", "b", "c") });
  const [a, b, c] = agentFigures([measurement]);
  const slow = { ...c, ratePerSec: c.ratePerSec / 2, p99Ms: 80 };
  const [{ name, text }, ...others] = disagreements([a, b, slow], { isOpen: false });
  assert.deepEqual([name, others], ["c", []]);
  assert.match(plain(text), /^completed \d+ requests\/s per connection, the others 1,\d+;/);
});

Deno.test("a lost agent asked nothing more, so its pace is no measure", () => {
  const lost = [...near("a", "b"), { name: "c", lostAt: 0.5 }, { name: "d", lostAt: 0.5 }];
  assert.deepEqual(sentences(lost), []);
});
