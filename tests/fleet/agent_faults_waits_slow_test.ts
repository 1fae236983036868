/** What one agent does when it, its coordinator or its Redis ends, with a real Redis. */
import assert from "node:assert/strict";
import { agentQueue, messageQueue, PREFIX } from "../../runner/fleet/protocol/redis_keys.ts";
import { Forwarder } from "../e2e/fleet/forwarder.ts";
import { RedisServer } from "../e2e/fleet/redis_server.ts";
import { until } from "../e2e/patience.ts";
import { startWitness } from "../e2e/witness.ts";
import { needing } from "../needs.ts";
import { ENDLESS, HandMade, jobOf, SECOND } from "./hand_made.ts";
import { SharedAgent } from "./shared_agent.ts";
import { startAgent } from "./started_agent.ts";

const withRedis = needing("redis");

const shared = new SharedAgent();

/** Orders live for 1.5 s, and an agent notices that within 0.25 s. */
const NOTICED_MS = 2_000;
/** The machine may stand still meanwhile. */
const STILL_MS = 3_000;

withRedis.test("an agent whose coordinator dies is idle soon", async () => {
  await using witness = startWitness({ delayMs: 5 });
  await using coordinator = await HandMade.open(shared.redis.url);
  await shared.isIdle(coordinator);
  await coordinator.startRun("one", jobOf(coordinator, { origin: witness.origin, load: ENDLESS }));
  await coordinator.hears("bundle");
  coordinator.fallSilent();
  const diedMs = performance.now();
  await until(
    "it is idle",
    async () => (await coordinator.presenceOf("one"))?.coordinator === null,
  );
  const tookMs = performance.now() - diedMs;
  assert.ok(tookMs < NOTICED_MS + STILL_MS, `${tookMs} ms`);
  const count = await witness.settledCount();
  assert.equal(await witness.settledCount(), count);
  await until("nothing that it told is left", async () => {
    const keys = await coordinator.link.client.keys(
      `${PREFIX}:${messageQueue(coordinator.id)}:wait`,
    );
    return keys.length === 0;
  });
  assert.equal(coordinator.heard.some(({ kind }) => kind === "finished"), false);
});

withRedis.test("an agent of a killed one's name waits until that is forgotten", async () => {
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

withRedis.test("an idle agent that is ended leaves nothing behind", async () => {
  await using redis = await RedisServer.start();
  await using coordinator = await HandMade.open(redis.url);
  await using agent = await startAgent(redis.url, "one");
  agent.kill("SIGTERM");
  assert.equal((await agent.ended).code, 0);
  const keys = await coordinator.link.client.keys(`${PREFIX}:*one*`);
  assert.deepEqual(keys, []);
});

withRedis.test("an agent that is ended in a run tells so, and leaves nothing behind", async () => {
  await using redis = await RedisServer.start();
  await using witness = startWitness({ delayMs: 5 });
  await using coordinator = await HandMade.open(redis.url);
  await using agent = await startAgent(redis.url, "one");
  await coordinator.startRun("one", jobOf(coordinator, { origin: witness.origin, load: ENDLESS }));
  await coordinator.hears("bundle");
  agent.kill("SIGTERM");
  const { message } = await coordinator.hears("failed");
  assert.equal(message, "the agent was stopped on its own machine");
  assert.equal((await agent.ended).code, 130);
  assert.deepEqual(await coordinator.link.client.keys(`${PREFIX}:*one*`), []);
});

withRedis.test("an agent outlives its Redis, and is there for the next", async () => {
  await using witness = startWitness();
  await using coordinator = await HandMade.open(shared.redis.url);
  await shared.isIdle(coordinator);
  await shared.redis.kill();
  await shared.prints(/Redis does not respond/);
  await shared.redis.start();
  await shared.prints(/Redis responds again/);
  // Which the coordinator may notice later than the agent.
  await until("it is there", () => coordinator.presenceOf("one").catch(() => null));
  await coordinator.order({ run: "run-1" });
  await coordinator.hire("one", jobOf(coordinator, { origin: witness.origin }));
  await coordinator.hears("ready");
});

withRedis.test("an agent that was frozen tells nothing of a run that is over", async () => {
  await using witness = startWitness({ delayMs: 5 });
  await using coordinator = await HandMade.open(shared.redis.url);
  await shared.isIdle(coordinator);
  const often = { intervalMs: 20, reportEveryMs: 20 };
  const job = jobOf(coordinator, { origin: witness.origin, load: ENDLESS, ...often });
  await coordinator.startRun("one", job);
  await coordinator.hears("bundle");
  shared.process.kill("SIGSTOP");
  await coordinator.order({ run: null, startAtMs: null });
  const isRead = async (): Promise<boolean> => await coordinator.unread() === 0;
  await until("what it told is read", isRead);
  const heard = coordinator.heard.length;
  shared.process.kill("SIGCONT");
  await shared.prints(
    /its results are discarded: its coordinator has continued without this agent/,
  );
  await until("what it told since is read", isRead);
  // What it was about to send when it froze may still have come, and not what an agent tells until it looks.
  assert.ok(coordinator.heard.length <= heard + 3, `${coordinator.heard.length} after ${heard}`);
  assert.equal(coordinator.heard.some(({ kind }) => kind === "finished"), false);
});

for (const persistent of [true, false]) {
  const what = persistent ? "with all it had" : "empty";
  withRedis.test(`a Redis that dies in a run and comes back ${what} loses nothing`, async () => {
    await using redis = await RedisServer.start({ persistent });
    await using witness = startWitness({ delayMs: 5 });
    await using coordinator = await HandMade.open(redis.url);
    await using agent = await startAgent(redis.url, "one");
    const load = { ...SECOND, durationMs: 2_000 };
    await coordinator.startRun("one", jobOf(coordinator, { origin: witness.origin, load }));
    await coordinator.hears("bundle");
    await redis.kill();
    await agent.prints(/Redis does not respond/);
    await redis.start();
    const { bundles, reports: [{ totals }] } = await coordinator.hears("finished");
    await until("all bundles have come", () => coordinator.bundles().length === bundles);
    assert.equal(await witness.settledCount(), totals.due - totals.dropped);
    const inParts = coordinator.bundles().flatMap(({ parts }) => parts.map(({ part }) => part));
    const inTime = totals.completed - totals.drain.completed;
    assert.equal(inParts.reduce((sum, part) => sum + part.completed, 0), inTime);
  });
}

withRedis.test("an agent that nobody can hear for long gives up, and begins anew", async () => {
  await using redis = await RedisServer.start();
  await using witness = startWitness({ delayMs: 5 });
  await using way = new Forwarder(redis.port);
  await using coordinator = await HandMade.open(redis.url);
  await using agent = await startAgent(redis.urlAt("127.0.0.1", way.port), "one");
  await coordinator.startRun("one", jobOf(coordinator, { origin: witness.origin, load: ENDLESS }));
  await coordinator.hears("bundle");
  way.cut("silent");
  await agent.prints(/Redis does not respond\n/);
  await agent.prints(/results are discarded: Redis has not responded for 10 s/);
  await witness.settledCount();
  await coordinator.order({ run: null, startAtMs: null });
  way.mend();
  await until("it is back", async () => await coordinator.presenceOf("one") !== null);
  await coordinator.startRun("one", jobOf(coordinator, { origin: witness.origin, run: "run-2" }));
  const { run } = await coordinator.hears("finished");
  assert.equal(run, "run-2");
});
