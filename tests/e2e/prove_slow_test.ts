/** Where answers are proved, and what a run finds in Redis of those before it. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readStat } from "../../base/system/processes.ts";
import { type Results, results } from "../../runner/result/result.ts";
import { connectRedis } from "../../targets/redis/client.ts";
import { needing, testWith } from "../needs.ts";
import { withFewRequests } from "../targets/fixtures/few_requests.ts";
import { startRedis } from "../targets/fixtures/own_redis.ts";
import { until } from "./patience.ts";
import { emptyFolder, type Ended, Plateau, plateau } from "./plateau.ts";

const withRedis = needing("redis");
const withRedisAndLinux = needing("redis", "linux");

interface Outcome extends Ended {
  readonly saved: Results;
}

async function run(
  experiment: Record<string, unknown>,
  { args = [], env }: { args?: string[]; env?: Record<string, string> } = {},
): Promise<Outcome> {
  using folder = emptyFolder();
  const file = join(folder.path, "a.json");
  Deno.writeTextFileSync(file, JSON.stringify({ name: "a", ...experiment }));
  const ended = await plateau(["run", file, "--out", folder.path, ...args], { env });
  const text = readFileSync(join(folder.path, "results.json"), "utf8");
  return { ...ended, saved: results.parse(JSON.parse(text)) };
}

/**
 * The limit and the cache of the user study: the first request is slow, five are answered. It ends with its
 * last answer, however slow that is.
 */
const LIMITED = {
  targets: {
    user: {
      app: "user",
      set: { delay: "1s", cache: "redis", rateLimit: { store: "redis", limit: 5, window: "60s" } },
    },
  },
  scenarios: { user: { get: "/user", expect: { status: [200, 429] } } },
  load: { connections: 10, requests: 100 },
  repeat: 2,
};

withRedis.test("proved apart, a limit and a cache in Redis are untouched when each run begins", async () => {
  await using redis = await startRedis(); // given, so only keys of ours are taken away
  const client = await connectRedis(redis.url);
  await client.mSet({ "somebody:else": "1", "plateau:proxy:an-earlier-run": "1" });
  const { saved, code, stderr } = await run({ ...LIMITED, prove: "apart" }, {
    args: ["--redis", redis.url],
  });
  assert.equal(code, 0, stderr);
  assert.deepEqual(saved.runs.map(({ status }) => status["200"]), [5, 5]);
  for (const { service, requests, status } of saved.runs) {
    assert.ok(service.max >= 1_000, `${service.max} ms`);
    assert.deepEqual([requests.completed, status["429"]], [100, 95]);
  }
  const kept = await client.mGet(["somebody:else", "plateau:proxy:an-earlier-run"]);
  assert.deepEqual(kept, ["1", null]);
  client.destroy();
});

withRedis.test("proved here, the proof counts against the limit and warms the cache", async () => {
  await using redis = await startRedis();
  const { saved, code, stderr } = await run({ ...LIMITED, repeat: 1 }, {
    args: ["--redis", redis.url],
  });
  assert.equal(code, 0, stderr);
  const [{ status, service }] = saved.runs;
  assert.equal(status["200"], 4);
  assert.ok(service.max < 1_000, `${service.max} ms`);
});

Deno.test("a target that answers wrong apart is not measured at any repetition", async () => {
  const { saved, code } = await run({
    targets: { api: { app: "api" } },
    scenarios: { static: { get: "/static", expect: { body: "right" } }, fib: { get: "/fib" } },
    load: { connections: 1, requests: 20 },
    repeat: 2,
    prove: "apart",
  });
  assert.equal(code, 3);
  assert.deepEqual(saved.runs.map(({ scenario }) => scenario), ["fib", "fib"]);
  const reasons = saved.missing.map(({ scenario, reason }) => `${scenario}: ${reason}`);
  assert.equal(reasons.length, 2);
  assert.match(
    reasons[0],
    /^static: .*GET \/static got a wrong response: expected body "right", got ".*ok/,
  );
  assert.equal(reasons[1], reasons[0]);
});

const SHORT = {
  targets: { api: { app: "api" } },
  scenarios: { static: { get: "/static" } },
  load: { connections: 1, requests: 20 },
  repeat: 1,
};

testWith(["redis", "redis-benchmark"], "ceilings are measured once, before the runs", async () => {
  using folder = emptyFolder();
  const env = withFewRequests(folder.path);
  const { saved, code, stderr } = await run({ ...SHORT, ceilings: ["generator", "redis"] }, {
    env,
  });
  assert.equal(code, 0, stderr);
  const { generator, redis } = saved.peakThroughput ?? {};
  assert.ok(generator && generator.perSec > 1_000);
  assert.ok(redis && redis.perSec > 1_000);
  assert.match(redis.by, /-benchmark \d/);
  assert.match(stderr, /Measuring the peak throughput of Redis with redis-benchmark/);
});

withRedisAndLinux.test("what measures Redis is soon gone when Plateau is killed", async () => {
  await using redis = await startRedis();
  using folder = emptyFolder();
  const pidFile = join(folder.path, "pid");
  const stalled =
    `#!/bin/sh\n[ "$1" = --version ] || { echo $$ > '${pidFile}'; exec sleep 600; }\n`;
  Deno.writeTextFileSync(join(folder.path, "redis-benchmark"), stalled, { mode: 0o755 });
  const file = join(folder.path, "measured.json");
  Deno.writeTextFileSync(file, JSON.stringify({ name: "measured", ...SHORT, ceilings: ["redis"] }));
  const args = ["run", file, "--out", join(folder.path, "out"), "--redis", redis.url];
  const env = { PATH: `${folder.path}:${Deno.env.get("PATH")}` };
  await using program = new Plateau(args, { env });
  const pid = await program.until("it is measured", () => {
    return existsSync(pidFile) && Number(readFileSync(pidFile, "utf8"));
  });
  program.kill("SIGKILL");
  await program.ended;
  await until("it is gone", () => (readStat(Number(pid))?.state ?? "Z") === "Z");
});

Deno.test("a ceiling that cannot be measured is null, with a note", async () => {
  const { saved, code, stderr } = await run({ ...SHORT, ceilings: ["redis"] }, {
    env: { PATH: "/nonexistent" },
    args: [],
  });
  assert.equal(code, 0, stderr);
  assert.deepEqual(saved.peakThroughput, { redis: null });
  assert.match(
    stderr,
    /Cannot measure the peak throughput of Redis: (?:there is no Redis|.*not on PATH)/,
  );
});
