/** Who is there, and how many. */
import assert from "node:assert/strict";
import { testWith } from "../../needs.ts";
import { until } from "../patience.ts";
import { plateau } from "../plateau.ts";
import { Fleet, measured } from "./fleet.ts";
import { VERSION } from "../../../runner/version.ts";

testWith(
  ["redis"],
  "agents are listed with what they are, and forgotten soon after they end",
  async () => {
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
  },
);

testWith(
  ["redis"],
  "more agents than there are is exit code 3, and says how many there are",
  async () => {
    await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
    for (const wanted of ["3", "50"]) {
      const args = ["bench", fleet.witness.origin, "-n", "20", "--redis", fleet.redis.url];
      const { code, stderr } = await plateau([...args, "--agents", wanted]);
      assert.equal(code, 3, stderr);
      assert.match(stderr, /\b2\b/);
    }
    assert.equal(await fleet.witness.settledCount(), 0);
  },
);

testWith(["redis"], "two agents of one name are not", async () => {
  await using fleet = await Fleet.start({ agents: { twin: {} } });
  const { code, stderr } = await plateau(["agent", "--redis", fleet.redis.url, "--name", "twin"]);
  assert.notEqual(code, 0);
  assert.match(stderr, /twin/);
});

testWith(["redis"], "loads that follow one another at once find every agent free", async () => {
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  for (let count = 100; count <= 400; count += 100) {
    assert.equal((await fleet.measure("-c", "3", "-n", "100")).agents?.length, 2);
    assert.equal(await fleet.witness.settledCount(), count);
  }
});

testWith(["redis"], "coordinators that begin at the same moment have an agent each", async () => {
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  const args = ["bench", fleet.witness.origin, "-c", "3", "-n", "100", "--json", "-"];
  const fleetFlags = ["--agents", "1", "--redis", fleet.redis.url];
  const both = await Promise.all([1, 2].map(() => plateau([...args, ...fleetFlags])));
  const names = both.flatMap((ended) => measured(ended).agents?.map(({ name }) => name));
  assert.deepEqual(names.sort(), ["a", "b"]);
});
