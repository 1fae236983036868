import assert from "node:assert/strict";
import { TargetError, UserError } from "../../base/errors.ts";
import { api } from "../../targets/apps/api.ts";
import { descendantsOf, readStat } from "../../base/system/processes.ts";
import { type ProvidedRedis, provideRedis } from "../../targets/redis/provide.ts";
import { connectRedis, printableUrl } from "../../targets/redis/client.ts";
import { needing } from "../needs.ts";
import { emptyFolder } from "../e2e/plateau.ts";

const withRedis = needing("redis");
const withRedisAndLinux = needing("redis", "linux");
const withLinux = needing("linux");

const NOWHERE = "redis://127.0.0.1:1";
const { signal } = new AbortController();

async function besidePrivateRedis(body: (redis: ProvidedRedis) => Promise<void>): Promise<void> {
  const redis = await provideRedis({ url: null, signal, wellKnownUrl: NOWHERE });
  assert.ok(redis);
  try {
    await body(redis);
  } finally {
    await redis.stop();
  }
}

withRedis.test("a private Redis is started when there is no other; it writes nothing to disk", async () => {
  await besidePrivateRedis(async (redis) => {
    assert.equal(redis.kind, "private");
    assert.match(redis.version, /^\d+\.\d+/);
    assert.ok(redis.pid !== null && redis.supervised);
    const client = await connectRedis(redis.url);
    const { save, appendonly, bind } = await client.configGet(["save", "appendonly", "bind"]);
    assert.deepEqual([save, appendonly, bind], ["", "no", "127.0.0.1"]);
    client.destroy();
  });
});

withRedisAndLinux.test("a private Redis is gone after stop, which may be called twice", async () => {
  await besidePrivateRedis(async (redis) => {
    const pids = [redis.pid ?? 0, ...descendantsOf(redis.pid ?? 0)];
    assert.equal(pids.length, 2, "the supervisor and the server");
    await Promise.all([redis.stop(), redis.stop()]);
    assert.deepEqual(pids.map(readStat), [null, null]);
    await assert.rejects(connectRedis(redis.url), TargetError);
  });
});

withRedis.test("a Redis that is found or given is used, and left alone by stop", async () => {
  await besidePrivateRedis(async ({ url }) => {
    const found = await provideRedis({ url: null, signal, wellKnownUrl: url });
    const given = await provideRedis({ url, signal, wellKnownUrl: NOWHERE });
    assert.deepEqual([found?.kind, found?.pid, found?.url], ["found", null, url]);
    assert.deepEqual([given?.kind, given?.pid, given?.url], ["given", null, url]);
    await found?.stop();
    await given?.stop();
    (await connectRedis(url)).destroy();
  });
});

withRedis.test("forget() takes all from a private Redis, from others what is ours", async () => {
  await besidePrivateRedis(async (redis) => {
    const client = await connectRedis(redis.url);
    const keys = ["plateau:user:limit:127.0.0.1", "plateau:proxy:a", "plateau:counter", "theirs"];
    const fill = (): Promise<unknown> =>
      client.mSet(Object.fromEntries(keys.map((key) => [key, "1"])));
    const given = await provideRedis({ url: redis.url, signal });
    await fill();
    await given?.forget();
    assert.deepEqual((await client.keys("*")).sort(), ["plateau:counter", "theirs"]);
    await fill();
    await redis.forget();
    assert.deepEqual(await client.keys("*"), []);
    client.destroy();
  });
});

withRedis.test("a Redis that does not let us clear it is an error that says so", async () => {
  await besidePrivateRedis(async ({ url }) => {
    const client = await connectRedis(url);
    await client.sendCommand(["ACL", "SETUSER", "default", "-scan"]);
    const given = await provideRedis({ url, signal });
    await assert.rejects(
      given?.forget() ?? Promise.resolve(),
      /^TargetError: Cannot remove what earlier runs have left in Redis at redis:.*: NOPERM/,
    );
    client.destroy();
  });
});

withRedis.test("a found Redis that wants a password is passed over, a given one gets it", async () => {
  await besidePrivateRedis(async ({ url }) => {
    const client = await connectRedis(url);
    await client.configSet("requirepass", "s3cret");
    client.destroy();
    const other = await provideRedis({ url: null, signal, wellKnownUrl: url });
    assert.equal(other?.kind, "private");
    await other?.stop();
    const withPassword = url.replace("//", "//:s3cret@");
    assert.equal((await provideRedis({ url: withPassword, signal }))?.kind, "given");
  });
});

Deno.test("there may be no Redis at all", async () => {
  const options = { url: null, signal, wellKnownUrl: NOWHERE, env: { PATH: "/nowhere" } };
  assert.equal(await provideRedis(options), null);
});

Deno.test("a given Redis that is not there is an error that names it, without its password", async () => {
  await assert.rejects(provideRedis({ url: "redis://me:s3cret@127.0.0.1:1/2", signal }), {
    name: "TargetError",
    message: "Cannot use Redis at redis://127.0.0.1:1/2, because it does not reply to PING: " +
      "connect ECONNREFUSED 127.0.0.1:1",
  });
});

Deno.test("a given server that is silent is an error after 5 s", async () => {
  using silent = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const url = `redis://127.0.0.1:${silent.addr.port}`;
  await assert.rejects(provideRedis({ url, signal }), /^TargetError: .* PING: .*no reply in 5 s$/);
});

Deno.test("a given server that is no Redis is an error", async () => {
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    return new Response();
  });
  const url = `redis://127.0.0.1:${server.addr.port}`;
  await assert.rejects(provideRedis({ url, signal }), TargetError);
});

for (const url of ["localhost:6379", "127.0.0.1", "http://127.0.0.1:6379", ""]) {
  Deno.test(`"${url}" is not read as the address of a Redis`, async () => {
    await assert.rejects(provideRedis({ url, signal }), UserError);
  });
}

Deno.test("printableUrl() leaves out user name and password, nothing else", () => {
  assert.equal(printableUrl("rediss://me:s3cret@host:6380/2"), "rediss://host:6380/2");
  assert.equal(printableUrl("redis://host:6379"), "redis://host:6379");
});

withRedis.test("api reads the key that it has set, and fails at once when Redis is gone", {
  sanitizeOps: false, // the client may be about to dial again when it is closed
  sanitizeResources: false,
  fn: () =>
    besidePrivateRedis(async (redis) => {
      const app = await api.start({ log: false }, { redisUrl: redis.url, log: () => {} });
      const ask = async (): Promise<Response> => await app.fetch(new Request("http://app/redis"));
      const answers = await Promise.all(Array.from({ length: 100 }, ask));
      for (const answer of answers) assert.deepEqual(await answer.json(), { value: "1" });
      await redis.stop();
      assert.equal((await ask()).status, 500);
      await app.close();
    }),
});

withLinux.test("a private Redis that ends at once is an error with its last lines", async () => {
  using folder = emptyFolder();
  const text = "#!/bin/sh\necho out of luck >&2\nexit 1\n";
  Deno.writeTextFileSync(`${folder.path}/redis-server`, text, { mode: 0o755 });
  const env = { PATH: `${folder.path}:/usr/bin:/bin` };
  const options = { url: null, signal, wellKnownUrl: NOWHERE, env };
  const error: unknown = await provideRedis(options).catch((error) => error);
  assert.ok(error instanceof TargetError, `${error}`);
  assert.match(error.message, /^Cannot start a private Redis: it exited with code 1/);
  assert.deepEqual(error.evidence, ["out of luck"]);
});
