/** When a worker is held: by which moment its next word is due, and by how much it may miss that. */
import assert from "node:assert/strict";
import { LINGER_US } from "../../runner/load/engine/ending.ts";
import {
  dueMsOf,
  Lateness,
  WATCH_STEP_MS,
  WORKER_GRACE_MS,
  type WorkerTiming,
} from "../../runner/load/worker/overdue.ts";
import { opened, play, SECOND, stage, tick } from "./stage.ts";

const COURSE: WorkerTiming = {
  share: {
    durationUs: 10 * SECOND,
    timeoutUs: 2 * SECOND,
    intervalUs: SECOND / 4,
    waitsForLast: false,
  },
  startMs: 1_000,
  interruptedMs: null,
  lastMessageMs: 1_500,
};
const COUNTED = { ...COURSE.share, durationUs: Infinity };
const VISITORS = { ...COURSE.share, waitsForLast: true };

const MOMENTS: Readonly<Record<string, readonly [course: WorkerTiming, dueMs: number]>> = {
  "a load is over at its deadline and after the wait for its time-out, which is noticed late": [
    COURSE,
    13_600,
  ],
  "nobody waits for longer than 5 s": [{
    ...COURSE,
    share: { ...COURSE.share, timeoutUs: 60 * SECOND },
  }, 16_100],
  "before the start nothing is due": [{ ...COURSE, startMs: null }, Infinity],
  "an interruption is heard at once": [{ ...COURSE, interruptedMs: 2_000 }, 2_100],
  "also before the start": [{ ...COURSE, startMs: null, interruptedMs: 500 }, 600],
  "an interruption at the end puts nothing off": [{ ...COURSE, interruptedMs: 20_000 }, 13_600],
  "who counts requests hands an interval on": [{ ...COURSE, share: COUNTED }, 6_750],
  "and so does who waits for visitors": [
    { ...COURSE, share: VISITORS, lastMessageMs: 9_000 },
    14_250,
  ],
  "the first interval begins at the start": [
    { ...COURSE, share: COUNTED, lastMessageMs: 1 },
    6_250,
  ],
};

for (const [sentence, [course, dueMs]] of Object.entries(MOMENTS)) {
  Deno.test(`of a worker's next word: ${sentence}`, () => {
    assert.equal(dueMsOf(course), dueMs);
  });
}

Deno.test("a worker is awaited for as long as it waits for what is in flight", () => {
  for (const timeoutUs of [100_000, SECOND, 4.8 * SECOND, 60 * SECOND]) {
    const { loop } = stage({ timeoutUs, durationUs: SECOND });
    play({ loop }, tick(SECOND - 20), opened(0, SECOND - 10), tick(SECOND));
    const share = { ...COURSE.share, timeoutUs, durationUs: SECOND };
    const dueMs = dueMsOf({ ...COURSE, share, startMs: 0 });
    assert.equal(dueMs, (loop.ending.untilUs + LINGER_US) / 1_000, `${timeoutUs} µs`);
  }
});

/** When a worker that is due at 1 s is found late, looked at after each of these pauses; null: never. */
function foundAt(pausesMs: readonly number[]): number | null {
  const lateness = new Lateness(0);
  let nowMs = 0;
  for (const pauseMs of pausesMs) {
    nowMs += pauseMs;
    if (lateness.look(1_000, nowMs)) return nowMs;
  }
  return null;
}

Deno.test("a worker is late a second after its word was due", () => {
  const foundMs = foundAt(Array(50).fill(WATCH_STEP_MS));
  assert.equal(foundMs, 1_000 + WORKER_GRACE_MS + WATCH_STEP_MS);
});

Deno.test("a machine that stands still makes no worker late", () => {
  assert.equal(foundAt([900, 60_000, 100, 100]), null);
  assert.equal(foundAt([...Array(15).fill(WATCH_STEP_MS), 60_000, 100, 100]), null);
});

Deno.test("a word that comes makes good for what was late before", () => {
  const lateness = new Lateness(0);
  for (let nowMs = 100; nowMs <= 900; nowMs += 100) assert.ok(!lateness.look(0, nowMs));
  assert.ok(!lateness.look(2_000, 1_000));
  for (let nowMs = 2_100; nowMs <= 3_000; nowMs += 100) assert.ok(!lateness.look(2_000, nowMs));
  assert.ok(lateness.look(2_000, 3_100));
});
