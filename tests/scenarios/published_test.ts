import assert from "node:assert/strict";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { published } from "../../scenarios/claims/published.ts";
import { wrongLines } from "./right_experiment.ts";

const EXPERIMENT = `name: x
targets: { express: { app: api }, fastify: { app: api }, static: { app: api } }
scenarios: { home: { get: /static }, fib: { get: /fib }, static: { get: /static } }
load: { connections: [5, 10] }
published:
`;

function tablesOf(yaml: string): unknown[] {
  return [parseExperiment(EXPERIMENT + yaml, "x.yaml").published ?? []].flat();
}

Deno.test("a published table has its values in the unit of the results, and passes the results' schema", () => {
  const [table] = tablesOf(`
  source: Table 2
  figure: p50
  unit: s
  relative: [express, home]
  values: { express: { home: 0.0125 }, "fastify, home": { connections=5: 2 } }
  confounders: ["It logged."]
`);
  assert.deepEqual(table, {
    source: "Table 2",
    figure: "p50",
    unit: "ms",
    relative: "express, home",
    values: { express: { home: 12.5 }, "fastify, home": { "connections=5": 2_000 } },
    confounders: ["It logged."],
  });
  assert.deepEqual(published.parse(table), table);
});

Deno.test("without a figure it is the rate, and units with one meaning may be left out", () => {
  const [rate, share] = tablesOf(`
  - values: { express: 1200.5 }
  - { figure: success, values: { express: 99.9 } }
`);
  assert.deepEqual(rate, {
    figure: "rate",
    unit: "perSec",
    relative: null,
    values: { express: 1_200.5 },
    confounders: [],
  });
  assert.deepEqual(Object(share).values, { express: 0.999 });
});

const units: [figure: string, unit: string, given: number, meant: number][] = [
  ["rate", "requests/s", 60, 60],
  ["rate", "requests/min", 60, 1],
  ["startUp", "s", 1.5, 1_500],
  ["p99", "us", 250, 0.25],
  ["errors", "%", 2.5, 0.025],
  ["memory", "MB", 61.5, 61_500_000],
  ["cpu", "cores", 0.8, 0.8],
];
for (const [figure, unit, given, meant] of units) {
  Deno.test(`published ${given} ${unit} of ${figure} are ${meant} in the results`, () => {
    const [table] = tablesOf(`
  { figure: ${figure}, unit: "${unit}", values: { express: ${given} } }
`);
    assert.deepEqual(Object(table).values, { express: meant });
  });
}

const wrong: [sentence: string, yaml: string, told: RegExp][] = [
  [
    "a target that is not there",
    "{ values: { expres: { home: 1, fib: 2 } } }",
    /^x\.yaml:6:15: published\.values\.expres: Cannot find the target or scenario "expres": did you mean "express"\?$/,
  ],
  [
    "a name that is a target and a scenario",
    "{ values: { static: 1 } }",
    /published\.values\.static: Cannot use "static": it names both .*; write target=static or scenario=static$/,
  ],
  [
    "two targets for a value",
    "{ values: { express: { fastify: 1 } } }",
    /published\.values\.express\.fastify: Cannot select a target twice: express and fastify$/,
  ],
  [
    "a value that stands twice",
    '[{ values: { express: { home: 1 }, "home, express": 2 } }]',
    /published\.0\.values\.home, express: Cannot give two values for one cell: express, home names the same cell$/,
  ],
  [
    "a unit that is no unit of the figure",
    "{ unit: ms, values: { express: 1 } }",
    /published\.unit: Cannot use "ms" for rate: the units of rate are requests\/s, .*; or name another figure, such as p50$/,
  ],
  [
    "a misspelt unit",
    "{ unit: request/s, values: { express: 1 } }",
    /published\.unit: Cannot use "request\/s" for rate: did you mean "requests\/s"\?$/,
  ],
  [
    "times without a unit",
    "{ figure: p50, values: { express: 1 } }",
    /published\.unit: Cannot read values without a unit: write unit with one of ms, s, us, µs, min, h$/,
  ],
  [
    "a figure that there is not",
    "{ figure: p98, values: { express: 1 } }",
    /published\.figure: Cannot find the figure "p98": did you mean "p9\d"\?$/,
  ],
  [
    "a cell to divide by without a published value",
    "{ relative: [express, fib], values: { express: { home: 1 }, fastify: { fib: 1 } } }",
    /published\.relative: Cannot divide by express, fib: it has no published value; add one, or name a cell that has a published value$/,
  ],
  [
    "a share above all",
    "{ figure: success, unit: '%', values: { express: { home: 101 } } }",
    /published\.values\.express\.home: Cannot read "101%" as a share/,
  ],
  [
    "a misspelt key",
    "{ confounder: [a], values: { express: 1 } }",
    /published\.confounder: Cannot understand "confounder": did you mean "confounders"\?$/,
  ],
  ["no values", "{ source: Table 2 }", /published\.values: Cannot leave it out$/],
];
for (const [sentence, yaml, told] of wrong) {
  Deno.test(`published figures with ${sentence} are told of, once, with the fix`, () => {
    const lines = wrongLines(`${EXPERIMENT}  ${yaml}\n`);
    assert.equal(lines.length, 1, lines.join("\n"));
    assert.match(lines[0], told);
  });
}

Deno.test("what is wrong with several tables is told at once, each at its place", () => {
  const lines = wrongLines(`${EXPERIMENT}
  - { figure: p98, values: { expres: { home: 1 } } }
  - { unit: ms, values: { express: { hom: 1 }, fastify: { home: x } } }
  - { values: { express: { home: -1 } } }
`);
  assert.deepEqual(lines.map((line) => /published\.([\w.]+): Cannot/.exec(line)?.[1]), [
    "0.figure",
    "0.values.expres",
    "1.values.fastify.home",
    "2.values.express.home",
  ]);
});
