/** Loops of WebAssembly that look at a clock. */
import assert from "node:assert/strict";
import { metered } from "../../base/script/metered.ts";

/**
 * (func (import "a" "now") (result f64))
 * (func (export "sum") (param i32) (result i32) (local i32)
 *   loop, calls the other function, adds the parameter, counts it down, br_if 0, end; the sum)
 * (func (param i32) (result i32), which gives its parameter)
 */
const SUM = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x0a, 0x02, 0x60, 0x00, 0x01, 0x7c, 0x60, 0x01, 0x7f, 0x01, 0x7f],
  ...[0x02, 0x09, 0x01, 0x01, 0x61, 0x03, 0x6e, 0x6f, 0x77, 0x00, 0x00],
  ...[0x03, 0x03, 0x02, 0x01, 0x01],
  ...[0x07, 0x07, 0x01, 0x03, 0x73, 0x75, 0x6d, 0x00, 0x01],
  ...[0x0a, 0x25, 0x02, 0x1e, 0x01, 0x01, 0x7f, 0x03, 0x40, 0x20, 0x00, 0x10, 0x02, 0x1a],
  ...[0x20, 0x01, 0x20, 0x00, 0x6a, 0x21, 0x01, 0x20, 0x00, 0x41, 0x01, 0x6b, 0x22, 0x00],
  ...[0x0d, 0x00, 0x0b, 0x20, 0x01, 0x0b],
  ...[0x04, 0x00, 0x20, 0x00, 0x0b],
);

async function sumWith(now: () => number, module = SUM): Promise<(count: number) => number> {
  const { binary, clock } = metered(module);
  assert.deepEqual(clock, { module: "a", name: "now" });
  const { instance } = await WebAssembly.instantiate(binary, { a: { now } });
  const { sum } = instance.exports;
  assert.ok(typeof sum === "function");
  return (count) => sum(count);
}

Deno.test("a metered loop does what it did, and looks at the clock after each 1,024 rounds", async () => {
  let looks = 0;
  const sum = await sumWith(() => ++looks);
  assert.equal(sum(1_000), 500_500);
  assert.equal(looks, 0);
  assert.equal(sum(5_000), 12_502_500);
  assert.equal(looks, 4);
});

Deno.test("a loop that calls nothing stays as it is", async () => {
  const call = SUM.indexOf(0x10, 50);
  const without = SUM.with(call, 0x1a).with(call + 1, 0x01).with(call + 2, 0x01); // drop, nop, nop
  const sum = await sumWith(() => assert.fail("it looks"), without);
  assert.equal(sum(5_000), 12_502_500);
});

Deno.test("a clock that throws ends a loop, and its function can be called again", async () => {
  let isOver = true;
  const sum = await sumWith(() => {
    if (isOver) throw new Error("over");
    return 0;
  });
  assert.throws(() => sum(2_000), /^Error: over$/);
  isOver = false;
  assert.equal(sum(2_000), 2_001_000);
});

Deno.test("a module that is cut off, without a clock or with what is unknown is refused", () => {
  for (let end = 8; end < SUM.length; end++) {
    assert.throws(() => metered(SUM.subarray(0, end)), /cannot be read/, `at ${end}`);
  }
  const float = SUM.indexOf(0x7c);
  assert.throws(() => metered(SUM.with(float, 0x7f)), /it has 0 clocks/);
  const adds = SUM.indexOf(0x6a);
  assert.throws(() => metered(SUM.with(adds, 0xfd)), /the opcode 253/);
});
