import assert from "node:assert/strict";
import fc from "fast-check";
import { KnownHead } from "../../base/http/head.ts";
import { COMPLETE, ResponseReader } from "../../base/http/response.ts";
import { answers } from "./answer_arbitrary.ts";
import { octetsOf, textOf } from "./feed.ts";
import { forAll } from "../for_all.ts";

/** What a reader says of an answer that comes in one read. */
function judge(reader: ResponseReader, wire: Uint8Array, answersHead: boolean): unknown {
  reader.begin(answersHead);
  const taken = reader.read(wire, 0, wire.length);
  const { state, status, bodyBytes, keepAlive, reason } = reader;
  return { taken, state, status, bodyBytes, keepAlive, reason, body: textOf(reader.kept?.body()) };
}

Deno.test("an answer whose head is known is read as if it were new, whatever came before", () => {
  forAll([fc.array(answers, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat(3))], (
    kinds,
    picks,
  ) => {
    const known = new KnownHead();
    const readers = [0, 1].map(() => new ResponseReader({ retain: true, known }));
    const buffer = new Uint8Array(100_000);
    for (let i = 0; i < 60; i++) {
      const { wire, answersHead } = kinds[picks.next().value % kinds.length];
      buffer.set(octetsOf(wire));
      const bytes = buffer.subarray(0, wire.length);
      const fresh = judge(new ResponseReader({ retain: true }), bytes, answersHead);
      assert.deepEqual(judge(readers[i % 2], bytes, answersHead), fresh);
    }
  }, { seed: 24, numRuns: 200 });
});

const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";

Deno.test("a head is known once it has come whole, and no other is taken for it", () => {
  const known = new KnownHead();
  const reader = new ResponseReader({ known });
  judge(reader, octetsOf(`${HEAD}ok`), false);
  const begins = (text: string): boolean => known.begins(octetsOf(text), 0, text.length);
  assert.equal(known.length, HEAD.length);
  assert.ok(begins(HEAD) && begins(`${HEAD}no`));
  for (const other of ["", HEAD.slice(0, -1), HEAD.replace("2\r", "3\r"), ` ${HEAD}`]) {
    assert.ok(!begins(other), JSON.stringify(other));
  }
});

Deno.test("a head is compared wherever it lies in the buffer", () => {
  const known = new KnownHead();
  const reader = new ResponseReader({ known });
  const buffer = octetsOf(`${HEAD}ok${HEAD}ok`);
  judge(reader, buffer, false);
  const second = HEAD.length + 2;
  assert.ok(known.begins(buffer, 0, buffer.length) && known.begins(buffer, second, buffer.length));
  buffer[second + 9] = "5".charCodeAt(0);
  assert.ok(!known.begins(buffer, second, buffer.length));
  buffer[9] = "5".charCodeAt(0);
  assert.ok(!known.begins(buffer, 0, buffer.length));
});

Deno.test("interim answers and heads in pieces are not learned", () => {
  for (const pieces of [[`HTTP/1.1 103 Early Hints\r\n\r\n${HEAD}ok`], [HEAD, "ok"].map(String)]) {
    const known = new KnownHead();
    const reader = new ResponseReader({ known });
    reader.begin(false);
    if (pieces.length > 1) pieces.splice(0, 1, HEAD.slice(0, 20), HEAD.slice(20));
    for (const piece of pieces.map(octetsOf)) reader.read(piece, 0, piece.length);
    assert.deepEqual([reader.state, known.length], [COMPLETE, 0]);
  }
});
