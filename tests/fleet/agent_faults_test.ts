/** What one agent does when it, its coordinator or its Redis ends, with a real Redis. */
import assert from "node:assert/strict";
import { agentQueue, PREFIX, toldQueue } from "../../runner/fleet/names.ts";
import { Forwarder } from "../e2e/fleet/forwarder.ts";
import { RedisServer } from "../e2e/fleet/redis_server.ts";
import { until } from "../e2e/patience.ts";
import { startWitness } from "../e2e/witness.ts";
import { testWith } from "../needs.ts";
import { ENDLESS, HandMade, jobOf, SECOND } from "./hand_made.ts";
import { startAgent } from "./started_agent.ts";

testWith(["redis"], "an agent whose coordinator dies is idle within two seconds", async () => {
  await using redis = await RedisServer.start();
  await using witness = startWitness({ delayMs: 5 });
  await using coordinator = await HandMade.open(redis.url);
  await using _ = await startAgent(redis.url, "one");
  await coordinator.startRun("one", jobOf(coordinator, { origin: witness.origin, load: ENDLESS }));
  await coordinator.hears("bundle");
  coordinator.fallSilent();
  const diedMs = performance.now();
  await until(
    "it is idle",
    async () => (await coordinator.presenceOf("one"))?.coordinator === null,
  );
  assert.ok(performance.now() - diedMs < 2_000, `${performance.now() - diedMs} ms`);
  const count = await witness.settledCount();
  assert.equal(await witness.settledCount(), count);
  await until("nothing that it told is left", async () => {
    const keys = await coordinator.link.client.keys(`${PREFIX}:${toldQueue(coordinator.id)}:wait`);
    return keys.length === 0;
  });
  assert.equal(coordinator.heard.some(({ kind }) => kind === "finished"), false);
});

testWith(["redis"], "an agent of a killed one's name waits until that is forgotten", async () => {
  await using redis = await RedisServer.start();
  await using coordinator = await HandMade.open(redis.url);
  await using killed = await startAgent(redis.url, "one");
  killed.kill("SIGKILL");
  await killed.ended;
  await coordinator.hire("one", jobOf(coordinator, { origin: "http://192.0.2.1" }));
  await using _ = await startAgent(redis.url, "one");
  assert.notEqual(await coordinator.presenceOf("one"), null);
  assert.equal(await coordinator.link.queue(agentQueue("one")).count(), 0);
  assert.deepEqual(coordinator.heard, []);
});

testWith(["redis"], "an idle agent that is ended leaves nothing behind", async () => {
  await using redis = await RedisServer.start();
  await using coordinator = await HandMade.open(redis.url);
  await using agent = await startAgent(redis.url, "one");
  agent.kill("SIGTERM");
  assert.equal((await agent.ended).code, 0);
  const keys = await coordinator.link.client.keys(`${PREFIX}:*one*`);
  assert.deepEqual(keys, []);
});

testWith(
  ["redis"],
  "an agent that is ended in a run tells so, and leaves nothing behind",
  async () => {
    await using redis = await RedisServer.start();
    await using witness = startWitness({ delayMs: 5 });
    await using coordinator = await HandMade.open(redis.url);
    await using agent = await startAgent(redis.url, "one");
    await coordinator.startRun(
      "one",
      jobOf(coordinator, { origin: witness.origin, load: ENDLESS }),
    );
    await coordinator.hears("bundle");
    agent.kill("SIGTERM");
    const { message } = await coordinator.hears("failed");
    assert.equal(message, "it was ended on its own machine");
    assert.equal((await agent.ended).code, 130);
    assert.deepEqual(await coordinator.link.client.keys(`${PREFIX}:*one*`), []);
  },
);

testWith(["redis"], "an agent outlives its Redis, and is there for the next", async () => {
  await using redis = await RedisServer.start();
  await using witness = startWitness();
  await using coordinator = await HandMade.open(redis.url);
  await using agent = await startAgent(redis.url, "one");
  await redis.kill();
  await agent.prints(/Redis does not answer/);
  await redis.start();
  await agent.prints(/Redis answers again/);
  await coordinator.order({ run: "run-1" });
  assert.notEqual(await coordinator.presenceOf("one"), null);
  await coordinator.hire("one", jobOf(coordinator, { origin: witness.origin }));
  await coordinator.hears("ready");
});

testWith(["redis"], "an agent that was frozen tells nothing of a run that is over", async () => {
  await using redis = await RedisServer.start();
  await using witness = startWitness({ delayMs: 5 });
  await using coordinator = await HandMade.open(redis.url);
  await using agent = await startAgent(redis.url, "one");
  await coordinator.startRun("one", jobOf(coordinator, { origin: witness.origin }));
  await coordinator.hears("bundle");
  agent.kill("SIGSTOP");
  await coordinator.order({ run: null, startAtMs: null });
  const heard = coordinator.heard.length;
  agent.kill("SIGCONT");
  await agent.prints(/its results are thrown away: its coordinator has gone on without this agent/);
  // what was on its way when it froze may still have come, and no more
  assert.ok(coordinator.heard.length <= heard + 1);
  assert.equal(coordinator.heard.some(({ kind }) => kind === "finished"), false);
});

for (const persistent of [true, false]) {
  const what = persistent ? "with all it had" : "empty";
  testWith(
    ["redis"],
    `a Redis that dies in a run and comes back ${what} loses nothing`,
    async () => {
      await using redis = await RedisServer.start({ persistent });
      await using witness = startWitness({ delayMs: 5 });
      await using coordinator = await HandMade.open(redis.url);
      await using agent = await startAgent(redis.url, "one");
      const load = { ...SECOND, durationMs: 3_000 };
      await coordinator.startRun("one", jobOf(coordinator, { origin: witness.origin, load }));
      await coordinator.hears("bundle");
      await redis.kill();
      await agent.prints(/Redis does not answer/);
      await redis.start();
      const { bundles, reports: [{ totals }] } = await coordinator.hears("finished");
      await until("all bundles have come", () => coordinator.bundles().length === bundles);
      assert.equal(await witness.settledCount(), totals.due - totals.dropped);
      const inParts = coordinator.bundles().flatMap(({ parts }) => parts.map(({ part }) => part));
      assert.equal(inParts.reduce((sum, part) => sum + part.completed, 0), totals.completed);
    },
  );
}

testWith(
  ["redis"],
  "an agent that nobody can hear for long gives up, and begins anew",
  async () => {
    await using redis = await RedisServer.start();
    await using witness = startWitness({ delayMs: 5 });
    await using way = new Forwarder(redis.port);
    await using coordinator = await HandMade.open(redis.url);
    await using agent = await startAgent(redis.urlAt("127.0.0.1", way.port), "one");
    await coordinator.startRun(
      "one",
      jobOf(coordinator, { origin: witness.origin, load: ENDLESS }),
    );
    await coordinator.hears("bundle");
    way.cut("silent");
    await agent.prints(/Redis does not answer\n/);
    await agent.prints(/results are thrown away: Redis has not answered for 10 s/);
    await witness.settledCount();
    await coordinator.order({ run: null, startAtMs: null });
    way.mend();
    await until("it is back", async () => await coordinator.presenceOf("one") !== null);
    await coordinator.startRun("one", jobOf(coordinator, { origin: witness.origin, run: "run-2" }));
    const { run } = await coordinator.hears("finished");
    assert.equal(run, "run-2");
  },
);
