import assert from "node:assert/strict";
import { threadTime } from "../../base/system/thread_time.ts";
import { BusyPeriods } from "../../runner/load/recording/busy_periods.ts";
import { Usage } from "../../runner/load/worker/usage.ts";

const PREPARATION_US = 100_000;
const SECOND_US = 1_000_000;

Deno.test("the first share of a core leaves out what preparing the load took", () => {
  let nowUs = 0;
  const usage = new Usage(() => nowUs, new BusyPeriods(), 1);
  const { cpuUs } = threadTime();
  while (threadTime().cpuUs - cpuUs < PREPARATION_US);
  usage.begin();
  nowUs = SECOND_US;
  assert.ok(usage.sinceLast().health.cpuRatio < PREPARATION_US / SECOND_US);
});
