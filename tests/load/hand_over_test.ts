import assert from "node:assert/strict";
import { BusyPeriods } from "../../runner/load/recording/busy_periods.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { SessionRecorder } from "../../runner/load/recording/totals.ts";
import { HandOver } from "../../runner/load/worker/hand_over.ts";
import type { IntervalMessage } from "../../runner/load/worker/messages.ts";
import { SoFarSum } from "../../runner/load/worker/so_far_sum.ts";
import { Usage } from "../../runner/load/worker/usage.ts";

const INTERVAL_US = 1_000;
const STEP_US = 10;

/** A worker that completes a request each 10 µs, every one slower than the one before. */
function messagesOf(requests: number): { messages: IntervalMessage[]; recorder: Recorder } {
  const messages: IntervalMessage[] = [];
  const busy = new BusyPeriods();
  const recorder: Recorder = new Recorder(INTERVAL_US, (part, nowUs) => {
    messages.push(structuredClone(handOver.messageAt(part, nowUs)));
  });
  const handOver = new HandOver({
    recorder,
    inFlight: { forEachInFlight: () => {} },
    sessions: new SessionRecorder(),
    usage: new Usage(() => 0, busy, 1),
    tls: () => undefined,
    hooks: () => undefined,
  });
  for (let i = 0; i < requests; i++) {
    const nowUs = i * STEP_US;
    recorder.due++;
    recorder.sent(i);
    busy.add(nowUs, nowUs + 1);
    recorder.complete(0, 200, nowUs - i, nowUs - i, nowUs, nowUs);
  }
  return { messages, recorder };
}

Deno.test("with each interval a worker hands on the times of its requests, and not again those of the run", () => {
  const perInterval = INTERVAL_US / STEP_US;
  const { messages } = messagesOf(10 * perInterval + 1);
  assert.equal(messages.length, 10);
  for (const { soFar: { totals, busyPeriods } } of messages) {
    for (const times of [totals.service, totals.firstByte, totals.lag]) {
      assert.ok(times.indices.length <= perInterval + 1);
    }
    assert.ok(busyPeriods.count <= perInterval + 1);
  }
});

Deno.test("what was handed on is together what the worker has, how often somebody looks", () => {
  const { messages, recorder } = messagesOf(501);
  const sum = new SoFarSum();
  assert.deepEqual([sum.report, sum.elapsedUs], [null, 0]);
  const completed: (number | undefined)[] = [];
  for (const { soFar } of messages) {
    sum.add(soFar);
    completed.push(sum.report?.totals.service.count);
  }
  assert.deepEqual(completed, [100, 200, 300, 400, 500]);
  const { service, firstByte, lag } = recorder.totals();
  assert.deepEqual([service.count, firstByte.count, lag.count], [501, 501, 501]);
});
