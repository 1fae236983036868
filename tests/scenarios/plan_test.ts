import assert from "node:assert/strict";
import fc from "fast-check";
import { UserError } from "../../base/errors.ts";
import { NO_FILES } from "../../base/files.ts";
import {
  type Experiment,
  type ExperimentInput,
  experimentSpecWith,
} from "../../scenarios/file/experiment_shape.ts";
import {
  type Cell,
  planBlocks,
  planCells,
  type PlannedRun,
  type PlanOptions,
} from "../../scenarios/plan/plan.ts";
import { forAll } from "../for_all.ts";
import { thrown } from "../thrown.ts";

function experimentOf(changes: Partial<ExperimentInput> = {}): Experiment {
  return experimentSpecWith().parse({
    name: "planned",
    targets: { a: { app: "api" }, b: { app: "api", set: { log: "on" } } },
    scenarios: { static: { get: "/static" }, fib: { get: "/fib" } },
    ...changes,
  });
}

function nameOf({ scenario, target, parameters }: Cell): string {
  const values = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return [scenario, target, ...values].join(" ");
}

/** The runs of the first blocks, as many as the experiment repeats. */
function planned(experiment: Experiment, options: PlanOptions): PlannedRun[] {
  const runs: PlannedRun[] = [];
  for (const block of planBlocks(experiment, options).blocks()) {
    if (block[0].repetition > Number(experiment.repeat)) break;
    runs.push(...block);
  }
  return runs;
}

/** The runs of each block, as names, in order. */
function blocksOf(runs: readonly PlannedRun[]): string[][] {
  const blocks = Map.groupBy(runs, ({ repetition }) => repetition);
  return [...blocks.values()].map((block) => block.map(({ cell }) => nameOf(cell)));
}

/** One cell, which a load multiplies. */
const ONE: Partial<ExperimentInput> = {
  targets: { a: { app: "api" } },
  scenarios: { static: { get: "/" } },
};

const cells: [sentence: string, changes: Partial<ExperimentInput>, names: string[]][] = [
  ["every scenario of every target, in the order of the file", {}, [
    "static a",
    "fib a",
    "static b",
    "fib b",
  ]],
  ["a scenario of some targets for those only", {
    scenarios: { static: { get: "/static" }, fib: { get: "/fib", targets: ["b"] } },
  }, ["static a", "static b", "fib b"]],
  ["each number of connections, as a parameter", {
    ...ONE,
    load: { connections: [1, 10] },
  }, ["static a connections=1", "static a connections=10"]],
  ["a list of one value as no parameter", {
    targets: { a: { app: "api", set: { log: ["on"] } } },
    scenarios: { static: { get: "/" } },
    load: { connections: [7], pipeline: [2] },
  }, ["static a"]],
  ["a value that is listed twice once", {
    ...ONE,
    load: { connections: [5, 5, 6] },
  }, ["static a connections=5", "static a connections=6"]],
  ["all combinations of load and settings", {
    targets: {
      a: { app: "site", set: { gzip: ["on", "off"], cache: "on" } },
      u: { url: "http://127.0.0.1:80" },
    },
    scenarios: { static: { get: "/" } },
    load: { connections: [1, 2], pipeline: [3, 4] },
  }, [
    "static a connections=1 pipeline=3 set.gzip=on",
    "static a connections=1 pipeline=4 set.gzip=on",
    "static a connections=2 pipeline=3 set.gzip=on",
    "static a connections=2 pipeline=4 set.gzip=on",
    "static a connections=1 pipeline=3 set.gzip=off",
    "static a connections=1 pipeline=4 set.gzip=off",
    "static a connections=2 pipeline=3 set.gzip=off",
    ...["static a connections=2 pipeline=4 set.gzip=off", "static u connections=1 pipeline=3"],
    ...["static u connections=1 pipeline=4", "static u connections=2 pipeline=3"],
    "static u connections=2 pipeline=4",
  ]],
];

for (const [sentence, changes, names] of cells) {
  Deno.test(`the plan holds ${sentence}`, () => {
    assert.deepEqual(planCells(experimentOf(changes)).map(nameOf), names);
  });
}

Deno.test("a cell has one value for each setting and each part of the load", () => {
  const [cell] = planCells(experimentOf({
    targets: { a: { app: "site", set: { gzip: ["off", "on"], log: "on" } } },
    load: { connections: [3, 4], timeout: "1s", duration: "2s", keepAlive: false, workers: 2 },
  }));
  assert.deepEqual(cell.targetSpec, { app: "site", set: { gzip: "off", log: "on" } });
  assert.deepEqual(cell.load, {
    kind: "closed",
    connections: 3,
    pipeline: 1,
    keepAlive: false,
    timeout: 1_000,
    durationMs: 2_000,
    requests: null,
    workers: 2,
  });
});

const seeds = fc.integer({ min: 0, max: 0xffff_ffff });
const experiments = fc.record({
  connections: fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 4 }),
  repeat: fc.integer({ min: 1, max: 6 }),
}).map(({ connections, repeat }) => experimentOf({ load: { connections }, repeat }));
const FIXED = { seed: 1, numRuns: 200 };

Deno.test("each block of a shuffled plan holds every cell once, and the orders count up from 1", () => {
  forAll([experiments, seeds], (experiment, seed) => {
    const runs = planned(experiment, { seed });
    const names = planCells(experiment).map(nameOf).sort();
    const blocks = blocksOf(runs);
    assert.equal(blocks.length, experiment.repeat);
    for (const block of blocks) assert.deepEqual(block.toSorted(), names);
    assert.deepEqual(runs.map(({ order }) => order), runs.map((_, at) => at + 1));
    assert.deepEqual(
      runs.map(({ repetition }) => repetition),
      runs.map((_, at) => 1 + Math.floor(at / names.length)),
    );
  }, FIXED);
});

Deno.test("the same seed gives the same plan, and seeds differ in theirs", () => {
  const orders = Array.from({ length: 50 }, (_, seed) => {
    const order = JSON.stringify(blocksOf(planned(experimentOf(), { seed })));
    assert.equal(JSON.stringify(blocksOf(planned(experimentOf(), { seed }))), order);
    return order;
  });
  assert.ok(new Set(orders).size > 45);
});

Deno.test("over many blocks each cell comes first about equally often", () => {
  const load = { connections: 5, duration: "250ms" };
  const experiment = { ...experimentOf({ load }), repeat: 4_000 };
  const first = Map.groupBy(blocksOf(planned(experiment, { seed: 1 })), ([name]) => name);
  for (const [name, { length }] of first) {
    assert.ok(Math.abs(length - 1_000) < 120, `${name} came first ${length} times`);
  }
});

Deno.test("a sequential plan keeps the order of the file in every block", () => {
  const experiment = experimentOf({ order: "sequential", repeat: 3 });
  const names = planCells(experiment).map(nameOf);
  assert.deepEqual(blocksOf(planned(experiment, { seed: 5 })), [names, names, names]);
});

type Only = { readonly targets?: string[]; readonly scenarios?: string[] };

const filters: [sentence: string, only: Only, names: string[]][] = [
  ["of one target", { targets: ["b"] }, ["static b", "fib b"]],
  ["of one scenario", { scenarios: ["fib"] }, ["fib a", "fib b"]],
  ["of one target and one scenario", { targets: ["a"], scenarios: ["fib"] }, ["fib a"]],
  ["of any of several names", { targets: ["a", "b"], scenarios: ["static"] }, [
    "static a",
    "static b",
  ]],
];

for (const [sentence, only, names] of filters) {
  Deno.test(`a filter keeps only the cells ${sentence}`, () => {
    assert.deepEqual(planCells(experimentOf(), only).map(nameOf), names);
  });
}

const EXCLUDED = { static: { get: "/" }, fib: { get: "/", targets: ["a"] } };
const empty: Readonly<
  Record<string, [changes: Partial<ExperimentInput>, only: Only, says: RegExp]>
> = {
  "an unknown target": [
    {},
    { targets: ["c"] },
    /^--only target=c: Cannot find target "c" \(there are a, b\)$/,
  ],
  "an unknown scenario": [{}, { scenarios: ["statc"] }, /did you mean "static"\?/],
  "a pair that the file excludes": [
    { scenarios: EXCLUDED },
    { targets: ["b"], scenarios: ["fib"] },
    /no scenario applies to any target/,
  ],
};

for (const [sentence, [changes, only, says]] of Object.entries(empty)) {
  Deno.test(`a filter for ${sentence} is told`, () => {
    const error = thrown(UserError, () => planned(experimentOf(changes), { seed: 1, only }));
    assert.match(error.message, says);
  });
}

Deno.test("a plan is refused whose results could not be read back, with their size and how many runs fit", () => {
  const problemOf = (changes: Partial<ExperimentInput>): string | null => {
    try {
      planBlocks(experimentOf(changes), { seed: 1 });
      return null;
    } catch (error) {
      assert.ok(error instanceof UserError, String(error));
      return error.message;
    }
  };
  const ten: Partial<ExperimentInput> = { load: { connections: 5, duration: "10s" } };
  // 4,000 runs of 40 intervals are 232 MB as they are counted.
  assert.equal(problemOf({ ...ten, repeat: 1_000 }), null);
  const factors = { connections: [1, 2, 3, 4, 5], duration: "10s" };
  const beyond = problemOf({ load: factors, repeat: 1_000 }) ?? "";
  assert.match(beyond, /results of 20,000 runs would take about 1\.2 GB/);
  assert.match(beyond, /more than 400 MB .* read back/);
  assert.match(beyond, /at most 6,\d{3} runs each/);
  // Each stream of a mix has figures of its messages, and so has all of it.
  const news = { get: "/news", stream: "events" as const };
  const mix = (request: typeof news | { get: string }): Partial<ExperimentInput> => ({
    ...ten,
    scenarios: { a: { mix: [1, 2, 3, 4, 5].map((n) => ({ ...request, get: `/${n}` })) } },
  });
  assert.equal(problemOf({ ...mix({ get: "/" }), repeat: 1_000 }), null);
  assert.match(
    problemOf({ ...mix(news), repeat: 1_000 }) ?? "",
    /results of 2,000 runs would take about 460 MB/,
  );
  // However long runs are, their intervals are bounded.
  const day = { load: { connections: 5, duration: "24h" } };
  assert.equal(problemOf({ ...day, repeat: 5 }), null);
  assert.match(problemOf({ ...day, repeat: 100 }) ?? "", /results of 400 runs/);
  assert.equal(problemOf({ ...day, interval: "1m", repeat: 5 }), null);
});

Deno.test("a plan is refused where virtual users would have no rows of their own, with how many there are", () => {
  const rows = ["ada", "bob"].map((name) => ({ name }));
  const spec = experimentSpecWith({ ...NO_FILES, rows: () => rows });
  const cellsOf = (connections: number): readonly Cell[] =>
    planBlocks(
      spec.parse({
        name: "planned",
        targets: { a: { app: "api" } },
        scenarios: {
          s: { get: "/{{ user.name }}", values: { user: { csv: "u.csv", order: "unique" } } },
        },
        load: { connections },
      }),
      { seed: 1 },
    ).cells;
  assert.equal(cellsOf(2).length, 1);
  const { problems } = thrown(UserError, () => cellsOf(3));
  assert.deepEqual(problems, [{
    place: "scenarios.s.values.user",
    message: "Cannot give each of 3 virtual users its own row: u.csv has only 2 rows",
    fix: "add rows, or write connections: 2 in the load",
  }]);
});

Deno.test("users with rows of their own cannot have several requests in flight on a connection", () => {
  const spec = experimentSpecWith({ ...NO_FILES, rows: () => [{ name: "ada" }] });
  const refusedFor = (order: string): unknown[] => {
    const { error } = spec.safeParse({
      name: "planned",
      targets: { a: { app: "api" } },
      scenarios: { s: { get: "/{{ user.name }}", values: { user: { csv: "u.csv", order } } } },
      load: { connections: 1, pipeline: [1, 10] },
    });
    return (error?.issues ?? []).map(({ path, message }) => [path, message]);
  };
  assert.deepEqual(refusedFor("random"), []);
  assert.deepEqual(refusedFor("unique"), [[
    ["load", "pipeline"],
    "Cannot have several requests in flight on a connection whose virtual user has its own row of a table: " +
    "use more connections",
  ]]);
});

const IN_TURN: Readonly<Record<string, readonly [scenario: object, why: RegExp | null]>> = {
  "a flow": [{ flow: [{ get: "/a" }, { get: "/b" }] }, /takes the steps of a flow in turn/],
  "a page": [{ page: "/", with: ["/a.css"] }, /loads a page/],
  "a request that follows redirects": [{ get: "/", follow: 1 }, /follow redirects/],
  "a mix that follows redirects": [{ mix: [{ get: "/" }], follow: 1 }, /follow redirects/],
  "a request": [{ get: "/" }, null],
  "a mix": [{ mix: [{ get: "/a" }, { get: "/b" }] }, null],
};

for (const [what, [scenario, why]] of Object.entries(IN_TURN)) {
  const sentence = why === null ? "may have" : "cannot have";
  Deno.test(`${what} ${sentence} several requests in flight on a connection`, () => {
    for (const http2 of [false, true]) {
      const { error } = experimentSpecWith(NO_FILES).safeParse({
        name: "planned",
        targets: { a: { app: "api" } },
        scenarios: { s: scenario },
        load: { connections: 1, duration: "1s", pipeline: 8, http2 },
      });
      const found = error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
      assert.equal(found.length, why === null ? 0 : 1, found.join("\n"));
      if (why !== null) assert.match(found[0], /^load\.pipeline: Cannot have several requests/);
      if (why !== null) assert.match(found[0], why);
    }
  });
}
