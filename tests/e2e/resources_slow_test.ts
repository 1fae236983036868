/** What targets use, as the results of a real run have it: the whole, its parts, and Redis. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Part, results, type Run } from "../../runner/result/result.ts";
import { startRedis } from "../targets/fixtures/own_redis.ts";
import { needing, testWith } from "../needs.ts";
import { emptyFolder, exits } from "./plateau.ts";

const withLinuxAndNginx = needing("linux", "nginx");

interface Outcome {
  readonly run: Run;
  readonly printed: string;
}

async function measure(experiment: object, args: readonly string[] = []): Promise<Outcome> {
  using folder = emptyFolder();
  const file = join(folder.path, "a.json");
  const load = { connections: 8, requests: 5_000 }; // CPU time enough that the system counts it
  Deno.writeTextFileSync(file, JSON.stringify({ name: "a", load, repeat: 1, ...experiment }));
  const { stdout } = await exits(0, ["run", file, "--out", folder.path, ...args]);
  const saved = results.parse(JSON.parse(readFileSync(join(folder.path, "results.json"), "utf8")));
  assert.equal(saved.runs.length, 1);
  return { run: saved.runs[0], printed: stdout };
}

function cpuSeconds(points: Run["resources"]): number {
  return points.reduce(
    (sum, { endS, cpu }, i) => sum + cpu * (endS - (points[i - 1]?.endS ?? 0)),
    0,
  );
}

function partNamed(name: string, { parts = [] }: Run): Part {
  const part = parts.find((part) => part.name === name);
  assert.ok(part, `${name} is none of ${parts.map(({ name }) => name)}`);
  return part;
}

withLinuxAndNginx.test("nginx and the instances behind it are told apart, and add up to the target", async () => {
  const { run, printed } = await measure({
    targets: {
      app: { app: "work" },
      several: { cluster: { of: "app", instances: 2, balancer: "nginx", workers: 2 } },
    },
    scenarios: { a: { get: "/", targets: ["several"] } },
  });
  const [front, behind] = [partNamed("nginx", run), partNamed("app", run)];
  assert.deepEqual([front.role, behind.role], ["gateway", "upstream"]);
  assert.equal(run.parts?.length, 2);
  for (const [i, whole] of run.resources.entries()) {
    const [nginx, app] = [front.points[i], behind.points[i]];
    assert.deepEqual([nginx.endS, app.endS], [whole.endS, whole.endS]);
    assert.ok(Math.abs(nginx.cpu + app.cpu - whole.cpu) < 1e-6);
    assert.equal(nginx.memory + app.memory, whole.memory);
    // A master and two workers, and whatever threads the runtime has.
    assert.equal(nginx.threads, 3);
    assert.ok((app.threads ?? 0) >= 4);
    assert.ok((whole.files ?? 0) > 20 && whole.switches !== undefined);
  }
  assert.ok(cpuSeconds(front.points) > 0 && cpuSeconds(behind.points) > 0);
  // The last look is when the load is over, or as soon as the machine comes to it.
  const lastT = run.resources.at(-1)?.endS ?? 0;
  assert.ok(lastT >= run.elapsedS && lastT < run.elapsedS + 2, `${lastT} of ${run.elapsedS} s`);
  assert.match(printed, /Per CPU-second, several served [\d,.]+ requests/);
});

const WITH_REDIS = {
  targets: { api: { app: "api" } },
  scenarios: { redis: { get: "/redis", needs: ["redis"] } },
};

testWith(["linux", "redis"], "the Redis of a run is watched beside the target", async () => {
  const { run, printed } = await measure(WITH_REDIS);
  const { role, points } = partNamed("Redis", run);
  assert.equal(role, "redis");
  assert.ok(cpuSeconds(points) > 0);
  assert.ok(points.every(({ memory }) => memory > 1_000_000));
  assert.match(printed, /Redis of api: [\d.]+ cores\./);
  assert.doesNotMatch(printed, /Redis of api:[^.]*\.?[^.]*requests\sper/);
});

testWith(["redis"], "a Redis that was given is asked what it uses", async () => {
  await using redis = await startRedis();
  const { run } = await measure(WITH_REDIS, ["--redis", redis.url]);
  const { points } = partNamed("Redis", run);
  assert.ok(cpuSeconds(points) > 0);
  assert.ok(points.every(({ threads, user }) => threads === undefined && user !== undefined));
});

testWith(["linux"], "a target that is one alone has no parts", async () => {
  const { run } = await measure({
    targets: { app: { app: "work" } },
    scenarios: { a: { get: "/" } },
  });
  assert.equal(run.parts, undefined);
  assert.ok(cpuSeconds(run.resources) > 0);
});
