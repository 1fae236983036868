import assert from "node:assert/strict";
import { type End, RunStateView, RunStateWatch } from "../../runner/fleet/agent/run_state_watch.ts";
import type { RunState } from "../../runner/fleet/protocol/agent_message.ts";
import {
  OUT_OF_TOUCH_MS,
  RUN_STATE_MS,
  runStateKey,
} from "../../runner/fleet/protocol/redis_keys.ts";
import { connectRedis } from "../../targets/redis/client.ts";
import { RedisServer } from "../e2e/fleet/redis_server.ts";
import { until } from "../e2e/patience.ts";
import { testWith } from "../needs.ts";

/** What is seen at a moment: a run state and their age, no run state, or no answer at all. */
type Look = readonly [
  atMs: number,
  seen: { run: string | null; ageMs?: number; stop?: true } | "none" | "silence",
];

const STORIES: Readonly<Record<string, readonly [looks: readonly Look[], end: End | null]>> = {
  "orders that are renewed keep a run going": [[[100, { run: "a" }], [5_000, { run: "a" }]], null],
  "a stop ends it": [[[100, { run: "a" }], [200, { run: "a", stop: true }]], "stopped"],
  "another run ends it": [[[100, { run: "a" }], [200, { run: "b" }]], "over"],
  "no run ends it": [[[100, { run: "a" }], [200, { run: null }]], "over"],
  "a stop of another run is none of its own": [[[100, { run: "b", stop: true }]], "over"],
  "orders that are missing for a moment are waited for": [
    [[100, { run: "a" }], [1_600, "none"]],
    null,
  ],
  "orders that stay away end it": [[[100, { run: "a" }], [1_601, "none"]], "gone"],
  "how long they stay away counts from when they were written": [[
    [1_400, { run: "a", ageMs: 1_300 }],
    [1_500, "none"],
    [1_601, "none"],
  ], "gone"],
  "orders that never come end it": [[[1_500, "none"], [1_501, "none"]], "gone"],
  "a Redis that comes back empty has time to be written again": [[
    [100, { run: "a" }],
    [200, "silence"],
    [4_000, "none"],
    [5_500, "none"],
  ], null],
  "but not for ever": [
    [[100, { run: "a" }], [200, "silence"], [4_000, "none"], [5_501, "none"]],
    "gone",
  ],
  "a Redis that is silent for a while changes nothing": [
    [[100, { run: "a" }], [10_100, "silence"]],
    null,
  ],
  "a Redis that is silent for long ends it": [
    [[100, { run: "a" }], [10_101, "silence"]],
    "out of touch",
  ],
  "an agent that was stopped itself finds its coordinator gone at once": [[[100, { run: "a" }], [
    60_000,
    "none",
  ]], "gone"],
};

for (const [sentence, [looks, end]] of Object.entries(STORIES)) {
  Deno.test(`run state: ${sentence}`, () => {
    assert.equal(RUN_STATE_MS.lives, 1_500);
    assert.equal(OUT_OF_TOUCH_MS, 10_000);
    const sight = new RunStateView("a", 0);
    const ends = looks.map(([atMs, seen]): End | null => {
      if (seen === "silence") return sight.seeNothing(atMs);
      if (seen === "none") return sight.see({ runState: null, ageMs: 0 }, atMs);
      const { run, ageMs = 0, stop = false } = seen;
      return sight.see({ runState: { run, stop, startAtMs: null }, ageMs }, atMs);
    });
    assert.deepEqual(ends.slice(0, -1), looks.slice(1).map(() => null));
    assert.equal(ends.at(-1), end);
  });
}

const RUN: RunState = { run: "a", startAtMs: null, stop: false };

testWith(["redis"], "a watch tells the start, the stop, and the end of all interest", async () => {
  await using redis = await RedisServer.start();
  const client = await connectRedis(redis.url);
  const order = (runState: RunState): Promise<unknown> =>
    client.set(runStateKey("boss"), JSON.stringify(runState), {
      expiration: { type: "PX", value: 60_000 },
    });
  await order(RUN);
  const watch = new RunStateWatch({ client, coordinator: "boss", run: "a" });
  await order({ ...RUN, startAtMs: 12.5 });
  assert.equal(await watch.startAtMs(), 12.5);
  assert.equal(watch.ended, null);
  await order({ ...RUN, stop: true });
  await until("it ends", () => watch.ends.aborted);
  assert.deepEqual([watch.ended, watch.lost.aborted], ["stopped", false]);
  await order({ ...RUN, run: null });
  await until("nobody waits", () => watch.lost.aborted);
  assert.equal(watch.ended, "over");
  await watch.close();
  client.destroy();
});

testWith(["redis"], "a start that is never given is refused when the run ends", async () => {
  await using redis = await RedisServer.start();
  const client = await connectRedis(redis.url);
  const watch = new RunStateWatch({ client, coordinator: "boss", run: "a" });
  await assert.rejects(watch.startAtMs(), /Cannot start: the run is over/);
  assert.equal(watch.ended, "gone");
  await watch.close();
  client.destroy();
});
