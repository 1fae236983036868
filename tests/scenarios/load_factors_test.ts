/** Lists in a load are factors. */
import assert from "node:assert/strict";
import { type ExperimentInput, experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { describeLoad } from "../../runner/measure/described_load.ts";
import { loadFor, loadsOf } from "../../scenarios/load/load.ts";
import { planCells } from "../../scenarios/plan/plan.ts";

type LoadInput = ExperimentInput["load"];

/** Of each cell, what is different in others. */
function parametersOf(load: LoadInput): object[] {
  return planCells(
    experimentSpecWith().parse({
      name: "loads",
      targets: { a: { app: "api" } },
      scenarios: { s: { get: "/" } },
      load,
    }),
  ).map(({ parameters }) => parameters);
}

const factors: [sentence: string, load: LoadInput, parameters: object[]][] = [
  ["the rate", { rate: ["1000/s", "30/m"] }, [{ rate: "1000/s" }, { rate: "0.5/s" }]],
  [
    "the share of the capacity",
    { capacity: { within: "p99 < 50ms" }, rate: ["12.5%of capacity", "110 % of capacity"] },
    [{ rate: "12.5% of capacity" }, { rate: "110% of capacity" }],
  ],
  ["the duration", { duration: ["1500ms", "1m"] }, [{ duration: "1.5s" }, { duration: "60s" }]],
  ["the number of requests", { requests: [1, 2] }, [{ requests: 1 }, { requests: 2 }]],
  ["the time-out", { timeout: ["250ms", "1s"] }, [{ timeout: "250ms" }, { timeout: "1s" }]],
  ["keep-alive", { keepAlive: [true, false] }, [{ keepAlive: true }, { keepAlive: false }]],
  ["the protocol", { http2: [false, true] }, [{ http2: false }, { http2: true }]],
  ["the number of workers", { workers: [1, 2] }, [{ workers: 1 }, { workers: 2 }]],
  ["a phase's length and rates", {
    phases: [
      { pause: ["1s", "2s"] },
      { duration: "1s", arrivals: ["10/s", "60/m"], rampTo: "20/s" },
    ],
  }, [
    { "phases.0.duration": "1s", "phases.1.arrivals": "10/s" },
    { "phases.0.duration": "1s", "phases.1.arrivals": "1/s" },
    { "phases.0.duration": "2s", "phases.1.arrivals": "10/s" },
    { "phases.0.duration": "2s", "phases.1.arrivals": "1/s" },
  ]],
  ["a stage's length and connections", {
    stages: [
      { duration: ["1s", "2s"], connections: 1, rampTo: [5, 10] },
      { duration: "1s", connections: 5 },
    ],
    keepAlive: [true],
  }, [
    { "stages.0.duration": "1s", "stages.0.rampTo": 5 },
    { "stages.0.duration": "1s", "stages.0.rampTo": 10 },
    { "stages.0.duration": "2s", "stages.0.rampTo": 5 },
    { "stages.0.duration": "2s", "stages.0.rampTo": 10 },
  ]],
  ["arrivals and pool", {
    phases: [{ duration: "1s", arrivals: "1/s" }],
    arrivals: ["uniform", "poisson"],
    pool: ["own", "shared"],
  }, [
    { arrivals: "uniform", pool: "own" },
    { arrivals: "uniform", pool: "shared" },
    { arrivals: "poisson", pool: "own" },
    { arrivals: "poisson", pool: "shared" },
  ]],
];

for (const [sentence, load, parameters] of factors) {
  Deno.test(`a list makes a factor of ${sentence}, as people write it`, () => {
    const seen = parametersOf(load);
    assert.deepEqual(new Set(seen.map(sorted)), new Set(parameters.map(sorted)));
    assert.equal(seen.length, parameters.length);
  });
}

function sorted(parameters: object): string {
  return JSON.stringify(Object.entries(parameters).sort());
}

const KINDS: Record<string, Exclude<LoadInput, undefined>> = {
  "a closed loop": {},
  stages: { stages: [{ duration: "1s", connections: 5 }] },
  "a rate": { rate: "5/s" },
  phases: { phases: [{ duration: "1s", arrivals: "1/s" }] },
  "a capacity": { capacity: { within: "p99 < 50ms" } },
};
for (const [kind, load] of Object.entries(KINDS)) {
  Deno.test(`of ${kind} the runs over HTTP/2 alone say so in their load and in the results`, () => {
    const cells = planCells(
      experimentSpecWith().parse({
        name: "loads",
        targets: { a: { app: "api" } },
        scenarios: { s: { get: "/" } },
        load: { ...load, http2: [false, true] },
      }),
    );
    const seen = cells.map(({ load, parameters }) => [
      ...[parameters.http2, load.http2],
      "http2" in describeLoad(load, 1),
    ]);
    assert.deepEqual(seen, [[false, undefined, false], [true, true, true]]);
  });
}

Deno.test("a replay keeps the protocol of its load", () => {
  const log = { dueUs: { length: 10 }, durationUs: 1e6 };
  const scenarios = { s: { replay: { replay: log } } };
  const { load } = experimentSpecWith().parse({
    name: "loads",
    targets: { a: { app: "api" } },
    scenarios: { s: { get: "/" } },
    load: { http2: true },
  });
  assert.deepEqual(loadsOf(loadFor({ load, scenarios }, "s")).map(({ load }) => load.http2), [
    true,
  ]);
});
