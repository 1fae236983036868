/** The kinds of load: what is understood, and what people get wrong. */
import assert from "node:assert/strict";
import { type ExperimentInput, experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { expectedMsOf, type PlannedLoad } from "../../scenarios/load/load.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { RIGHT, wrongLines } from "./right_experiment.ts";

type LoadInput = ExperimentInput["load"];

function cellsOf(load: LoadInput): { load: PlannedLoad }[] {
  return planCells(
    experimentSpecWith().parse({
      name: "loads",
      targets: { a: { app: "api" } },
      scenarios: { s: { get: "/" } },
      load,
    }),
  );
}

const USUAL = { keepAlive: true, timeout: 5_000, workers: null };
const PER_SEC = { durationUs: 2_000_000, fromPerSec: 5, toPerSec: 5 };

const CLOSED = { kind: "closed", pipeline: 1, requests: null, ...USUAL } as const;
const PHASES = { kind: "phases", arrivals: "uniform", ...USUAL } as const;

const loads: Readonly<Record<string, readonly [load: LoadInput, cell: PlannedLoad]>> = {
  "a closed loop when nothing is said": [{}, { ...CLOSED, connections: 50, durationMs: 10_000 }],
  "a number of requests instead of a duration": [
    { requests: 7, connections: 2, pipeline: 3 },
    { ...CLOSED, connections: 2, pipeline: 3, durationMs: null, requests: 7 },
  ],
  "a rate, evenly spread for 10 s when nothing else is said": [{ rate: "1000/s" }, {
    ...{ kind: "rate", connections: 50, ratePerSec: 1_000, arrivals: "uniform" },
    durationMs: 10_000,
    ...USUAL,
  }],
  "a rate with all that goes with one": [{
    ...{ rate: "30/m", connections: 9, duration: "1m", arrivals: "poisson" },
    ...{ timeout: "1s", keepAlive: false, workers: 2 },
  }, {
    ...{ kind: "rate", connections: 9, ratePerSec: 0.5, arrivals: "poisson", durationMs: 60_000 },
    ...{ keepAlive: false, timeout: 1_000, workers: 2 },
  }],
  "a phase, each visitor with a connection of its own and room for 10,000 of them": [
    { phases: [{ duration: "2s", arrivals: "5/s" }] },
    { ...PHASES, connections: 10_000, phases: [PER_SEC], pool: "own" },
  ],
  "constant phases, ramps up and down, from and to nothing, and pauses": [{
    phases: [
      { duration: "2s", arrivals: "5/s" },
      { duration: "1m", arrivals: "0/s", rampTo: "200/s" },
      { pause: "10s" },
      { duration: "500ms", arrivals: "90/m", rampTo: "0/s" },
    ],
    ...{ arrivals: "poisson", pool: "shared", connections: 7, timeout: "10s" },
  }, {
    ...{ ...PHASES, connections: 7, arrivals: "poisson", pool: "shared", timeout: 10_000 },
    phases: [
      PER_SEC,
      { durationUs: 60_000_000, fromPerSec: 0, toPerSec: 200 },
      { durationUs: 10_000_000, fromPerSec: 0, toPerSec: 0 },
      { durationUs: 500_000, fromPerSec: 1.5, toPerSec: 0 },
    ],
  }],
  "stages of connections, ramps up and down, jumps, and nobody": [{
    stages: [
      { duration: "30s", connections: 1, rampTo: 20 },
      { duration: "1m", connections: 25 },
      { duration: "500ms", connections: 25, rampTo: 0 },
      { duration: "1s", connections: 0 },
    ],
    ...{ keepAlive: false, timeout: "10s" },
  }, {
    ...{ ...CLOSED, connections: 25, durationMs: 91_500, keepAlive: false, timeout: 10_000 },
    stages: [
      { durationUs: 30_000_000, from: 1, to: 20 },
      { durationUs: 60_000_000, from: 25, to: 25 },
      { durationUs: 500_000, from: 25, to: 0 },
      { durationUs: 1_000_000, from: 0, to: 0 },
    ],
  }],
};

for (const [sentence, [load, cell]] of Object.entries(loads)) {
  Deno.test(`a load can be ${sentence}`, () => {
    assert.deepEqual(cellsOf(load).map(({ load }) => load), [cell]);
  });
}

const durations: [sentence: string, load: LoadInput, ms: number | null][] = [
  ["as long as it says", { duration: "2s" }, 2_000],
  ["nobody knows how long, until its requests are done", { requests: 5 }, null],
  ["as long as it says, at a rate", { rate: "1/s", duration: "3s" }, 3_000],
  ["as long as its phases and pauses together", {
    phases: [{ duration: "1m", arrivals: "1/s" }, { pause: "500ms" }],
  }, 60_500],
  ["as long as its stages together", {
    stages: [{ duration: "1m", connections: 1 }, { duration: "2s", connections: 0 }],
  }, 62_000],
];

for (const [sentence, load, ms] of durations) {
  Deno.test(`a run lasts ${sentence}`, () => {
    assert.deepEqual(cellsOf(load).map(({ load }) => expectedMsOf(load)), [ms]);
  });
}

const wrong: [sentence: string, load: string, told: string[]][] = [
  [
    "what goes with a closed loop or phases, at a rate",
    "rate: 1/s, requests: 5, pipeline: 2, pool: own",
    [
      'requests: Cannot use "requests" here: a load with a rate ends after its duration; leave requests out',
      'pipeline: Cannot use "pipeline" here: a load with a rate has one request in flight per connection; leave pipeline out',
      'pool: Cannot use "pool" here: it belongs to phases',
    ],
  ],
  ["arrivals in a closed loop", "arrivals: poisson, pool: own", [
    'arrivals: Cannot use "arrivals" here: a closed loop has no arrivals; add rate or phases',
    'pool: Cannot use "pool" here: it belongs to phases',
  ]],
  [
    "what goes with the other kinds, in phases",
    "duration: 1s, phases: [{ duration: 1s, arrivals: 5/s }], rate: 5/s, requests: 5, pipeline: 2",
    [
      'duration: Cannot use "duration" here: each phase has its own duration; leave duration out',
      'rate: Cannot use "rate" here: each phase has its own arrivals; leave rate or phases out',
      'requests: Cannot use "requests" here: phases end after their durations; leave requests out',
      'pipeline: Cannot use "pipeline" here: each virtual user has its own connection; leave pipeline out',
    ],
  ],
  [
    "what goes with the other kinds, in stages",
    "duration: 1s, stages: [{ duration: 1s, connections: 5 }], connections: 5, requests: 5, pipeline: 2, arrivals: poisson",
    [
      'duration: Cannot use "duration" here: each stage has its own duration; leave duration out',
      'connections: Cannot use "connections" here: each stage has its own connections; leave connections out',
      'requests: Cannot use "requests" here: stages end after their durations; leave requests out',
      'pipeline: Cannot use "pipeline" here: in stages, each connection has one request in flight; leave pipeline out',
      'arrivals: Cannot use "arrivals" here: a closed loop has no arrivals; write connections in the stages',
    ],
  ],
  ["stages without connections", "stages: [{ duration: 1s, connections: 0 }]", [
    "stages: Cannot load without connections: give at least one stage some",
  ]],
  [
    "all that is wrong with stages",
    "stages: [{ duration: 1s, target: 5 }, { connections: -1, duration: 0s }, { duration: 1s, connections: 1, rampTo: 1.5 }]",
    [
      "stages.0.connections: Cannot leave it out",
      'stages.0.target: Cannot understand "target": the keys here are duration, connections, rampTo',
      "stages.1.connections: Cannot use -1: the minimum is 0",
      "stages.1.duration: Cannot use this duration: it must be from 1ms to 24h",
      "stages.2.rampTo: Cannot use 1.5: it must be a whole number",
    ],
  ],
  ["a misspelt rate", "rat: 5/s", ['rat: Cannot understand "rat": did you mean "rate"?']],
  ["misspelt phases", "fases: []", ['fases: Cannot understand "fases": did you mean "phases"?']],
  ["misspelt arrivals", "arivals: poisson", [
    'arivals: Cannot understand "arivals": did you mean "arrivals"?',
  ]],
  ["a misspelt key beside a rate", "rate: 5/s, durtion: 1s", [
    'durtion: Cannot understand "durtion": did you mean "duration"?',
  ]],
  ["rates that are none", "rate: [5, 0/s, fast, 2000000/s]", [
    "rate.0: Cannot read 5 as a rate: write 5/s",
    'rate.1: Cannot read "0/s" as a rate: write a number above 0 per s, m or h, such as 1000/s',
    'rate.2: Cannot read "fast" as a rate: write a number above 0 per s, m or h, such as 1000/s',
    "rate.3: Cannot use this rate: the maximum is 1000000/s",
  ]],
  ["a way to arrive that there is not", "rate: 5/s, arrivals: unifrm", [
    'arrivals: Cannot use "unifrm": the choices are uniform, poisson; did you mean "uniform"?',
  ]],
  ["a pool that there is not", "phases: [{ duration: 1s, arrivals: 5/s }], pool: mine", [
    'pool: Cannot use "mine": the choices are own, shared',
  ]],
  ["no phases", "phases: []", [
    "phases: Cannot load without arrivals: give at least one phase a rate above 0",
  ]],
  ["phases in which nobody arrives", "phases: [{ pause: 1s }, { duration: 1s, arrivals: 0/s }]", [
    "phases: Cannot load without arrivals: give at least one phase a rate above 0",
  ]],
  [
    "all that is wrong with phases",
    "phases: [{ duration: 1s, arrivals: 5, rampTo: x }, { pause: 1s, duration: 1s }, " +
    "{ arrivals: 1/s }, { duration: 1s, rate: 1/s }, { duration: 0s, arrivals: 1/s }, {}]",
    [
      "phases.0.arrivals: Cannot read 5 as a rate: write 5/s",
      'phases.0.rampTo: Cannot read "x" as a rate: write a number per s, m or h, such as 1000/s',
      'phases.1.duration: Cannot use "duration" here: pause already is the duration',
      "phases.2.duration: Cannot leave it out",
      "phases.3.arrivals: Cannot leave it out",
      'phases.3.rate: Cannot use "rate" here: write arrivals',
      "phases.4.duration: Cannot use this duration: it must be from 1ms to 24h",
      "phases.5: Cannot tell of which kind this is: write one of the keys pause, duration",
    ],
  ],
  [
    "what is wrong with each value of a list",
    "keepAlive: [true, 5], timeout: [1s, 2], workers: [0]",
    [
      "keepAlive.1: Cannot use 5: it must be true or false",
      "timeout.1: Cannot read 2 as a duration: write 2s",
      "workers.0: Cannot use 0: the minimum is 1",
    ],
  ],
  ["an empty list", "connections: []", ["connections: Cannot use []: it must not be empty"]],
];

for (const [sentence, load, told] of wrong) {
  Deno.test(`a load is told of ${sentence}`, () => {
    const lines = wrongLines(`${RIGHT}load: { ${load} }`);
    assert.deepEqual(lines.map((line) => line.replace(/^x\.yaml:4:\d+: load\./, "")), told);
  });
}
