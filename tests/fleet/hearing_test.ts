import fc from "fast-check";
import assert from "node:assert/strict";
import { AgentStream } from "../../runner/fleet/coordinator/agent_stream.ts";
import type { AgentMessageOf } from "../../runner/fleet/protocol/agent_message.ts";
import { packedReport, packReport, packSoFar } from "../../runner/fleet/protocol/packing.ts";
import { STATUS_CODES } from "../../runner/load/recording/recorder.ts";
import type { SilentShare } from "../../runner/load/worker/silent_worker.ts";
import type { LoadRequest } from "../../runner/measure/loader.ts";
import { shareOut } from "../../runner/measure/share.ts";
import { ERRORS } from "../../runner/result/outcome.ts";
import { Histogram, type SparseHistogram } from "../../runner/stats/histogram/histogram.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { report as reports } from "./packed.ts";
import { forAll } from "../for_all.ts";

const SEED = 20_240_119;
const IDLE = { cpuRatio: 0, lateUs: 0 };
const PLACE = { firstWorker: 3, workers: 8, own: 2 };
const [SAMPLE] = fc.sample(reports, { seed: SEED, numRuns: 1 });
const REPORT = packedReport.parse(packReport(SAMPLE));
const OPEN = new Histogram().toSparse();
/** Of a run that went on to its fourth interval. */
const END = { us: Infinity, index: 3 };

/** So many latencies. */
function latencies(count: number): SparseHistogram {
  const histogram = new Histogram();
  for (let i = 0; i < count; i++) histogram.record(1_000);
  return histogram.toSparse();
}

/** A bundle of one interval of each of two workers, 3 and 4. */
function bundle(seq: number, workers: readonly number[] = [3, 4]): AgentMessageOf<"bundle"> {
  const parts = workers.map((worker) => ({
    worker,
    health: IDLE,
    part: {
      index: seq,
      completed: 10 * (seq + 1),
      latency: latencies(10 * (seq + 1)),
      ...{ failed: 0, errors: null, wrong: 0, bytesIn: 0, censored: OPEN },
      secondCompleted: [10 * (seq + 1)],
      secondBytes: [0],
    },
  }));
  const soFar = workers.map(() =>
    packSoFar({ ...REPORT, elapsedUs: (seq + 1) * 250_000, open: OPEN })
  );
  return { kind: "bundle", run: "r", agent: "a", seq, parts, soFar };
}

function finished(bundles: number): AgentMessageOf<"finished"> {
  const surroundings = { cores: null, busy: null, steal: null, throttled: null };
  const stage = { hostActivity: surroundings, calibration: null, sharesMachine: false };
  const completed = 5 * bundles * (bundles + 1); // 10 + 20 + 30 …
  const totals = {
    ...REPORT.totals,
    ...{ due: completed, completed, failed: 0, unfinished: 0, dropped: 0, censored: 0 },
    drain: { us: 0, completed: 0, failed: 0, bytesIn: 0 },
    status: new Float64Array(STATUS_CODES).fill(completed, 200, 201),
    errors: new Float64Array(ERRORS.length),
    groups: new Map(),
  };
  const reports = [{ ...REPORT, totals }, { ...REPORT, totals }];
  return { kind: "finished", run: "r", agent: "a", bundles, reports, startedAtMs: 0, stage };
}

Deno.test("what an agent's workers have in flight is that of the last bundle in order", () => {
  const hearing = new AgentStream(PLACE, 0);
  assert.deepEqual(hearing.inFlight, []);
  const withOpen = (seq: number, ...open: readonly number[]): AgentMessageOf<"bundle"> => ({
    ...bundle(seq),
    soFar: open.map((count) => packSoFar({ ...REPORT, open: latencies(count) })),
  });
  const counts = (): number[] => hearing.inFlight.map(({ count }) => count);
  hearing.bundle(withOpen(0, 5, 0), 1);
  hearing.bundle(withOpen(2, 9, 9), 1);
  assert.deepEqual(counts(), [5, 0]);
  hearing.bundle(withOpen(1, 7, 8), 1);
  assert.deepEqual(counts(), [9, 9]);
  hearing.bundle({ ...bundle(3), soFar: [{}, null] }, 1);
  assert.deepEqual(counts(), []);
});

Deno.test("what a lost agent told of itself is left out when it can't be read", () => {
  const hearing = new AgentStream(PLACE, 0);
  hearing.bundle({ ...bundle(0), soFar: [{}, null] }, 1);
  const { parts, afterMs } = hearing.abandon([], END);
  assert.deepEqual([parts, afterMs], [[], 0]);
});

Deno.test("bundles in any order, some of them twice, are heard once each and in their order", () => {
  const order = fc.nat(12).chain((last) => {
    const all = Array.from({ length: last + 1 }, (_, seq) => seq);
    return fc.tuple(fc.subarray(all), fc.shuffledSubarray(all, { minLength: all.length }))
      .map(([again, first]) => ({ last, seqs: [...first, ...again] }));
  });
  forAll([order], ({ last, seqs }) => {
    const hearing = new AgentStream(PLACE, 0);
    const heard = seqs.flatMap((seq) => hearing.bundle(bundle(seq), 1));
    const expected = Array.from({ length: last + 1 }, (_, seq) => bundle(seq).parts).flat();
    assert.deepEqual(heard, expected);
  }, { seed: SEED });
});

Deno.test("an agent is whole once it has finished and every bundle before that is there", () => {
  const hearing = new AgentStream(PLACE, 0);
  const isWhole = (): boolean => hearing.whole !== null;
  hearing.bundle(bundle(0), 1);
  hearing.finish(finished(3), 2);
  assert.equal(isWhole(), false);
  hearing.bundle(bundle(2), 3);
  assert.equal(isWhole(), false);
  hearing.bundle(bundle(1), 4);
  assert.equal(isWhole(), true);
  assert.equal(hearing.lastMs, 4);
});

Deno.test("what an agent tells of workers that are not its own is not heard", () => {
  const hearing = new AgentStream(PLACE, 0);
  assert.deepEqual(hearing.bundle(bundle(0, [2, 3]), 1), []);
  assert.deepEqual(hearing.bundle(bundle(0, [4, 5]), 1), []);
  assert.deepEqual(hearing.bundle(bundle(0, [3]), 1), []); // the other one's report is missing
  assert.equal(hearing.bundle(bundle(0), 1).length, 2);
});

Deno.test("a report for other than its workers ends nothing", () => {
  const hearing = new AgentStream(PLACE, 0);
  hearing.finish({ ...finished(0), reports: [REPORT] }, 1);
  assert.equal(hearing.whole, null);
});

Deno.test("its pace is that of the last interval, over all its workers", () => {
  const hearing = new AgentStream(PLACE, 0);
  assert.deepEqual(hearing.pace(250), { ratePerSec: 0, cpuRatio: 0 });
  hearing.bundle(bundle(0), 1);
  hearing.bundle(bundle(1), 2);
  assert.deepEqual(hearing.pace(250), { ratePerSec: 160, cpuRatio: 0 });
});

Deno.test("an agent that fell silent is taken as it was last heard, and the rest of its share as dropped", () => {
  const share = (worker: number): SilentShare => {
    const load = { connections: 8, keepAlive: true, timeout: 1_000, workers: null };
    const request: LoadRequest = {
      origin: "http://127.0.0.1:1",
      script: scriptOf(requestScenarioSpec.parse({ get: "/" }), 0),
      load: { kind: "rate", ratePerSec: 800, arrivals: "uniform", durationMs: 1_000, ...load },
      ...{ seed: 1, driver: "tcp", intervalMs: 250, logPath: null, implicitCheck: false },
    };
    const place = { ...PLACE, firstWorker: worker, own: 1 };
    const [{ pacer, durationUs, script }] = shareOut(request, "tcp", place);
    return { pacer, durationUs, scriptKind: script.kind };
  };
  const shares = [share(3), share(4)];
  const lost = (hearing: AgentStream, endUs: number): number[] =>
    hearing.abandon(shares, { ...END, us: endUs }).reports.map(({ totals }) => totals.dropped);
  assert.deepEqual(lost(new AgentStream(PLACE, 0), Infinity), [100, 100]); // an eighth each, of 800
  assert.deepEqual(lost(new AgentStream(PLACE, 0), 500_000), [50, 50]);

  const hearing = new AgentStream(PLACE, 0);
  const open = new Histogram();
  open.record(7_000);
  const totals = { ...REPORT.totals, due: 40, dropped: 1 };
  const soFar = packSoFar({ ...REPORT, totals, elapsedUs: 250_000, open: open.toSparse() });
  hearing.bundle({ ...bundle(0), soFar: [soFar, soFar] }, 1);
  assert.deepEqual(lost(hearing, Infinity), [61, 61]);
  const abandoned = hearing.abandon(shares, END);
  assert.equal(abandoned.afterMs, 250);
  assert.deepEqual(abandoned.reports.map(({ totals }) => totals.due), [100, 100]);
  const bounds = abandoned.parts.map(({ worker, part: { index, latency, censored } }) => {
    assert.deepEqual(latency, censored);
    return [worker, index, latency.count, latency.maxUs];
  });
  // Arrival 39 of 100 of worker 3 is 39 · 8 + 3 of 800 in a second; what is in flight is of the last it told.
  assert.deepEqual(bounds, [
    [3, 0, 1, 7_000],
    [4, 0, 1, 7_000],
    [3, 3, 60, 1e6 - (40 * 8 + 3) * 1_250],
    [4, 3, 60, 1e6 - (40 * 8 + 4) * 1_250],
  ]);
});
