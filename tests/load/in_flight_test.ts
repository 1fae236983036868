import assert from "node:assert/strict";
import { InFlight } from "../../runner/load/in_flight.ts";

Deno.test("which request is in flight is known of as many as an experiment may have", () => {
  const inFlight = new InFlight(1, 2);
  inFlight.add(0, 99_999, 1, 2);
  inFlight.add(0, 65_536, 3, 4);
  assert.equal(inFlight.request(0), 99_999);
  inFlight.drop(0);
  assert.equal(inFlight.oldest(0), 65_536);
});
