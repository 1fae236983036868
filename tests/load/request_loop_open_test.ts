import assert from "node:assert/strict";
import fc from "fast-check";
import type { RequestLoop } from "../../runner/load/request_loop.ts";
import { mergeHistograms } from "../../runner/stats/histogram.ts";
import { assertNothingLost, encoder, OK, SECOND, stage, STEADY, totalsOf } from "./stage.ts";

Deno.test("in an open loop the next tick is when the next arrival is due", () => {
  const s = stage({ supply: STEADY });
  s.loop.onTick(0);
  s.loop.onOpen(0, 100);
  assert.equal(s.loop.onTick(200), 1_000);
  s.loop.onBytes(0, OK, OK.length, 500);
  assert.deepEqual(s.driver.take(), ["connect 0", "send 0"]);
  assert.equal(s.loop.onTick(1_000), 2_000);
  assert.deepEqual(s.driver.take(), ["send 0"]);
});

Deno.test("an arrival that finds everybody busy waits, and its wait counts in latency and lag, not in service", () => {
  const s = stage({ supply: STEADY, durationUs: 10_000 });
  s.loop.onTick(0);
  s.loop.onOpen(0, 0);
  s.loop.onTick(2_500);
  s.loop.onBytes(0, OK, OK.length, 5_000);
  s.loop.onBytes(0, OK, OK.length, 5_100);
  s.loop.onTick(10_000);
  const totals = totalsOf(s);
  assert.deepEqual([totals.completed, totals.unfinished, totals.dropped, totals.due], [
    2,
    1,
    7,
    10,
  ]);
  assert.equal(totals.lag.maxUs, 4_000, "the arrival of 1 ms was sent at 5 ms");
  const latency = mergeHistograms(s.parts.map((part) => part.latency));
  assert.deepEqual(
    [latency.minUs, latency.maxUs],
    [4_100, 8_000],
    "1 ms → 5.1 ms, and 2 ms → the end",
  );
  assert.equal(totals.service.minUs, 100);
  assertNothingLost(totals, s.parts);
});

Deno.test("arrivals go to the connection that has been idle longest", () => {
  const s = stage({ supply: STEADY, connections: 3 });
  s.loop.onTick(0);
  for (const slot of [2, 0, 1]) s.loop.onOpen(slot, 10 + slot);
  s.driver.take();
  s.loop.onTick(1_000);
  s.loop.onTick(2_000);
  assert.deepEqual(s.driver.take(), ["send 0", "send 1"], "slot 2 took the arrival at the start");
});

Deno.test("in an open loop with nobody to connect to, each dial fails the arrival that waited for it, the rest are dropped", () => {
  const s = stage({ supply: STEADY });
  for (let nowUs = 0; nowUs < Infinity;) {
    const nextUs = s.loop.onTick(nowUs);
    if (s.driver.take().includes("connect 0")) s.loop.onRefused(0, "connect", "refused", nowUs);
    nowUs = nextUs;
  }
  const totals = totalsOf(s);
  assert.deepEqual([totals.due, totals.completed, totals.failed + totals.dropped], [
    1_000,
    0,
    1_000,
  ]);
  assert.ok(totals.failed >= 5 && totals.failed <= 10);
});

Deno.test("whatever happens, in any order, every exchange that was due ends exactly once", () => {
  const happening = fc.record({
    what: fc.constantFrom(
      "open",
      "refused",
      "answer",
      "half",
      "garbage",
      "twice",
      "end",
      "reset",
      "tick",
    ),
    slot: fc.nat(3),
    afterUs: fc.integer({ min: 1, max: 30_000 }),
  });
  fc.assert(
    fc.property(
      fc.array(happening, { maxLength: 300 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      (happenings, pipeline, open) => {
        const kind = open ? { supply: STEADY } : { pipeline };
        const s = stage({ connections: 4, timeoutUs: 60_000, durationUs: 2 * SECOND, ...kind });
        const state = ["closed", "closed", "closed", "closed"];
        const obey = (): void => {
          for (const note of s.driver.take()) {
            const [command, slot] = note.split(" ");
            if (command === "connect") state[Number(slot)] = "dialing";
            if (command === "close") state[Number(slot)] = "closed";
          }
        };
        let nowUs = 0;
        s.loop.onTick(nowUs);
        for (const { what, slot, afterUs } of happenings) {
          obey();
          nowUs += afterUs;
          if (state[slot] === "dialing" && what === "open") {
            state[slot] = "open";
            s.loop.onOpen(slot, nowUs);
          } else if (state[slot] === "dialing" && what === "refused") {
            state[slot] = "closed";
            s.loop.onRefused(slot, "connect", "refused", nowUs);
          } else if (state[slot] === "open") {
            feed(s.loop, { what, slot, nowUs }, state);
          }
          if (what === "tick" && s.loop.onTick(nowUs) === Infinity) {
            return assertNothingLost(
              totalsOf(s),
              s.parts,
            );
          }
        }
        s.loop.onTick(2 * SECOND);
        assertNothingLost(totalsOf(s), s.parts);
      },
    ),
    { seed: 3, numRuns: 300 },
  );
});

function feed(
  loop: RequestLoop,
  { what, slot, nowUs }: { what: string; slot: number; nowUs: number },
  state: string[],
): void {
  const bytes = {
    answer: OK,
    half: OK.subarray(0, 20),
    garbage: encoder.encode("garbage\r\n\r\n"),
    twice: Uint8Array.from([...OK, ...OK]),
  }[what];
  if (bytes) return loop.onBytes(slot, bytes, bytes.length, nowUs);
  if (what !== "end" && what !== "reset") return;
  state[slot] = "closed";
  loop.onEnd(slot, what === "reset" ? "connection reset" : null, nowUs);
}
