import assert from "node:assert/strict";
import {
  type AgentFigures,
  agentFigures,
  disagreements,
} from "../../report/subjects/agents/disagreement.ts";
import { type AgentSpec, fleetMeasurement, type FleetSpec } from "./fleet.ts";

/** Without the glue between numbers and units. */
function plain(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

function sentences(agents: readonly AgentSpec[], spec: Partial<FleetSpec> = {}): string[] {
  const measurement = fleetMeasurement({ agents, ...spec });
  return disagreements(agentFigures([measurement]), measurement.load.kind)
    .map(({ name, text }) => plain(`${name} ${text}`));
}

function near(...names: readonly string[]): AgentSpec[] {
  return names.map((name) => ({ name, medianMs: 0.5 }));
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
    /^d measured a median latency of 20\.\d ms, the others 0\.6\d* ms; its fastest connection took 20\.\d ms, theirs 0\.1\d* ms: the network between it and the target is the difference$/,
  );
});

Deno.test("a difference that the network does not explain is the machine's", () => {
  const slow = { name: "d", medianMs: 5 };
  const [alone] = sentences([...near("a", "b", "c"), slow]);
  assert.match(alone, /; it is not the network \(its .+\): look at what else runs on its machine$/);
  const [busy] = sentences([...near("a", "b", "c"), { ...slow, cpu: 0.99 }]);
  assert.match(busy, /: its own figures are invalid, so its machine may be the difference$/);
});

Deno.test("a busy machine's slow connections are no slow network", () => {
  const [a, b, c] = agentFigures([fleetMeasurement({ agents: near("a", "b", "c") })]);
  const busy = { ...c, p50Ms: 1.2, connectMs: 9 };
  const because = (c: AgentFigures): string => disagreements([a, b, c], "closed")[0].because;
  assert.deepEqual([busy, { ...busy, connectMs: 0.8 }].map(because), ["machine", "network"]);
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
    /^d completed 60\.0 % of the 4,000 requests that were due to it \(1,600 never sent(, \d unfinished)?\), the others 100 %$/,
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
  assert.match(only, /^d completed .+, and measured a median latency of .+ is the difference$/);
});

Deno.test("in a closed loop a slower pace at a like median is told with the p99", () => {
  const measurement = fleetMeasurement({ agents: near("a", "b", "c") });
  const [a, b, c] = agentFigures([measurement]);
  const slow = { ...c, ratePerSec: c.ratePerSec / 2, p99Ms: 80 };
  const [{ name, text }, ...others] = disagreements([a, b, slow], "closed");
  assert.deepEqual([name, others], ["c", []]);
  assert.match(
    plain(text),
    /^completed \d+ requests\/s by connection, the others 1,\d+, at a like /,
  );
  assert.match(plain(text), /; its p99 is 80\.0 ms, theirs 0\.\d+ ms$/);
});

Deno.test("a lost agent asked nothing more, so its pace is no measure", () => {
  const lost = [...near("a", "b"), { name: "c", lostAt: 0.5 }, { name: "d", lostAt: 0.5 }];
  assert.deepEqual(sentences(lost), []);
});
