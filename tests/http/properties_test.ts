import assert from "node:assert/strict";
import fc from "fast-check";
import { BROKEN, COMPLETE, NEED_MORE, ResponseReader } from "../../base/http/response.ts";
import { answers } from "./answer_arbitrary.ts";
import { cutUp, feed, octetsOf, textOf } from "./feed.ts";
import { forAll } from "../for_all.ts";

const cuts = fc.array(fc.nat(), { maxLength: 12 });

Deno.test("any answer, cut anywhere any number of times, is read as it was meant", () => {
  forAll([answers, cuts], (answer, cuts) => {
    assert.deepEqual(feed(cutUp(answer.wire, cuts), answer), answer.outcome);
  }, { seed: 21, numRuns: 1_000 });
});

Deno.test("any pipelined answers, in reads of any lengths, are told apart", () => {
  const some = fc.array(answers.filter(({ untilClose }) => !untilClose), { maxLength: 6 });
  forAll([some, cuts], (answers, cuts) => {
    const reads = cutUp(answers.map(({ wire }) => wire).join(""), cuts);
    const expected = answers.map(({ outcome: { status, body } }) => ({ status, body }));
    assert.deepEqual(
      readPipeline(reads, answers.map(({ answersHead }) => answersHead)),
      expected,
    );
  }, { seed: 22, numRuns: 300 });
});

/** What a client reads that has sent all its requests at once. */
function readPipeline(reads: readonly string[], answersHead: readonly boolean[]): unknown[] {
  const reader = new ResponseReader({ retain: true });
  const read: unknown[] = [];
  const begin = (): void => reader.begin(answersHead[read.length]);
  begin();
  for (const bytes of reads.map(octetsOf)) {
    for (let at = 0; at < bytes.length;) {
      at = reader.read(bytes, at, bytes.length);
      if (reader.state !== COMPLETE) break;
      read.push({ status: reader.status, body: textOf(reader.kept?.body()) });
      begin();
    }
  }
  return read;
}

const garbage = fc.string({ unit: "binary-ascii", maxLength: 100 });
const framing = fc.constantFrom(..."HTTP/1. 200\r\n:,;chunked-Content-Length:0aF \t\0\xff");
const wild = fc.string({ unit: framing, maxLength: 60 })
  .map((text) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${text}`);
const spoiled = fc.tuple(answers, fc.nat(), fc.nat(255), fc.constantFrom(0, 1))
  .map(([{ wire }, at, octet, removed]) => {
    const place = at % wire.length;
    return wire.slice(0, place) + String.fromCharCode(octet) + wire.slice(place + removed);
  });

Deno.test("garbage and spoiled answers are judged alike however cut, and end in every case", () => {
  forAll([fc.oneof(spoiled, wild, garbage), cuts, fc.boolean()], (wire, cuts, untilClose) => {
    const feeding = { untilClose, maxHeadBytes: 200 };
    const whole = feed([wire], feeding);
    assert.deepEqual(feed(cutUp(wire, cuts), feeding), whole);
    assert.ok(whole.taken <= wire.length);
    assert.equal(whole.state === BROKEN, whole.reason !== "");
    if (whole.state === NEED_MORE) assert.equal(whole.taken, wire.length);
    if (untilClose) assert.notEqual(whole.state, NEED_MORE);
  }, { seed: 23, numRuns: 3_000 });
});
