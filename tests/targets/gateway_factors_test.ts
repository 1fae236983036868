import assert from "node:assert/strict";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { type Cell, planCells } from "../../scenarios/plan/plan.ts";

const api = { app: "api" };

/** The cells of one target. */
function cellsOf(name: string, targets: Record<string, unknown>): Cell[] {
  const experiment = { name: "x", targets, scenarios: { all: { get: "/" } } };
  return planCells(parseExperiment(JSON.stringify(experiment), "a.json"))
    .filter(({ target }) => target === name);
}

Deno.test("a front varies as what stands behind it does, and takes that with it", () => {
  const cells = cellsOf("cached", {
    logged: { app: "api", set: { log: ["on", "off"] } },
    several: { cluster: { of: "logged" } },
    cached: { proxy: { origin: "several" } },
  });
  assert.deepEqual(cells.map(({ parameters }) => parameters), [{ "set.log": "on" }, {
    "set.log": "off",
  }]);
  assert.deepEqual(cells.map(({ others }) => Object.keys(others).sort()), [
    ["logged", "several"],
    ["logged", "several"],
  ]);
  assert.deepEqual(cells.map(({ others }) => others.logged), [
    { app: "api", set: { log: "on" } },
    { app: "api", set: { log: "off" } },
  ]);
});

Deno.test("a list in the lines of a cluster or a proxy makes a factor, with values as they are written", () => {
  const cells = cellsOf("cached", {
    api,
    several: { cluster: { of: "api", instances: [1, 4], balancer: "nginx", workers: ["auto", 2] } },
    cached: { proxy: { origin: "several", store: ["memory", "redis"], ttl: ["50ms", "1m"] } },
  });
  assert.equal(cells.length, 16);
  assert.deepEqual(cells[0].parameters, {
    "cluster.instances": 1,
    "cluster.workers": "auto",
    "proxy.store": "memory",
    "proxy.ttl": "50ms",
  });
  assert.equal(new Set(cells.map(({ parameters }) => JSON.stringify(parameters))).size, 16);
  const { targetSpec, others, parameters } = cells[15];
  assert.deepEqual(parameters, {
    "cluster.instances": 4,
    "cluster.workers": 2,
    "proxy.store": "redis",
    "proxy.ttl": "60s",
  });
  assert.ok("proxy" in targetSpec && "cluster" in others.several);
  assert.deepEqual([targetSpec.proxy.store, targetSpec.proxy.ttl], ["redis", 60_000]);
  assert.deepEqual([others.several.cluster.instances, others.several.cluster.workers], [4, 2]);
});

Deno.test("a front that varies in what one behind it varies in, too, has the name before that one's path", () => {
  const cells = cellsOf("outer", {
    api,
    inner: { proxy: { origin: "api", store: ["memory", "redis"] } },
    outer: { proxy: { origin: "inner", store: ["redis", "memory"] } },
  });
  assert.deepEqual(cells.map(({ parameters }) => parameters), [
    { "inner.proxy.store": "memory", "proxy.store": "redis" },
    { "inner.proxy.store": "memory", "proxy.store": "memory" },
    { "inner.proxy.store": "redis", "proxy.store": "redis" },
    { "inner.proxy.store": "redis", "proxy.store": "memory" },
  ]);
});

Deno.test("a variable of a program may be a list, a number or a switch, and is text where it starts", () => {
  const command = ["node", "server.js"];
  const cells = cellsOf("behind", {
    ours: { command, env: { UV_THREADPOOL_SIZE: [4, 16], MODE: "fast", DEBUG: false } },
    behind: { nginx: { proxy: "ours" } },
  });
  assert.deepEqual(cells.map(({ parameters }) => parameters), [
    { "env.UV_THREADPOOL_SIZE": 4 },
    { "env.UV_THREADPOOL_SIZE": 16 },
  ]);
  assert.deepEqual(cells.map(({ others }) => Reflect.get(others.ours, "env")), [
    { UV_THREADPOOL_SIZE: "4", MODE: "fast", DEBUG: "false" },
    { UV_THREADPOOL_SIZE: "16", MODE: "fast", DEBUG: "false" },
  ]);
});
