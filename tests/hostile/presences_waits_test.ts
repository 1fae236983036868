/** What lies in Redis where agents say who they are. */
import assert from "node:assert/strict";
import { claimKey, presenceKey } from "../../runner/fleet/protocol/redis_keys.ts";
import { roster } from "../../runner/fleet/coordinator/roster.ts";
import { connectRedis } from "../../targets/redis/client.ts";
import { RedisServer } from "../e2e/fleet/redis_server.ts";
import { testWith } from "../needs.ts";
import { presenceOf } from "./reported.ts";

const PRESENCES: readonly [what: string, text: string][] = [
  ["a megabyte for a host", JSON.stringify(presenceOf("x", { host: "h".repeat(1e6) }))],
  ["colours for a host", JSON.stringify(presenceOf("x", { host: "\x1b[31mh\r\n::error::" }))],
  ["another's name", JSON.stringify(presenceOf("honest"))],
  ["a name of control characters", JSON.stringify(presenceOf("\x07"))],
  ["a billion workers", JSON.stringify(presenceOf("x", { workers: 1e9 }))],
  ["cores below zero", JSON.stringify(presenceOf("x", { cores: -1 }))],
  ["a megabyte of hosts", JSON.stringify(presenceOf("x", { allow: Array(1e5).fill("localhost") }))],
  ["no JSON", "{"],
];

testWith(["redis"], "who is no agent is not listed, and of too many none is", async () => {
  await using redis = await RedisServer.start();
  const client = await connectRedis(redis.url);
  try {
    await client.set(presenceKey("honest"), JSON.stringify(presenceOf("honest")));
    await client.set(claimKey("honest"), "c".repeat(1e6));
    await client.lPush(presenceKey("list"), "x");
    const names = ["x", "y"];
    for (const [what, text] of PRESENCES) {
      for (const name of names) {
        await client.set(presenceKey(name), text.replace('"name":"x"', `"name":"${name}"`));
      }
      const listed = await roster(client);
      assert.deepEqual(listed.map(({ name }) => name), ["honest"], what);
      assert.equal(listed[0].coordinator?.length, 301);
    }
    const many = [...new Array(10_001).keys()].map((i) => presenceKey(`agent-${i}`));
    await Promise.all(many.map((key) => client.set(key, "{}")));
    // SCAN hands out as many at a time as it likes, so the count ends at one beyond the limit or later.
    await assert.rejects(
      roster(client),
      /a fleet has (?:10,\d\d\d agents; the limit is 10,000|more than 10,000 agents, the limit)/,
    );
  } finally {
    client.destroy();
  }
});
