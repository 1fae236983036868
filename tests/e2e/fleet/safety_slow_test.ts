/** What agents refuse, and how Redis is kept from strangers. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { presenceKey } from "../../../runner/fleet/protocol/redis_keys.ts";
import { type Presence, presence } from "../../../runner/fleet/protocol/agent_message.ts";
import { connectRedis } from "../../../targets/redis/client.ts";
import { certificates } from "../../certificates.ts";
import { needing } from "../../needs.ts";
import { measured } from "../measured.ts";
import { emptyFolder, exits, plateau } from "../plateau.ts";
import { assertConserved } from "./conservation.ts";
import { Fleet } from "./fleet.ts";
import { RedisServer } from "./redis_server.ts";

const withRedis = needing("redis");
const withRedisAndOpenssl = needing("redis", "openssl");

withRedis.test("an agent does not load a host that it was not allowed to", async () => {
  await using fleet = await Fleet.start({ agents: { open: {}, shut: { allow: "10.9.8.7" } } });
  const { stderr } = await exits(3, fleet.endOf(fleet.bench("-n", "10")));
  assert.match(stderr, /\bshut\b.*127\.0\.0\.1|127\.0\.0\.1.*\bshut\b/s);
  assert.doesNotMatch(stderr, /agent open/);
  assert.equal(await fleet.witness.settledCount(), 0);
  await fleet.isFree();
});

withRedis.test("without --allow only this machine itself is loaded", async () => {
  await using fleet = await Fleet.start({ agents: { a: {} } });
  const redis = ["--agents", "1", "--redis", fleet.redis.url];
  const { stderr } = await exits(3, ["bench", "http://198.51.100.7/", "-n", "10", ...redis]);
  assert.match(stderr, /198\.51\.100\.7/);
  assert.match(stderr, /--allow/);
});

withRedis.test("a Redis with a password is used with the right one, and none other", async () => {
  await using fleet = await Fleet.start({ agents: { a: {} } }, { password: "right" });
  assert.equal((await fleet.measure("-n", "20")).requests.completed, 20);
  const wrong = fleet.redis.urlAt("127.0.0.1", fleet.redis.port, ":mistaken@");
  const commands = [
    ["agent", "--redis", wrong],
    ["agents", "--redis", wrong],
    ["bench", fleet.witness.origin, "-n", "20", "--agents", "1", "--redis", wrong],
  ];
  for (const args of commands) {
    const { stdout, stderr } = await exits(3, args);
    assert.match(stderr, /WRONGPASS|password/i);
    assert.doesNotMatch(stdout + stderr, /mistaken/);
  }
  assert.equal(await fleet.witness.settledCount(), 20);
});

withRedis.test("a user of Redis who may touch nothing but the fleet's keys is enough", async () => {
  const user = ["plateau", "on", ">secret", "~plateau:fleet:*", "+@all", "-@dangerous", "+info"];
  const settings = { password: "for-others", user };
  await using fleet = await Fleet.start((redis) => {
    const url = redis.urlAt("127.0.0.1", redis.port, "plateau:secret@");
    return { agents: { a: { redis: url }, b: { redis: url } } };
  }, settings);
  const { port } = fleet.redis;
  const url = fleet.redis.urlAt("127.0.0.1", port, "plateau:secret@");
  const fleetFlags = ["--agents", "2", "--redis", url, "--json", "-"];
  const ended = await plateau([
    "bench",
    fleet.witness.origin,
    "-c",
    "3",
    "-n",
    "200",
    ...fleetFlags,
  ]);
  assertConserved(measured(ended));
  assert.equal(await fleet.witness.settledCount(), 200);
});

for (const command of ["set", "info"]) {
  withRedis.test(`a user of Redis without ${command.toUpperCase()} is told so, and nothing is asked`, async () => {
    const user = ["plateau", "on", ">secret", "~plateau:fleet*", "+@all", `-${command}`];
    await using fleet = await Fleet.start({ agents: { a: {} } }, { user });
    const url = fleet.redis.urlAt("127.0.0.1", fleet.redis.port, "plateau:secret@");
    for (
      const args of [["agent"], ["bench", fleet.witness.origin, "-n", "20", "--agents", "1"]]
    ) {
      const { stderr } = await exits(3, [...args, "--redis", url]);
      assert.match(stderr, new RegExp(`NOPERM.*'${command}'`));
      assert.doesNotMatch(stderr, /defect/);
    }
    assert.equal(await fleet.witness.settledCount(), 0);
  });
}

withRedis.test("a driver that no agent could take is the user's to change", async () => {
  await using fleet = await Fleet.start({ agents: { a: {} } });
  const folder = await Deno.makeTempDir();
  const path = `${folder}/server.sock`;
  using _listener = Deno.listen({ transport: "unix", path });
  const args = ["bench", "http://127.0.0.1:1/", "--unix", path, "--driver", "epoll"];
  const { stderr } = await exits(2, [...args, "--agents", "1", "--redis", fleet.redis.url]);
  assert.match(stderr, /^--driver: Cannot use the epoll driver on a unix socket/m);
});

withRedisAndOpenssl.test("a Redis with TLS is used when its authority is trusted", async () => {
  using folder = emptyFolder();
  const cacert = join(folder.path, "authority.pem");
  Deno.writeTextFileSync(cacert, certificates().authority);
  const trust = ["--redis-cacert", cacert];
  await using fleet = await Fleet.start({ agents: { a: { args: trust } } }, { tls: true });
  assert.equal((await fleet.measure("-n", "20", ...trust)).requests.completed, 20);
  const { code, stdout } = await plateau(["agents", "--redis", fleet.redis.url, ...trust]);
  assert.equal(code, 0);
  assert.match(stdout, /\ba\b/);
  for (const args of [["agents"], ["bench", fleet.witness.origin, "-n", "20", "--agents", "1"]]) {
    const ended = await exits(3, [...args, "--redis", fleet.redis.url]);
    assert.match(ended.stderr, /certificate|issuer/i);
  }
  assert.equal(await fleet.witness.settledCount(), 20);
});

/** Puts an agent of another version into the roster, until Redis ends. */
async function addStranger(redis: RedisServer, like: string): Promise<void> {
  const client = await connectRedis(redis.url);
  const known = presence.parse(JSON.parse(await client.get(presenceKey(like)) ?? ""));
  const stranger: Presence = { ...known, name: "stranger", version: "0.0.1-other" };
  await client.set(presenceKey("stranger"), JSON.stringify(stranger));
  client.destroy();
}

withRedis.test("an agent of another version is not used, and named", async () => {
  await using fleet = await Fleet.start({ agents: { a: {} } });
  await addStranger(fleet.redis, "a");
  const redis = ["--redis", fleet.redis.url];
  const load = ["bench", fleet.witness.origin, "-c", "3", "-n", "20", ...redis];
  const both = await exits(3, [...load, "--agents", "2"]);
  assert.match(both.stderr, /stranger.*0\.0\.1-other/);
  assert.equal(await fleet.witness.settledCount(), 0);
  const all = await plateau([...load, "--agents", "all", "--json", "-"]);
  const agents = assertConserved(measured(all));
  assert.deepEqual(agents.map(({ name }) => name), ["a"]);
  assert.match(all.stderr, /stranger.*0\.0\.1-other/);
  const { stdout } = await plateau(["agents", ...redis]);
  assert.match(stdout, /stranger.*0\.0\.1-other/);
});
