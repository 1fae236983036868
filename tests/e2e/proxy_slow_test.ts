/** The caching proxy under a real load, with a real Redis that dies and comes back. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, results, type Run } from "../../runner/result/result.ts";
import { freePort } from "../../targets/launch/environment.ts";
import { findProgram, needing, testWith } from "../needs.ts";
import { until } from "./patience.ts";
import { emptyFolder, exits, Plateau } from "./plateau.ts";

const withRedis = needing("redis");

const CONNECTIONS = 4;
const LOAD_MS = 3_000;
/** How long the proxy waits for a Redis that says nothing. */
const PATIENCE_MS = 250;
/** As many requests could reach the origin during the load if each waited for the Redis in vain. */
const MOST_IN_VAIN = CONNECTIONS * LOAD_MS / PATIENCE_MS;
/** Requests to the origin that show that the cache does not answer: one asks for all that come meanwhile. */
const SOME = 20;

interface Running {
  readonly program: Plateau;
  results(): Promise<Results>;
}

/** Runs an experiment of one target and one path. */
function run(folder: string, target: unknown, load: unknown, args: string[] = []): Running {
  const file = join(folder, "a.json");
  const scenarios = { a: { get: "/cached", expect: { body: "from the origin" } } };
  const experiment = { name: "a", targets: { a: target }, scenarios, load, repeat: 1 };
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  const program = new Plateau(["run", file, "--out", folder, ...args]);
  return {
    program,
    results: async () => {
      await exits(0, program.ended);
      return results.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
    },
  };
}

/** Those aside that the end of the time found under way, or waiting. */
function assertAllAnswered({ requests, status }: Run): void {
  assert.equal(requests.failed, 0);
  assert.deepEqual(status, { "200": requests.completed });
  assert.ok(requests.unfinished <= CONNECTIONS, `${requests.unfinished} unfinished`);
}

interface CountingOrigin extends AsyncDisposable {
  readonly url: string;
  /** Requests for /cached so far. */
  asked(): number;
}

function countingOrigin(delayMs: number): CountingOrigin {
  let asked = 0;
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      if (new URL(request.url).pathname === "/cached") asked++;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      return new Response("from the origin");
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked: () => asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("1,000 concurrent cold requests reach the origin once", async () => {
  using folder = emptyFolder();
  await using origin = countingOrigin(300);
  const target = { proxy: { origin: origin.url } };
  const { program, results } = run(folder.path, target, { connections: 1_000, requests: 1_000 });
  await using _ = program;
  const [{ requests, status }] = (await results()).runs;
  assert.deepEqual([requests.completed, status], [1_000, { "200": 1_000 }]);
  assert.equal(origin.asked(), 2); // once to prove that it answers right, once under load
});

class RedisServer implements AsyncDisposable {
  readonly url: string;
  #child: Deno.ChildProcess;

  constructor(private readonly port: number) {
    this.url = `redis://127.0.0.1:${port}`;
    this.#child = this.#spawn();
  }

  #spawn(): Deno.ChildProcess {
    return new Deno.Command(findProgram("redis") ?? "redis-server", {
      args: ["--port", `${this.port}`, "--bind", "127.0.0.1", "--save", ""],
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  async answers(): Promise<void> {
    await until(
      "Redis answers",
      () =>
        Deno.connect({ hostname: "127.0.0.1", port: this.port }).then(
          (c) => (c.close(), true),
          () => false,
        ),
    );
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }

  restart(): void {
    this.#child = this.#spawn();
  }

  /** Freezes it: it is there and says nothing. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/** Loads a proxy whose store is Redis. @param during What happens to that under load. */
async function withRedisUnderLoad(
  during: (redis: RedisServer, origin: CountingOrigin) => Promise<void> | void,
): Promise<{ measured: Run; asked: number }> {
  using folder = emptyFolder();
  await using origin = countingOrigin(0);
  await using redis = new RedisServer(freePort());
  await redis.answers();
  const target = { proxy: { origin: origin.url, store: "redis" } };
  const load = { rate: "300/s", connections: CONNECTIONS, duration: `${LOAD_MS}ms` };
  const { program, results } = run(folder.path, target, load, ["--redis", redis.url]);
  await using _ = program;
  await until("the origin is asked under load", () => origin.asked() >= 2);
  await during(redis, origin);
  const [measured] = (await results()).runs;
  return { measured, asked: origin.asked() };
}

withRedis.test("a Redis that is killed and restarted under load loses no request", async () => {
  const { measured, asked } = await withRedisUnderLoad(async (redis, origin) => {
    await redis.kill();
    const whenKilled = origin.asked();
    await until("requests pass through", () => origin.asked() > whenKilled + SOME);
    redis.restart();
  });
  assertAllAnswered(measured);
  assert.ok(asked < measured.requests.completed * 0.9, "it is a cache again");
});

testWith(["redis", "linux"], "a Redis that hangs holds up nobody for long", async () => {
  let whenFrozen = 0;
  const { measured, asked } = await withRedisUnderLoad((redis, origin) => {
    redis.freeze();
    whenFrozen = origin.asked();
  });
  assertAllAnswered(measured);
  assert.ok(asked > whenFrozen + MOST_IN_VAIN, `${asked - whenFrozen} requests passed through`);
});
