/** Who is there where many ask at once, or for too many. */
import assert from "node:assert/strict";
import { needing } from "../../needs.ts";
import { exits, Plateau } from "../plateau.ts";
import { Fleet } from "./fleet.ts";
import { roster } from "../../../runner/fleet/coordinator/roster.ts";
import { connectRedis } from "../../../targets/redis/client.ts";

const withRedis = needing("redis");

withRedis.test("more agents than there are is exit code 3, and says how many there are", async () => {
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  for (const wanted of ["3", "50"]) {
    const args = ["bench", fleet.witness.origin, "-n", "20", "--redis", fleet.redis.url];
    const { stderr } = await exits(3, [...args, "--agents", wanted]);
    assert.match(stderr, /\b2\b/);
  }
  assert.equal(await fleet.witness.settledCount(), 0);
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
