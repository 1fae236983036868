import assert from "node:assert/strict";
import { PROTOCOL_ERRORS } from "../../base/http/reason.ts";
import { BROKEN, COMPLETE, NEED_MORE, ResponseReader } from "../../base/http/response.ts";
import { cutUp, feed, octetsOf, type Outcome, textOf } from "./feed.ts";
import { BAD_MESSAGES } from "./bad_messages.ts";
import { GOOD, type GoodMessage } from "./good_messages.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

/** Reasons that some test has seen; at the end they must be all. */
const seen = new Set<string>();

function outcomeOf({ wire, status = 200, body = "", keepAlive = true }: GoodMessage): Outcome {
  const { length } = body;
  return {
    ...{ state: COMPLETE, reason: "", taken: wire.length },
    ...{ status, body, bodyBytes: length, keepAlive },
  };
}

for (const [sentence, good] of Object.entries(GOOD)) {
  Deno.test(`${sentence}: whole, octet by octet, cut at every offset, with octets after it`, () => {
    const { wire } = good;
    const outcome = outcomeOf(good);
    assert.deepEqual(feed([wire], good), outcome, "whole");
    assert.deepEqual(feed([...wire], good), outcome, "octet by octet");
    for (let cut = 0; cut <= wire.length; cut++) {
      const pieces = [wire.slice(0, cut), wire.slice(cut)];
      assert.deepEqual(feed(pieces, good), outcome, `cut at ${cut}`);
    }
    if (!good.untilClose) {
      assert.deepEqual(feed([`${wire}HTTP/1.1 500`], good), outcome, "with octets after it");
    }
  });
}

for (const { what, wire, right, reason } of BAD_MESSAGES) {
  Deno.test(`${what} is broken at the first wrong octet, however it is cut`, () => {
    const judge = (pieces: string[]): unknown => {
      const { state, reason, taken, keepAlive } = feed(pieces);
      seen.add(reason);
      return { state, reason, taken, keepAlive };
    };
    const verdict = { state: BROKEN, reason, taken: right, keepAlive: false };
    assert.deepEqual(judge([wire]), verdict, "whole");
    assert.deepEqual(judge([...wire]), verdict, "octet by octet");
    for (let cut = 0; cut <= wire.length; cut++) {
      assert.deepEqual(judge([wire.slice(0, cut), wire.slice(cut)]), verdict, `cut at ${cut}`);
    }
  });
}

/** What is too long, what stands before the limit counts and after, what goes on, and the reason. */
const ENDLESS: readonly [string, string, string, string, string][] = [
  [
    "a reason phrase",
    "",
    "HTTP/1.1 200 ",
    "a",
    "the response's head is larger than 65.5 kB, the limit",
  ],
  ["a name", "", OK, "a", "the response's head is larger than 65.5 kB, the limit"],
  ["a value", "", `${OK}A: `, "a", "the response's head is larger than 65.5 kB, the limit"],
  [
    "a length",
    "",
    `${OK}Content-Length: `,
    "0",
    "the response's head is larger than 65.5 kB, the limit",
  ],
  [
    "a list of options",
    "",
    `${OK}Connection: `,
    ",",
    "the response's head is larger than 65.5 kB, the limit",
  ],
  ["a head", "", OK, "A: b\r\n", "the response's head is larger than 65.5 kB, the limit"],
  [
    "a chunk size",
    CHUNKED,
    "",
    "0",
    "a chunk line or the trailers are larger than 65.5 kB, the limit",
  ],
  [
    "an extension",
    CHUNKED,
    "1;",
    "a",
    "a chunk line or the trailers are larger than 65.5 kB, the limit",
  ],
  [
    "a list of trailers",
    `${CHUNKED}0\r\n`,
    "",
    "A: b\r\n",
    "a chunk line or the trailers are larger than 65.5 kB, the limit",
  ],
];
for (const [what, before, start, unit, reason] of ENDLESS) {
  Deno.test(`${what} without end is broken right at the limit, however cut`, () => {
    const maxHeadBytes = 100;
    const wire = before + start + unit.repeat(2 * maxHeadBytes);
    for (const pieces of [[wire], [...wire], [wire.slice(0, 60), wire.slice(60)]]) {
      const outcome = feed(pieces, { maxHeadBytes });
      seen.add(outcome.reason);
      assert.deepEqual([outcome.state, outcome.reason], [BROKEN, reason]);
      assert.equal(outcome.taken, before.length + maxHeadBytes);
    }
  });
}

Deno.test("a head of exactly the limit passes, one octet more is over it", () => {
  const head = `${OK}Content-Length: 2\r\n\r\n`;
  assert.equal(feed([head + "ok"], { maxHeadBytes: head.length }).state, COMPLETE);
  assert.equal(
    feed([head + "ok"], { maxHeadBytes: head.length - 1 }).reason,
    "the response's head is larger than 65.5 kB, the limit",
  );
});

/** When the peer closes, what had come by then, and the reason. */
const TOO_EARLY: Readonly<Record<string, readonly [string, string]>> = {
  "before any octet": ["", "closed before the response"],
  "within the status line": ["HTTP/1.1 20", "closed within the head"],
  "within the fields": [`${OK}Content-`, "closed within the head"],
  "before the last LF of the head": [`${OK}\r`, "closed within the head"],
  "after an interim answer": ["HTTP/1.1 100 Continue\r\n\r\n", "closed within the head"],
  "before a sized body": [`${OK}Content-Length: 5\r\n\r\n`, "closed within the body"],
  "within a sized body": [`${OK}Content-Length: 5\r\n\r\nhell`, "closed within the body"],
  "before the first chunk": [CHUNKED, "closed within the body"],
  "within a chunk": [`${CHUNKED}5\r\nhell`, "closed within the body"],
  "before the last chunk": [`${CHUNKED}1\r\na\r\n`, "closed within the body"],
  "within the trailers": [`${CHUNKED}0\r\nA: b\r\n`, "closed within the body"],
};
for (const [when, [wire, reason]] of Object.entries(TOO_EARLY)) {
  Deno.test(`a close ${when} is too early`, () => {
    const outcome = feed([wire], { untilClose: true });
    seen.add(outcome.reason);
    assert.deepEqual([outcome.state, outcome.reason], [BROKEN, reason]);
  });
}

Deno.test("a coding beside a length is broken even where there is no body", () => {
  const wire = `${OK}Content-Length: 5\r\nTransfer-Encoding: gzip\r\n\r\n`;
  const { state, reason } = feed([wire], { answersHead: true });
  assert.deepEqual([state, reason], [BROKEN, "both transfer-encoding and content-length"]);
});

Deno.test("a close after the end changes nothing", () => {
  for (const wire of [`${OK}Content-Length: 0\r\n\r\n`, "SSH-2.0"]) {
    assert.deepEqual(feed([wire], { untilClose: true }), feed([wire]));
  }
});

Deno.test("pipelined answers in one read are told apart, whatever their kinds", () => {
  const answers = Object.values(GOOD).filter(({ untilClose }) => !untilClose);
  const bytes = octetsOf(answers.map(({ wire }) => wire).join(""));
  const reader = new ResponseReader({ retain: true });
  let at = 0;
  for (const { answersHead = false, status = 200, body = "" } of answers) {
    reader.begin(answersHead);
    at = reader.read(bytes, at, bytes.length);
    const { state, kept } = reader;
    assert.deepEqual([state, reader.status, textOf(kept?.body())], [COMPLETE, status, body]);
  }
  assert.equal(at, bytes.length);
});

Deno.test("interim answers are counted anew for each answer", () => {
  const wire = "HTTP/1.1 100 Continue\r\n\r\n".repeat(15) + `${OK}Content-Length: 0\r\n\r\n`;
  const reader = new ResponseReader();
  for (const answer of [wire, wire, wire]) {
    reader.begin(false);
    reader.read(octetsOf(answer), 0, answer.length);
    assert.equal(reader.state, COMPLETE);
  }
});

Deno.test("a long body is kept whole, whatever comes in one read", () => {
  const body = "0123456789".repeat(2_000);
  const wire = `${OK}Content-Length: ${body.length}\r\n\r\n${body}`;
  for (const size of [1_000, 4_096, 9_999, wire.length]) {
    const cuts = Array.from({ length: Math.floor(wire.length / size) }, (_, i) => (i + 1) * size);
    assert.equal(feed(cutUp(wire, cuts)).body, body);
  }
});

Deno.test("started says whether any octet of the answer has come", () => {
  const bytes = octetsOf(`${OK}Content-Length: 0\r\n\r\n`);
  const reader = new ResponseReader();
  reader.read(bytes, 0, 0);
  assert.deepEqual([reader.started, reader.state], [false, NEED_MORE]);
  reader.read(bytes, 0, 1);
  assert.deepEqual([reader.started, reader.state], [true, NEED_MORE]);
  reader.begin(false);
  assert.equal(reader.started, false);
});

Deno.test("after its end a reader takes nothing until the next answer begins", () => {
  const bytes = octetsOf(`${OK}Content-Length: 0\r\n\r\n`);
  const reader = new ResponseReader();
  assert.equal(reader.read(bytes, 0, bytes.length), bytes.length);
  assert.equal(reader.read(bytes, 0, bytes.length), 0);
  reader.begin(false);
  assert.equal(reader.read(bytes, 0, bytes.length), bytes.length);
});

Deno.test("a broken reader is as new after begin", () => {
  const reader = new ResponseReader({ retain: true });
  for (const { wire } of BAD_MESSAGES) {
    const bad = octetsOf(wire);
    reader.begin(false);
    reader.read(bad, 0, bad.length);
    const good = octetsOf(`${OK}Content-Length: 2\r\n\r\nok`);
    reader.begin(false);
    assert.equal(reader.read(good, 0, good.length), good.length);
    assert.deepEqual([reader.state, reader.reason, textOf(reader.kept?.body())], [
      COMPLETE,
      "",
      "ok",
    ]);
  }
});

Deno.test("a reader that doesn't retain keeps nothing", () => {
  assert.equal(new ResponseReader().kept, null);
});

Deno.test("a retained answer gives its fields by name, of the final head only", () => {
  const wire =
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}ETag:  "\xe9:\x80" \r\nX-Two: 1\xa0\r\n` +
    "Transfer-Encoding: chunked\r\nX-TWO: 2\r\n\r\n0\r\nTrailer: t\r\n\r\n";
  for (const pieces of [[wire], [...wire]]) {
    const reader = new ResponseReader({ retain: true });
    for (const piece of pieces) reader.read(octetsOf(piece), 0, piece.length);
    const fields = ["etag", "x-two", "Transfer-encoding", "link", "trailer", "x", "http/1.1 200 ok"]
      .map((name) => reader.kept?.field(name));
    assert.deepEqual(fields, ['"\xe9:\x80"', "1\xa0, 2", "chunked", null, null, null, null]);
  }
});

Deno.test("a body that is too long to keep is broken, in one read and in many", () => {
  const wires = [
    `${OK}\r\n12345`,
    `${OK}Content-Length: 5\r\n\r\n12345`,
    `${CHUNKED}5\r\n12345\r\n0\r\n\r\n`,
  ];
  for (const wire of wires) {
    for (const pieces of [[wire], [...wire]]) {
      const reader = new ResponseReader({ retain: true, maxKeptBytes: 4 });
      for (const piece of pieces) reader.read(octetsOf(piece), 0, piece.length);
      seen.add(reader.reason);
      assert.deepEqual([reader.state, reader.reason], [
        BROKEN,
        "the body is larger than checks can keep: 64 MB per body, 256 MB per worker",
      ]);
    }
  }
});

Deno.test("lengths are counted exactly up to 2^53 - 1, and no further", () => {
  const reader = new ResponseReader();
  const large = octetsOf(`${OK}Content-Length: ${Number.MAX_SAFE_INTEGER}\r\n\r\n`);
  reader.read(large, 0, large.length);
  assert.equal(reader.state, NEED_MORE);
  const larger = octetsOf(`${OK}Content-Length: ${Number.MAX_SAFE_INTEGER + 1}\r\n\r\n`);
  reader.begin(false);
  reader.read(larger, 0, larger.length);
  assert.equal(reader.reason, "content-length too large");
});

Deno.test("every reason has been seen", () => {
  assert.deepEqual(Object.keys(PROTOCOL_ERRORS).filter((reason) => !seen.has(reason)), []);
});
