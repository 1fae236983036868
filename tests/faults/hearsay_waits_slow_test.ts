/** What others put into the ear of a coordinator while it listens to its agents. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Link, openLink } from "../../runner/fleet/protocol/redis_link.ts";
import { messageQueue, runStateKey } from "../../runner/fleet/protocol/redis_keys.ts";
import { packReport } from "../../runner/fleet/protocol/packing.ts";
import { roster } from "../../runner/fleet/coordinator/roster.ts";
import { type AgentMessageInput, runState } from "../../runner/fleet/protocol/agent_message.ts";
import { UNKNOWN_ACTIVITY } from "../../runner/host/host_activity.ts";
import { report } from "../fleet/packed.ts";
import { keep } from "../kept.ts";
import { testWith } from "../needs.ts";
import { assertNobodyLost, LATE_SECONDS } from "../e2e/fleet/conservation.ts";
import { Fleet } from "../e2e/fleet/fleet.ts";
import { staysUnder } from "./soon.ts";
import { measured } from "../e2e/measured.ts";

/** Time enough to tell falsehoods meanwhile. */
const SECONDS = 2;
const RATE_PER_SEC = 200;
const LOAD = ["-c", "121", "-r", `${RATE_PER_SEC}/s`, "-d", `${SECONDS}s`];

/** An agent's last word about a run, with results that are made up. */
function lastWord(run: string, agent: string): AgentMessageInput {
  const [madeUp] = fc.sample(report, { numRuns: 1, seed: 7 });
  return {
    ...{ kind: "finished", run, agent, bundles: 0, startedAtMs: 0 },
    reports: [packReport(madeUp)],
    stage: { hostActivity: UNKNOWN_ACTIVITY, calibration: null, sharesMachine: false },
  };
}

/** Two agents, and somebody who is ready to tell falsehoods as soon as they load. */
async function startTwo(): Promise<{ fleet: Fleet; link: Link } & AsyncDisposable> {
  await using scope = new AsyncDisposableStack();
  const fleet = scope.use(await Fleet.start({ agents: { a: {}, b: {} } }));
  const link = scope.adopt(await openLink({ url: fleet.redis.url }), (link) => link.close());
  const kept = scope.move();
  return { fleet, link, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const kept = keep(["redis"], startTwo);

/** Tells the coordinator of the agents that are at work what `falsehoods` there are about its run. */
async function tell(link: Link, falsehoods: (run: string) => unknown[]): Promise<void> {
  const coordinator = (await roster(link.client))[0].coordinator ?? "";
  const { run } = runState.parse(JSON.parse(await link.client.get(runStateKey(coordinator)) ?? ""));
  assert.ok(run);
  const queue = link.queue(messageQueue(coordinator));
  for (const falsehood of falsehoods(run)) await queue.add("told", falsehood);
}

testWith(
  ["redis"],
  "what is told of past runs, by strangers, and nonsense changes nothing",
  () =>
    staysUnder(LATE_SECONDS * RATE_PER_SEC, "requests not sent", async () => {
      const { fleet, link } = kept();
      await fleet.isFree();
      const before = fleet.arrivals.length;
      await using coordinator = fleet.bench(...LOAD);
      await fleet.loads(coordinator, before);
      await tell(link, (run) => [
        lastWord("a-run-of-yesterday", "a"),
        { kind: "bundle", run: "a-run-of-yesterday", agent: "a", seq: 3 },
        lastWord(run, "stranger"),
        { ...lastWord(run, "a"), reports: "none" },
        "nonsense",
      ]);
      const ended = await fleet.endOf(coordinator);
      const result = measured(ended);
      const dropped = assertNobodyLost(result, RATE_PER_SEC, SECONDS);
      const asked = result.requests.due - dropped;
      assert.equal(await fleet.witness.settledCount() - before, asked);
      assert.deepEqual(result.agents?.map(({ name }) => name), ["a", "b"]);
      assert.match(ended.stderr, /a late message of agent a was ignored: its run is over/i);
      return dropped;
    }),
);

testWith(
  ["redis"],
  "last words whose counts do not add up are left out, and those of the agents themselves count",
  () =>
    staysUnder(LATE_SECONDS * RATE_PER_SEC, "requests not sent", async () => {
      const { fleet, link } = kept();
      await fleet.isFree();
      const before = fleet.arrivals.length;
      await using coordinator = fleet.bench(...LOAD);
      await fleet.loads(coordinator, before);
      await tell(link, (run) => [lastWord(run, "a"), lastWord(run, "b")]);
      const result = measured(await fleet.endOf(coordinator));
      const dropped = assertNobodyLost(result, RATE_PER_SEC, SECONDS);
      const asked = result.requests.due - dropped;
      assert.equal(await fleet.witness.settledCount() - before, asked);
      await fleet.isFree();
      return dropped;
    }),
);
