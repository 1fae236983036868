/**
 * The cases of the standard (WHATWG HTML, section 9.2.6, and its examples in 9.2.1 and 9.2.5), each whole, octet by octet, and
 * cut at every offset; and what no server should send.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { KeptRoom } from "../../../base/http/kept.ts";
import { EventReader } from "../../../base/http/messages/event_reader.ts";
import { forAll } from "../../for_all.ts";

const encoder = new TextEncoder();

interface Read {
  /** Name and data of each event. */
  readonly events: string[];
  readonly id: string;
  readonly retryMs: number | null;
  readonly exceeded: string | null;
}

function readAll(pieces: readonly Uint8Array[], mostBytes = 1_000, room = new KeptRoom()): Read {
  const events: string[] = [];
  const text = new TextDecoder("utf-8", { ignoreBOM: true });
  const reader = new EventReader(
    { onEvent: (name, data) => events.push(`${name}: ${text.decode(data)}`) },
    room,
    mostBytes,
  );
  for (const piece of pieces) {
    // The buffer of a driver is used again.
    const buffer = Uint8Array.of(7, ...piece, 7);
    reader.read(buffer, 1, piece.length + 1);
    buffer.fill(0);
  }
  const { lastEventId: id, retryMs, exceeded } = reader;
  reader.end();
  return { events, id, retryMs, exceeded };
}

const octets = (text: string): Uint8Array => encoder.encode(text);

const CASES: readonly (readonly [what: string, stream: string, events: readonly string[]])[] = [
  ["an event", "data: hello\n\n", ["message: hello"]],
  ["two lines of data", "data: YHOO\ndata: +2\ndata: 10\n\n", ["message: YHOO\n+2\n10"]],
  ["a name", "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n", [
    "add: 73857293",
    "remove: 2153",
  ]],
  ["a name that is not kept for the next", "event: a\ndata: 1\n\ndata: 2\n\n", [
    "a: 1",
    "message: 2",
  ]],
  ["an empty name", "event\nevent:\ndata: 1\n\n", ["message: 1"]],
  ["a name without data is no event", "event: a\n\ndata: 1\n\n", ["message: 1"]],
  ["the last of two names", "event: a\nevent: b\ndata: 1\n\n", ["b: 1"]],
  ["comments", ": test stream\n\n:\ndata: 1\n: more\n\n", ["message: 1"]],
  ["data without a colon", "data\n\ndata\ndata\n\ndata:\n", ["message: ", "message: \n"]],
  ["one space taken away, no more", "data:test\n\ndata: test\n\ndata:  test\n\ndata:\ttest\n\n", [
    "message: test",
    "message: test",
    "message:  test",
    "message: \ttest",
  ]],
  ["CR", "data: 1\rdata: 2\r\rdata: 3\r\r", ["message: 1\n2", "message: 3"]],
  ["CR LF", "data: 1\r\ndata: 2\r\n\r\ndata: 3\r\n\r\n", ["message: 1\n2", "message: 3"]],
  ["all line ends in one stream", "data: 1\r\ndata: 2\n\rdata: 3\r\r\n", [
    "message: 1\n2",
    "message: 3",
  ]],
  ["CR, then CR LF, is an empty line", "data: 1\r\r\ndata: 2\n\n", ["message: 1", "message: 2"]],
  ["a byte order mark at the start", "\ufeffdata: 1\n\n", ["message: 1"]],
  ["a second byte order mark is a part of the name of a field", "\ufeff\ufeffdata: 1\n\n", []],
  ["one in the middle is text", "data: \ufeff1\n\n", ["message: \ufeff1"]],
  ["text in UTF-8", "data: grüße 🎉 ok\nevent: größe\n\n", ["größe: grüße 🎉 ok"]],
  [
    "fields that are not known, in any case",
    "Data: 1\ndat: 2\ndatas: 3\n data: 4\nfoo\n\ndata: 5\n\n",
    [
      "message: 5",
    ],
  ],
  ["an event that does not end is none", "data: 1\n\ndata: 2\n", ["message: 1"]],
  ["a stream that ends within a line", "data: 1\n\ndata: 2", ["message: 1"]],
  ["a colon in the data", "data: a: b\n\n", ["message: a: b"]],
  ["NUL in the data", "data: a\0b\n\n", ["message: a\0b"]],
  ["nothing", "", []],
  ["line ends alone", "\n\r\n\r\r\n\n", []],
];

function waysOf(bytes: Uint8Array): Uint8Array[][] {
  const ways = [[bytes], Array.from(bytes, (octet) => Uint8Array.of(octet))];
  for (let at = 1; at < bytes.length; at++) ways.push([bytes.slice(0, at), bytes.slice(at)]);
  return ways;
}

for (const [what, stream, events] of CASES) {
  Deno.test(`an event stream with ${what} is the same however it is cut`, () => {
    for (const pieces of waysOf(octets(stream))) {
      assert.deepEqual(readAll(pieces).events, events, `in ${pieces.length} pieces`);
    }
  });
}

Deno.test("the identifier is that of the last event that had one, and an empty one takes it back", () => {
  const idAfter = (stream: string): string => readAll([octets(stream)]).id;
  assert.equal(idAfter("id: 1\ndata: a\n\n"), "1");
  assert.equal(idAfter("id: 1\ndata: a\n\ndata: b\n\n"), "1", "it stays");
  assert.equal(idAfter("id: 1\ndata: a\n\nid\ndata: b\n\n"), "");
  assert.equal(idAfter("id: 1\n\n"), "1", "also without data");
  assert.equal(idAfter("id: 1\ndata: a\n\nid: 2\ndata: b\n"), "1", "an event that ends is needed");
  assert.equal(idAfter("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n"), "1", "NUL: ignored");
});

Deno.test("the time to wait is digits alone", () => {
  const retryAfter = (stream: string): number | null => readAll([octets(stream)]).retryMs;
  assert.equal(retryAfter("retry: 3000\n\n"), 3000);
  for (const wrong of ["1.5", "-1", "1e3", "", "x", "1 000"]) {
    assert.equal(retryAfter(`retry: ${wrong}\n\n`), null, wrong);
  }
});

Deno.test("octets that are no UTF-8 are replaced, and end neither line nor event", () => {
  const bytes = Uint8Array.of(...octets("data: a"), 0xff, 0xc3, ...octets("b\n\n"));
  for (const pieces of waysOf(bytes)) assert.deepEqual(readAll(pieces).events, ["message: a��b"]);
});

Deno.test("any octets come to the same, however they are cut", () => {
  const parts = [
    "data",
    ":",
    " ",
    "\n",
    "\r",
    "\r\n",
    "event: x",
    "id: 1",
    "é",
    "\ufeff",
    "retry: 1",
  ];
  forAll([
    fc.array(fc.constantFrom(...parts), { maxLength: 30 }),
    fc.array(fc.nat(), { maxLength: 6 }),
  ], (
    text,
    ends,
  ) => {
    const bytes = octets(text.join(""));
    const sorted = ends.map((end) => end % (bytes.length + 1)).sort((a, b) => a - b);
    const pieces = [...sorted, bytes.length].map((end, i) => bytes.slice(sorted[i - 1] ?? 0, end));
    assert.deepEqual(readAll(pieces), readAll([bytes]));
  });
});

Deno.test("a line without an end, and data without an end, are given up at the limit", () => {
  for (const part of ["data: " + "x".repeat(94), `data: ${"x".repeat(93)}\n`]) {
    const room = new KeptRoom(10_000);
    let read = 0;
    const events: string[] = [];
    const reader = new EventReader({ onEvent: (name) => events.push(name) }, room, 1_000);
    while (reader.exceeded === null && read < 100_000) {
      reader.read(octets(part), 0, part.length);
      read += part.length;
    }
    assert.equal(reader.exceeded, "streamMessage");
    assert.ok(read <= 1_300, `${read} octets were read`);
    reader.read(octets("\n\ndata: 1\n\n"), 0, 11);
    assert.deepEqual(events, [], "nothing comes of it any more");
    reader.end();
    assert.ok(room.take(10_000), "all of the room is given back");
  }
});

Deno.test("many streams together keep no more than their room has", () => {
  const room = new KeptRoom(5_000);
  const readers = Array.from(
    { length: 10 },
    () => new EventReader({ onEvent: () => {} }, room, 4_000),
  );
  for (const reader of readers) reader.read(octets("data: " + "x".repeat(3_000)), 0, 3_006);
  assert.deepEqual(readers.map(({ exceeded }) => exceeded), [
    null,
    null,
    ...Array(8).fill("keptBodies"),
  ]);
  for (const reader of readers) reader.end();
  assert.ok(room.take(5_000));
});

Deno.test("an identifier whose event never ended is not that of the next response, and one that is too large is none", () => {
  const reader = new EventReader({ onEvent: () => {} }, new KeptRoom());
  const read = (text: string): void => reader.read(octets(text), 0, octets(text).length);
  read("id: 1\ndata: a\n\nid: 2\ndata: b\n");
  reader.end();
  assert.equal(reader.lastEventId, "1");
  read("data: c\n\n");
  assert.equal(reader.lastEventId, "1", "of the response that goes on where the other ended");
  read(`id: ${"x".repeat(8_001)}\ndata: d\n\n`);
  assert.equal(reader.lastEventId, "1");
  read(`id: ${"x".repeat(8_000)}\ndata: d\n\n`);
  assert.equal(reader.lastEventId.length, 8_000);
});
