/** Who is there, and how many. */
import assert from "node:assert/strict";
import { needing } from "../../needs.ts";
import { until } from "../patience.ts";
import { exits, Plateau, plateau } from "../plateau.ts";
import { Fleet } from "./fleet.ts";
import { roster } from "../../../runner/fleet/coordinator/roster.ts";
import { VERSION } from "../../../base/version.ts";
import { connectRedis } from "../../../targets/redis/client.ts";

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

withRedis.test("more agents than there are is exit code 3, and says how many there are", async () => {
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  for (const wanted of ["3", "50"]) {
    const args = ["bench", fleet.witness.origin, "-n", "20", "--redis", fleet.redis.url];
    const { stderr } = await exits(3, [...args, "--agents", wanted]);
    assert.match(stderr, /\b2\b/);
  }
  assert.equal(await fleet.witness.settledCount(), 0);
});

withRedis.test("loads that follow one another at once find every agent free", async () => {
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  for (let count = 100; count <= 300; count += 100) {
    assert.equal((await fleet.measure("-c", "3", "-n", "100")).agents?.length, 2);
    assert.equal(await fleet.witness.settledCount(), count);
  }
});

withRedis.test("coordinators that begin at the same moment have an agent each", async () => {
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  // So long that neither has ended when the other one begins, however late that is.
  const args = ["bench", fleet.witness.origin, "-c", "3", "-r", "10/s", "-d", "60s"];
  const fleetFlags = ["--agents", "1", "--redis", fleet.redis.url];
  await using one = new Plateau([...args, ...fleetFlags]);
  await using other = new Plateau([...args, ...fleetFlags]);
  await fleet.isHired();
  const client = await connectRedis(fleet.redis.url);
  const coordinators = (await roster(client)).map(({ coordinator }) => coordinator);
  client.destroy();
  for (const { pid } of [one, other]) {
    assert.equal(coordinators.filter((id) => id?.includes(`-${pid}-`)).length, 1);
  }
});
