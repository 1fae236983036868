import assert from "node:assert/strict";
import { BusyPeriods } from "../../runner/load/recording/busy_periods.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { SessionRecorder } from "../../runner/load/recording/totals.ts";
import type { WorkerReport } from "../../runner/load/worker/messages.ts";
import { evidenceOf } from "../../runner/trust/evidence.ts";

const ELAPSED_US = 1e6;
const STAGE = {
  hostActivity: { cores: 2, busy: 0.5, steal: 0, throttled: null },
  calibration: { peakThroughput: 200_000, baselineLatency: 0.02 },
  sharesMachine: true,
};

interface Told {
  readonly cpuUs: number;
  readonly waitedUs: number | null;
  readonly lagsUs: readonly number[];
  /** Stretches in which its loop had no time, one after the other. */
  readonly heldUs: readonly number[];
}

function report({ cpuUs, waitedUs, lagsUs, heldUs }: Told): WorkerReport {
  const recorder = new Recorder(250_000, () => {});
  for (const lagUs of lagsUs) recorder.sent(lagUs);
  const busy = new BusyPeriods();
  let atUs = 0;
  for (const us of heldUs) busy.add(atUs, atUs += us);
  return {
    totals: recorder.finish(ELAPSED_US),
    sessions: new SessionRecorder().totals(),
    elapsedUs: ELAPSED_US,
    time: { cpuUs, waitedUs },
    spunUs: 0,
    busyPeriods: busy.lengths(),
    timerUs: 0.25,
  };
}

const CALM = report({ cpuUs: 200_000, waitedUs: 10_000, lagsUs: [10, 20], heldUs: [] });
const BUSY = report({ cpuUs: 900_000, waitedUs: 50_000, lagsUs: [3_000], heldUs: [400_000] });

Deno.test("the busiest worker's CPU time and waits are told, and each worker's own", () => {
  const { workers, cpu, waiting, each } = evidenceOf([CALM, BUSY], ELAPSED_US, STAGE);
  assert.deepEqual({ workers, cpu, waiting }, { workers: 2, cpu: 0.9, waiting: 0.05 });
  assert.deepEqual(each.map(({ cpu, waiting, lag }) => [cpu, waiting, lag]), [
    [0.2, 0.01, 0.02],
    [0.9, 0.05, 3],
  ]);
});

Deno.test("lag is of the requests of all workers, delay of all moments of all workers", () => {
  const { lag, delay, each } = evidenceOf([CALM, BUSY], ELAPSED_US, STAGE);
  assert.deepEqual(lag, { p50: 0.02, p99: 3, max: 3 });
  // 400 ms of 2 s: the last 1 %, 20 ms, of the moments wait for more than 380 ms.
  assert.ok(Math.abs(delay.p99 - 380) < 1, `${delay.p99} ms`);
  assert.deepEqual({ p50: delay.p50, max: delay.max }, { p50: 0, max: 400 });
  assert.equal(each[0].delay, 0);
  assert.ok(Math.abs(each[1].delay - 390) < 1, `${each[1].delay} ms`);
});

Deno.test("what the system does not tell, and what was not calibrated, is null", () => {
  const silent = report({ cpuUs: 1, waitedUs: null, lagsUs: [], heldUs: [] });
  const { waiting, peakThroughput, baselineLatency } = evidenceOf([silent], ELAPSED_US, {
    ...STAGE,
    calibration: null,
  });
  assert.deepEqual({ waiting, peakThroughput, baselineLatency }, {
    waiting: null,
    peakThroughput: null,
    baselineLatency: null,
  });
});
