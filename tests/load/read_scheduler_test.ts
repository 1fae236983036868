import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { LoopIteration, ReadScheduler } from "../../runner/load/transports/read_scheduler.ts";
import { BusyPeriods } from "../../runner/load/recording/busy_periods.ts";

const CROWD = 64;

interface Waiting {
  readonly iteration: LoopIteration;
  readonly scheduler: ReadScheduler;
  /** Who has gone on, in order. */
  readonly gone: readonly number[];
}

function schedulerFor(slots: number): Waiting {
  const gone: number[] = [];
  const iteration = new LoopIteration(() => 0, new BusyPeriods());
  return {
    iteration,
    scheduler: new ReadScheduler(slots, iteration, (slot) => void gone.push(slot)),
    gone,
  };
}

/** As many events in this iteration. */
function crowd(iteration: LoopIteration, events = CROWD): void {
  for (let i = 0; i < events; i++) iteration.count(0);
}

/** Until the iteration of the event loop is over, and what follows it. */
function iterationOver(): Promise<void> {
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
function serve(scheduler: ReadScheduler, slots: readonly number[]): boolean[] {
  return slots.map((slot) => scheduler.mayReadOn(slot));
}

Deno.test("whoever is served reads again at once, as long as the iteration has room", async () => {
  const { iteration, scheduler } = schedulerFor(10);
  serve(scheduler, [3]);
  crowd(iteration, CROWD - 1);
  assert.equal(scheduler.mayReadOn(3), true);
  iteration.count(0);
  assert.equal(scheduler.mayReadOn(3), false);
  await iterationOver();
  assert.equal(scheduler.mayReadOn(3), true);
  await atRest();
});

Deno.test("after a full iteration those that wait go on in their order, as many as fill half an iteration", async () => {
  const { iteration, scheduler, gone } = schedulerFor(100);
  serve(scheduler, slotsTo(100));
  crowd(iteration);
  assert.ok(!serve(scheduler, slotsTo(100)).includes(true));
  assert.deepEqual(gone, []);
  await iterationOver();
  assert.deepEqual(gone.slice(0, CROWD), slotsTo(CROWD));
  if (gone.length < 100) assert.equal(scheduler.mayReadOn(0), false); // nobody overtakes them
  await until(() => gone.length >= 100);
  assert.deepEqual(gone.slice(0, 100), slotsTo(100));
  await atRest();
});

Deno.test("those that wait go on though nothing happens, and though many are dialed", async () => {
  const { iteration, scheduler, gone } = schedulerFor(200);
  scheduler.dialing = 1_000;
  serve(scheduler, slotsTo(200));
  crowd(iteration);
  serve(scheduler, slotsTo(200));
  await until(() => gone.length === 200);
  assert.deepEqual(gone, slotsTo(200));
  await atRest();
});

Deno.test("whoever was not served for long is not held up, however full the iteration is", async () => {
  const { iteration, scheduler } = schedulerFor(10);
  crowd(iteration);
  assert.equal(scheduler.mayReadOn(3), true); // never yet
  assert.equal(scheduler.mayReadOn(3), false);
  await until(() => iteration.events === 0);
  while (iteration.index < 20) {
    iteration.count(0);
    await iterationOver();
  }
  crowd(iteration);
  assert.equal(scheduler.mayReadOn(3), true);
  await atRest();
});
