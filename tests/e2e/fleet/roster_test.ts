/** Who is there, and loads that they take. */
import assert from "node:assert/strict";
import { needing } from "../../needs.ts";
import { until } from "../patience.ts";
import { plateau } from "../plateau.ts";
import { Fleet } from "./fleet.ts";
import { VERSION } from "../../../base/version.ts";

const withRedis = needing("redis");

withRedis.test("agents are listed with what they are, and forgotten soon after they end", async () => {
  await using fleet = await Fleet.start({ agents: { "left-1": {}, "right.2": {} } });
  const list = (): Promise<string> =>
    plateau(["agents", "--redis", fleet.redis.url]).then(({ stdout }) => stdout);
  const both = await list();
  for (const name of ["left-1", "right.2"]) {
    const line = both.split("\n").find((line) => line.includes(name)) ?? "";
    assert.ok(line.includes(VERSION), both);
    assert.match(line, new RegExp(`\\b${navigator.hardwareConcurrency}\\b`));
  }
  fleet.agents["left-1"].program.kill("SIGTERM");
  assert.equal((await fleet.agents["left-1"].program.ended).code, 0);
  assert.doesNotMatch(await list(), /left-1/);
  fleet.agents["right.2"].program.kill("SIGKILL");
  await until("right.2 is forgotten", async () => !(await list()).includes("right.2"));
});

withRedis.test("loads that follow one another at once find every agent free", async () => {
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  for (let count = 100; count <= 300; count += 100) {
    assert.equal((await fleet.measure("-c", "3", "-n", "100")).agents?.length, 2);
    assert.equal(await fleet.witness.settledCount(), count);
  }
});
