/** A closed loop in stages, while the test plays the server and the clock: who is there when is known to the user. */
import assert from "node:assert/strict";
import { loadEngine } from "../../base/pattern.ts";
import { type LoadStage, UserLevels } from "../../scenarios/pace/levels.ts";
import { ask, type SessionStage, sessionStage, type SessionWish } from "./session_stage.ts";
import { OK, opened, play, received, SECOND, tick } from "./stage.ts";

await loadEngine();

const STAGES: readonly LoadStage[] = [
  { durationUs: SECOND, from: 1, to: 5 },
  { durationUs: SECOND, from: 5, to: 5 },
  { durationUs: SECOND, from: 5, to: 0 },
];

interface StagedWish extends SessionWish {
  readonly stages?: readonly LoadStage[];
  readonly worker?: number;
  readonly workers?: number;
}

function staged(
  { stages = STAGES, worker = 0, workers = 1, ...wish }: StagedWish = {},
): SessionStage {
  const durationUs = stages.reduce((sum, stage) => sum + stage.durationUs, 0);
  return sessionStage({
    sharedPool: true,
    ...wish,
    job: {
      connections: Math.max(...stages.map(({ from, to }) => Math.max(from, to))),
      durationUs,
      waitsForLast: false,
      pacer: { kind: "closed", requests: Infinity, levels: { stages, worker, workers } },
    },
  });
}

const STEP_US = 1_000;
/** Not a divisor of the stages, so that responses come at odd moments. */
const SERVICE_US = 7_000;

/** Responds to each request after `SERVICE_US`, and gives how many were under way, at each millisecond. */
function played(stage: SessionStage, untilUs = stage.job.durationUs): number[] {
  const waiting = new Map<number, number>();
  const underWay: number[] = [];
  for (let us = 0; us < untilUs; us += STEP_US) {
    for (const [slot, doneUs] of [...waiting]) {
      if (doneUs > us) continue;
      waiting.delete(slot);
      stage.loop.onBytes(slot, OK, OK.length, us);
      noted(stage, us, waiting);
    }
    stage.loop.onTick(us);
    noted(stage, us, waiting);
    underWay.push(waiting.size);
  }
  return underWay;
}

function noted({ driver, loop }: SessionStage, us: number, waiting: Map<number, number>): void {
  for (let notes = driver.take(); notes.length > 0; notes = driver.take()) {
    for (const [what, slot] of notes.map((note) => note.split(" "))) {
      if (what === "connect") loop.onOpen(Number(slot), us);
      if (what === "send") waiting.set(Number(slot), us + SERVICE_US);
    }
  }
}

/** Of all workers, whatever was asked before. */
function levelAt(us: number): number {
  return new UserLevels({ stages: STAGES, worker: 0, workers: 1 }).at(us);
}

Deno.test("as many virtual users are there as the stages say, at every moment", () => {
  const stage = staged();
  const underWay = played(stage);
  const expected = underWay.map((_, at) => levelAt(at * STEP_US));
  const rising = 2 * SECOND / STEP_US;
  assert.deepEqual(underWay.slice(0, rising), expected.slice(0, rising));
  // Who is above the level has its response first: it leaves no later than that.
  underWay.slice(rising).forEach((count, at) => {
    const [least, most] = [0, SERVICE_US].map((us) => levelAt(2 * SECOND + at * STEP_US - us));
    assert.ok(count >= least && count <= most, `${count} at ${at} ms of the last stage`);
  });
  stage.loop.onTick(3 * SECOND);
  const { totals } = stage.end(9 * SECOND);
  assert.equal(totals.due, totals.completed + totals.unfinished);
});

Deno.test("the loop asks to be woken when the next user may come", () => {
  const stage = staged();
  stage.loop.onTick(0);
  // The sweep comes each 10 ms at most: until the second may come at 250 ms, it is all that wakes.
  assert.equal(stage.loop.onTick(245_000), 250_000);
  assert.deepEqual(stage.driver.take(), ["connect 0"]);
  stage.loop.onTick(250_000);
  assert.deepEqual(stage.driver.take(), ["connect 1"]);
});

Deno.test("a user above the level goes through its whole flow, and its connection is closed", () => {
  const stages = [{ durationUs: SECOND, from: 1, to: 1 }, { durationUs: SECOND, from: 0, to: 1 }];
  const stage = staged({ stages, steps: [ask(), { kind: "think", us: 900_000 }, ask()] });
  play(stage, tick(0), opened(0, 10), received(0, 200_000), tick(1_100_000));
  assert.deepEqual(stage.driver.take(), ["connect 0", "send 0", "send 0"]);
  play(stage, received(0, 1_200_000), tick(1_300_000));
  assert.deepEqual(stage.driver.take(), ["close 0"]);
  const { totals, sessions } = stage.end(2_000_000);
  assert.deepEqual([totals.due, totals.completed, sessions], [2, 2, [1, 1, 0]]);
});

Deno.test("a connection is kept as long as its place is not above the level", () => {
  const stage = staged({ stages: [{ durationUs: SECOND, from: 1, to: 1 }] });
  play(stage, tick(0), opened(0, 10), received(0, 20));
  assert.deepEqual(stage.driver.take(), ["connect 0", "send 0", "send 0"]);
});

Deno.test("workers let in their parts of the level, no more together than it is", () => {
  const parts = [0, 1, 2].map((worker) => played(staged({ worker, workers: 3 }), 2 * SECOND));
  parts[0].forEach((_, at) => {
    const together = parts.reduce((sum, part) => sum + part[at], 0);
    assert.equal(together, levelAt(at * STEP_US));
  });
});

Deno.test("a load whose users have all left lasts until its end, and loses nothing", () => {
  const stage = staged({ stages: [...STAGES, { durationUs: SECOND, from: 0, to: 0 }] });
  const underWay = played(stage);
  assert.equal(Math.max(...underWay.slice(3_100)), 0);
  assert.equal(stage.loop.ending.totals, null);
  const { totals } = stage.end(4 * SECOND);
  assert.equal(totals.unfinished, 0);
  assert.equal(stage.loop.ending.elapsedUs, 4 * SECOND);
});
