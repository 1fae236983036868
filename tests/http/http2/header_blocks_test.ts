/** Header blocks that several connections of a load know together. */
import assert from "node:assert/strict";
import { HeaderBlocks, KnownBlocks } from "../../../base/http/http2/header_blocks.ts";
import { hex } from "./blocks.ts";

/** `:status: 200, a: b`, which goes into the table. */
const INSERTS = hex("88 40 01 61 01 62");
/** The same with `c: d`. */
const INSERTS_OTHER = hex("88 40 01 63 01 64");
/** `:status: 200`, and the newest entry of the table. */
const NEWEST = hex("88 be");

function fieldsOf(blocks: HeaderBlocks, block: Uint8Array): string[] {
  return blocks.head(block, 0, block.length).fields.map(({ name, value }) => `${name}: ${value}`);
}

Deno.test("a block is read once for all connections, and goes into the table of each", () => {
  const known = new KnownBlocks();
  const [one, other] = [new HeaderBlocks(known), new HeaderBlocks(known)];
  const first = one.head(INSERTS, 0, INSERTS.length);
  assert.equal(other.head(INSERTS, 0, INSERTS.length), first);
  assert.deepEqual(fieldsOf(other, NEWEST), ["a: b"]);
});

Deno.test("a block that refers to the table means on each connection what its own table says", () => {
  const known = new KnownBlocks();
  const [one, other] = [new HeaderBlocks(known), new HeaderBlocks(known)];
  fieldsOf(one, INSERTS);
  fieldsOf(other, INSERTS_OTHER);
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(fieldsOf(one, NEWEST), ["a: b"]);
    assert.deepEqual(fieldsOf(other, NEWEST), ["c: d"]);
  }
  fieldsOf(one, INSERTS_OTHER);
  assert.deepEqual(fieldsOf(one, NEWEST), ["c: d"]);
});
