import assert from "node:assert/strict";
import fc from "fast-check";
import type { PacerSpec } from "../../runner/load/engine/job.ts";
import type { SoFarReport } from "../../runner/load/worker/messages.ts";
import {
  reportOfSilent,
  type SilentShare,
  type SilentWorker,
} from "../../runner/load/worker/silent_worker.ts";
import { ERRORS } from "../../runner/result/outcome.ts";
import { type Happening, happenings, Playing, SLOTS } from "./playing.ts";
import { ask, sessionStage } from "./session_stage.ts";
import { type Ending, OFF_STAGE, SECOND, stage, STEADY } from "./stage.ts";
import { forAll } from "../for_all.ts";

const COMMON = { connections: SLOTS, timeoutUs: 60_000, intervalUs: 40_000, durationUs: SECOND };
const { sessions: NOBODY, ...MACHINE } = OFF_STAGE;

type Sessions = SoFarReport["sessions"];

/** The last report that was told before the worker fell silent, somewhere in the list; null for none. */
function lastHeard(
  list: readonly Happening[],
  begin: (onEnding: (ending: Ending, nowUs: number) => void) => Playing,
  sessions: () => Sessions = () => NOBODY,
): SoFarReport | null {
  let heard: SoFarReport | null = null;
  const playing = begin((ending, elapsedUs) => {
    heard = structuredClone({ ...ending, sessions: sessions(), elapsedUs, ...MACHINE });
  });
  playing.tick();
  for (const happening of list) if (!playing.isOver) playing.play(happening);
  return heard;
}

const anyArrivals: fc.Arbitrary<PacerSpec & { kind: "open" }> = fc.record({
  kind: fc.constant("open"),
  phases: fc.tuple(fc.integer({ min: 10, max: 2_000 }), fc.integer({ min: 10, max: 2_000 })).map(
    ([fromPerSec, toPerSec]) => [{ durationUs: SECOND, fromPerSec, toPerSec }],
  ),
  arrivals: fc.record({
    kind: fc.constantFrom("uniform", "poisson"),
    seed: fc.nat(1_000),
    first: fc.nat(2),
    stride: fc.constant(3),
  }),
});

/** What a worker whose server never answers has of due requests at the end, which is every arrival. */
function arrivalsOf(pacer: PacerSpec): number {
  const { loop } = stage({ ...COMMON, pacer });
  loop.onTick(0);
  loop.onTick(SECOND);
  return loop.ending.totals?.due ?? -1;
}

function assertConserved(
  { report: { totals }, dropped }: SilentWorker,
  soFar: SoFarReport | null,
): void {
  assert.equal(totals.due, totals.completed + totals.failed + totals.unfinished + totals.dropped);
  assert.equal(totals.dropped, (soFar?.totals.dropped ?? 0) + dropped.count);
  const timeouts = totals.errors[ERRORS.indexOf("timeout")];
  assert.equal(totals.censored, timeouts + totals.unfinished + totals.dropped);
}

Deno.test("whenever a worker falls silent, each of its arrivals is counted once", () => {
  let heard = 0;
  forAll([happenings, anyArrivals], (list, pacer) => {
    const soFar = lastHeard(list, (onEnding) => {
      const { loop, driver } = stage({ ...COMMON, pacer, onEnding });
      return new Playing(loop, driver);
    });
    if (soFar !== null) heard++;
    const share: SilentShare = { pacer, scriptKind: "requests", durationUs: SECOND };
    const lost = reportOfSilent(share, soFar);
    assert.equal(lost.report.totals.due, arrivalsOf(pacer));
    assertConserved(lost, soFar);
  }, { seed: 21, numRuns: 200 });
  assert.ok(heard > 50, `${heard}`);
});

Deno.test("of visitors each is counted once: by the requests that were due of those who came, or as dropped", () => {
  forAll([happenings, anyArrivals], (list, pacer) => {
    let sessions = (): Sessions => NOBODY;
    const soFar = lastHeard(list, (onEnding) => {
      const s = sessionStage({
        steps: [ask(), { kind: "think", us: 20_000 }, ask()],
        job: { ...COMMON, pacer },
        onEnding,
      });
      sessions = () => s.sessions.totals();
      return new Playing(s.loop, s.driver);
    }, () => sessions());
    const share: SilentShare = { pacer, scriptKind: "flow", durationUs: SECOND };
    const lost = reportOfSilent(share, soFar);
    const { sessions: { created }, totals: { dropped, due } } = lost.report;
    assert.equal(created + dropped, arrivalsOf(pacer));
    assert.equal(due - dropped, (soFar?.totals.due ?? 0) - (soFar?.totals.dropped ?? 0));
    assertConserved(lost, soFar);
  }, { seed: 22, numRuns: 200 });
});

Deno.test("of a number of requests those that were left are dropped", () => {
  forAll([happenings, fc.integer({ min: 1, max: 200 })], (list, requests) => {
    const job = { ...COMMON, requests, durationUs: Infinity };
    const soFar = lastHeard(list, (onEnding) => {
      const { loop, driver } = stage({ ...job, onEnding });
      return new Playing(loop, driver);
    });
    const pacer = { kind: "closed", requests } as const;
    const lost = reportOfSilent({ pacer, scriptKind: "requests", durationUs: Infinity }, soFar);
    assert.equal(lost.report.totals.due, requests);
    assert.equal(lost.report.elapsedUs, soFar?.elapsedUs ?? 0);
    assert.equal(lost.dropped.maxUs, 0, "none was due yet");
    assertConserved(lost, soFar);
  }, { seed: 23, numRuns: 200 });
});

Deno.test("a closed loop that ends by time drops nothing: it would have asked nobody knows how much", () => {
  const pacer = { kind: "closed", requests: Infinity } as const;
  const share: SilentShare = { pacer, scriptKind: "requests", durationUs: SECOND };
  const { totals: { due, dropped }, elapsedUs } = reportOfSilent(share, null).report;
  assert.deepEqual([due, dropped, elapsedUs], [0, 0, 0]);
});

Deno.test("a worker that was never heard has dropped all of its arrivals, until the end of the run", () => {
  const share: SilentShare = { pacer: STEADY, scriptKind: "requests", durationUs: SECOND };
  const { report: { totals: { due, dropped, completed }, elapsedUs }, dropped: waits } =
    reportOfSilent(share, null);
  assert.deepEqual([due, dropped, completed, elapsedUs], [1_000, 1_000, 0, SECOND]);
  assert.deepEqual([waits.count, waits.minUs, waits.maxUs], [1_000, 1_000, SECOND]);
  const earlier = reportOfSilent({ ...share, durationUs: SECOND / 4 }, null);
  assert.deepEqual([earlier.report.totals.dropped, earlier.dropped.maxUs], [250, SECOND / 4]);
});

Deno.test("what was heard of a worker stands, and how it fared is known until then", () => {
  const tells: Ending[] = [];
  const { loop } = stage({ ...COMMON, pacer: STEADY, onEnding: (one) => tells.push(one) });
  loop.onTick(0);
  loop.onTick(40_000);
  const soFar = { ...tells[0], sessions: NOBODY, elapsedUs: 40_000, ...MACHINE };
  const share: SilentShare = { pacer: STEADY, scriptKind: "requests", durationUs: SECOND };
  const { report: { totals, time, ...rest }, dropped } = reportOfSilent(share, soFar);
  assert.deepEqual([time, totals.lag, totals.censored], [
    MACHINE.time,
    soFar.totals.lag,
    soFar.totals.censored + dropped.count,
  ]);
  assert.equal(dropped.minUs, 1_000, "the arrival of 999 ms");
  assert.ok(!("open" in rest));
});
