import assert from "node:assert/strict";
import { connectRedis } from "../../targets/redis/client.ts";
import { needing } from "../needs.ts";
import { Forwarder } from "../e2e/fleet/forwarder.ts";
import { startNetwork } from "../e2e/fleet/namespaces.ts";
import { RedisServer } from "../e2e/fleet/redis_server.ts";

const withNetns = needing("netns");
const withRedis = needing("redis");

const DELAY_MS = 20;

/** Round trips of TCP from each machine to the tests' own. */
async function roundTripsMs(through: readonly string[], address: string): Promise<number[]> {
  const listener = Deno.listen({ hostname: address, port: 0 });
  const echoing = (async () => {
    for await (const connection of listener) await connection.readable.pipeTo(connection.writable);
  })();
  const program = `
    const connection = await Deno.connect({ hostname: "${address}", port: ${listener.addr.port} });
    const times = [];
    for (let i = 0; i < 10; i++) {
      const start = performance.now();
      await connection.write(new Uint8Array(1));
      await connection.read(new Uint8Array(1));
      times.push(performance.now() - start);
    }
    connection.close();
    console.log(JSON.stringify(times));`;
  const [command, ...args] = [...through, Deno.execPath(), "eval", program];
  const { stdout } = await new Deno.Command(command, { args }).output();
  listener.close();
  await echoing;
  return JSON.parse(new TextDecoder().decode(stdout));
}

withNetns.test("a machine's delay is in every round trip of it, and in none of others", async () => {
  await using network = await startNetwork([0, DELAY_MS]);
  const [near, far] = await Promise.all(
    network.machines.map(({ through }) => roundTripsMs(through, network.address)),
  );
  assert.ok(Math.min(...near) < DELAY_MS / 2, `${near} ms`);
  assert.ok(Math.min(...far) >= DELAY_MS, `${far} ms`);
  assert.ok(Math.min(...far) < 2 * DELAY_MS, `${far} ms`);
});

withNetns.test("nothing of a network is left", async () => {
  const list = (): string => {
    const { stdout } = new Deno.Command("ip", { args: ["link"] }).outputSync();
    return new TextDecoder().decode(stdout);
  };
  {
    await using network = await startNetwork([0, DELAY_MS]);
    assert.equal(network.machines.length, 2);
    assert.match(list(), new RegExp(`pl-${Deno.pid}n`));
  }
  assert.doesNotMatch(list(), new RegExp(`pl-${Deno.pid}n`));
});

for (const persistent of [true, false]) {
  withRedis.test(`a Redis that is killed comes back ${persistent ? "with all" : "empty"}`, async () => {
    await using redis = await RedisServer.start({ persistent });
    const client = await connectRedis(redis.url);
    await client.set("key", "value");
    client.destroy();
    await redis.kill();
    await assert.rejects(connectRedis(redis.url));
    await redis.start();
    const again = await connectRedis(redis.url);
    assert.equal(await again.get("key"), persistent ? "value" : null);
    again.destroy();
  });
}

withRedis.test("a cut way lets nothing through, and a mended one does", async () => {
  await using redis = await RedisServer.start({ password: "secret" });
  await using way = new Forwarder(redis.port);
  const url = redis.urlAt("127.0.0.1", way.port);
  for (const how of ["closed", "silent"] as const) {
    way.cut(how);
    await assert.rejects(connectRedis(url), how === "closed" ? /refused|reset/i : /no reply/);
    way.mend();
    const client = await connectRedis(url);
    const asked = client.ping();
    assert.equal(await asked, "PONG");
    client.destroy();
  }
});
