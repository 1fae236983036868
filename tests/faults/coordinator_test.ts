/** Coordinators that are killed or interrupted in the middle of a run. */
import assert from "node:assert/strict";
import { testWith } from "../needs.ts";
import { pause } from "../e2e/patience.ts";
import { assertConserved } from "../e2e/fleet/conservation.ts";
import { Fleet, measured } from "../e2e/fleet/fleet.ts";

const LONG = ["-c", "121", "-r", "400/s", "-d", "60s"];
const MUCH_LESS_MS = 15_000;
/** Agents of a coordinator that is gone stop within 2 s, where the machine does not stand still meanwhile. */
const STOP_MS = 2_000;
const STILL_MS = 2_000;
/** Time to tell something. */
const LOADING_MS = 500;

/** Both agents are free, and load again. */
async function assertReadyAgain(fleet: Fleet): Promise<void> {
  await fleet.isFree();
  const before = await fleet.witness.settledCount();
  const next = await fleet.measure("-c", "3", "-n", "301");
  assert.equal(assertConserved(next).length, 2);
  assert.equal(await fleet.witness.settledCount(), before + 301);
}

testWith(
  ["redis"],
  "agents of a coordinator that is killed stop soon, and load again",
  async () => {
    await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
    await using coordinator = fleet.bench(...LONG);
    await fleet.loads(coordinator);
    await pause(LOADING_MS);
    coordinator.kill("SIGKILL");
    const killedMs = performance.now();
    await coordinator.ended;
    await fleet.witness.settledCount();
    const last = fleet.arrivals[fleet.arrivals.length - 1];
    assert.ok(
      last.atMs - killedMs < STOP_MS + STILL_MS,
      `after ${last.atMs - killedMs} ms one was asked still`,
    );
    assert.ok(fleet.arrivals.some(({ atMs }) => atMs > killedMs), "they were loading");
    await assertReadyAgain(fleet);
  },
);

testWith(
  ["redis"],
  "a coordinator that is killed before the start leaves agents that load again",
  async () => {
    await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
    await using coordinator = fleet.bench(...LONG);
    await fleet.isHired();
    coordinator.kill("SIGKILL");
    await coordinator.ended;
    await assertReadyAgain(fleet);
  },
);

testWith(["redis"], "Ctrl-C ends the run on all agents, and gives what was measured", async () => {
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  await using coordinator = fleet.bench(...LONG);
  await fleet.loads(coordinator);
  await pause(LOADING_MS);
  coordinator.kill("SIGINT");
  const interruptedMs = performance.now();
  const result = measured(await fleet.endOf(coordinator), 130);
  const tookMs = performance.now() - interruptedMs;
  assert.ok(tookMs < MUCH_LESS_MS, `it took ${tookMs} ms to end`);
  const agents = assertConserved(result);
  assert.deepEqual(agents.map(({ lost }) => lost), [null, null]);
  const { due, dropped } = result.requests;
  assert.equal(await fleet.witness.settledCount(), due - dropped);
  const elapsedMs = result.elapsed * 1_000;
  assert.ok(elapsedMs > 0.9 * LOADING_MS && elapsedMs < MUCH_LESS_MS, `${elapsedMs} ms`);
  await assertReadyAgain(fleet);
});
