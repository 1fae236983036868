/** Every kind of target that ships, as an experiment file names it, with the real Redis and nginx. */
import { frameworkNames } from "../../base/target/app_settings.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { installedAt } from "../../targets/frameworks/install.ts";
import { needing, testWith } from "../needs.ts";
import { emptyFolder, exits } from "../e2e/plateau.ts";

const withRedis = needing("redis");
const withLinuxAndRedisAndNginx = needing("linux", "redis", "nginx");

/** Runs a file of fixtures/; every answer is right. */
async function runFile(name: string): Promise<Results> {
  using folder = emptyFolder();
  const file = join(import.meta.dirname ?? "", "fixtures", name);
  await exits(0, ["run", file, "--out", folder.path]);
  const text = readFileSync(join(folder.path, "results.json"), "utf8");
  const saved = results.parse(JSON.parse(text));
  for (const { target, scenario, requests, checks } of saved.runs) {
    assert.ok(requests.completed > 0 && requests.failed === 0, `${target}, ${scenario}`);
    assert.equal(checks.failed, 0, `${target}, ${scenario}`);
  }
  return saved;
}

/** What was measured, sorted. */
function cellsOf({ runs }: Results): string[] {
  return runs.map(({ target, scenario, parameters }) =>
    `${target} ${scenario} ${JSON.stringify(parameters)}`
  ).sort();
}

withRedis.test("run measures user, wiki and site, each with its settings as factors", async () => {
  const saved = await runFile("apps.yaml");
  assert.deepEqual(saved.missing, []);
  assert.deepEqual(cellsOf(saved), [
    'limited user {"set.cache":"none"}',
    'limited user {"set.cache":"redis"}',
    "site page {}",
    'wiki read {"set.renderCache":"off"}',
    'wiki read {"set.renderCache":"on"}',
    'wiki session {"set.renderCache":"off"}',
    'wiki session {"set.renderCache":"on"}',
  ]);
});

withLinuxAndRedisAndNginx.test("run measures proxies, clusters and nginx, each with its settings as factors", async () => {
  const saved = await runFile("fronts.yaml");
  assert.deepEqual(saved.missing, []);
  assert.deepEqual(cellsOf(saved), [
    "behind user {}",
    "files file {}",
    'proxied user {"proxy.store":"memory"}',
    'proxied user {"proxy.store":"redis"}',
    "shared user {}",
    'twice user {"cluster.balancer":"builtin"}',
    'twice user {"cluster.balancer":"nginx"}',
    'twice user {"cluster.balancer":"reuseport"}',
  ]);
  const medians = new Map(
    saved.runs.map(({ target, latency }) => [target, latency.percentiles["50"]]),
  );
  for (const [target, isCached] of [["proxied", true], ["shared", true], ["twice", false]]) {
    const median = medians.get(String(target)) ?? NaN;
    assert.equal(median < 200, isCached, `${target}: ${median} ms, where the origin takes 200`);
  }
});

testWith(
  installedAt("node-http") === null ? ["redis", "node", "npm", "installs"] : ["redis", "node"],
  "run measures the servers of the frameworks study, and leaves out those that are not installed",
  async () => {
    await exits(0, ["setup", "frameworks", "node-http"]);
    const saved = await runFile("frameworks.yaml");
    const installed = frameworkNames.filter((name) => installedAt(name) !== null);
    const measured = new Set(saved.runs.map(({ target }) => target));
    assert.deepEqual([...measured].sort(), ["hono", ...installed].sort());
    assert.ok(saved.missing.every(({ kind }) => kind === "skipped"));
    const cells = cellsOf(saved);
    for (const name of ["hono", "node-http"]) {
      assert.ok(cells.includes(`${name} redis {}`) && cells.includes(`${name} static {}`), name);
    }
  },
);
