/** What a hostile client, or a hostile page of an origin, tries on a caching proxy: one line each. */
import { answerOf } from "./raw_origin.ts";

export interface Probe {
  readonly what: string;
  /** As it goes over the wire; AT is a path of its own, and every fixed path may be asked for once only. */
  readonly send: string;
  /** Status of the first answer; null where the connection is closed without one. */
  readonly status: number | null;
  /** Requests of it that the origin may see, as method and target; none when absent. */
  readonly passed?: readonly string[];
  /** What neither the origin nor the next visitor of the page may see. */
  readonly never?: RegExp;
  /** What the origin must see of it. */
  readonly seen?: RegExp;
  /** Whether the next visitor finds its page kept; fresh from the origin when absent. */
  readonly next?: "kept";
  /** What the origin answers at AT, in place of an echo. */
  readonly answer?: string;
}

const H = "host: shop.example\r\n";
const EVIL = /evil/;
const SMUGGLED = "GET /smuggled HTTP/1.1\r\nhost: evil.example\r\n\r\n";
const NO_CHUNK = "0\r\n\r\n";
const HELLO = "5\r\nhello\r\n0\r\n\r\n";

function post(fields: string, body: string): string {
  return `POST AT HTTP/1.1\r\n${H}${fields}\r\n${body}`;
}

function get(fields: string, path = "AT"): string {
  return `GET ${path} HTTP/1.1\r\n${H}${fields}\r\n`;
}

/** Two readings of where a request ends: it is refused, or passed on with one. */
const SMUGGLING: readonly Probe[] = [
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
const INJECTION: readonly Probe[] = [
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

const METHODS: readonly Probe[] = [
  {
    what: "TRACE",
    send: `TRACE AT HTTP/1.1\r\n${H}cookie: evil\r\n\r\n`,
    status: 405,
    never: EVIL,
  },
  {
    what: "TRACE that may go no further",
    send: `TRACE AT HTTP/1.1\r\n${H}max-forwards: 0\r\ncookie: evil\r\n\r\n`,
    status: 405,
    never: EVIL,
  },
  {
    what: "CONNECT",
    send: "CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n",
    status: 405,
  },
  { what: "OPTIONS of everything", send: `OPTIONS * HTTP/1.1\r\n${H}\r\n`, status: 204 },
  {
    what: "OPTIONS that may go no further",
    send: `OPTIONS AT HTTP/1.1\r\n${H}max-forwards: 0\r\n\r\n`,
    status: 204,
  },
  {
    what: "OPTIONS that may go on",
    send: `OPTIONS AT HTTP/1.1\r\n${H}max-forwards: 3\r\n\r\n`,
    status: 200,
    passed: ["OPTIONS AT"],
    seen: /max-forwards: 2$/,
  },
  {
    what: "GET in small letters",
    send: `get AT HTTP/1.1\r\n${H}x-a: 1\r\n\r\n`,
    status: 200,
    passed: ["get AT"],
  },
  {
    what: "a method that nobody knows",
    send: `EVIL AT HTTP/1.1\r\n${H}\r\n`,
    status: 200,
    passed: ["EVIL AT"],
  },
];

/** A header that the key leaves out must not change what is kept; what is one client's own is not kept. */
const POISONING: readonly Probe[] = [
  ...[
    "x-forwarded-host: evil.example",
    "x-forwarded-proto: evil",
    "x-forwarded-for: 127.0.0.1, evil",
    "forwarded: host=evil.example",
    "x-original-url: /evil",
    "x-rewrite-url: /evil",
    "x-http-method-override: EVIL",
  ].map((field): Probe => ({
    what: field.split(":")[0],
    send: get(`${field}\r\n`),
    status: 200,
    passed: ["GET AT"],
    never: EVIL,
    next: "kept",
  })),
  ...[
    "cookie: session=evil",
    "authorization: Bearer evil",
    "range: bytes=0-1, evil",
    "cache-control: no-store, evil",
  ].map((field): Probe => ({
    what: `an own page by ${field.split(":")[0]}`,
    send: get(`${field}\r\n`),
    status: 200,
    passed: ["GET AT"],
    seen: EVIL,
  })),
  ...[
    ["a page that sets a cookie", "200 OK", "set-cookie: a=evil\r\n"],
    ["a page that varies by cookies", "200 OK", "vary: accept-encoding, cookie\r\n"],
  ].map(([what, status, fields]): Probe => ({
    what,
    send: get(""),
    status: Number(status.slice(0, 3)),
    passed: ["GET AT"],
    answer: answerOf(status, fields, "evil"),
  })),
];

/** Pages that only look as if they were static, and answers with two readings. */
const DECEPTION: readonly Probe[] = [
  {
    what: "dots in the path",
    send: get("", "AT/../evil"),
    status: 200,
    passed: ["GET AT/../evil"],
  },
  {
    what: "encoded dots and slashes in the path",
    send: get("", "AT%2F%2e%2e/a.css"),
    status: 200,
    passed: ["GET AT%2F%2e%2e/a.css"],
  },
  {
    what: "an answer with chunks and a length",
    send: get(""),
    status: 200,
    passed: ["GET AT"],
    answer: `HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n${HELLO}`,
    next: "kept",
  },
];

export const PROBES: readonly Probe[] = [
  ...SMUGGLING,
  ...INJECTION,
  ...METHODS,
  ...POISONING,
  ...DECEPTION,
];
