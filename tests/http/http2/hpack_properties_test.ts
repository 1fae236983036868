import assert from "node:assert/strict";
import fc from "fast-check";
import { type Field, FieldListTooLong, HpackError } from "../../../base/http/http2/fields.ts";
import { HpackDecoder } from "../../../base/http/http2/hpack_decoder.ts";
import { HpackEncoder } from "../../../base/http/http2/hpack_encoder.ts";
import { forAll } from "../../for_all.ts";
import { thrown } from "../../thrown.ts";

const octets = fc.array(fc.nat(255), { maxLength: 40 })
  .map((codes) => String.fromCharCode(...codes));
const names = fc.oneof(
  fc.constantFrom(":method", ":path", "cookie", "accept", "x-a", "x-b", "x-c", ""),
  octets,
);
const values = fc.oneof(
  fc.constantFrom("", "GET", "/", "1", "2", "v".repeat(1_000), "\xff".repeat(4_000)),
  octets,
);
const lists = fc.array(
  fc.record({ name: names, value: values }, { noNullPrototype: true }),
  { maxLength: 12 },
);
const sizes = fc.oneof(fc.constantFrom(0, 40, 100, 4_096, 65_536), fc.nat(5_000));
const steps = fc.array(fc.oneof(lists, lists, lists, sizes), { maxLength: 30 });

Deno.test("any lists come out as they went in, through any sizes of the table", () => {
  forAll([steps], (steps) => {
    const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder({ tableBytes: 65_536 })];
    for (const step of steps) {
      if (typeof step === "number") encoder.resize(step);
      else assertPasses(step, encoder, decoder);
    }
  }, { seed: 54, numRuns: 1_000 });
});

/** Also that what left both tables alone may be used again. */
function assertPasses(list: readonly Field[], encoder: HpackEncoder, decoder: HpackDecoder): void {
  const before = [encoder.generation, decoder.generation];
  const block = encoder.encode(list);
  assert.deepEqual(decoder.decode(block), list);
  const isSame = encoder.generation === before[0];
  assert.equal(decoder.generation === before[1], isSame);
  if (!isSame) return;
  assert.deepEqual(encoder.encode(list), block);
  assert.deepEqual(decoder.decode(block), list);
}

/** Blocks in which some octets are not those that the encoder wrote. */
const spoiled = fc.tuple(lists, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }))
  .map(([list, changes]) => {
    const block = new HpackEncoder().encode(list);
    for (const [at, octet] of changes) block[at % (block.length + 1)] = octet;
    return block;
  });
const noise = fc.uint8Array({ maxLength: 60 });
/** Representations one after the other, most of them right. */
const wild = fc.array(
  fc.constantFrom(
    ...[[0x82], [0xbe], [0xbf], [0x40, 1, 97, 1, 98], [0, 1, 97, 0x81, 0x1f], [0x20], [0x3f, 9]],
    ...[[0x41, 0x82, 0xff, 0xff], [0x7e, 0], [0x10, 0, 0], [0xff, 0x80], [0x80], [
      0x3f,
      0xe1,
      0x1f,
    ]],
  ),
  { maxLength: 30 },
).map((parts) => Uint8Array.from(parts.flat()));

Deno.test("any octets are fields within the limit, or are refused in one of two ways", () => {
  const outcomes = new Map<string, number>();
  forAll([fc.array(fc.oneof(spoiled, noise, wild), { maxLength: 5 })], (blocks) => {
    const decoder = new HpackDecoder({ listBytes: 300 });
    for (const block of blocks) {
      const outcome = outcomeOf(decoder, block);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === "HpackError") return;
    }
  }, { seed: 55, numRuns: 3_000 });
  for (const outcome of ["fields", "HpackError", "FieldListTooLong"]) {
    assert.ok((outcomes.get(outcome) ?? 0) > 100, outcome);
  }
});

function outcomeOf(decoder: HpackDecoder, block: Uint8Array): string {
  try {
    const fields = decoder.decode(block);
    const bytes = fields.reduce((sum, { name, value }) => sum + name.length + value.length + 32, 0);
    assert.ok(bytes <= 300);
    return "fields";
  } catch (error) {
    if (error instanceof HpackError || error instanceof FieldListTooLong) return error.name;
    throw error;
  }
}

Deno.test("a block that says a large field again and again costs no more than its octets", () => {
  const encoder = new HpackEncoder();
  const large = { name: "x", value: "v".repeat(3_000) };
  const decoder = new HpackDecoder();
  decoder.decode(encoder.encode([large]));
  const bomb = new Uint8Array(1_000_000).fill(0xbe);
  assert.equal(thrown(FieldListTooLong, () => decoder.decode(bomb)).listBytes, 3_033 * 1_000_000);
});
