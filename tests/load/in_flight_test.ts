import assert from "node:assert/strict";
import { InFlight } from "../../runner/load/engine/in_flight.ts";

Deno.test("which request is in flight is known of as many as an experiment may have", () => {
  const inFlight = new InFlight(1, 2);
  inFlight.add(0, 99_999, false, 1, 2);
  inFlight.add(0, 65_536, false, 3, 4);
  assert.equal(inFlight.request(0), 99_999);
  inFlight.drop(0);
  assert.equal(inFlight.request(0), 65_536);
});

Deno.test("all are visited once, slot by slot and oldest first, though each is dropped then", () => {
  const inFlight = new InFlight(3, 2);
  inFlight.add(0, 0, false, 1, 1);
  inFlight.drop(0);
  inFlight.add(0, 8, false, 2, 3); // the ring goes round
  inFlight.add(0, 9, false, 4, 5);
  inFlight.add(2, 7, false, 6, 7);
  const visited: [slot: number, request: number, dueUs: number, sentUs: number][] = [];
  inFlight.forEach((slot, request, dueUs, sentUs) => {
    visited.push([slot, request, dueUs, sentUs]);
    inFlight.drop(slot);
  });
  assert.deepEqual(visited, [[0, 8, 2, 3], [0, 9, 4, 5], [2, 7, 6, 7]]);
  assert.deepEqual([0, 1, 2].map((slot) => inFlight.count(slot)), [0, 0, 0]);
});
