import assert from "node:assert/strict";
import fc from "fast-check";
import { Leb128Reader, Leb128Writer } from "../../base/leb128.ts";
import { forAll } from "../for_all.ts";

const wholes = fc.array(fc.maxSafeNat());

function written(numbers: readonly number[]): Uint8Array<ArrayBuffer> {
  const writer = new Leb128Writer();
  for (const number of numbers) writer.push(number);
  return writer.bytes;
}

Deno.test("numbers are written as the standard's examples", () => {
  const examples: [number, number[]][] = [
    [2, [2]],
    [127, [127]],
    [128, [0x80, 1]],
    [129, [0x81, 1]],
    [12_857, [0xb9, 0x64]],
  ];
  for (const [number, bytes] of examples) assert.deepEqual([...written([number])], bytes);
});

Deno.test("what was written is read again, also beyond 2³¹", () => {
  forAll([wholes], (numbers) => {
    const reader = new Leb128Reader(written(numbers));
    assert.deepEqual(numbers.map(() => reader.next()), numbers);
    assert.ok(reader.isAtEnd);
    assert.ok(Number.isNaN(reader.next()));
  });
});

Deno.test("the largest number has room wherever the buffer ends", () => {
  for (let before = 1_000; before <= 1_024; before++) {
    const numbers = [...Array(before).fill(0), Number.MAX_SAFE_INTEGER];
    const reader = new Leb128Reader(written(numbers));
    assert.deepEqual(numbers.map(() => reader.next()), numbers);
  }
});

Deno.test("ZigZag numbers are small where their distance from 0 is", () => {
  const writer = new Leb128Writer();
  for (const number of [0, -1, 1, -2, 2, -(2 ** 40), 2 ** 40, -(2 ** 52), 2 ** 52 - 1]) {
    writer.pushZigZag(number);
  }
  const reader = new Leb128Reader(writer.bytes);
  const read = [0, 1, 2, 3, 4, 2 ** 41 - 1, 2 ** 41, 2 ** 53 - 1, 2 ** 53 - 2];
  assert.deepEqual(read.map(() => reader.next()), read);
});

Deno.test("a number that is cut off, or above 2⁵³ − 1, is none", () => {
  for (const bytes of [[0x80], [0x81, 0x80], [...Array(7).fill(0x80), 0x40]]) {
    const reader = new Leb128Reader(Uint8Array.from(bytes));
    assert.ok(Number.isNaN(reader.next()), `${bytes}`);
  }
});

Deno.test("bytes between numbers stay as they are", () => {
  const any = fc.uint8Array({ maxLength: 5_000 });
  forAll([wholes, any, wholes], (before, bytes, after) => {
    const writer = new Leb128Writer();
    for (const number of before) writer.push(number);
    writer.pushBytes(bytes);
    for (const number of after) writer.push(number);
    assert.deepEqual([...writer.bytes], [...written(before), ...bytes, ...written(after)]);
  });
});
