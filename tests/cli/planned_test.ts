import assert from "node:assert/strict";
import { join } from "node:path";
import { type Changes, planFromFile, type Planned } from "../../cli/experiment/plan.ts";
import { UserError } from "../../base/errors.ts";
import { expectedMsOf } from "../../scenarios/load/load.ts";
import { rejected } from "../thrown.ts";
import { emptyFolder } from "../e2e/plateau.ts";

const CHANGES = { set: {}, only: undefined, repeat: 1, duration: 2_000, seed: 1 };

/** How long the runs last that are planned with `--duration 2s`. */
async function planned(load: string, more = ""): Promise<(number | null)[]> {
  const { plan } = await planOf(
    `targets: { a: { app: api } }\nscenarios: { s: { get: / } }\nload: ${load}\n${more}`,
  );
  return plan.cells.map(({ load }) => expectedMsOf(load));
}

async function planOf(lines: string, changes: Partial<Changes> = {}): Promise<Planned> {
  using folder = emptyFolder();
  const file = join(folder.path, "a.yaml");
  await Deno.writeTextFile(file, `name: a\n${lines}`);
  return await planFromFile(file, { ...CHANGES, ...changes });
}

const loads: [sentence: string, load: string][] = [
  ["a closed loop", "{ duration: 1m }"],
  ["a closed loop that would end by count", "{ requests: 5 }"],
  ["several durations, once", "{ duration: [1m, 2m] }"],
  ["a rate", "{ rate: 1/s }"],
];

for (const [sentence, load] of loads) {
  Deno.test(`--duration stands in for that of ${sentence}`, async () => {
    assert.deepEqual(await planned(load), [2_000]);
  });
}

Deno.test("--duration is refused for phases, as each has its own", async () => {
  const error = await rejected(UserError, planned("{ phases: [{ duration: 1s, arrivals: 1/s }] }"));
  assert.match(error.message, /^--duration: Cannot set one duration .*phases/);
});

Deno.test("--duration is refused when the start that is discarded would be all", async () => {
  assert.deepEqual(await planned("{ duration: 9s }", "discard: 1s\n"), [2_000]);
  const error = await rejected(UserError, planned("{ duration: 9s }", "discard: 2s\n"));
  assert.match(error.message, /^--duration: Cannot discard 2s of runs of 2s/);
});

const SEVERAL = `targets: { a: { app: api } }
scenarios:
  common: { get: / }
  counted: { get: /, load: { requests: 5 } }
  paced: { get: /, load: { rate: [1/s, 2/s], duration: 9s } }
  phased: { get: /, load: { phases: [{ duration: 7s, arrivals: 1/s }] } }
load: { duration: 1m }`;

Deno.test("--duration stands in for that of the experiment and of each scenario with its own load", async () => {
  const only = { scenarios: ["common", "counted", "paced"] };
  const { plan } = await planOf(SEVERAL, { only });
  assert.deepEqual(
    plan.cells.map(({ scenario, load }) => [scenario, expectedMsOf(load)]),
    [["common", 2_000], ["counted", 2_000], ["paced", 2_000], ["paced", 2_000]],
  );
});

Deno.test("--duration is refused for a scenario in phases, which is named", async () => {
  await assert.rejects(
    planOf(SEVERAL),
    /^UserError: --duration: Cannot set one duration for scenario phased: the load has phases, each with a duration of its own \(leave out --duration, choose other scenarios with --only, or change the file\)$/,
  );
});

Deno.test("--duration is refused for stages", async () => {
  const staged = SEVERAL.replace(
    /load: \{ duration.*$/,
    "load: { stages: [{ duration: 1s, connections: 3 }] }",
  );
  await assert.rejects(
    planOf(staged, { only: { scenarios: ["common"] } }),
    /Cannot set one duration for this experiment: the load has stages, each with a duration of its own \(leave out --duration, or change the file\)$/,
  );
});

Deno.test("a plan keeps what the command line changed", async () => {
  const set = { runs: "4" };
  const text = `parameters: { runs: 3 }
${SEVERAL}
repeat: "\${runs}"`;
  const changes = {
    set,
    only: { scenarios: ["common"] },
    repeat: undefined,
    duration: undefined,
    profile: true as const,
    observe: "runtime" as const,
  };
  const { flags, experiment } = await planOf(text, changes);
  assert.deepEqual(flags, changes);
  assert.equal(experiment.repeat, 4);
  assert.equal(experiment.profile?.runs, 1);
  assert.deepEqual(experiment.observe, ["runtime"]);
  assert.deepEqual(experiment.parameters, { runs: 4 });
});

Deno.test("a secret is used as it is, and stands nowhere that results are made of", async () => {
  const lines = `parameters: { key: { secret: true }, way: a }
targets: { t: { command: [x], env: { KEY: ["\${key}", other] } } }
scenarios: { s: { get: "/\${way}" } }
`;
  const set = { key: "p1anned", way: "with-p1anned-in-it" };
  const { plan: { cells }, flags } = await planOf(lines, { set });
  assert.deepEqual(flags.set, { key: "[secret]", way: "[secret]" });
  assert.deepEqual(cells.map(({ parameters }) => parameters), [
    { "env.KEY": "[secret]" },
    { "env.KEY": "other" },
  ]);
  assert.deepEqual(
    cells.map(({ targetSpec }) => "env" in targetSpec && targetSpec.env.KEY),
    ["p1anned", "other"],
  );
});
