/** Coordinators that are killed or interrupted in the middle of a run. */
import assert from "node:assert/strict";
import { keep } from "../kept.ts";
import { needing } from "../needs.ts";
import { measured } from "../e2e/measured.ts";
import { pause } from "../e2e/patience.ts";
import { assertConserved } from "../e2e/fleet/conservation.ts";
import { Fleet } from "../e2e/fleet/fleet.ts";

const withRedis = needing("redis");

const LONG = ["-c", "121", "-r", "400/s", "-d", "60s"];
const MUCH_LESS_MS = 15_000;
/** Agents of a coordinator that is gone stop within this. */
const STOP_MS = 2_000;
/** A machine that stands still meanwhile holds the agents up, too: then it is tried again. */
const TRIES = 3;
/** Time to tell something. */
const LOADING_MS = 500;

const kept = keep(["redis"], () => Fleet.start({ agents: { a: {}, b: {} } }));

/** The kept fleet, when its agents are free. */
async function begin(): Promise<Fleet> {
  const fleet = kept();
  await fleet.isFree();
  return fleet;
}

/** Both agents are free, and load again. */
async function assertReadyAgain(fleet: Fleet): Promise<void> {
  await fleet.isFree();
  const before = await fleet.witness.settledCount();
  const next = await fleet.measure("-c", "3", "-n", "301");
  assert.equal(assertConserved(next).length, 2);
  assert.equal(await fleet.witness.settledCount(), before + 301);
}

/** Milliseconds from the death of a coordinator to the last request of its agents. */
async function askedAfterDeathMs(fleet: Fleet): Promise<number> {
  const before = fleet.arrivals.length;
  await using coordinator = fleet.bench(...LONG);
  await fleet.loads(coordinator, before);
  await pause(LOADING_MS);
  coordinator.kill("SIGKILL");
  const killedMs = performance.now();
  await coordinator.ended;
  await fleet.witness.settledCount();
  return fleet.arrivals[fleet.arrivals.length - 1].atMs - killedMs;
}

withRedis.test("agents of a coordinator that is killed stop within 2 s, and load again", async () => {
  const fleet = await begin();
  const tookMs: number[] = [];
  do {
    tookMs.push(await askedAfterDeathMs(fleet));
    await assertReadyAgain(fleet);
  } while (tookMs[tookMs.length - 1] >= STOP_MS && tookMs.length < TRIES);
  assert.ok(tookMs.every((ms) => ms > 0), `they were loading: ${tookMs}`);
  assert.ok(Math.min(...tookMs) < STOP_MS, `one was asked still after ${tookMs} ms`);
});

withRedis.test("a coordinator that is killed before the start leaves agents that load again", async () => {
  const fleet = await begin();
  await using coordinator = fleet.bench(...LONG);
  await fleet.isHired();
  coordinator.kill("SIGKILL");
  await coordinator.ended;
  await assertReadyAgain(fleet);
});

withRedis.test("Ctrl-C ends the run on all agents, and gives what was measured", async () => {
  const fleet = await begin();
  const before = fleet.arrivals.length;
  await using coordinator = fleet.bench(...LONG);
  await fleet.loads(coordinator, before);
  await pause(LOADING_MS);
  coordinator.kill("SIGINT");
  const interruptedMs = performance.now();
  const result = measured(await fleet.endOf(coordinator), 130);
  const tookMs = performance.now() - interruptedMs;
  assert.ok(tookMs < MUCH_LESS_MS, `it took ${tookMs} ms to end`);
  const agents = assertConserved(result);
  assert.deepEqual(agents.map(({ lost }) => lost), [null, null]);
  const { due, dropped } = result.requests;
  assert.equal(await fleet.witness.settledCount() - before, due - dropped);
  const elapsedMs = result.elapsedS * 1_000;
  assert.ok(elapsedMs > 0.9 * LOADING_MS && elapsedMs < MUCH_LESS_MS, `${elapsedMs} ms`);
  await assertReadyAgain(fleet);
});
