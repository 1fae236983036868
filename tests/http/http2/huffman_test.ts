import assert from "node:assert/strict";
import fc from "fast-check";
import { HpackError } from "../../../base/http/http2/fields.ts";
import {
  decodeHuffman,
  encodeHuffman,
  huffmanBytes,
  mostDecoded,
} from "../../../base/http/http2/huffman.ts";
import { octetsOf, textOf } from "../feed.ts";
import { hex } from "./blocks.ts";
import { forAll } from "../../for_all.ts";

const OCTETS = Array.from({ length: 256 }, (_, octet) => String.fromCharCode(octet));
const EOS = "1".repeat(30);

function encode(text: string): Uint8Array {
  const into = new Uint8Array(4 * text.length);
  return into.subarray(0, encodeHuffman(text, into, 0));
}

function decode(bytes: Uint8Array): string {
  const into = new Uint8Array(mostDecoded(bytes.length));
  const length = decodeHuffman(bytes, 0, bytes.length, into);
  assert.ok(length <= into.length);
  return textOf(into.subarray(0, length));
}

function bitsOf(bytes: Uint8Array): string {
  return Array.from(bytes, (octet) => octet.toString(2).padStart(8, "0")).join("");
}

/** The code of one octet as bits: eight of them fill whole octets. */
function codeOf(octet: string): string {
  const bits = bitsOf(encode(octet.repeat(8)));
  return bits.slice(0, bits.length / 8);
}

const CODES = OCTETS.map(codeOf);

/** From RFC 7541 Appendix B: code, and its length in bits, of octets that no field of a server can show. */
const CONTROLS: readonly (readonly [octet: number, code: number, bits: number])[] = [
  ...[[0, 0x1ff8, 13], [1, 0x7fffd8, 23], [2, 0xfffffe2, 28], [3, 0xfffffe3, 28]] as const,
  ...[[4, 0xfffffe4, 28], [5, 0xfffffe5, 28], [6, 0xfffffe6, 28], [7, 0xfffffe7, 28]] as const,
  ...[[8, 0xfffffe8, 28], [9, 0xffffea, 24], [10, 0x3ffffffc, 30], [11, 0xfffffe9, 28]] as const,
  ...[[12, 0xfffffea, 28], [13, 0x3ffffffd, 30], [14, 0xfffffeb, 28], [15, 0xfffffec, 28]] as const,
  ...[[16, 0xfffffed, 28], [17, 0xfffffee, 28], [18, 0xfffffef, 28], [19, 0xffffff0, 28]] as const,
  ...[[20, 0xffffff1, 28], [21, 0xffffff2, 28], [22, 0x3ffffffe, 30], [23, 0xffffff3, 28]] as const,
  ...[[24, 0xffffff4, 28], [25, 0xffffff5, 28], [26, 0xffffff6, 28], [27, 0xffffff7, 28]] as const,
  ...[[28, 0xffffff8, 28], [29, 0xffffff9, 28], [30, 0xffffffa, 28], [31, 0xffffffb, 28]] as const,
  [127, 0xffffffc, 28],
];

Deno.test("the codes of control characters are those of RFC 7541 Appendix B", () => {
  for (const [octet, code, bits] of CONTROLS) {
    assert.equal(CODES[octet], code.toString(2).padStart(bits, "0"), `octet ${octet}`);
  }
});

Deno.test("the code is complete: no code begins another, and all bits stand for something", () => {
  const all = [...CODES, EOS].toSorted();
  for (const [at, code] of all.entries()) assert.ok(!all[at + 1]?.startsWith(code), code);
  assert.equal(all.reduce((sum, { length }) => sum + 2 ** -length, 0), 1);
});

Deno.test("padding is of fewer than eight ones, and there is no EOS", () => {
  const padding = "the padding of a Huffman string is malformed";
  const eos = "a Huffman string holds EOS";
  const wrong: readonly (readonly [octets: string, defect: string])[] = [
    ["ff", padding], // eight ones
    ["1f ff", padding], // "a", and eleven ones
    ["18", padding], // "a", and zeros
    ["1e", padding], // "a", and a zero last
    ["fe", padding], // a code that is cut off
    ["ff ff ff fc", eos],
    ["ff ff ff ff", eos],
    ["1f ff ff ff ff ff", eos], // "a", then EOS
    ["00 3f ff ff ff", padding], // "00", then EOS at the very end, which is padding of thirty ones
  ];
  for (const [octets, defect] of wrong) {
    assert.throws(() => decode(hex(octets)), { name: "HpackError", defect }, octets);
  }
  assert.equal(decode(hex("1f")), "a");
  assert.equal(decode(hex("")), "");
});

const texts = fc.oneof(
  fc.string({ unit: "binary-ascii" }),
  fc.array(fc.nat(255), { maxLength: 60 }).map((octets) => textOf(Uint8Array.from(octets))),
);

Deno.test("any text is decoded from its code, whose length is known before", () => {
  forAll([texts], (text) => {
    const code = encode(text);
    assert.equal(code.length, huffmanBytes(text));
    assert.equal(decode(code), text);
  }, { seed: 51, numRuns: 2_000 });
});

/** Bit by bit, as the RFC says it. */
function decodeSlowly(bytes: Uint8Array): string | null {
  const symbols = new Map(CODES.map((code, octet) => [code, OCTETS[octet]]));
  let text = "";
  let code = "";
  for (const bit of bitsOf(bytes)) {
    code += bit;
    const symbol = symbols.get(code);
    if (code === EOS) return null;
    if (symbol === undefined) continue;
    text += symbol;
    code = "";
  }
  return /^1{0,7}$/.test(code) ? text : null;
}

Deno.test("any octets are decoded, or refused, as bit by bit", () => {
  const ones = fc.constantFrom(0xff, 0xff, 0xff, 0xfe, 0xfc, 0xf8, 0x7f, 0x3f);
  const octets = fc.array(fc.oneof(fc.nat(255), ones), { maxLength: 12 });
  const codes = texts.map((text) => Array.from(encode(text)));
  const spoiled = fc.tuple(codes, octets).map(([code, tail]) => [...code, ...tail]);
  let refused = 0;
  forAll([fc.oneof(octets, codes, spoiled)], (octets) => {
    const bytes = Uint8Array.from(octets);
    const expected = decodeSlowly(bytes);
    if (expected !== null) return assert.equal(decode(bytes), expected);
    refused++;
    assert.throws(() => decode(bytes), HpackError);
  }, { seed: 52, numRuns: 3_000 });
  assert.ok(refused > 100 && refused < 2_900);
});

Deno.test("only the octets within the bounds are read and written", () => {
  const into = octetsOf("....................");
  const bytes = hex(`ff ${encode("custom-key").toHex()} 00`);
  assert.equal(decodeHuffman(bytes, 1, bytes.length - 1, into), 10);
  assert.equal(textOf(into), "custom-key..........");
  assert.equal(encodeHuffman("custom-key", into, 2), 10);
  assert.equal(textOf(into).replaceAll(/[^.a-z-]/g, "_").slice(10), "..........");
});
