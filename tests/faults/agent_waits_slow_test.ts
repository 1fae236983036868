/** Agents that die, stall or lose Redis in the middle of a run, which ends on time all the same. */
import assert from "node:assert/strict";
import type { AgentPart, Measurement } from "../../runner/result/result.ts";
import { keep } from "../kept.ts";
import { testWith } from "../needs.ts";
import { measured } from "../e2e/measured.ts";
import { pause } from "../e2e/patience.ts";
import { assertAsked, assertConserved, isLittle, partOf } from "../e2e/fleet/conservation.ts";
import { Fleet } from "../e2e/fleet/fleet.ts";
import { type Cut, Forwarder } from "../e2e/fleet/forwarder.ts";
import { endsWithin } from "./soon.ts";

const RATE_PER_SEC = 400;
const SECONDS = 2.5;
const LOAD = ["-c", "121", "-r", `${RATE_PER_SEC}/s`, "-d", `${SECONDS}s`];
/** Of two agents, by the splitter. */
const SHARE_PER_SEC = RATE_PER_SEC / 2;
/** Late enough that an agent has told something before, even where the machine stood still for a while. */
const FAULT_AFTER_MS = 1_200;
/** Short enough that an agent is heard again before anybody gives it up. */
const CUT_MS = 600;
/** Requests come, and are seen, so much later than they were to on a busy machine. */
const BUSY_SECONDS = 0.8;
/** Beside the load: the wait for a silent agent, and the way out. Whom Redis does not answer waits for longer. */
const ENDING_MS = 9_000;
const MOST_MS = SECONDS * 1_000 + ENDING_MS;

interface Faulty {
  readonly result: Measurement;
  /** When the fault happened, seconds after the first request. */
  readonly faultAt: number;
  /** From the first request to the end of the program. */
  readonly tookMs: number;
}

/** A whole run, with `fault` in the middle of it, and whatever is to be done once it is over. */
async function runWith(fleet: Fleet, fault: () => void): Promise<Faulty> {
  const before = fleet.arrivals.length;
  await using coordinator = fleet.bench(...LOAD);
  await fleet.loads(coordinator, before);
  const beganMs = fleet.arrivals[before].atMs;
  await pause(FAULT_AFTER_MS);
  fault();
  const faultAt = (performance.now() - beganMs) / 1_000;
  const result = measured(await fleet.endOf(coordinator));
  const tookMs = performance.now() - beganMs;
  assert.equal(result.elapsedS, SECONDS);
  return { result, faultAt, tookMs };
}

/** The result says who was lost and when, and counts what was still to come as dropped. */
function assertLost({ result, faultAt }: Faulty, name: string): void {
  const agents = assertConserved(result);
  const { lost, requests }: AgentPart = partOf(agents, name);
  assert.ok(lost, `${name} was not lost`);
  const said = JSON.stringify({ faultAt, lost, requests });
  assert.ok(lost.atS > 0 && lost.atS <= faultAt + BUSY_SECONDS, said);
  assert.equal(requests.due, SHARE_PER_SEC * SECONDS);
  const toCome = (SECONDS - lost.atS) * SHARE_PER_SEC;
  assert.ok(isLittle(requests.dropped - toCome, SHARE_PER_SEC), said);
  for (const other of agents.filter((agent) => agent.name !== name)) {
    assert.equal(other.lost, null);
    assert.ok(isLittle(other.requests.dropped, SHARE_PER_SEC), JSON.stringify(other));
  }
  assert.notEqual(result.generator.trust, "valid");
  assert.ok(
    result.generator.findings.some(({ agents: [some] = [] }) => some === name),
    JSON.stringify(result.generator.findings),
  );
}

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

const kept = keep(["redis"], startCuttable);

interface Begun {
  readonly fleet: Fleet;
  readonly way: Forwarder;
  /** How often the witness has been asked since. */
  readonly seen: () => Promise<number>;
}

/** The kept fleet, when its agents are free. */
async function begin(): Promise<Begun> {
  const { fleet, way } = kept();
  await fleet.isFree();
  const before = await fleet.witness.settledCount();
  return { fleet, way, seen: async () => await fleet.witness.settledCount() - before };
}

/** A test of a run that ends soon: gives how long it took. */
function test(name: string, run: () => Promise<number>): void {
  testWith(["redis"], name, () => endsWithin(MOST_MS, run));
}

test("an agent that is killed is lost from when it was last heard", async () => {
  await using fleet = await Fleet.start({ agents: { a: {}, b: {} } });
  const faulty = await runWith(fleet, () => fleet.agents.b.program.kill("SIGKILL"));
  assertLost(faulty, "b");
  const { completed, due } = faulty.result.requests;
  const seen = await fleet.witness.settledCount();
  assert.ok(seen >= completed && seen <= due, `${seen} seen`);
  return faulty.tookMs;
});

test("an agent that is stopped is lost, sends nothing late, and works again", async () => {
  const { fleet, seen } = await begin();
  const { program } = fleet.agents.b;
  let faulty: Faulty;
  let seenFirst: number;
  try {
    faulty = await runWith(fleet, () => program.kill("SIGSTOP"));
    assertLost(faulty, "b");
    seenFirst = await seen();
  } finally {
    program.kill("SIGCONT");
  }
  await fleet.isFree();
  const seenLater = await seen();
  const late = seenLater - seenFirst;
  assert.ok(late <= 1, `besides one that it was about to send: ${late}`);
  const next = await fleet.measure("-c", "3", "-n", "300");
  assert.ok(assertConserved(next).every(({ lost }) => lost === null));
  assert.equal(next.requests.completed, 300);
  assert.equal(await seen(), seenLater + 300);
  return faulty.tookMs;
});

/** Agent b went on asking when it was cut off: of what came after that, it has asked half at least. */
function assertWentOn({ result, faultAt }: Faulty, seen: number): void {
  const ofA = partOf(result.agents ?? [], "a").requests;
  const ofB = seen - (ofA.due - ofA.dropped);
  assert.ok(
    ofB > (faultAt + SECONDS) / 2 * SHARE_PER_SEC,
    `it asked ${ofB}, cut off at ${faultAt}`,
  );
}

for (const how of ["closed", "silent"] as const satisfies readonly Cut[]) {
  test(`an agent cut off for a moment (${how}) loses nothing`, async () => {
    const { fleet, way, seen } = await begin();
    const { result, tookMs } = await runWith(fleet, () => {
      way.cut(how);
      setTimeout(() => way.mend(), CUT_MS);
    });
    const asked = assertAsked(result, RATE_PER_SEC, SECONDS);
    assert.equal(await seen(), asked);
    return tookMs;
  });

  test(`an agent cut off (${how}) until after the end is lost, then works again`, async () => {
    const { fleet, way, seen } = await begin();
    let faulty: Faulty;
    let seenFirst: number;
    try {
      faulty = await runWith(fleet, () => way.cut(how));
      assertLost(faulty, "b");
      seenFirst = await seen();
      assertWentOn(faulty, seenFirst);
    } finally {
      way.mend();
    }
    await fleet.isFree();
    const next = await fleet.measure("-c", "3", "-n", "300");
    assert.equal(assertConserved(next).length, 2);
    assert.equal(await seen(), seenFirst + 300);
    return faulty.tookMs;
  });
}
