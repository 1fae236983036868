/** Experiments whose targets start beside the coordinator, and are loaded by agents. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Results, results } from "../../../runner/result/result.ts";
import { needing } from "../../needs.ts";
import { until } from "../patience.ts";
import { emptyFolder, exits, Plateau } from "../plateau.ts";
import { assertAsked, assertConserved, partOf } from "./conservation.ts";
import { Fleet } from "./fleet.ts";

const withRedis = needing("redis");

/** Two targets × two numbers of connections. */
const EXPERIMENT = {
  name: "together",
  targets: { api: { app: "api" }, other: { app: "api" } },
  scenarios: { static: { get: "/static", expect: { status: 200 } } },
  load: { connections: [3, 5], requests: 200 },
  repeat: 1,
};

function start(fleet: Fleet, folder: string, experiment: unknown): Plateau {
  const file = join(folder, "experiment.json");
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  const flags = ["--agents", "all", "--redis", fleet.redis.url];
  return new Plateau(["run", file, "--out", join(folder, "out"), ...flags]);
}

function saved(folder: string): Results {
  return results.parse(JSON.parse(Deno.readTextFileSync(join(folder, "out/results.json"))));
}

withRedis.test("an experiment runs whole from two agents, whatever its target", async () => {
  using folder = emptyFolder();
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  await exits(0, fleet.endOf(start(fleet, folder.path, EXPERIMENT)));
  const { runs, missing } = saved(folder.path);
  assert.deepEqual([runs.length, missing.length], [4, 0]);
  for (const run of runs) {
    const agents = assertConserved(run);
    assert.deepEqual(agents.map(({ name }) => name), ["a", "b"]);
    assert.deepEqual(run.checks, { passed: 200, failed: 0 });
    assert.ok(run.resources.length > 0, "the target is watched where it runs");
  }
  const page = Deno.readTextFileSync(join(folder.path, "out/report.html"));
  assert.match(page, /\bagents?\b/i);
});

withRedis.test("hooks of every agent have what setup returned, and users of their own", async () => {
  using folder = emptyFolder();
  const seen: string[] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen(): void {} },
    ({ url }) => {
      seen.push(new URL(url).pathname);
      return Response.json({ token: `t${seen.length}` });
    },
  );
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  const file = join(folder.path, "shared.ts");
  const script = `export default {
  name: "shared",
  targets: { here: { url: "http://127.0.0.1:${server.addr.port}" } },
  scenarios: { one: { get: "/", before(request: any, user: any) {
    request.path = "/" + user.data.token + "/" + user.id;
  } } },
  setup: async ({ url }: { url: string }) => await (await fetch(url + "/login")).json(),
  load: { connections: 4, requests: 40 },
  repeat: 1,
};
`;
  Deno.writeTextFileSync(file, script);
  const flags = ["--agents", "all", "--redis", fleet.redis.url];
  await exits(
    0,
    fleet.endOf(new Plateau(["run", file, "--out", join(folder.path, "out"), ...flags])),
  );
  const [run] = saved(folder.path).runs;
  assert.deepEqual(assertConserved(run).map(({ name }) => name), ["a", "b"]);
  assert.equal(seen.filter((path) => path === "/login").length, 1);
  const token = `t${seen.indexOf("/login") + 1}`;
  const users = new Set(seen.filter((path) => path.startsWith(`/${token}/`)));
  assert.deepEqual([...users].toSorted(), [0, 1, 2, 3].map((id) => `/${token}/${id}`));
});

withRedis.test("what an agent tells late of a run that is over is left out of the next", async () => {
  using folder = emptyFolder();
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  const url = fleet.witness.origin;
  await using coordinator = start(fleet, folder.path, {
    name: "late",
    targets: { witness: { url } },
    scenarios: { any: { get: "/" } },
    load: { rate: "200/s", connections: 121, duration: "2s" },
    repeat: 2,
    order: "sequential",
  });
  await fleet.loads(coordinator, 20);
  fleet.agents.b.program.kill("SIGSTOP");
  await until("the first run is saved", () => isSaved(folder.path));
  fleet.agents.b.program.kill("SIGCONT");
  const { code, stderr } = await fleet.endOf(coordinator);
  assert.equal(code, 0, [stderr, ...fleet.said()].join("\n"));
  await fleet.agents.b.program.prints(
    /results are discarded: its coordinator has continued without this agent/,
  );
  const [first, second] = saved(folder.path).runs;
  assert.ok(partOf(assertConserved(first), "b").lost);
  assertAsked(second, 200, 2);
  // What a busy machine never sent is in it, too, as lower bounds.
  assert.equal(second.latency.count, second.requests.due);
});

withRedis.test("an experiment is gone on with from as many agents, or not at all", async () => {
  using folder = emptyFolder();
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  const url = fleet.witness.origin;
  await using coordinator = start(fleet, folder.path, {
    name: "interrupted",
    targets: { witness: { url } },
    scenarios: { any: { get: "/" } },
    load: { rate: "50/s", connections: 3, duration: "1s" },
    repeat: 2,
  });
  const out = join(folder.path, "out");
  await until("the first run is saved", () => isSaved(folder.path));
  coordinator.kill("SIGINT");
  assert.equal((await fleet.endOf(coordinator)).code, 130);
  const redis = ["--redis", fleet.redis.url];
  const refused: [args: string[], why: RegExp][] = [
    [[], /^--agents: Cannot reach agents without the Redis in which they are registered/],
    [[...redis, "--agents", "1"], /^--agents: Cannot change this to 1 .* it was all/],
  ];
  for (const [args, why] of refused) {
    const { stderr } = await exits(2, ["run", "--resume", out, ...args]);
    assert.match(stderr, why);
  }
  await exits(0, ["run", "--resume", out, ...redis]);
  const { runs } = saved(folder.path);
  assert.deepEqual(runs.map(({ agents }) => agents?.length), [2, 2]);
});

function isSaved(folder: string): boolean {
  try {
    return saved(folder).runs.length === 1;
  } catch {
    return false; // not yet, or not whole
  }
}
