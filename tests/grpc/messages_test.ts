/** Messages of protobuf as JSON, both ways, held to what protobufjs makes of the same octets. */
import assert from "node:assert/strict";
import fc from "fast-check";
import protobuf from "protobufjs";
import { MessageDecoder } from "../../base/grpc/decode_message.ts";
import { MalformedMessage } from "../../base/grpc/wire.ts";
import { encodeMessage } from "../../base/grpc/encode_message.ts";
import type { RootType } from "../../base/grpc/message_types.ts";
import { readProtoFile } from "../../base/grpc/proto_file.ts";
import type { Json } from "../../base/yaml/json_text.ts";

const PROTO = `syntax = "proto3";
package test;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/field_mask.proto";
enum Kind { NONE = 0; SOME = 1; LOW = -5; }
message All {
  double a_double = 1; float a_float = 2; int32 an_int32 = 3; int64 an_int64 = 4; uint32 a_uint32 = 5; uint64 a_uint64 = 6;
  sint32 a_sint32 = 7; sint64 a_sint64 = 8; fixed32 a_fixed32 = 9; fixed64 a_fixed64 = 10; sfixed32 a_sfixed32 = 11;
  sfixed64 a_sfixed64 = 12; bool a_bool = 13; string a_string = 14; bytes some_bytes = 15; Kind kind = 16; All all = 17;
  repeated sint64 numbers = 18; repeated string texts = 19; repeated All more = 20; repeated Kind kinds = 21;
  map<string, int32> counts = 22; map<int32, All> by_number = 23; optional int32 maybe = 24;
  oneof choice { string left = 25; int32 right = 26; }
  repeated int32 unpacked = 2000 [packed = false];
  string renamed = 27 [json_name = "other"];
}
message Known {
  google.protobuf.Timestamp at = 1; google.protobuf.Duration for = 2; google.protobuf.Struct any_map = 3;
  google.protobuf.Int64Value wrapped = 4; google.protobuf.FieldMask mask = 5; google.protobuf.Value value = 6;
  google.protobuf.StringValue text = 7;
}
service Test { rpc All(All) returns (Known); rpc Known(stream Known) returns (stream All); }`;

const file = readProtoFile("test.proto", () => PROTO);
const { input: all, output: known } = file.method("test.Test/All");
/** The library's own view of the same file. */
const root = protobuf.parse(PROTO, { keepCase: false }).root;
root.addJSON(protobuf.common.get("google/protobuf/timestamp.proto")?.nested ?? {});
for (const name of ["duration", "struct", "wrappers", "field_mask"]) {
  root.addJSON(protobuf.common.get(`google/protobuf/${name}.proto`)?.nested ?? {});
}
const theirs = root.resolveAll().lookupType("test.All");

const int = (least: bigint, most: bigint) => fc.bigInt(least, most);
const text64 = (least: bigint, most: bigint) => int(least, most).map(String);
const whole = (least: number, most: number) => fc.integer({ min: least, max: most });
const [I32, U32, I64, U64] = [2 ** 31, 2 ** 32 - 1, 2n ** 63n, 2n ** 64n - 1n];

/** Digits that a float keeps: six at most. */
function asWritten([digits, exponent]: [number, number]): number {
  return Number(`${digits}e${exponent}`);
}

/** Of so many levels. */
function messageOf(depth: number): fc.Arbitrary<Json> {
  const below = depth === 0 ? fc.constant({}) : messageOf(depth - 1);
  const list = { minLength: 1, maxLength: 3 };
  return fc.record({
    aDouble: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) =>
      !Object.is(one, -0)
    ),
    aFloat: fc.tuple(whole(-999_999, 999_999), whole(-20, 20)).map(asWritten),
    anInt32: whole(-I32, I32 - 1),
    anInt64: text64(-I64, I64 - 1n),
    aUint32: whole(0, U32),
    aUint64: text64(0n, U64),
    aSint32: whole(-I32, I32 - 1),
    aSint64: text64(-I64, I64 - 1n),
    aFixed32: whole(0, U32),
    aFixed64: text64(0n, U64),
    aSfixed32: whole(-I32, I32 - 1),
    aSfixed64: text64(-I64, I64 - 1n),
    aBool: fc.boolean(),
    aString: fc.string({ unit: "grapheme" }),
    someBytes: fc.uint8Array({ minLength: 1, maxLength: 9 }).map((octets) => octets.toBase64()),
    kind: fc.constantFrom("NONE", "SOME", "LOW"),
    all: below,
    numbers: fc.array(text64(-I64, I64 - 1n), list),
    texts: fc.array(fc.string(), list),
    more: fc.array(below, list),
    kinds: fc.array(fc.constantFrom("NONE", "SOME", "LOW"), list),
    counts: fc.dictionary(fc.string(), whole(-I32, I32 - 1), { minKeys: 1, noNullPrototype: true }),
    byNumber: fc.dictionary(whole(-9, 9).map(String), below, {
      minKeys: 1,
      maxKeys: 2,
      noNullPrototype: true,
    }),
    maybe: whole(0, 9),
    left: fc.string(),
    unpacked: fc.array(whole(-I32, I32 - 1), list),
    other: fc.string(),
  }, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<Json>;
}

const asTheirs = { longs: String, enums: String, bytes: String, json: true };

Deno.test("what we encode, protobufjs reads as the same JSON, and we read what it encodes", () => {
  const decoder = new MessageDecoder(all);
  fc.assert(
    fc.property(messageOf(2), (json) => {
      const octets = encodeMessage(all, json);
      assert.deepEqual(decoder.decode(octets), json);
      const decoded = theirs.decode(octets);
      const read = JSON.parse(JSON.stringify(theirs.toObject(decoded, asTheirs)));
      assert.deepEqual(comparable(read), comparable(json));
      const again = Uint8Array.from(theirs.encode(decoded).finish());
      assert.deepEqual(comparable(decoder.decode(again)), comparable(json));
    }),
    { numRuns: 25 },
  );
});

const ZEROS: readonly Json[] = [0, "0", "", false, "NONE"];

/** Their library leaves out zeros, has no option json_name in objects, and shows a float with the digits of a double. */
function comparable(json: Json): Json {
  if (Array.isArray(json)) return json.map(comparable);
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).filter(([name, value]) =>
      name !== "other" && name !== "renamed" && !ZEROS.includes(value)
    ).map(([name, value]) => [
      name,
      name === "aFloat" ? Math.fround(Number(value)) : comparable(value),
    ]),
  );
}

Deno.test("a float is the number that is written, and has the same 32 bits", () => {
  const decoder = new MessageDecoder(all);
  const again = (aFloat: Json): Json =>
    Reflect.get(Object(decoder.decode(encodeMessage(all, { aFloat }))), "aFloat");
  for (const written of [0.1, 2.7, -3.14, 16_777_216, 3.4028235e38, "NaN", "-Infinity"]) {
    assert.equal(again(written), written);
  }
  fc.assert(fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (float) => {
    assert.equal(Math.fround(Number(again(float))) === float, true, String(float));
  }));
});

Deno.test("any octets are a message or none, and never cost more than they are", () => {
  const decoder = new MessageDecoder(all);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (octets) => {
      try {
        decoder.decode(Uint8Array.from(octets));
      } catch (error) {
        assert.equal(Object(error).constructor.name, "MalformedMessage");
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("a group that the type does not know is skipped, with the groups in it", () => {
  const decoder = new MessageDecoder(all);
  const aString = [...encodeMessage(all, { aString: "x" })];
  // Group 900 with a number and group 901, whose only field has an octet like those of an end.
  const group = [0xa3, 0x38, 0x08, 1, 0xab, 0x38, 0x12, 1, 0xa4, 0xac, 0x38, 0xa4, 0x38];
  const read = decoder.decode(Uint8Array.from([...group, ...aString]));
  assert.deepEqual(read, { aString: "x" });
  for (const cut of [group.slice(0, -2), [0xa4, 0x38]]) {
    assert.throws(() => decoder.decode(Uint8Array.from(cut)), MalformedMessage);
  }
});

/** What is read of several messages' octets, one after the other. */
function readTogether(...messages: readonly Json[]): Json {
  const octets = messages.flatMap((json) => [...encodeMessage(all, json)]);
  return new MessageDecoder(all).decode(Uint8Array.from(octets));
}

Deno.test("a message that comes again is merged with what came before, on every level", () => {
  const [first, second] = [
    { aString: "first", anInt32: 1, numbers: ["1"], all: { maybe: 1, kind: "LOW" } },
    { anInt32: 2, numbers: ["2"], counts: { a: 1 }, all: { kind: "SOME" } },
  ];
  const merged = {
    ...{ aString: "first", anInt32: 2, numbers: ["1", "2"], counts: { a: 1 } },
    all: { maybe: 1, kind: "SOME" },
  };
  assert.deepEqual(readTogether({ all: first }, { aBool: true }, { all: second }), {
    aBool: true,
    all: merged,
  });
});

Deno.test("of an entry of a map the last one counts, and a value that comes again in it is merged", () => {
  const [one, other] = [{ aString: "x" }, { maybe: 1 }];
  assert.deepEqual(readTogether({ byNumber: { 1: one } }, { byNumber: { 1: other, 2: one } }), {
    byNumber: { 1: other, 2: one },
  });
  const values = [one, other].map((json) => [...encodeMessage(all, json)])
    .flatMap((octets) => [0x12, octets.length, ...octets]);
  const entry = Uint8Array.from([0xba, 0x01, 2 + values.length, 0x08, 7, ...values]);
  assert.deepEqual(new MessageDecoder(all).decode(entry), {
    byNumber: { 7: { ...one, ...other } },
  });
});

Deno.test("of a oneof only the field that came last is set", () => {
  assert.deepEqual(readTogether({ left: "a" }, { maybe: 1 }, { right: 2 }), { maybe: 1, right: 2 });
  assert.deepEqual(readTogether({ left: "a" }, { right: 2 }, { left: "b" }), { left: "b" });
  const values: Json[] = [{ value: { a: 1 } }, { value: "b" }, { value: { c: 2 } }];
  const octets = values.flatMap((json) => [...encodeMessage(known, json)]);
  const read = new MessageDecoder(known).decode(Uint8Array.from(octets));
  assert.deepEqual(read, { value: { c: 2 } });
});

const MALFORMED: readonly (readonly [what: string, type: RootType, octets: readonly number[]])[] = [
  ["a field of a oneof that another one replaces", known, [
    ...[0x32, 4, 0x2a, 2, 0x0a, 5], // a Struct whose entry says 5 octets and has none
    ...[0x32, 3, 0x1a, 1, 0x62],
  ]],
  ["two occurrences that are well-formed only together", all, [
    ...[0x8a, 0x01, 3, 0x72, 3, 0x61], // a string that says 3 octets and has one
    ...[0x8a, 0x01, 2, 0x62, 0x63],
  ]],
];
for (const [what, type, octets] of MALFORMED) {
  Deno.test(`a malformed message in a message is refused: ${what}`, () => {
    const bytes = Uint8Array.from(octets);
    assert.throws(() => root.lookupType(type.name).decode(bytes));
    assert.throws(() => new MessageDecoder(type).decode(bytes), MalformedMessage);
  });
}

Deno.test("an extension is skipped, although its file is known", () => {
  const file = readProtoFile(
    "m.proto",
    () =>
      `syntax = "proto2"; message M { optional string a = 1; extensions 100 to 200; }
     extend M { optional int32 more = 100; } service S { rpc X (M) returns (M); }`,
  );
  const { output } = file.method("S/X");
  const read = new MessageDecoder(output).decode(Uint8Array.of(0xa0, 0x06, 5, 0x0a, 1, 0x61));
  assert.deepEqual(read, { a: "a" });
});

Deno.test("fields have their names of the file, too, and null leaves one out", () => {
  assert.deepEqual(
    encodeMessage(all, { a_string: "x", aBool: null }),
    encodeMessage(all, { aString: "x" }),
  );
  assert.deepEqual(encodeMessage(all, { renamed: "x" }), encodeMessage(all, { other: "x" }));
});

Deno.test("JSON that does not fit is named by its field", () => {
  const wrong: readonly (readonly [json: Json, message: RegExp])[] = [
    [
      { aStrin: "x" },
      /^Cannot send aStrin: test.All has no such field: did you mean "a_string"\?$/,
    ],
    [
      { anInt32: 2 ** 31 },
      /^Cannot send anInt32: it must be a whole number \(int32\), not 2147483648$/,
    ],
    [{ aUint64: "-1" }, /^Cannot send aUint64: it must be a whole number \(uint64\), not "-1"$/],
    [{ aBool: 1 }, /^Cannot send aBool: it must be true or false, not 1$/],
    [{ someBytes: "a b" }, /^Cannot send someBytes: it must be/],
    [{ kind: "SOM" }, /^Cannot send kind: test.Kind has no value "SOM": did you mean "SOME"\?$/],
    ...[2 ** 31, -(2 ** 31) - 1, 1e300].map((kind) =>
      [{ kind }, /^Cannot send kind: it must be a whole number \(int32\), not -?\d/] as const
    ),
    [
      { all: { more: [{}, { aString: 1 }] } },
      /^Cannot send all.more\[1\].aString: it must be a string, not 1$/,
    ],
    [{ texts: "x" }, /^Cannot send texts: it must be a list of string values, not "x"$/],
    [{ counts: { a: "b" } }, /^Cannot send counts.a: /],
    [
      { byNumber: { a: {} } },
      /^Cannot send byNumber.a: it must be a whole number \(int32\), not "a"$/,
    ],
    [{ left: "a", right: 1 }, /^Cannot send right: .*choice/],
    [{ aString: "a", a_string: "b" }, /^Cannot send a_string: /],
    [[], /^Cannot send this message: test.All must be a map of its fields, not a list$/],
  ];
  for (const [json, message] of wrong) {
    assert.throws(() => encodeMessage(all, json), { message }, JSON.stringify(json));
  }
});

Deno.test("messages of protobuf itself have their own form in JSON", () => {
  const json: Json = {
    at: "2026-01-31T12:00:00.250Z",
    for: "-1.500s",
    anyMap: { a: [1, null, "b", { c: true }] },
    wrapped: "9007199254740993",
    mask: "a,userName.postalCode",
    value: null,
    text: "",
  };
  const read = new MessageDecoder(known).decode(encodeMessage(known, json));
  assert.deepEqual(read, json);
  const fine = { at: "2026-01-31T12:00:00.000250Z", for: "0.000000001s" };
  assert.deepEqual(new MessageDecoder(known).decode(encodeMessage(known, fine)), fine);
  const octets = encodeMessage(known, {
    at: "1969-12-31T23:59:59.5Z",
    mask: "a,userName.postalCode",
  });
  const { at, mask } = root.lookupType("test.Known").toObject(
    root.lookupType("test.Known").decode(octets),
    { longs: String },
  );
  assert.deepEqual(at, { seconds: "-1", nanos: 500_000_000 });
  assert.deepEqual(mask, { paths: ["a", "user_name.postal_code"] });
  assert.throws(() => encodeMessage(known, { at: "yesterday" }), /Cannot send at: .* is a time/);
});

Deno.test("types come with all that they need, and imports stand beside the file", () => {
  const files: Readonly<Record<string, string>> = {
    "api/main.proto":
      `syntax = "proto3"; package m; import "part.proto"; import "shared/more.proto";
      service S { rpc Do(part.P) returns (more.M); }`,
    "api/part.proto":
      `syntax = "proto3"; package part; message P { P next = 1; more.M m = 2; } import "shared/more.proto";`,
    "api/shared/more.proto": `syntax = "proto3"; package more; message M { string s = 1; }`,
  };
  const read = (path: string): string => files[path] ?? assert.fail(path);
  const { input, clientStreams, serverStreams } = readProtoFile("api/main.proto", read).method(
    "m.S/Do",
  );
  assert.deepEqual(Object.keys(input.types.messages), ["part.P", "more.M"]);
  assert.deepEqual([clientStreams, serverStreams], [false, false]);
  assert.throws(
    () => readProtoFile("a.proto", () => "syntax ="),
    /a.proto is no .proto file: .*line 1/,
  );
  const missing = (path: string): string => {
    if (path === "a.proto") return 'import "b.proto";';
    throw new Error(`there is no ${path}`);
  };
  assert.throws(() => readProtoFile("a.proto", missing), /it imports b.proto: there is no b.proto/);
});

Deno.test("files share what they import of protobuf itself, also its options", () => {
  const stamp =
    'import "google/protobuf/timestamp.proto"; import "google/protobuf/descriptor.proto";';
  const files: Readonly<Record<string, string>> = {
    "a.proto": `syntax = "proto3"; package a; ${stamp} import "b.proto";
      message A { google.protobuf.Timestamp at = 1; b.B b = 2; }
      service S { rpc Do(A) returns (A) { option (b.rule) = { get: "/a" }; } }`,
    "b.proto": `syntax = "proto3"; package b; ${stamp} message Rule { string get = 1; }
      extend google.protobuf.MethodOptions { Rule rule = 72295728; }
      message B { google.protobuf.Timestamp at = 1; }`,
  };
  const { input } = readProtoFile("a.proto", (path) => files[path] ?? assert.fail(path)).method(
    "a.S/Do",
  );
  const at = "2026-01-31T12:00:00Z";
  const json = { at, b: { at } };
  assert.deepEqual(new MessageDecoder(input).decode(encodeMessage(input, json)), json);
});

Deno.test("an import stays within its folder", () => {
  const read = (path: string): string =>
    path === "a.proto" ? 'import "x/../../secret";' : assert.fail(path);
  assert.throws(() => readProtoFile("a.proto", read), /it imports x.*secret: .* not allowed/);
});

Deno.test("a message that is nested without end is refused, not followed", () => {
  const deep: RootType = all;
  let octets = new Uint8Array(0);
  for (let depth = 0; depth < 150; depth++) {
    const length = octets.length < 128
      ? [octets.length]
      : [octets.length & 127 | 128, octets.length >> 7];
    octets = Uint8Array.from([0x8a, 0x01, ...length, ...octets]); // field 17
  }
  assert.throws(() => new MessageDecoder(deep).decode(octets), /nested too deep/);
});
