import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { watchResources } from "../../targets/observe/watch_resources.ts";
import { testWith } from "../needs.ts";

testWith(["linux"], "a watch may end by itself before it is stopped", async () => {
  const times = { intervalMs: 50, sinceMs: performance.now(), forMs: 100 };
  const watch = watchResources({ pid: Deno.pid, supervised: false }, times);
  await pause(1_000);
  const { resources } = await watch.stop();
  const last = resources.at(-1)?.endS ?? 0;
  assert.ok(last >= 0.1 && last < 0.9, `${last} s`);
});
