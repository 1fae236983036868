import assert from "node:assert/strict";
import { epochNowMs, momentOf, momentUs, monotonicClock } from "../../base/system/clock.ts";
import { testWith } from "../needs.ts";

const HOUR_MS = 3_600_000;
/** Two readings of a clock on a machine that halts. */
const APART_US = 2e6;

/** Opens libc for good, before the resources of a test are counted. */
const clock = monotonicClock();

for (const stepMs of [-HOUR_MS, 0, HOUR_MS]) {
  // An isolate reads the system's clock at its start: who starts after a step has another epoch.
  testWith(["linux"], `isolates whose epochs are ${stepMs} ms apart start at one moment`, () => {
    const startUs = clock() + 5_000;
    const moment = momentOf(epochNowMs() + 5);
    const seenUs = momentUs(moment, clock, epochNowMs() + stepMs);
    assert.ok(Math.abs(seenUs - startUs) < APART_US, `${seenUs - startUs} µs apart`);
    assert.equal(momentUs(moment, clock), seenUs, "whenever it is asked for");
  });
}

Deno.test("without a shared clock a moment is found by the epoch", () => {
  const moment = { epochMs: 1_005, sharedUs: null };
  assert.equal(momentUs(moment, () => 77_000, 1_000), 82_000);
});
