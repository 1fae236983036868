import assert from "node:assert/strict";
import fc from "fast-check";
import { FieldListTooLong, type HpackDefect } from "../../../base/http/http2/fields.ts";
import { HpackDecoder } from "../../../base/http/http2/hpack_decoder.ts";
import { hex, indexed, linesOf, tableOf } from "./blocks.ts";
import { forAll } from "../../for_all.ts";
import { thrown } from "../../thrown.ts";

/** `a: b` as a literal with incremental indexing: 34 bytes in the table. */
const LITERAL = "40 01 61 01 62";
const EMPTY_TABLE = "20";
const BY_3_BYTES = "3f e1 1f"; // a size update to 4,096

/** On a new decoder each. */
const WRONG: readonly (readonly [what: string, block: string, defect: HpackDefect])[] = [
  ["index 0", "80", "an index is beyond the static and dynamic tables"],
  [
    "the first index beyond an empty table",
    "be",
    "an index is beyond the static and dynamic tables",
  ],
  [
    "the second index beyond a table of one",
    `${LITERAL} bf`,
    "an index is beyond the static and dynamic tables",
  ],
  ["the largest index", "ff 80 ff ff ff 07", "an index is beyond the static and dynamic tables"],
  ["an index over its limit", "ff ff ff ff ff 0f", "an integer is larger than 2,147,483,647"],
  ["a name beyond the tables", "7e 01 62", "an index is beyond the static and dynamic tables"],
  [
    "a name beyond the tables, not indexed",
    "0f 2f 01 62",
    "an index is beyond the static and dynamic tables",
  ],
  [
    "a name beyond the tables, never indexed",
    "1f 2f 01 62",
    "an index is beyond the static and dynamic tables",
  ],
  [
    "an entry that another has evicted",
    `3f 03 ${LITERAL} ${LITERAL} bf`,
    "an index is beyond the static and dynamic tables",
  ],
  ["a literal without a name", "40", "it ends within a field line"],
  ["a literal without a value", "40 01 61", "it ends within a field line"],
  ["a name that is cut off", "00 02 61", "it ends within a field line"],
  ["a value that is cut off", "04 03 61 62", "it ends within a field line"],
  ["an index that is cut off", "ff", "it ends within a field line"],
  ["a size that is cut off", "3f", "it ends within a field line"],
  ["a length that is cut off", "04 7f", "it ends within a field line"],
  ["EOS in a name", `00 84 ff ff ff fc 00`, "a Huffman string holds EOS"],
  ["zeros behind a value", "04 81 18", "the padding of a Huffman string is malformed"],
  ["eight ones behind a value", "04 82 1f ff", "the padding of a Huffman string is malformed"],
  ["a size over what was announced", "3f e2 1f", "the dynamic table grows beyond its limit"],
  ["a second size over it", "20 3f e2 1f", "the dynamic table grows beyond its limit"],
  ["a size over all limits", "3f ff ff ff ff 0f", "an integer is larger than 2,147,483,647"],
  ["three sizes", "20 21 22", "the dynamic table is resized more than twice"],
  ["a size after a field line", "82 20", "the dynamic table is resized after a field line"],
  ["a size between two of them", `20 82 20 82`, "the dynamic table is resized after a field line"],
];

for (const [what, block, defect] of WRONG) {
  Deno.test(`${what} is refused`, () => {
    assert.throws(() => new HpackDecoder().decode(hex(block)), { name: "HpackError", defect });
  });
}

Deno.test("an empty block has no fields, and each kind of literal is read", () => {
  const decoder = new HpackDecoder();
  assert.deepEqual(decoder.decode(hex("")), []);
  const block = hex("40 01 61 00  00 01 62 00  10 01 63 00  01 01 64  11 01 65  41 01 66");
  const fields = ["a: ", "b: ", "c: ", ":authority: d", ":authority: e", ":authority: f"];
  assert.deepEqual(linesOf(decoder.decode(block)), fields);
  assert.deepEqual(linesOf(tableOf(decoder)), [":authority: f", "a: "]);
});

Deno.test("octets of all values are kept as they are", () => {
  const octets = Array.from({ length: 256 }, (_, octet) => octet);
  const block = Uint8Array.of(0, 1, 0x61, 0x7f, 0x81, 0x01, ...octets);
  const [{ value }] = new HpackDecoder().decode(block);
  assert.equal(value, String.fromCharCode(...octets));
});

Deno.test("the static table is that of RFC 7541 Appendix A, at its ends and where values are", () => {
  const at = (index: number): string => linesOf(new HpackDecoder().decode(indexed(index)))[0];
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map(at), [
    ...[":authority: ", ":method: GET", ":method: POST", ":path: /", ":path: /index.html"],
    ...[":scheme: http", ":scheme: https"],
  ]);
  assert.deepEqual(
    [8, 9, 10, 11, 12, 13, 14].map(at),
    [200, 204, 206, 304, 400, 404, 500].map((status) => `:status: ${status}`),
  );
  assert.deepEqual([15, 16, 17, 32, 55, 61].map(at), [
    ...["accept-charset: ", "accept-encoding: gzip, deflate", "accept-language: ", "cookie: "],
    ...["set-cookie: ", "www-authenticate: "],
  ]);
});

Deno.test("an entry larger than the table empties it, and is a field all the same", () => {
  const decoder = new HpackDecoder();
  decoder.decode(hex(`3f 09 ${LITERAL}`)); // 40 bytes
  assert.deepEqual(linesOf(tableOf(decoder)), ["a: b"]);
  const large = hex("40 03 6c 6f 6e 06 67 67 67 67 67 67"); // 41 bytes
  assert.deepEqual(linesOf(decoder.decode(large)), ["lon: gggggg"]);
  assert.deepEqual(tableOf(decoder), []);
});

Deno.test("a new entry may take its name from the one that it evicts (RFC 7541 §4.4)", () => {
  const decoder = new HpackDecoder();
  decoder.decode(hex(`3f 03 ${LITERAL}`)); // 34 bytes
  assert.deepEqual(linesOf(decoder.decode(hex("7e 01 63 be"))), ["a: c", "a: c"]);
  assert.deepEqual(linesOf(tableOf(decoder)), ["a: c"]);
});

Deno.test("a smaller table evicts the oldest entries, and a larger one has none of them again", () => {
  const decoder = new HpackDecoder();
  decoder.decode(hex(`${LITERAL} 40 01 61 01 63 40 01 61 01 64`));
  assert.deepEqual(linesOf(tableOf(decoder)), ["a: d", "a: c", "a: b"]);
  decoder.decode(hex(`3f 25 ${BY_3_BYTES}`)); // 68 bytes, then 4,096
  assert.deepEqual(linesOf(tableOf(decoder)), ["a: d", "a: c"]);
  assert.deepEqual(linesOf(decoder.decode(hex(`${EMPTY_TABLE} ${LITERAL}`))), ["a: b"]);
  assert.deepEqual(tableOf(decoder), []);
});

Deno.test("a peer that must use a smaller table says so at once, or its first block is refused", () => {
  for (const block of ["", "82", LITERAL]) {
    assert.throws(() => new HpackDecoder({ tableBytes: 100 }).decode(hex(block)), {
      name: "HpackError",
      defect: "the dynamic table was not shrunk to its new limit first",
    });
  }
  const decoder = new HpackDecoder({ tableBytes: 100 });
  assert.throws(() => decoder.decode(hex("3f 46")), {
    defect: "the dynamic table grows beyond its limit",
  });
  assert.deepEqual(linesOf(new HpackDecoder({ tableBytes: 100 }).decode(hex("3f 45 82"))), [
    ":method: GET",
  ]);
  const empty = new HpackDecoder({ tableBytes: 0 });
  assert.deepEqual(linesOf(empty.decode(hex(`20 ${LITERAL}`))), ["a: b"]);
  assert.deepEqual(tableOf(empty), []);
});

Deno.test("a table that may be larger than the first one is so only once the peer says it", () => {
  const value = "7f e9 16 " + "78".repeat(3_048); // two of them take 6,162 bytes
  const large = `40 01 61 ${value}`;
  const decoder = new HpackDecoder({ tableBytes: 8_192 });
  decoder.decode(hex(`${large} ${large}`));
  assert.equal(tableOf(decoder).length, 1);
  decoder.decode(hex(`3f e1 3f ${large}`)); // 8,192
  assert.equal(tableOf(decoder).length, 2);
});

Deno.test("a list over its limit fails at the end of its block, with the table as the peer has it", () => {
  const decoder = new HpackDecoder({ listBytes: 100 });
  const two = decoder.decode(hex(`${LITERAL} 40 01 61 01 63`)); // 68 bytes
  assert.equal(two.length, 2);
  const tooLong = hex(`bf be bf 40 01 61 01 64`); // 136 bytes
  const error = thrown(FieldListTooLong, () => decoder.decode(tooLong));
  assert.deepEqual([error.listBytes, error.mostBytes], [136, 100]);
  assert.deepEqual(linesOf(tableOf(decoder)), ["a: d", "a: c", "a: b"]);
  assert.throws(() => decoder.decode(hex("bf be bf 80")), { name: "HpackError" });
});

Deno.test("a list of just its limit is taken", () => {
  const block = hex(`${LITERAL} be be`); // 102 bytes
  assert.equal(new HpackDecoder({ listBytes: 102 }).decode(block).length, 3);
  assert.throws(() => new HpackDecoder({ listBytes: 101 }).decode(block), FieldListTooLong);
});

Deno.test("a block of the same octets means the same while the generation stays", () => {
  const decoder = new HpackDecoder();
  const changes = (block: string): boolean => {
    const before = decoder.generation;
    decoder.decode(hex(block));
    return decoder.generation !== before;
  };
  assert.ok(changes(LITERAL));
  assert.ok(!changes("be 82 00 01 61 01 63 10 01 61 01 63"));
  assert.ok(changes(LITERAL), "an entry like another");
  assert.ok(changes("3f 05"), "a size update that evicts");
  assert.ok(changes(LITERAL), "an entry in place of another");
  assert.ok(changes(BY_3_BYTES), "a size update that evicts nothing");
  assert.deepEqual(linesOf(decoder.decode(hex("be"))), ["a: b"]);
});

Deno.test("a block that comes again and again leaves the table as if each had been read", () => {
  const repeated = hex("88 40 01 61 01 62 40 01 63 02 64 65"); // :status 200, a: b, c: de
  for (const first of ["88", "40 02 78 79 01 7a", "3f 21 88", "3f 29 40 01 71 01 72"]) {
    for (const times of [0, 1, 2, 3, 59, 60, 61, 200]) {
      const [eager, lazy] = [new HpackDecoder(), new HpackDecoder()];
      for (const decoder of [eager, lazy]) decoder.decode(hex(first));
      eager.decode(repeated);
      const known = lazy.read(repeated);
      for (let i = 0; i < times; i++) {
        eager.decode(repeated);
        lazy.repeat(known);
      }
      for (let index = 62; index < 190; index++) {
        const [one, other] = [eager, lazy].map((decoder) => entryOf(decoder, index));
        assert.deepEqual(other, one, `entry ${index} after ${times}, behind ${first}`);
      }
    }
  }
});

Deno.test("blocks that come again by turns leave the table as if each had been read", () => {
  const blocks = ["88 40 01 61 01 62", "88 40 01 63 02 64 65 40 01 66 01 67", "88"].map(hex);
  const turn = fc.tuple(fc.nat(blocks.length - 1), fc.integer({ min: 1, max: 150 }));
  forAll([fc.array(turn)], (turns) => {
    const [eager, lazy] = [new HpackDecoder(), new HpackDecoder()];
    const known = blocks.map((block) => lazy.read(block));
    for (const block of blocks) eager.decode(block);
    for (const [at, times] of turns) {
      for (let i = 0; i < times; i++) eager.decode(blocks[at]);
      lazy.repeat(known[at], times);
    }
    assert.deepEqual(tableOf(lazy), tableOf(eager));
  });
});

/** Null where the table has no such entry. */
function entryOf(decoder: HpackDecoder, index: number): unknown {
  const octets = index < 127 ? [0x80 | index] : [0xff, ...continued(index - 127)];
  try {
    return decoder.decode(Uint8Array.from(octets));
  } catch {
    return null;
  }
}

function continued(rest: number): number[] {
  return rest < 0x80 ? [rest] : [rest & 0x7f | 0x80, rest >> 7];
}
