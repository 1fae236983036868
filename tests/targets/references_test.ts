import { needsOf } from "../../runner/experiment/missing_prerequisites.ts";
import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { planCells } from "../../scenarios/plan/plan.ts";

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
    says: [/^Cannot put a target in front of itself: a → a$/],
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
    what: "HTTP/2, which no gateway speaks to a server",
    targets: {
      a: { command: ["x"], ready: "grpc" },
      b: { proxy: { origin: "a" } },
      c: { cluster: { of: "a" } },
      d: { nginx: { proxy: "a" } },
      e: { command: ["x"], ready: "/health" },
      f: { proxy: { origin: "e" } },
    },
    says: new Array(3).fill(
      /^Cannot put a gateway in front of "a": gateways speak HTTP\/1\.1 to the target behind them, and ready: grpc is /,
    ),
  },
  {
    what: "https, or a unix socket, where it can't reach them",
    targets: {
      a: { url: "https://127.0.0.1:1" },
      b: { nginx: { proxy: "a" } },
      c: { url: "http://127.0.0.1:1" },
      d: { nginx: { proxy: "c" } },
    },
    says: [/^Cannot put nginx in front of "a": it can reach only http:\/\/host:port/],
  },
  {
    what: "several with one port, its own or that of one behind it",
    targets: {
      a: { command: ["x"], env: { PORT: 3999 } },
      b: { cluster: { of: "a" } },
      c: { proxy: { origin: "a" } },
      d: { cluster: { of: "c", instances: 1, add: { at: "1s" } } },
      alone: { cluster: { of: "a", instances: 1 } },
      free: { command: ["x"], env: { PORT: "{port}" } },
      e: { cluster: { of: "free" } },
    },
    says: [
      /^Cannot start instances of "a": they would all have port 3999; write PORT: "\{port\}"/,
      /^Cannot start instances of "c": they would all have port 3999/,
    ],
  },
  {
    what: "a policy where the kernel decides",
    targets: { a: api, b: { cluster: { of: "a", balancer: "reuseport", policy: "random-two" } } },
    says: [/^Cannot use policy with reuseport, where the kernel chooses/],
  },
  {
    what: "instances that share a port, by one of several balancers, though they cannot",
    targets: {
      a: { command: ["node"] },
      b: { cluster: { of: "a", balancer: ["builtin", "reuseport"] } },
    },
    says: [/^Cannot share a port between instances of "a"/],
  },
  {
    what: "instances behind balancers of which one takes no policy or workers",
    targets: {
      a: api,
      b: {
        cluster: { of: "a", balancer: ["nginx", "reuseport"], policy: "round-robin", workers: 2 },
      },
    },
    says: [
      /^Cannot use policy with reuseport, where the kernel chooses/,
      /^Cannot set workers without nginx/,
    ],
  },
  {
    what: "a slow start and a warm-up where nginx or the kernel balances, or none joins",
    targets: {
      a: api,
      b: {
        cluster: { of: "a", balancer: ["builtin", "nginx"], slowStart: "2s", add: { at: "1s" } },
      },
      c: { cluster: { of: "a", balancer: "nginx", add: { at: "1s", warmUp: { duration: "1s" } } } },
      d: { cluster: { of: "a", slowStart: "2s" } },
      e: { cluster: { of: "a", slowStart: ["0s", "2s"], add: { at: "1s" } } },
      f: { cluster: { of: "a", balancer: "nginx", add: { at: "1s", ahead: true } } },
    },
    says: [
      /^Cannot use slowStart here: nginx has it only in its commercial edition/,
      /^Cannot warm up an instance before it joins: with this balancer it gets requests/,
      /^Cannot use slowStart when no instance joins/,
      /^Cannot start an instance ahead: with this balancer it gets requests/,
    ],
  },
  {
    what: "limits of nothing, of too little, and of what is not started here",
    targets: {
      a: { app: "api", limits: {} },
      b: { app: "api", limits: { cpu: 0 } },
      c: { command: ["x"], limits: { memory: "1MB" } },
      d: { command: ["x"], limits: { memory: ["64MB", "lots"] } },
      e: { app: "api", limits: { cpu: [0.5, 1], memory: "512MB" } },
    },
    says: [
      /^Cannot use empty limits: write cpu: 0\.5, memory: 512MB or both/,
      /^Cannot use 0: the minimum is 0\.01/,
      /^Cannot use "1MB" as a limit of memory: write a size of 8MB or more/,
      /^Cannot use "lots" as a limit of memory/,
    ],
  },
  {
    what: "a time-out of nginx without a server behind it",
    targets: { a: { nginx: { root: ".", timeout: "1s" } } },
    says: [
      /^Cannot use timeout without a server behind nginx: leave timeout out, or write proxy: TARGET/,
    ],
  },
  {
    what: "a number of instances in a list that is too many",
    targets: { a: api, b: { cluster: { of: "a", instances: [1, 65] } } },
    says: [/^Cannot use 65: the maximum is 64$/],
  },
  {
    what: "workers in a list of which one is too many",
    targets: { a: api, b: { cluster: { of: "a", balancer: "nginx", workers: ["auto", 500] } } },
    says: [/^Cannot use 500: the maximum is 256$/],
  },
  {
    what: "a variable in a list that is a map",
    targets: { a: { command: ["node"], env: { A: ["x", {}] } } },
    says: [/^Cannot use \{\}: it must be text$/],
  },
  {
    what: "a folder and a proxy at once",
    targets: { a: api, b: { nginx: { proxy: "a", root: "." } } },
    says: [/^Cannot serve both root and proxy: leave one out$/],
  },
  {
    what: "an nginx that serves nothing",
    targets: { b: { nginx: {} } },
    says: [
      /^Cannot run nginx with nothing to serve: write root: FOLDER, files: \{ \/path: text \} or proxy: TARGET$/,
    ],
  },
  {
    what: "files and a folder at once",
    targets: { b: { nginx: { root: ".", files: { "/": "" } } } },
    says: [/^Cannot serve both root and files: leave one out$/],
  },
  {
    what: "files at paths that are none",
    targets: {
      b: { nginx: { files: { "a.html": "", "/../a": "", "/a//b": "", "/a?b": "", "/.a": "" } } },
    },
    says: ["a\\.html", "/\\.\\./a", "/a//b", "/a\\?b"].map((path) =>
      new RegExp(`^Cannot serve a file at "${path}": write a path, such as /page.html, or / for`)
    ),
  },
  {
    what: "files in each other's place",
    targets: { b: { nginx: { files: { "/": "", "/index.html": "", "/a": "", "/a/b": "" } } } },
    says: [
      /^Cannot serve both \/index\.html and \/: they would be the same file, or a file and a folder of one name$/,
      /^Cannot serve both \/a\/b and \/a: they would be the same file, or a file and a folder of one name$/,
    ],
  },
  {
    what: "no files",
    targets: { b: { nginx: { files: {} } } },
    says: [/^Cannot serve an empty list of files: name a file$/],
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

Deno.test("the forms of docs/targets.md are right, with their defaults", () => {
  const parsed = parseExperiment(
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
  const { proxied, grown, files } = parsed.targets;
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
  const needs = planCells(parsed)
    .map(({ target, targetSpec, others }) => [target, needsOf(targetSpec, others)]);
  assert.deepEqual(Object.fromEntries(needs), {
    express: [],
    proxied: ["redis"],
    balanced: ["nginx"],
    grown: ["redis"],
    files: ["nginx"],
    before: ["nginx"],
  });
});
