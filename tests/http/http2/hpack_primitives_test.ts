import assert from "node:assert/strict";
import { HpackReader, HpackWriter } from "../../../base/http/http2/hpack_primitives.ts";
import { hex } from "./blocks.ts";

/** RFC 7541 C.1, and the limits of each form: prefix, value, octets. */
const INTEGERS: readonly (readonly [bits: number, value: number, octets: string])[] = [
  [5, 10, "0a"],
  [5, 1_337, "1f 9a 0a"],
  [8, 42, "2a"],
  [5, 0, "00"],
  [5, 30, "1e"],
  [5, 31, "1f 00"],
  [5, 158, "1f 7f"],
  [5, 159, "1f 80 01"],
  [7, 127, "7f 00"],
  [4, 2 ** 31 - 1, "0f f0 ff ff ff 07"],
  [8, 2 ** 31 - 1, "ff 80 fe ff ff 07"],
];

for (const [bits, value, octets] of INTEGERS) {
  Deno.test(`${value} behind a prefix of ${bits} bits is ${octets}, both ways`, () => {
    const writer = new HpackWriter(10);
    writer.integer(0, bits, value);
    assert.equal(writer.finish().toHex(), hex(octets).toHex());
    const reader = new HpackReader(hex(octets));
    assert.equal(reader.integer(bits), value);
    assert.ok(reader.isAtEnd);
  });
}

Deno.test("the bits above a prefix are no part of an integer, and stay as they are given", () => {
  assert.equal(new HpackReader(hex("ea")).integer(5), 10);
  assert.equal(new HpackReader(hex("ff 9a 0a")).integer(5), 1_337);
  const writer = new HpackWriter(10);
  writer.integer(0xe0, 5, 10);
  writer.integer(0xe0, 5, 1_337);
  assert.equal(writer.finish().toHex(), "eaff9a0a");
});

Deno.test("zeros beyond its value may fill an integer up, but to five octets after the prefix alone", () => {
  assert.equal(new HpackReader(hex("1f 80 80 80 80 00")).integer(5), 31);
  assertDefect("1f 80 80 80 80 80 00", 5, "an integer is larger than 2,147,483,647");
});

Deno.test("an integer over 2³¹ − 1 is refused, however it goes on", () => {
  for (
    const octets of ["0f f1 ff ff ff 07", "0f ff ff ff ff 7f", "0f ff ff ff ff ff ff ff ff ff 01"]
  ) {
    assertDefect(octets, 4, "an integer is larger than 2,147,483,647");
  }
});

Deno.test("an integer that its block cuts off is refused", () => {
  for (const octets of ["", "1f", "1f 9a", "1f 80 80 80 80"]) {
    assertDefect(octets, 5, "it ends within a field line");
  }
});

function assertDefect(octets: string, bits: number, defect: string): void {
  assert.throws(() => new HpackReader(hex(octets)).integer(bits), { name: "HpackError", defect });
}

Deno.test("a string has the Huffman code where that is shorter, and else its octets", () => {
  const written = (text: string): string => {
    const writer = new HpackWriter(100);
    writer.string(text);
    return writer.finish().toHex();
  };
  assert.equal(written(""), "00");
  assert.equal(written("a"), "0161");
  assert.equal(written("www.example.com"), "8cf1e3c2e5f23a6ba0ab90f4ff");
  assert.equal(written("\xff\0"), "02ff00");
});

Deno.test("a string longer than its block is refused", () => {
  for (const octets of ["", "01", "03 61 62", "81", "7f", "ff ff ff ff 07", "ff 80 ff ff ff 07"]) {
    assert.throws(() => new HpackReader(hex(octets)).string(), {
      name: "HpackError",
      defect: "it ends within a field line",
    });
  }
});

Deno.test("a string longer than all that is set aside for one is read whole", () => {
  for (const text of ["0".repeat(20_000), "\xfe\x01".repeat(10_000)]) {
    const writer = new HpackWriter(20_010);
    writer.string(text);
    writer.string("next");
    const reader = new HpackReader(writer.finish());
    assert.equal(reader.string(), text);
    assert.equal(reader.string(), "next");
  }
});
