import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { LoopWatch } from "../../runner/load/recording/busy_periods.ts";
import { ReadTurns, Turn } from "../../runner/load/transports/read_scheduler.ts";

const CROWD = 64;

interface Waiting {
  readonly turn: Turn;
  readonly turns: ReadTurns;
  /** Who has gone on, in order. */
  readonly gone: readonly number[];
}

function turnsFor(slots: number): Waiting {
  const gone: number[] = [];
  const turn = new Turn(() => 0, new LoopWatch());
  return { turn, turns: new ReadTurns(slots, turn, (slot) => void gone.push(slot)), gone };
}

/** As many events in this turn. */
function crowd(turn: Turn, events = CROWD): void {
  for (let i = 0; i < events; i++) turn.count(0);
}

/** Until the turn of the event loop is over, and what follows it. */
function turnOver(): Promise<void> {
  return new Promise((wake) => setImmediate(() => setImmediate(wake)));
}

/** Until nobody waits, and no timer is left. */
async function atRest(): Promise<void> {
  await new Promise((wake) => setTimeout(wake, 20));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((wake) => setTimeout(wake, 0));
}

function slotsTo(end: number): number[] {
  return Array.from({ length: end }, (_, slot) => slot);
}

/** All of them are served in this turn; tells who may read on. */
function serve(turns: ReadTurns, slots: readonly number[]): boolean[] {
  return slots.map((slot) => turns.mayReadOn(slot));
}

Deno.test("whoever is served reads again at once, as long as the turn has room", async () => {
  const { turn, turns } = turnsFor(10);
  serve(turns, [3]);
  crowd(turn, CROWD - 1);
  assert.equal(turns.mayReadOn(3), true);
  turn.count(0);
  assert.equal(turns.mayReadOn(3), false);
  await turnOver();
  assert.equal(turns.mayReadOn(3), true);
  await atRest();
});

Deno.test("after a full turn those that wait go on in their order, as many as fill half a turn", async () => {
  const { turn, turns, gone } = turnsFor(100);
  serve(turns, slotsTo(100));
  crowd(turn);
  assert.ok(!serve(turns, slotsTo(100)).includes(true));
  assert.deepEqual(gone, []);
  await turnOver();
  assert.deepEqual(gone.slice(0, CROWD), slotsTo(CROWD));
  if (gone.length < 100) assert.equal(turns.mayReadOn(0), false); // nobody overtakes them
  await until(() => gone.length >= 100);
  assert.deepEqual(gone.slice(0, 100), slotsTo(100));
  await atRest();
});

Deno.test("those that wait go on though nothing happens, and though many are dialed", async () => {
  const { turn, turns, gone } = turnsFor(200);
  turns.dialing = 1_000;
  serve(turns, slotsTo(200));
  crowd(turn);
  serve(turns, slotsTo(200));
  await until(() => gone.length === 200);
  assert.deepEqual(gone, slotsTo(200));
  await atRest();
});

Deno.test("whoever was not served for long is not held up, however full the turn is", async () => {
  const { turn, turns } = turnsFor(10);
  crowd(turn);
  assert.equal(turns.mayReadOn(3), true); // never yet
  assert.equal(turns.mayReadOn(3), false);
  await until(() => turn.events === 0);
  while (turn.index < 20) {
    turn.count(0);
    await turnOver();
  }
  crowd(turn);
  assert.equal(turns.mayReadOn(3), true);
  await atRest();
});
