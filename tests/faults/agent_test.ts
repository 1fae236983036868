/** Agents that die, stall or lose Redis in the middle of a run, which ends on time all the same. */
import assert from "node:assert/strict";
import type { AgentPart, Measurement } from "../../runner/result.ts";
import { testWith } from "../needs.ts";
import { pause } from "../e2e/patience.ts";
import { assertAsked, assertConserved, isLittle, partOf } from "../e2e/fleet/conservation.ts";
import { Fleet, measured } from "../e2e/fleet/fleet.ts";
import { type Cut, Forwarder } from "../e2e/fleet/forwarder.ts";

const RATE_PER_SEC = 400;
const SECONDS = 2.5;
const LOAD = ["-c", "121", "-r", `${RATE_PER_SEC}/s`, "-d", `${SECONDS}s`];
/** Of two agents, by the splitter. */
const SHARE_PER_SEC = RATE_PER_SEC / 2;
const FAULT_AFTER_MS = 1_000;
/** What was told when it happened may be this much older: an interval, and its way. */
const TOLD_MS = 800;
/** A coordinator waits so long for the last word of a silent agent, and then writes its result. */
const GRACE_MS = 2_500;
const ENDING_MS = 2_500;

const startTwo = (): Promise<Fleet> => Fleet.start({ agents: { a: {}, b: {} } });

/** A whole run, with `fault` in the middle of it, and whatever is to be done once it is over. */
async function runWith(fleet: Fleet, fault: () => void): Promise<Measurement> {
  await using coordinator = fleet.bench(...LOAD);
  await fleet.loads(coordinator);
  const beganMs = performance.now();
  await pause(FAULT_AFTER_MS);
  fault();
  const result = measured(await fleet.endOf(coordinator));
  const tookMs = performance.now() - beganMs;
  assert.ok(tookMs < SECONDS * 1_000 + GRACE_MS + ENDING_MS, `it took ${tookMs} ms`);
  assert.ok(Math.abs(result.elapsed - SECONDS) < 0.25, `${result.elapsed} s`);
  return result;
}

/** The result says who was lost and when, and counts what was still to come as dropped. */
function assertLost(result: Measurement, name: string): void {
  const agents = assertConserved(result);
  const { lost, requests }: AgentPart = partOf(agents, name);
  assert.ok(lost, `${name} was not lost`);
  const said = JSON.stringify({ lost, requests });
  assert.ok(lost.at * 1_000 >= FAULT_AFTER_MS - TOLD_MS, said);
  assert.ok(lost.at * 1_000 <= FAULT_AFTER_MS + TOLD_MS, said);
  assert.equal(requests.due, SHARE_PER_SEC * SECONDS);
  const toCome = (SECONDS - lost.at) * SHARE_PER_SEC;
  assert.ok(isLittle(requests.dropped - toCome, SHARE_PER_SEC), said);
  for (const other of agents.filter((agent) => agent.name !== name)) {
    assert.equal(other.lost, null);
    assert.ok(isLittle(other.requests.dropped, SHARE_PER_SEC), JSON.stringify(other));
  }
  assert.notEqual(result.generator.trust, "valid");
  assert.match(result.generator.reasons.join("\n"), new RegExp(`agent ${name}\\b`));
}

testWith(["redis"], "an agent that is killed is lost from when it was last heard", async () => {
  await using fleet = await startTwo();
  const result = await runWith(fleet, () => fleet.agents.b.program.kill("SIGKILL"));
  assertLost(result, "b");
  const seen = await fleet.witness.settledCount();
  assert.ok(seen >= result.requests.completed && seen <= result.requests.due, `${seen} seen`);
});

testWith(
  ["redis"],
  "an agent that is stopped is lost, sends nothing late, and works again",
  async () => {
    await using fleet = await startTwo();
    const result = await runWith(fleet, () => fleet.agents.b.program.kill("SIGSTOP"));
    assertLost(result, "b");
    const seen = await fleet.witness.settledCount();
    fleet.agents.b.program.kill("SIGCONT");
    await fleet.isFree();
    assert.equal(await fleet.witness.settledCount(), seen);
    const next = await fleet.measure("-c", "3", "-n", "300");
    assert.ok(assertConserved(next).every(({ lost }) => lost === null));
    assert.equal(next.requests.completed, 300);
    assert.equal(await fleet.witness.settledCount(), seen + 300);
  },
);

/** Two agents, of which `b` reaches Redis by a way that can be cut. */
async function startCuttable(): Promise<{ fleet: Fleet; way: Forwarder } & AsyncDisposable> {
  await using scope = new AsyncDisposableStack();
  let way: Forwarder | undefined;
  const fleet = scope.use(
    await Fleet.start((redis) => {
      way = scope.use(new Forwarder(redis.port));
      return { agents: { a: {}, b: { redis: redis.urlAt("127.0.0.1", way.port) } } };
    }),
  );
  assert.ok(way);
  const kept = scope.move();
  return { fleet, way, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

for (const how of ["closed", "silent"] as const satisfies readonly Cut[]) {
  testWith(["redis"], `an agent cut off for a second (${how}) loses nothing`, async () => {
    await using stage = await startCuttable();
    const { fleet, way } = stage;
    const result = await runWith(fleet, () => {
      way.cut(how);
      setTimeout(() => way.mend(), 1_000);
    });
    const asked = assertAsked(result, RATE_PER_SEC, SECONDS);
    assert.equal(await fleet.witness.settledCount(), asked);
  });

  testWith(
    ["redis"],
    `an agent cut off (${how}) until after the end is lost, then works again`,
    async () => {
      await using stage = await startCuttable();
      const { fleet, way } = stage;
      const result = await runWith(fleet, () => way.cut(how));
      assertLost(result, "b");
      const seen = await fleet.witness.settledCount();
      const unseen = result.requests.due - seen;
      assert.ok(isLittle(unseen, RATE_PER_SEC), `it stopped, which it had no reason to: ${unseen}`);
      way.mend();
      await fleet.isFree();
      const next = await fleet.measure("-c", "3", "-n", "300");
      assert.equal(assertConserved(next).length, 2);
      assert.equal(await fleet.witness.settledCount(), seen + 300);
    },
  );
}
