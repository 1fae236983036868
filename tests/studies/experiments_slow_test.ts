/** The built-in experiments with the real systems, each much shortened: they end, and lack nothing. */
import { frameworkNames } from "../../base/target/app_settings.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { experiments } from "../../scenarios/experiments/registry.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { installedAt } from "../../targets/frameworks/install.ts";
import { printedBy } from "../cli/command_line.ts";
import { type Need, testWith } from "../needs.ts";
import { emptyFolder, exits, plateau } from "../e2e/plateau.ts";
import { withFewRequests } from "../targets/fixtures/few_requests.ts";

/** What installing the study's servers takes, where they are not there yet. */
const FRAMEWORKS: readonly Need[] = frameworkNames.every((name) => installedAt(name) !== null)
  ? []
  : ["node", "npm", "python", "go", "installs"];

interface Shortened {
  readonly name: string;
  readonly needs: readonly Need[];
  readonly args: readonly string[];
  /** Whether `setup` comes first; it does nothing where all is there. */
  readonly frameworks?: boolean;
  /** Cells that are left. */
  readonly cells: number;
}

/** Longer than a pause of the machine, in which nothing is answered. */
const BRIEFLY = ["--duration", "500ms"];

const SHORTENED: readonly Shortened[] = [
  {
    name: "wiki-caching",
    needs: ["redis"],
    args: ["--only", "scenario=baseline", "--set", "patience=10s"],
    cells: 2,
  },
  {
    name: "wiki-caching",
    needs: ["nginx"],
    args: ["--only", "scenario=gateway", "--set", "patience=10s"],
    cells: 1,
  },
  {
    name: "wiki-users",
    needs: ["redis"],
    args: ["--only", "scenario=reader,scenario=editor,scenario=author"],
    cells: 6,
  },
  {
    name: "scicat-baseline",
    needs: ["nginx", "linux"],
    args: ["--only", "scenario=threads,scenario=files", ...BRIEFLY],
    cells: 4,
  },
  { name: "user-endpoint", needs: ["redis"], args: ["--duration", "1700ms"], cells: 6 },
  { name: "site-caching", needs: [], args: ["--only", "target=cached", ...BRIEFLY], cells: 7 },
  {
    name: "kuffel-walter",
    needs: ["redis", ...FRAMEWORKS],
    args: ["--only", "scenario=redis", ...BRIEFLY],
    frameworks: true,
    cells: 9,
  },
  {
    name: "turbofan",
    needs: FRAMEWORKS,
    args: ["--only", "target=node-http", ...BRIEFLY],
    frameworks: true,
    cells: 8,
  },
  {
    name: "cold-instance",
    needs: FRAMEWORKS,
    args: ["--only", "target=builtin", "--duration", "4s", "--set", "framework=node-http"],
    frameworks: true,
    cells: 2,
  },
  {
    name: "generators",
    needs: ["nginx", "redis-benchmark", "redis"],
    args: ["--only", "target=nginx", ...BRIEFLY],
    cells: 8,
  },
  { name: "streams", needs: [], args: ["--set", "listeners=20", "--set", "stay=3s"], cells: 3 },
];

for (const { name, needs, args, frameworks, cells } of SHORTENED) {
  testWith(
    needs,
    `${name} runs ${args.slice(1, 2)} with the real systems, and tells its claims`,
    async () => {
      if (frameworks) assert.equal((await plateau(["setup", "frameworks"])).code, 0);
      using folder = emptyFolder();
      const flags = ["--out", folder.path, "--repeat", "1", ...args];
      const env = needs.includes("redis-benchmark") ? withFewRequests(folder.path) : {};
      const { stdout } = await exits(0, ["run", name, ...flags], { env });
      const saved = results.parse(
        JSON.parse(Deno.readTextFileSync(join(folder.path, "results.json"))),
      );
      assert.deepEqual(saved.missing, []);
      assert.equal(saved.runs.length, cells);
      for (const run of saved.runs) assertRight(run);
      const page = Deno.readTextFileSync(join(folder.path, "report.html"));
      const { claims = [], published } = saved.experiment;
      assert.deepEqual(saved.verdicts?.map(({ claim }) => claim), claims.map(({ text }) => text));
      assert.match(stdout, new RegExp(`^\\d+ of ${claims.length} claims reproduced`, "m"));
      assert.match(page, /<section id="e1-claims"/);
      if (published === undefined) return;
      assert.match(page, /<section id="e1-published"/);
      assert.match(stdout, /^Published and measured$/m);
    },
  );
}

/** That it was answered, and by nothing but what the scenario expects. */
function assertRight(run: Results["runs"][number]): void {
  const { target, scenario, requests, checks, errors } = run;
  const what = JSON.stringify({ target, scenario, requests, checks, errors });
  assert.ok(requests.completed > 0, what);
  assert.equal(checks.failed, 0, what);
  assert.equal(requests.failed, 0, what);
}

Deno.test("check tells of each built-in experiment what it would run, at each scale", async () => {
  const scaled = Object.keys(experiments).flatMap((name) =>
    (name === "quick" ? [undefined] : ["small", "paper"]).map((scale) => ({ name, scale }))
  );
  for (const { name, scale } of scaled) {
    const set = scale === undefined ? undefined : { scale };
    const experiment = parseExperiment(experiments[name], `${name}.yaml`, { set });
    const flags = scale === undefined ? [] : ["--set", `scale=${scale}`];
    const stdout = await printedBy("check", name, ...flags);
    const number = planCells(experiment).length;
    assert.match(stdout, new RegExp(`^\\d+ runs of ${number} cells, about `, "m"));
  }
});

Deno.test("list experiments tells the study of each, and what --set changes", async () => {
  const stdout = await printedBy("list", "experiments");
  for (const name of Object.keys(experiments)) {
    assert.match(stdout, new RegExp(`^${name} +\\S.*\\?$`, "m"));
  }
  assert.match(stdout, /^ +scale +--set scale=small\|paper \(default: small\)$/m);
  assert.match(stdout, /^ +logging +--set logging=VALUE \(default: off\)$/m);
  assert.match(stdout, /^ +study +P\. Kuffel, B\. Walter: /m);
});
