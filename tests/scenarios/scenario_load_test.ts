/** A load of a scenario's own: what it stands for, and what is judged by it. */
import assert from "node:assert/strict";
import { expectedMsOf } from "../../scenarios/load/load.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { type Cell, planCells } from "../../scenarios/plan/plan.ts";
import { wrongLines } from "./right_experiment.ts";

/** @param scenarios Lines of the file, from the third on. @param more Lines after them. */
function fileOf(scenarios: string, more = ""): string {
  return `name: loads\ntargets: { a: { app: api } }\n${scenarios}\n${more}`;
}

function cellsOf(scenarios: string, more?: string): Cell[] {
  return planCells(parseExperiment(fileOf(scenarios, more), "x.yaml"));
}

Deno.test("a scenario's load stands for the experiment's as a whole, and its lists are factors", () => {
  const cells = cellsOf(
    `scenarios:
  plain: { get: / }
  high: { get: /, load: { rate: [10/s, 20/s] } }
  ramp: { get: /, load: { phases: [{ duration: 3s, arrivals: 5/s }] } }`,
    "load: { connections: 7, duration: 1s, timeout: 1s }",
  );
  const told = cells.map(({ scenario, load, parameters }) => ({
    scenario,
    parameters,
    kind: load.kind,
    connections: load.connections,
    timeout: load.timeout,
    durationMs: expectedMsOf(load),
  }));
  const high = { scenario: "high", kind: "rate", connections: 50, timeout: 5_000 };
  assert.deepEqual(told, [
    {
      scenario: "plain",
      parameters: {},
      kind: "closed",
      connections: 7,
      timeout: 1_000,
      durationMs: 1_000,
    },
    { ...high, parameters: { rate: "10/s" }, durationMs: 10_000 },
    { ...high, parameters: { rate: "20/s" }, durationMs: 10_000 },
    {
      scenario: "ramp",
      parameters: {},
      kind: "phases",
      connections: 10_000,
      timeout: 5_000,
      durationMs: 3_000,
    },
  ]);
});

const FLOW = "flow: [{ get: / }, { get: /fib }]";

const judged: [sentence: string, scenarios: string, more: string, lines: (string | RegExp)[]][] = [
  [
    "a flow may have a duration where the experiment counts requests",
    `scenarios: { s: { ${FLOW}, load: { duration: 1s } } }`,
    "load: { requests: 5 }",
    [],
  ],
  [
    "a flow can't count requests where the experiment has a duration",
    `scenarios: { s: { ${FLOW}, load: { requests: 5 } } }`,
    "load: { duration: 1s }",
    [/^x\.yaml:3:19: scenarios\.s\.flow: Cannot end a flow after a number of requests/],
  ],
  [
    "what is discarded must fit into each load that is used",
    "scenarios: { s: { get: /, load: { duration: 1s } }, t: { get: / } }",
    "discard: 2s\nload: { duration: 1500ms }",
    [
      "x.yaml:3:27: scenarios.s.load: Cannot discard 2s of runs of 1s: nothing would be left",
      "x.yaml:4:10: discard: Cannot discard 2s of runs of 1.5s: nothing would be left",
    ],
  ],
  [
    "the experiment's load is not held against what is discarded where nobody uses it",
    "scenarios: { s: { get: /, load: { duration: 3s } } }",
    "discard: 2s\nload: { requests: 5 }",
    [],
  ],
  [
    "what is wrong in it is told of as in the experiment's",
    "scenarios: { s: { get: /, load: { rate: 5/s, pipelin: 2 } }, t: { get: /, load: 5 } }",
    "",
    [
      /^x\.yaml:3:46: scenarios\.s\.load\.pipelin: Cannot understand "pipelin"/,
      /^x\.yaml:3:81: scenarios\.t\.load: Cannot use 5: it must be a map/,
    ],
  ],
];

for (const [sentence, scenarios, more, lines] of judged) {
  Deno.test(`a scenario's own load: ${sentence}`, () => {
    const told = wrongLines(fileOf(scenarios, more));
    assert.equal(told.length, lines.length, told.join("\n"));
    for (const [at, line] of lines.entries()) {
      if (typeof line === "string") assert.equal(told[at], line);
      else assert.match(told[at], line);
    }
  });
}
