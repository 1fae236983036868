import assert from "node:assert/strict";
import type { Field } from "../../../base/http/http2/fields.ts";
import { HpackDecoder } from "../../../base/http/http2/hpack_decoder.ts";
import { HpackEncoder } from "../../../base/http/http2/hpack_encoder.ts";
import { fieldsOf, linesOf, tableOf } from "./blocks.ts";

const INDEXED = 0x80;
const INDEXED_LITERAL = 0x40;
const NEVER_INDEXED = 0x10;

function encoded(encoder: HpackEncoder, ...lines: readonly string[]): string {
  return encoder.encode(fieldsOf(lines)).toHex();
}

/** How a field is written that no table has: the bits of its first octet above the index. */
function literalOf(line: string): number {
  const [first] = new HpackEncoder().encode(fieldsOf([line]));
  return first >= INDEXED_LITERAL ? first & 0xc0 : first & 0xf0;
}

Deno.test("what is in the static table takes one octet", () => {
  const lines = [":method: GET", ":scheme: https", ":path: /", ":status: 500"];
  assert.equal(encoded(new HpackEncoder(), ...lines), "8287848e");
  assert.equal(encoded(new HpackEncoder(), "accept-encoding: gzip, deflate"), "90");
});

Deno.test("what repeats takes one octet from the second time on", () => {
  const encoder = new HpackEncoder();
  const lines = ["user-agent: plateau", "x-own: 1", "accept: */*"];
  assert.equal(encoded(encoder, ...lines).length / 2, 20);
  assert.equal(encoded(encoder, ...lines), "c0bfbe");
  assert.equal(encoded(encoder, "x-own: 2"), "7f000132");
});

Deno.test("secrets are literals that nobody on the path may index, and are in no table", () => {
  for (
    const name of ["authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key"]
  ) {
    assert.equal(literalOf(`${name}: 12345678`), NEVER_INDEXED, name);
    const encoder = new HpackEncoder();
    const first = encoded(encoder, `${name}: 12345678`);
    assert.equal(encoded(encoder, `${name}: 12345678`), first);
    assert.equal(encoder.generation, 0);
  }
});

Deno.test("what varies from message to message stays out of the table", () => {
  const varying = [
    ...[":path", "age", "content-length", "etag", "if-modified-since", "if-none-match"],
    "location",
  ];
  for (const name of varying) assert.equal(literalOf(`${name}: 1`), 0, name);
  for (const name of [":authority", "accept", "content-type", "date", "user-agent", "x-own"]) {
    assert.equal(literalOf(`${name}: 1`), INDEXED_LITERAL, name);
  }
});

Deno.test("a field of more than three quarters of the table stays out of it", () => {
  const most = 4_096 * 3 / 4 - "x: ".length + 2 - 32;
  assert.equal(literalOf(`x: ${"1".repeat(most)}`), INDEXED_LITERAL);
  assert.equal(literalOf(`x: ${"1".repeat(most + 1)}`), 0);
});

Deno.test("the oldest entries make room for new ones, as on the other side", () => {
  const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder()];
  const line = (n: number): string => `n${n}: ${"v".repeat(n % 90)}`;
  for (let n = 0; n < 1_000; n++) {
    const fields = fieldsOf([line(n), line(n - n % 7), line(n >> 1)]);
    assert.deepEqual(decoder.decode(encoder.encode(fields)), fields);
  }
  assert.ok(tableOf(decoder).length > 40);
  const newest: readonly Field[] = tableOf(decoder);
  assert.equal(encoder.encode(newest)[0], INDEXED | 62);
});

Deno.test("the size that the peer announced stands at the start of the next block alone", () => {
  const encoder = new HpackEncoder();
  encoder.resize(100);
  assert.equal(encoded(encoder, ":method: GET"), "3f4582");
  assert.equal(encoded(encoder, ":method: GET"), "82");
  encoder.resize(0);
  assert.equal(encoded(encoder), "20");
  encoder.resize(4_096);
  assert.equal(encoded(encoder, ":method: GET"), "3fe11f82");
});

Deno.test("of a table that shrank and grew again the lowest size is said, then the last", () => {
  const encoder = new HpackEncoder();
  for (const bytes of [200, 10, 0, 300, 100]) encoder.resize(bytes);
  assert.equal(encoded(encoder), "203f45");
  for (const bytes of [50, 4_096]) encoder.resize(bytes);
  assert.equal(encoded(encoder), "3f133fe11f");
  for (const bytes of [0, 4_096]) encoder.resize(bytes);
  assert.equal(encoded(encoder), "203fe11f");
});

Deno.test("of a larger table 4096 bytes are used, which is no change at first", () => {
  const encoder = new HpackEncoder();
  for (const bytes of [4_096, 4_097, 65_536, 2 ** 32 - 1]) encoder.resize(bytes);
  assert.equal(encoder.generation, 0);
  assert.equal(encoded(encoder), "");
  encoder.resize(0);
  encoder.resize(65_536);
  assert.equal(encoded(encoder), "203fe11f");
});

Deno.test("a smaller table loses its oldest entries on both sides", () => {
  const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder()];
  const lines = ["a: 1", "b: 2", "c: 3"];
  decoder.decode(encoder.encode(fieldsOf(lines)));
  encoder.resize(68);
  assert.deepEqual(linesOf(decoder.decode(encoder.encode([]))), []);
  assert.deepEqual(linesOf(tableOf(decoder)), ["c: 3", "b: 2"]);
  assert.equal(encoded(encoder, "c: 3", "b: 2"), "bebf");
});

Deno.test("a block may be sent again while the generation stays", () => {
  const encoder = new HpackEncoder();
  const changes = (act: () => void): boolean => {
    const before = encoder.generation;
    act();
    return encoder.generation !== before;
  };
  assert.ok(changes(() => encoded(encoder, "x: 1")));
  assert.ok(!changes(() => encoded(encoder, "x: 1", ":path: /a", "cookie: a=b")));
  assert.ok(changes(() => encoder.resize(1_000)), "what follows begins with a size");
  assert.ok(changes(() => encoded(encoder, "x: 1")), "and what follows that does not");
  assert.ok(!changes(() => encoded(encoder, "x: 1")));
});

Deno.test("a name or value that is no octets is refused before anything changes, and not shown", () => {
  const encoder = new HpackEncoder();
  for (const lines of [["x: 1", "cookie: gehe\u{2009}im"], ["x\u{141}: 1"]]) {
    assert.throws(() => encoder.encode(fieldsOf(lines)), (error) => {
      assert.match(
        String(error),
        /Cannot send the field "(?:cookie|x.)": a field can hold only Latin-1 characters$/,
      );
      return true;
    });
  }
  assert.equal(encoder.generation, 0);
});
