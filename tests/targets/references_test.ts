import assert from "node:assert/strict";
import { UserError } from "../../scenarios/errors.ts";
import { parseExperiment } from "../../scenarios/experiment_file.ts";
import { planCells } from "../../scenarios/plan.ts";
import { needsOf } from "../../targets/references.ts";

const experiment = (targets: Record<string, unknown>): string =>
  JSON.stringify({ name: "a", targets, scenarios: { a: { get: "/" } } }, null, 1);

function problemsOf(targets: Record<string, unknown>): string[] {
  try {
    parseExperiment(experiment(targets), "a.json");
    return [];
  } catch (error) {
    assert.ok(error instanceof UserError, String(error));
    return error.problems.map(({ message }) => message.replace(/^targets\S+: /, ""));
  }
}

const api = { app: "api" };
const WRONG: { what: string; targets: Record<string, unknown>; says: RegExp[] }[] = [
  {
    what: "a name that is misspelt",
    targets: { express: api, cached: { proxy: { origin: "expres" } } },
    says: [/^Cannot find target "expres": did you mean "express"\?$/],
  },
  {
    what: "names that are not there, all at once",
    targets: { a: { cluster: { of: "nobody" } }, b: { nginx: { proxy: "else" } } },
    says: [/^Cannot find target "nobody": the targets are a, b$/, /^Cannot find target "else"/],
  },
  {
    what: "itself",
    targets: { a: { proxy: { origin: "a" } } },
    says: [/^Cannot stand in front of itself: a → a$/],
  },
  {
    what: "itself by way of others",
    targets: {
      a: { proxy: { origin: "b" } },
      b: { cluster: { of: "a" } },
      c: { nginx: { proxy: "a" } },
    },
    says: [/itself: a → b → a$/, /itself: b → a → b$/],
  },
  {
    what: "several of a server that already runs",
    targets: { a: { url: "http://127.0.0.1:1" }, b: { cluster: { of: "a" } } },
    says: [/^Cannot start instances of "a": it is a server that already runs$/],
  },
  {
    what: "a shared port of a program",
    targets: { a: { command: ["x"] }, b: { cluster: { of: "a", balancer: "reuseport" } } },
    says: [/^Cannot share a port between instances of "a": only built-in apps can; use balancer: /],
  },
  {
    what: "a policy where the kernel decides",
    targets: { a: api, b: { cluster: { of: "a", balancer: "reuseport", policy: "random-two" } } },
    says: [/^Cannot choose who gets a request with reuseport/],
  },
  {
    what: "a folder and a proxy at once",
    targets: { a: api, b: { nginx: { proxy: "a", root: "." } } },
    says: [/^Cannot serve both root and proxy: leave one out$/],
  },
  {
    what: "an nginx that serves nothing",
    targets: { b: { nginx: {} } },
    says: [/^Cannot tell what nginx serves: write root: FOLDER or proxy: TARGET$/],
  },
  {
    what: "a URL with a path",
    targets: { b: { proxy: { origin: "http://127.0.0.1:1/a" } } },
    says: [/^Cannot use this as an origin: write the name of another target, or http:/],
  },
];

for (const { what, targets, says } of WRONG) {
  Deno.test(`a target in front of ${what} is told of`, () => {
    const problems = problemsOf(targets);
    assert.equal(problems.length, says.length, problems.join("\n"));
    for (const [at, pattern] of says.entries()) assert.match(problems[at], pattern);
  });
}

Deno.test("the forms of the README are right, with their defaults", () => {
  const { targets } = parseExperiment(
    experiment({
      express: api,
      proxied: { proxy: { origin: "express", store: "redis", ttl: "60s", paths: ["/static"] } },
      balanced: {
        cluster: { of: "express", instances: 4, balancer: "nginx", policy: "least-connections" },
      },
      grown: { cluster: { of: "proxied", add: { at: "5s" } } },
      files: { nginx: { root: "./public" } },
      before: { nginx: { proxy: "http://127.0.0.1:8080", workers: 2 } },
    }),
    "a.json",
  );
  const { proxied, balanced, grown, files } = targets;
  assert.deepEqual(proxied, {
    proxy: {
      origin: "express",
      store: "redis",
      ttl: 60_000,
      stale: 0,
      paths: ["/static"],
      singleFlight: true,
      maxBodyBytes: 8_388_608,
    },
  });
  assert.deepEqual(grown, {
    cluster: { of: "proxied", instances: 2, balancer: "builtin", add: { at: 5_000, instances: 1 } },
  });
  assert.deepEqual(files, { nginx: { root: "./public", workers: "auto" } });
  assert.deepEqual(needsOf(grown, targets), ["redis"]);
  assert.deepEqual(needsOf(balanced, targets), ["nginx"]);
});

Deno.test("a front varies as what stands behind it does, and takes that with it", () => {
  const cells = planCells(parseExperiment(
    experiment({
      logged: { app: "api", set: { log: ["on", "off"] } },
      several: { cluster: { of: "logged" } },
      cached: { proxy: { origin: "several" } },
    }),
    "a.json",
  )).filter(({ target }) => target === "cached");
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
