/** Requests with two readings: where one ends, whose it is, and what it asks for. */
import { EVIL, get, H, HELLO, post, type Probe } from "./probe.ts";

const SMUGGLED = "GET /smuggled HTTP/1.1\r\nhost: evil.example\r\n\r\n";
const NO_CHUNK = "0\r\n\r\n";

/** Two readings of where a request ends: it is refused, or passed on with one. */
export const SMUGGLING: readonly Probe[] = [
  {
    what: "a length and chunks",
    send: post("content-length: 5\r\ntransfer-encoding: chunked\r\n", NO_CHUNK + SMUGGLED),
    status: 400,
  },
  {
    what: "chunks and a length",
    send: post("transfer-encoding: chunked\r\ncontent-length: 60\r\n", NO_CHUNK + SMUGGLED),
    status: 400,
  },
  {
    what: "two lengths",
    send: post("content-length: 5\r\ncontent-length: 0\r\n", "hello"),
    status: 400,
  },
  {
    what: "one length twice",
    send: post("content-length: 5\r\ncontent-length: 5\r\n", "hello"),
    status: 400,
  },
  { what: "a list of lengths", send: post("content-length: 5, 5\r\n", "hello"), status: 400 },
  { what: "a length with a sign", send: post("content-length: +5\r\n", "hello"), status: 400 },
  { what: "a length below zero", send: post("content-length: -5\r\n", "hello"), status: 400 },
  { what: "a hexadecimal length", send: post("content-length: 0x5\r\n", "hello"), status: 400 },
  {
    what: "a coding that only ends as chunked",
    send: post("transfer-encoding: xchunked\r\n", NO_CHUNK + SMUGGLED),
    status: 400,
  },
  {
    what: "chunks that are not the last coding",
    send: post("transfer-encoding: chunked, identity\r\n", NO_CHUNK + SMUGGLED),
    status: 400,
  },
  {
    what: "a space before the colon",
    send: post("transfer-encoding : chunked\r\n", NO_CHUNK + SMUGGLED),
    status: 400,
  },
  {
    what: "a vertical tab before the coding",
    send: post("transfer-encoding: \x0bchunked\r\n", NO_CHUNK + SMUGGLED),
    status: 400,
  },
  {
    what: "a folded coding",
    send: post("transfer-encoding:\r\n chunked\r\n", NO_CHUNK + SMUGGLED),
    status: 400,
  },
  { what: "a folded field", send: get("a: b\r\n evil: c\r\n"), status: 400 },
  { what: "a bare carriage return in a field", send: get("a: b\revil: 1\r\n"), status: 400 },
  { what: "a zero in a field", send: get("a: b\0evil\r\n"), status: 400 },
  {
    what: "a bare line feed after a chunk's extension",
    send: post("transfer-encoding: chunked\r\n", `5;a\nhello\r\n0\r\n\r\n${SMUGGLED}`),
    status: null,
  },
  {
    what: "a chunk below zero",
    send: post("transfer-encoding: chunked\r\n", `-5\r\nhello\r\n${NO_CHUNK}`),
    status: null,
  },
  {
    what: "a chunk with a prefix",
    send: post("transfer-encoding: chunked\r\n", `0x5\r\nhello\r\n${NO_CHUNK}`),
    status: null,
  },
  {
    what: "a chunk beyond 64 bits",
    send: post("transfer-encoding: chunked\r\n", `ffffffffffffffff5\r\nhello\r\n${NO_CHUNK}`),
    status: null,
  },
  {
    what: "a length after the last chunk",
    send: post("transfer-encoding: chunked\r\n", "5\r\nhello\r\n0\r\ncontent-length: 50\r\n\r\n"),
    status: 200,
    passed: ["POST AT"],
    seen: /transfer-encoding: chunked$/,
  },
  {
    what: "a length that Connection names",
    send: post("connection: content-length\r\ncontent-length: 5\r\n", "hello"),
    status: 200,
    passed: ["POST AT"],
    seen: /transfer-encoding: chunked$/,
  },
  {
    what: "chunks that Connection names",
    send: post("connection: transfer-encoding\r\ntransfer-encoding: chunked\r\n", HELLO),
    status: 200,
    passed: ["POST AT"],
    seen: /transfer-encoding: chunked$/,
  },
  {
    what: "bare line feeds",
    send: `GET AT HTTP/1.1\nhost: shop.example\na: b\n\n`,
    status: 200,
    passed: ["GET AT"],
    seen: /\r\na: b$/,
    next: "kept",
  },
  { what: "HTTP/0.9", send: "GET AT\r\n\r\n", status: 400 },
];

/** Another host, path or header than the one that the rules looked at. */
export const INJECTION: readonly Probe[] = [
  { what: "two hosts", send: `GET AT HTTP/1.1\r\n${H}${H}\r\n`, status: 400 },
  {
    what: "a path in the host",
    send: "GET AT HTTP/1.1\r\nhost: shop.example/evil?\r\n\r\n",
    status: 400,
  },
  { what: "a query in the host", send: "GET AT HTTP/1.1\r\nhost: a?evil=/\r\n\r\n", status: 400 },
  { what: "a user in the host", send: "GET AT HTTP/1.1\r\nhost: a@evil/b\r\n\r\n", status: 400 },
  {
    what: "another host",
    send: "GET AT HTTP/1.1\r\nhost: evil.example\r\n\r\n",
    status: 200,
    passed: ["GET AT"],
    never: EVIL,
    next: "kept",
  },
  {
    what: "a whole URL elsewhere",
    send: `GET http://evil.exampleAT HTTP/1.1\r\n${H}\r\n`,
    status: 200,
    passed: ["GET AT"],
    never: EVIL,
    next: "kept",
  },
  {
    what: "a query without a path",
    send: `GET http://evil.example?a=/../b HTTP/1.1\r\n${H}\r\n`,
    status: 200,
    passed: ["GET /?a=/../b"],
  },
  { what: "a fragment", send: get("", "AT#evil"), status: 400 },
  { what: "a space in the path", send: get("", "AT evil"), status: 400 },
  {
    what: "an encoded end of line in the path",
    send: get("", "AT?a%0d%0aevil:%20b"),
    status: 200,
    passed: ["GET AT?a%0d%0aevil:%20b"],
    seen: /^GET [^\r]*\r\nhost: 127\.0\.0\.1:\d+$/,
  },
  {
    what: "what belongs to one connection",
    send: get(
      "connection: upgrade, evil\r\nupgrade: h2c\r\nhttp2-settings: evil\r\nevil: 1\r\n" +
        "te: trailers\r\nkeep-alive: evil\r\nproxy-connection: evil\r\nproxy-authorization: evil\r\n",
    ),
    status: 200,
    passed: ["GET AT"],
    never: /evil|upgrade|^te:/m,
    next: "kept",
  },
];
