import assert from "node:assert/strict";
import fc from "fast-check";
import { splitWhole } from "../../runner/measure/share.ts";
import { forAll } from "../for_all.ts";

Deno.test("shares add up to the whole and differ by at most one, for any number of parts", () => {
  forAll([fc.nat(1_000_000), fc.integer({ min: 1, max: 300 })], (whole, parts) => {
    const shares = splitWhole(whole, parts);
    assert.equal(shares.length, parts);
    assert.equal(shares.reduce((sum, share) => sum + share, 0), whole);
    assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
  }, { seed: 11 });
});
