import fc from "fast-check";
import assert from "node:assert/strict";
import { BASE, base91, digitAt, fromBase91, signOf } from "../../report/writing/json.ts";

Deno.test("bytes of any length come back from base 91, and it stands in a script's JSON as it is", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
    const text = base91(bytes);
    assert.deepEqual(fromBase91(text), bytes);
    assert.equal(JSON.stringify(text), `"${text}"`);
    assert.doesNotMatch(text, /[<\s]/);
  }));
});

Deno.test("two signs take 13 bits", () => {
  assert.equal(base91(new Uint8Array(13_000).fill(255)).length, 16_000);
});

Deno.test("each digit has a sign of its own", () => {
  const digits = Array.from({ length: BASE }, (_, digit) => digit);
  assert.equal(new Set(digits.map(signOf)).size, BASE);
  assert.deepEqual(digits.map((digit) => digitAt(signOf(digit), 0)), digits);
});
