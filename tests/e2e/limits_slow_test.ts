/** Targets with limits of CPU and memory, by real control groups. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeLimitGroup, removeLimitGroup } from "../../base/system/cgroup.ts";
import { type Results, results } from "../../runner/result/result.ts";
import { needing } from "../needs.ts";
import { until } from "./patience.ts";
import { emptyFolder, type Ended, Plateau, plateau } from "./plateau.ts";

const withCgroups = needing("cgroups");

const GREEDY = `
  const held = [];
  Deno.serve({ port: Number(Deno.args[0]), hostname: "127.0.0.1", onListen() {} }, () => {
    for (let n = 0; n < 8; n++) held.push(new Uint8Array(4e6).fill(1));
    return new Response("a");
  });
`;

function experiment(targets: Record<string, unknown>): Record<string, unknown> {
  return {
    name: "limited",
    targets,
    scenarios: { a: { get: "/" } },
    load: { connections: 4, duration: "2s" },
    repeat: 1,
  };
}

async function runOnce(
  targets: Record<string, unknown>,
): Promise<Ended & { readonly saved: Results }> {
  using folder = emptyFolder();
  const file = join(folder.path, "a.json");
  Deno.writeTextFileSync(file, JSON.stringify(experiment(targets)));
  const ended = await plateau(["run", file, "--out", folder.path]);
  const text = readFileSync(join(folder.path, "results.json"), "utf8");
  return { ...ended, saved: results.parse(JSON.parse(text)) };
}

/** Those of any Plateau, in the folders in which ours makes them. */
function groupsOf(pid: number): string[] {
  const own = makeLimitGroup({ cores: 1, memory: 1_000_000_000 });
  const found = own.flatMap((folder) =>
    [...Deno.readDirSync(join(folder, ".."))].map(({ name }) => name)
      .filter((name) => name.startsWith(`plateau-limits-${pid}-`))
  );
  removeLimitGroup(own);
  return found;
}

withCgroups.test("a target keeps to its share of a core, as a factor, and says nothing of throttling", async () => {
  const app = {
    app: "work",
    set: { cpuTime: "5ms" },
    limits: { cpu: [0.1, 0.4], memory: "400MB" },
  };
  const { code, stderr, saved } = await runOnce({ app });
  assert.equal(code, 0, stderr);
  const cores = saved.runs.map(({ parameters, resources }) => {
    const mean = resources.reduce((sum, { cpu }) => sum + cpu, 0) / resources.length;
    return { limit: Number(parameters["limits.cpu"]), mean };
  }).sort((a, b) => a.limit - b.limit);
  assert.deepEqual(cores.map(({ limit }) => limit), [0.1, 0.4]);
  for (const { limit, mean } of cores) assert.ok(mean <= 1.2 * limit, `${mean} of ${limit}`);
  const codes = saved.runs.flatMap(({ generator }) => generator.findings.map((one) => one.code));
  assert.ok(!codes.includes("target-throttled"), String(codes));
});

withCgroups.test("a target that takes more memory than it may is ended, and the run says so", async () => {
  const command = [Deno.execPath(), "eval", GREEDY, "{port}"];
  const { code, stderr, saved } = await runOnce({
    greedy: { command, limits: { memory: "250MB" } },
  });
  assert.equal(code, 3, stderr);
  assert.deepEqual(saved.runs, []);
  assert.match(
    stderr,
    /target greedy (was ended by SIGKILL|exited with code 137) while it was loaded/,
  );
});

withCgroups.test("nothing is left of a limit when Plateau itself is killed", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "a.json");
  const limits = { cpu: 0.5, memory: "400MB" };
  Deno.writeTextFileSync(file, JSON.stringify(experiment({ app: { app: "work", limits } })));
  await using running = new Plateau(["run", file, "--out", folder.path]);
  const { pid } = running;
  await until("the group is there", () => groupsOf(pid).length > 0);
  running.kill("SIGKILL");
  await until("the group is gone", () => groupsOf(pid).length === 0);
});
