/** `plateau ab` in blocks: how the cells that may be worse are planned again. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { derivedSeed } from "../../base/random.ts";
import { describeMachine } from "../../base/system/describe.ts";
import { VERSION } from "../../base/version.ts";
import { abParts } from "../../cli/ab/flags.ts";
import { comparePaired } from "../../cli/ab/measured.ts";
import type { PreparedPair } from "../../cli/ab/prepared.ts";
import { readArguments } from "../../cli/command_line/arguments.ts";
import { planPairs } from "../../cli/experiment/pairs.ts";
import type { Planned } from "../../cli/experiment/plan.ts";
import { hashSettings, openExperiment } from "../../runner/experiment/provenance.ts";
import { describeLoad } from "../../runner/measure/described_load.ts";
import type { Results } from "../../runner/result/result.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { resultsAt } from "../report/rates.ts";

type AbValues = Parameters<typeof comparePaired>[1]["values"];

const NAMES = new Map([["server", { base: "base", head: "head" }]]);
const EXPERIMENT = `
name: experiment
targets: { server: { command: [server] } }
scenarios: { static: { get: / } }
load: { connections: 50, duration: 2s }
repeat: 5
`;

function valuesOf(...args: string[]): AbValues {
  const spec = { parts: abParts, run: () => Promise.resolve(0) };
  const read = readArguments(spec, { name: "ab", summary: "" }, args);
  assert.ok(read.wants === "values");
  return read.values as AbValues;
}

/** Results of the plan, in which the head is far slower. */
function slowHead({ experiment, plan, seed }: Planned): Results {
  const results = resultsAt({
    base: [1_000, 1_002, 998, 1_001, 999],
    head: [501, 499, 500, 502, 498],
  });
  const open = openExperiment(experiment);
  const runs = Iterator.from(plan.blocks()).take(5).toArray().flat().map(
    ({ cell, repetition, order }) => {
      const run = results.runs.find((one) =>
        one.target === cell.target && one.repetition === repetition
      );
      assert.ok(run);
      const load = describeLoad(cell.load, derivedSeed(seed, repetition));
      return { ...run, order, load, checks: { passed: run.requests.completed, failed: 0 } };
    },
  ).map((run) => ({ ...run, status: { "200": run.requests.completed } }));
  return {
    ...{ ...results, runs, seed, version: VERSION, machine: describeMachine() },
    experiment: { ...open },
    settings: hashSettings(open),
  };
}

Deno.test("a confirmation is planned in blocks, also where nobody asked for them", async () => {
  using scratch = emptyFolder();
  const folder = scratch.path;
  const file = join(folder, "experiment.yaml");
  Deno.writeTextFileSync(file, EXPERIMENT);
  const values = valuesOf("--resume", "--seed", "7", "--quiet");
  assert.equal(values.order, undefined);
  const planned = await planPairs(file, values, {
    ...{ folders: { base: folder, head: folder }, names: NAMES, order: "blocks" },
  });
  Deno.writeTextFileSync(join(folder, "results.json"), JSON.stringify(slowHead(planned)));
  const orders: (AbValues["order"])[] = [];
  const end = new Error("The confirmation is planned");
  const pair: PreparedPair = {
    ...{ name: "experiment", names: NAMES, revisions: { base: "main", next: "head" } },
    again: { range: "main..", file: "experiment.yaml" },
    plan(_only, _seed, order): Promise<Planned> {
      orders.push(order);
      return orders.length === 1 ? Promise.resolve(planned) : Promise.reject(end);
    },
    lock: { [Symbol.dispose](): void {} },
  };
  const signal = new AbortController().signal;
  const context = { values, outDir: folder, signal, onNote: () => {} };
  await assert.rejects(comparePaired(pair, context), end);
  assert.equal(orders[1], "blocks");
});
