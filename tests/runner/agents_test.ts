import assert from "node:assert/strict";
import { findingSentence } from "../../report/findings/sentences.ts";
import { fleetMeasurement } from "../report/fleet.ts";
import type { AgentPart, Measurement } from "../../runner/result/result.ts";

const FOUR = ["a", "b", "c", "d"].map((name) => ({ name }));

function agentsOf(measurement: Measurement): AgentPart[] {
  return measurement.agents ?? [];
}

function sumOf(parts: readonly AgentPart[], of: (part: AgentPart) => number): number {
  return parts.reduce((sum, part) => sum + of(part), 0);
}

Deno.test("workers, connections, requests, rates and intervals of all agents add up to the whole", () => {
  const whole = fleetMeasurement({
    agents: [{ name: "a", workers: 1 }, { name: "b", lostAt: 1 }, { name: "c", workers: 3 }],
    rate: 4_000,
  });
  const parts = agentsOf(whole);
  assert.deepEqual(parts.map(({ name, host, workers }) => [name, host, workers]), [
    ["a", "host-a", 1],
    ["b", "host-b", 2],
    ["c", "host-c", 3],
  ]);
  assert.equal(sumOf(parts, ({ connections }) => connections), whole.load.connections);
  for (const kind of ["due", "completed", "failed", "unfinished", "dropped"] as const) {
    assert.equal(sumOf(parts, ({ requests }) => requests[kind]), whole.requests[kind], kind);
  }
  assert.ok(Math.abs(sumOf(parts, ({ rate }) => rate) - whole.rate) < 1e-6);
  assert.equal(sumOf(parts, ({ latency }) => latency.count), whole.latency.count);
  assert.deepEqual(
    whole.timeline.points.map((_, i) => sumOf(parts, ({ completed }) => completed[i])),
    whole.timeline.points.map(({ completed }) => completed),
  );
});

Deno.test("each agent has the latencies and connect times of its own workers alone", () => {
  const [near, far] = agentsOf(fleetMeasurement({
    agents: [{ name: "near", medianMs: 0.5 }, { name: "far", medianMs: 0.5, networkMs: 20 }],
  }));
  assert.ok(near.latency.max < 1 && far.latency.p50 > 20);
  assert.ok(near.connect.min < 0.2 && far.connect.min >= 20 && far.connect.p50 < 21);
});

Deno.test("agents that all did well make a valid run", () => {
  const { generator, agents } = fleetMeasurement({ agents: FOUR });
  assert.deepEqual([generator.trust, generator.findings, generator.workers], ["valid", [], 8]);
  assert.deepEqual(agents?.map(({ trust }) => trust), ["valid", "valid", "valid", "valid"]);
});

Deno.test("one agent that has no time left makes the whole invalid, by its name", () => {
  const { generator, agents } = fleetMeasurement({
    agents: [...FOUR, { name: "e", cpu: 0.99 }, { name: "f", cpu: 0.9 }],
  });
  assert.equal(generator.trust, "invalid");
  assert.deepEqual(
    generator.findings.map(({ code, severity, agents }) => [code, severity, agents]),
    [["generator-busy", "invalid", ["e"]], ["generator-busy", "suspect", ["f"]]],
  );
  assert.deepEqual(
    agents?.map(({ trust }) => trust),
    ["valid", "valid", "valid", "valid", "invalid", "suspect"],
  );
});

Deno.test("each agent is held against its own machine's peak throughput", () => {
  const { agents } = fleetMeasurement({
    agents: [
      { name: "fast", cpu: 0.85, ceiling: 1_000_000 },
      { name: "slow", cpu: 0.85, ceiling: 10_000 },
    ],
  });
  assert.deepEqual(agents?.map(({ trust }) => trust), ["valid", "suspect"]);
  assert.deepEqual(agents?.[1].findings.map(({ code }) => code), ["near-peak-throughput"]);
});

Deno.test("a lost agent makes the run suspect, with its last report and the fate of its share", () => {
  const { generator, agents = [], requests } = fleetMeasurement({
    agents: [{ name: "a" }, { name: "b", lostAt: 0.75 }],
    rate: 2_000,
  });
  assert.equal(generator.trust, "suspect");
  assert.deepEqual(generator.findings.map(findingSentence), [
    "agent b: The agent's last report came 0.75 s after the start (killed, cut off or stalled); " +
    "its later requests count as dropped. Check the log of the agent.",
  ]);
  assert.deepEqual(agents.map(({ lost }) => lost?.atS ?? null), [null, 0.75]);
  assert.deepEqual([agents[0].requests.dropped, agents[1].requests.dropped], [0, requests.dropped]);
  assert.deepEqual(agents[1].completed.slice(3), [0, 0, 0, 0, 0]);
});

Deno.test("who was lost comes before others that are as doubtful", () => {
  const { findings } = fleetMeasurement({
    agents: [{ name: "a", cpu: 0.9 }, { name: "b", lostAt: 1 }],
  }).generator;
  assert.deepEqual(findings.map(({ agents }) => agents), [["b"], ["a"]]);
});

Deno.test("in a closed loop that ends by time a lost agent leaves nothing to be dropped", () => {
  const { generator, requests } = fleetMeasurement({ agents: [{ name: "a", lostAt: 1 }] });
  assert.equal(requests.dropped, 0);
  assert.match(
    findingSentence(generator.findings[0]),
    /; its later requests are in no figure\. /,
  );
});

Deno.test("a finding that several agents share is listed once, and of many findings only the first", () => {
  const shared = fleetMeasurement({ agents: FOUR.map((agent) => ({ ...agent, cpu: 0.99 })) });
  assert.equal(shared.generator.findings.length, 1);
  assert.match(
    findingSentence(shared.generator.findings[0]),
    /^agents a, b, c, d: The generator was /,
  );
  const many = Array.from({ length: 12 }, (_, i) => ({ name: `n${i}`, cpu: 0.9 + i * 0.01 }));
  const { findings } = fleetMeasurement({ agents: many }).generator;
  assert.equal(findings.length, 9);
  assert.match(findingSentence(findings[8]), /^4 more findings of agents are not listed here/);
});

Deno.test("agents that began more than an interval apart make the run suspect", () => {
  const apart = fleetMeasurement({ agents: [{ name: "a", late: -20 }, { name: "b", late: 260 }] });
  assert.equal(apart.generator.trust, "suspect");
  assert.match(
    findingSentence(apart.generator.findings[0]),
    /^The agents started up to 280 ms apart \(a first, b last\)/,
  );
  const together = fleetMeasurement({
    agents: [{ name: "a", late: 0 }, { name: "b", late: 200 }, {
      name: "c",
      late: null,
      lostAt: 1,
    }],
  });
  assert.equal(together.generator.findings.length, 1);
});

Deno.test("a clock that is known less well than an interval is long makes the run suspect", () => {
  const { generator } = fleetMeasurement({
    agents: [{ name: "a" }, { name: "b", uncertaintyMs: 300 }],
  });
  assert.match(
    findingSentence(generator.findings[0]),
    /^The clock of agent b is known only to ± 300 ms/,
  );
});

Deno.test("the whole has what agents' machines share, and of one agent all", () => {
  const one = fleetMeasurement({ agents: [{ name: "a", ceiling: 9e9 }] }).generator;
  assert.deepEqual([one.peakThroughput, one.hostActivity.cores], [9e9, 4]);
  const alike = fleetMeasurement({ agents: FOUR.map((agent) => ({ ...agent, ceiling: 9e9 })) });
  assert.deepEqual([alike.generator.peakThroughput, alike.generator.hostActivity.cores], [
    9e9,
    null,
  ]);
  const mixed = fleetMeasurement({ agents: [{ name: "a", ceiling: 9e9 }, { name: "b" }] });
  assert.equal(mixed.generator.peakThroughput, null);
});
