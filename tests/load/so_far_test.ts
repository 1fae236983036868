/** What a worker tells with each interval, for those who may not hear how it ended. */
import fc from "fast-check";
import assert from "node:assert/strict";
import { isAmong } from "../../runner/fleet/protocol/packed_histogram.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import type { WorkerTotals } from "../../runner/load/recording/totals.ts";
import { ERRORS } from "../../runner/result/outcome.ts";
import { withoutBounds } from "../../runner/stats/histogram/censoring.ts";
import { mergeHistograms, type SparseHistogram } from "../../runner/stats/histogram/histogram.ts";
import { type Happening, happenings, Playing, SLOTS } from "./playing.ts";
import { ask, sessionStage } from "./session_stage.ts";
import { type Ending, OK, opened, play, received, SECOND, stage, STEADY, tick } from "./stage.ts";
import { forAll } from "../for_all.ts";

const COMMON = {
  connections: SLOTS,
  timeoutUs: 60_000,
  intervalUs: 40_000,
  durationUs: 2 * SECOND,
};
const THINKING = { kind: "think", us: 15_000 } as const;

/** A stage of any loop, with what the laws need to know of it. */
interface Scene {
  readonly playing: Playing;
  readonly parts: readonly IntervalPart[];
  readonly stop: Int32Array;
  readonly totals: () => WorkerTotals | null;
  /** Created, and those of them that have ended. */
  readonly sessions: () => readonly [created: number, ended: number];
}

type OnEnding = (ending: Ending, nowUs: number) => void;

function requestScene(wish: Parameters<typeof stage>[0], onEnding: OnEnding): Scene {
  const { loop, driver, parts, stop } = stage({ ...COMMON, ...wish, onEnding });
  const playing = new Playing(loop, driver);
  return { playing, parts, stop, totals: () => loop.ending.totals, sessions: () => [0, 0] };
}

function sessionScene(waitsForLast: boolean, sharedPool: boolean, onEnding: OnEnding): Scene {
  const { loop, driver, parts, job, sessions } = sessionStage({
    perSec: 100,
    steps: [ask(), THINKING, ask()],
    sharedPool,
    job: { ...COMMON, waitsForLast },
    onEnding,
  });
  const counts = (): readonly [number, number] => {
    const { created, completed, failed } = sessions.totals();
    return [created, completed + failed];
  };
  const playing = new Playing(loop, driver);
  return { playing, parts, stop: job.stop, totals: () => loop.ending.totals, sessions: counts };
}

const SCENES: [what: string, make: (onEnding: OnEnding) => Scene][] = [
  ["a closed loop", (onEnding) => requestScene({}, onEnding)],
  ["a pipelined closed loop", (onEnding) => requestScene({ pipeline: 3 }, onEnding)],
  [
    "a closed loop of 20 requests",
    (onEnding) => requestScene({ requests: 20, durationUs: Infinity }, onEnding),
  ],
  ["a rate", (onEnding) => requestScene({ pacer: STEADY }, onEnding)],
  ["visitors", (onEnding) => sessionScene(true, false, onEnding)],
  ["visitors that share connections", (onEnding) => sessionScene(false, true, onEnding)],
];

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** The laws that hold at the end of every run. */
function assertConserved({ totals, open }: Ending, scene: Scene): void {
  const { due, completed, failed, unfinished, dropped, censored, errors, status } = totals;
  assert.equal(due, completed + failed + unfinished + dropped);
  assert.equal(sumOf(errors), failed);
  assert.equal(sumOf(status), completed);
  assert.equal(sumOf(scene.parts.flatMap((part) => part.secondCompleted)), completed);
  assert.equal(sumOf(scene.parts.flatMap((part) => part.secondBytes)), totals.bytesIn);
  assert.equal(sumOf(totals.reasons.values()), failed);
  assert.equal(censored, errors[ERRORS.indexOf("timeout")] + unfinished + dropped);
  assert.equal(sumOf(scene.parts.map((part) => part.completed)), completed);
  assert.equal(sumOf(scene.parts.map((part) => part.failed)), failed);
  assert.equal(sumOf(scene.parts.map((part) => part.bytesIn)), totals.bytesIn);
  const told = sumOf(scene.parts.map((part) => part.latency.count));
  assert.equal(told + open.count, completed + censored);
  assert.equal(totals.service.count, completed + censored - dropped);
  assert.equal(totals.serviceCensored.count, censored - dropped);
  assert.equal(sumOf(scene.parts.map((part) => part.censored.count)) + open.count, censored);
  const [created, ended] = scene.sessions();
  if (created > 0) assert.ok(open.count <= created - ended && ended <= created);
}

for (const [what, make] of SCENES) {
  Deno.test(`with ${what} nothing is lost in any report, whenever it is told`, () => {
    let told = 0;
    forAll([happenings], (list) => {
      const scene = make((ending) => {
        told++;
        assertConserved(ending, scene);
      });
      scene.playing.tick();
      for (const happening of list) if (!scene.playing.isOver) scene.playing.play(happening);
      scene.playing.nowUs = Math.max(scene.playing.nowUs, COMMON.durationUs);
      scene.playing.tick();
    }, { seed: 8, numRuns: 100 });
    assert.ok(told > 1_000);
  });
}

/** What a report is compared by. */
interface Figures {
  /** As text. */
  readonly exact: string;
  readonly bounds: SparseHistogram;
  /** Not yet in a report that is told on the way. */
  readonly dropped: number;
}

function figuresOf({ totals, open }: Ending, parts: readonly IntervalPart[]): Figures {
  const { due, dropped, censored, slowest: _, tail: ___, lastUs: __, status, ...rest } = totals;
  const { reasons, ...others } = rest;
  const latency = mergeHistograms([...parts.map((part) => part.latency), open]).toSparse();
  const bounds = mergeHistograms([...parts.map((part) => part.censored), open]).toSparse();
  const ended = withoutBounds(latency, bounds);
  const exact = JSON.stringify({
    begun: due - dropped,
    bounds: censored - dropped,
    ended: [[...ended.indices], [...ended.counts], ended.sumUs],
    status: Object.entries(status).filter(([, count]) => count > 0),
    reasons: [...reasons],
    ...others,
  });
  return { exact, bounds, dropped };
}

const NONE: SparseHistogram = mergeHistograms([]).toSparse();

/** Plays the list; when told to stop at a step, with the order to end there. */
function playUntil(
  list: readonly Happening[],
  make: (onEnding: OnEnding) => Scene,
  stopAt: number,
): { scene: Scene; endings: { step: number; figures: Figures }[] } {
  const endings: { step: number; figures: Figures }[] = [];
  let step = -1;
  const scene = make((ending) => {
    if (step < 0 || list[step].what !== "tick") return;
    endings.push({ step, figures: figuresOf(ending, scene.parts) });
  });
  scene.playing.tick();
  for (step = 0; step < list.length && !scene.playing.isOver; step++) {
    if (step === stopAt) Atomics.store(scene.stop, 0, 1);
    scene.playing.play(list[step]);
    if (scene.totals() !== null) break;
  }
  return { scene, endings };
}

for (const [what, make] of SCENES) {
  Deno.test(`with ${what} a report on the way is the one that an end at that moment would have given`, () => {
    let compared = 0;
    forAll([happenings, fc.nat()], (list, which) => {
      const { scene: { totals }, endings } = playUntil(list, make, -1);
      // Of several intervals that ended at once the last is like the end.
      const told = [...new Map(endings.map((ending) => [ending.step, ending])).values()];
      if (told.length === 0 || totals() !== null) return;
      const { step, figures } = told[which % told.length];
      const stopped = playUntil(list, make, step).scene;
      const end = stopped.totals();
      if (end === null) assert.fail("it was told to stop");
      compared++;
      const { exact, bounds, dropped } = figuresOf({ totals: end, open: NONE }, stopped.parts);
      assert.equal(figures.exact, exact);
      assert.ok(
        isAmong(figures.bounds, bounds),
        "the same bounds, and those of what was dropped",
      );
      assert.equal(bounds.count, figures.bounds.count + dropped);
    }, { seed: 9, numRuns: 60 });
    assert.ok(compared > 30, `${compared}`);
  });
}

Deno.test("what is in flight is unfinished, with lower bounds of its latency and its service", () => {
  const endings: Ending[] = [];
  const s = stage({
    pacer: STEADY,
    intervalUs: 50_000,
    onEnding: (ending) => endings.push(ending),
  });
  s.loop.onTick(0);
  s.loop.onOpen(0, 2_000); // the arrival at the start is sent
  s.loop.onTick(50_500);
  const [{ totals: { due, unfinished, dropped, service }, open }] = endings;
  assert.deepEqual([due, unfinished, dropped], [1, 1, 0]);
  assert.deepEqual([open.count, open.maxUs, service.maxUs], [1, 50_500, 48_500]);
  s.loop.onBytes(0, OK, OK.length, 60_000);
  assert.equal(s.parts.length, 1);
});

Deno.test("in a closed loop a dial under way is an exchange that has begun, as at the end", () => {
  const told: number[][] = [];
  const s = stage({
    connections: 3,
    requests: 2,
    durationUs: Infinity,
    intervalUs: 50_000,
    onEnding: ({ totals: { due, unfinished }, open }) => told.push([due, unfinished, open.count]),
  });
  play(s, tick(0), tick(50_000));
  assert.deepEqual(told, [[2, 2, 2]]);
});

Deno.test("each request of a pipeline is in flight since its own moment", () => {
  const opens: SparseHistogram[] = [];
  const onEnding = ({ open }: Ending): unknown => opens.push(open);
  const s = stage({ pipeline: 2, intervalUs: 50_000, onEnding });
  play(s, tick(0), opened(0, 0), received(0, 10_000), tick(50_000));
  assert.deepEqual([opens[0].count, opens[0].minUs, opens[0].maxUs], [2, 40_000, 50_000]);
});

Deno.test("a visitor's request in flight is served since it was sent, and waits since it was due", () => {
  const told: number[][] = [];
  const s = sessionStage({
    onEnding: ({ totals: { service }, open }) => told.push([open.maxUs, service.maxUs]),
  });
  play(s, tick(5_000), opened(0, 8_000), tick(250_000));
  assert.deepEqual(told, [[250_000, 242_000]]);
});
