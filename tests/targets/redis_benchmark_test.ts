import assert from "node:assert/strict";
import { benchmarkRedis, perSecIn } from "../../targets/redis/benchmark.ts";
import { needing } from "../needs.ts";
import { startRedis } from "./fixtures/own_redis.ts";

const withRedisAndRedisBenchmark = needing("redis", "redis-benchmark");
const withRedisBenchmark = needing("redis-benchmark");

const HEADER = '"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms"';
const { signal } = new AbortController();

Deno.test("requests/s are read from what redis-benchmark prints, old and new", () => {
  assert.equal(perSecIn(`${HEADER}\n"GET","120192.30","0.223","0.056","0.215"\n`), 120_192.3);
  assert.equal(perSecIn('"GET","98039.22"\n'), 98_039.22);
});

for (
  const csv of ["", `${HEADER}\n`, '"SET","98039.22"\n', '"GET","many"\n', '"GET","0"\n', '"GET"\n']
) {
  Deno.test(`${JSON.stringify(csv)} is no figure of redis-benchmark`, () => {
    assert.throws(() => perSecIn(csv), /printed no figure for GET/);
  });
}

withRedisAndRedisBenchmark.test("what Redis can answer is measured by redis-benchmark", async () => {
  await using redis = await startRedis();
  const { perSec, rounds, by } = await benchmarkRedis(redis.url, { signal, requests: 5_000 });
  assert.ok(perSec > 1_000, `${perSec} requests/s`);
  assert.equal(rounds.length, 3);
  assert.ok(perSec >= Math.min(...rounds) && perSec <= Math.max(...rounds));
  assert.match(
    by,
    /^(?:redis|valkey)-benchmark \d\S+: GET, 50 connections, no pipelining, 5000 requests$/,
  );
});

withRedisBenchmark.test("a Redis that is gone has no figure, and the reason is told", async () => {
  await assert.rejects(benchmarkRedis("redis://127.0.0.1:1", { signal }), /127\.0\.0\.1:1/);
});

withRedisAndRedisBenchmark.test("what measures Redis ends when the user interrupts", async () => {
  await using redis = await startRedis();
  const signal = AbortSignal.abort(new Error("interrupted"));
  await assert.rejects(benchmarkRedis(redis.url, { signal }), /interrupted/);
});

Deno.test("a Redis with a password or TLS is not measured, and the reason is told", async () => {
  const env = { PATH: Deno.env.get("PATH") ?? "" };
  await assert.rejects(
    benchmarkRedis("redis://:secret@127.0.0.1:1", { signal, env }),
    /which everybody on the machine can read|not on PATH/,
  );
});

Deno.test("without redis-benchmark the reason says how to get it", async () => {
  const measured = benchmarkRedis("redis://127.0.0.1:1", { signal, env: { PATH: "/nowhere" } });
  await assert.rejects(
    measured,
    /neither redis-benchmark .* is on PATH \(apt-get install redis-tools\)/,
  );
});
