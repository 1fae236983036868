import assert from "node:assert/strict";
import { fieldBytes } from "../../../base/http/http2/fields.ts";
import { HpackDecoder } from "../../../base/http/http2/hpack_decoder.ts";
import { HpackEncoder } from "../../../base/http/http2/hpack_encoder.ts";
import { fieldsOf, hex, linesOf, tableOf } from "./blocks.ts";
import { VECTORS } from "./hpack_vectors.ts";

/** 256 as a size update (RFC 7541 §6.3). */
const SHRINK_TO_256 = hex("3fe1 01");

for (const { section, maxTableBytes, examples } of VECTORS) {
  Deno.test(`RFC 7541 ${section} is decoded, and leaves the table that it prints`, () => {
    const decoder = new HpackDecoder({ tableBytes: maxTableBytes });
    if (maxTableBytes === 256) assert.deepEqual(decoder.decode(SHRINK_TO_256), []);
    for (const { block, fields, table, tableBytes } of examples) {
      assert.deepEqual(linesOf(decoder.decode(hex(block))), fields);
      const entries = tableOf(decoder);
      assert.deepEqual(linesOf(entries), table);
      assert.equal(entries.reduce((sum, entry) => sum + fieldBytes(entry), 0), tableBytes);
    }
  });
}

Deno.test("the requests of RFC 7541 C.4 are encoded to the octet", () => {
  const encoder = new HpackEncoder();
  const [{ examples }] = VECTORS.filter(({ section }) => section === "C.4");
  for (const { block, fields } of examples) {
    assert.deepEqual(encoder.encode(fieldsOf(fields)).toHex(), hex(block).toHex());
  }
});
