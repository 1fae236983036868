/** Bytes that are looked for in others. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteSearch } from "../../runner/load/engine/response_check.ts";
import { forAll } from "../for_all.ts";

const encoder = new TextEncoder();

function isIn(sought: string, text: string): boolean {
  return new ByteSearch(encoder.encode(sought)).isIn(encoder.encode(text));
}

Deno.test("bytes are found where text is", () => {
  const few = fc.array(fc.constantFrom("a", "b"), { maxLength: 12 }).map((list) => list.join(""));
  forAll([few, few], (sought, text) => {
    assert.equal(isIn(sought, text), text.includes(sought));
  }, { seed: 15, numRuns: 2_000 });
});

Deno.test("no body makes it take longer than its length asks for", () => {
  const sought = "a".repeat(50_000) + "b";
  const beginMs = performance.now();
  assert.equal(isIn(sought, "a".repeat(1_000_000)), false);
  assert.ok(performance.now() - beginMs < 5_000);
});
