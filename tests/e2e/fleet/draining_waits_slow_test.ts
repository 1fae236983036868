/** Agents that wait, after the deadline, for what is in flight. */
import assert from "node:assert/strict";
import { needing } from "../../needs.ts";
import { assertConserved } from "./conservation.ts";
import { Fleet } from "./fleet.ts";

const withRedis = needing("redis");

/** Longer than a silent agent is waited for otherwise, and within the wait after a load of a second. */
const ANSWER_MS = 5_000;

withRedis.test("agents that wait for the last answers are silent for a while, and not given up", async () => {
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} }, delayMs: ANSWER_MS });
  const measured = await fleet.measure("-c", "4", "-d", "1s", "-t", "30s");
  const agents = assertConserved(measured);
  assert.deepEqual(agents.map(({ lost }) => lost), [null, null]);
  const { requests, drain, latency, elapsedS, rate } = measured;
  assert.deepEqual([requests.due, requests.completed, drain?.completed], [4, 4, 4]);
  assert.ok(latency.min >= ANSWER_MS - 1, `${latency.min} ms`);
  assert.deepEqual([latency.censored, latency.lowerBounds], [0, undefined]);
  assert.deepEqual([elapsedS, rate], [1, 0]);
  assert.equal(await fleet.witness.settledCount(), 4);
});
