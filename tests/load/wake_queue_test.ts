import assert from "node:assert/strict";
import fc from "fast-check";
import { WakeQueue } from "../../runner/load/engine/slot_queues.ts";
import { forAll } from "../for_all.ts";

Deno.test("slots go on in the order of their moments, however they came", () => {
  forAll([fc.array(fc.nat(50), { maxLength: 100 })], (wakesUs) => {
    const queue = new WakeQueue(wakesUs.length);
    wakesUs.forEach((wakeUs, slot) => queue.add(slot, wakeUs));
    const order: number[] = [];
    while (queue.nextUs < Infinity) {
      const nextUs = queue.nextUs;
      assert.equal(wakesUs[queue.take()], nextUs);
      order.push(nextUs);
    }
    assert.deepEqual(order, [...wakesUs].sort((a, b) => a - b));
  }, { seed: 17 });
});
