import assert from "node:assert/strict";
import process from "node:process";
import { setImmediate } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import { watchResources } from "../../targets/observe/watch_resources.ts";
import { needing } from "../needs.ts";

const withLinux = needing("linux");

withLinux.test("a watch that begins when its time is over ends at once, without a warning", async () => {
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  process.on("warning", onWarning);
  const times = { intervalMs: 50, sinceMs: performance.now() - 1_000, forMs: 100 };
  const watch = watchResources({ pid: Deno.pid, supervised: false }, times);
  await watch.stop();
  await new Promise(setImmediate); // a warning is an event of its own
  process.off("warning", onWarning);
  assert.deepEqual(warnings, []);
});

withLinux.test("a watch may end by itself before it is stopped", async () => {
  const times = { intervalMs: 50, sinceMs: performance.now(), forMs: 100 };
  const watch = watchResources({ pid: Deno.pid, supervised: false }, times);
  await pause(1_000);
  const { resources } = await watch.stop();
  const last = resources.at(-1)?.endS ?? 0;
  assert.ok(last >= 0.1 && last < 0.9, `${last} s`);
});
