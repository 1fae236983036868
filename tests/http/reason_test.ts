/** What a server has done that ends a request as `protocol`: every reason that there is. */
import assert from "node:assert/strict";
import {
  PROTOCOL_ERRORS,
  type ProtocolError,
  type ProtocolFailure,
  protocolFailureOf,
  protocolFailures,
} from "../../base/http/reason.ts";
import { mostOf } from "../../base/limits.ts";

/** All others break the rules of HTTP, or are no failures of the protocol. */
const FAILURES: Readonly<Partial<Record<ProtocolError, ProtocolFailure>>> = {
  "not HTTP/1.0 or HTTP/1.1": "not-http",
  "TLS in place of HTTP: write https:// or wss://": "not-http",
  "HTTP/2 in place of HTTP/1.1: use --http2, or http2: true": "other-version",
  "the response's head is larger than 65.5 kB, the limit": "over-limit",
  "a chunk line or the trailers are larger than 65.5 kB, the limit": "over-limit",
  "the body is larger than checks can keep: 64 MB per body, 256 MB per worker": "over-limit",
  "more than 20 interim responses, the limit": "over-limit",
  "a switch of protocols (101) that no request asked for": "protocol-switch",
};

Deno.test("each reason of HTTP/1.1 is told as what it is", () => {
  for (const reason of Object.keys(PROTOCOL_ERRORS) as ProtocolError[]) {
    assert.equal(protocolFailureOf(reason), FAILURES[reason] ?? null, reason);
  }
});

Deno.test("words that only resemble a reason do not make a failure what it is", () => {
  for (const reason of ["a frame larger than 125 octets, the limit", "not HTTP/1.0, perhaps"]) {
    assert.equal(protocolFailureOf(reason), null, reason);
  }
  assert.equal(protocolFailureOf("PROTOCOL_ERROR: SETTINGS over 9, the limit"), "http2-rules");
});

const IN_HTTP2: readonly [reason: string, failure: ProtocolFailure | null][] = [
  ["PROTOCOL_ERROR: the server does not speak HTTP/2", "other-version"],
  ["PROTOCOL_ERROR: a first frame other than SETTINGS", "http2-rules"],
  ["FRAME_SIZE_ERROR: a frame of the wrong length", "http2-rules"],
  ["COMPRESSION_ERROR: an integer is larger than 2,147,483,647", "http2-rules"],
  ["ENHANCE_YOUR_CALM: a header block over its limit", "over-limit"],
  ["the field connection, which HTTP/2 forbids", null],
  ["RST_STREAM with REFUSED_STREAM", null],
  ["GOAWAY with NO_ERROR", null],
];

Deno.test("so is each of HTTP/2", () => {
  for (const [reason, failure] of IN_HTTP2) {
    assert.equal(protocolFailureOf(reason), failure, reason);
  }
});

Deno.test("a reason that names a limit names it as it is", () => {
  const said = Object.keys(PROTOCOL_ERRORS).join("\n");
  for (const name of ["responseHead", "keptBody", "keptBodies", "interimResponses"] as const) {
    assert.ok(said.includes(mostOf(name)), `${name} is ${mostOf(name)}`);
  }
});

Deno.test("failures are counted by their reasons, and no more often than they happened", () => {
  const reasons = {
    "not HTTP/1.0 or HTTP/1.1": 3,
    "connection refused": 7,
    "malformed field name": 2,
    "ENHANCE_YOUR_CALM: a header block over its limit": 9,
  };
  assert.deepEqual(protocolFailures(6, reasons), { "not-http": 3, "over-limit": 3 });
  assert.deepEqual(protocolFailures(20, reasons), {
    ...{ "not-http": 3, "over-limit": 9 },
    "http-rules": 8,
  });
  assert.deepEqual(protocolFailures(0, reasons), {});
});
