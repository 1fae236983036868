/** Requests with two readings: where one ends, whose it is, and what it asks for. */
import { alike, EVIL, get, H, HELLO, post, type Probe } from "./probe.ts";

const SMUGGLED = "GET /smuggled HTTP/1.1\r\nhost: evil.example\r\n\r\n";
const NO_CHUNK = "0\r\n\r\n";

/** Two readings of where a request ends: it is refused, or passed on with one. */
export const SMUGGLING: readonly Probe[] = [
  ...alike({ status: 400 }, {
    "a length and chunks": post(
      "content-length: 5\r\ntransfer-encoding: chunked\r\n",
      NO_CHUNK + SMUGGLED,
    ),
    "chunks and a length": post(
      "transfer-encoding: chunked\r\ncontent-length: 60\r\n",
      NO_CHUNK + SMUGGLED,
    ),
    "two lengths": post("content-length: 5\r\ncontent-length: 0\r\n", "hello"),
    "one length twice": post("content-length: 5\r\ncontent-length: 5\r\n", "hello"),
    "a list of lengths": post("content-length: 5, 5\r\n", "hello"),
    "a length with a sign": post("content-length: +5\r\n", "hello"),
    "a length below zero": post("content-length: -5\r\n", "hello"),
    "a hexadecimal length": post("content-length: 0x5\r\n", "hello"),
    "a coding that only ends as chunked": post(
      "transfer-encoding: xchunked\r\n",
      NO_CHUNK + SMUGGLED,
    ),
    "chunks that are not the last coding": post(
      "transfer-encoding: chunked, identity\r\n",
      NO_CHUNK + SMUGGLED,
    ),
    "a space before the colon": post("transfer-encoding : chunked\r\n", NO_CHUNK + SMUGGLED),
    "a vertical tab before the coding": post(
      "transfer-encoding: \x0bchunked\r\n",
      NO_CHUNK + SMUGGLED,
    ),
    "a folded coding": post("transfer-encoding:\r\n chunked\r\n", NO_CHUNK + SMUGGLED),
    "a folded field": get("a: b\r\n evil: c\r\n"),
    "a bare carriage return in a field": get("a: b\revil: 1\r\n"),
    "a zero in a field": get("a: b\0evil\r\n"),
    "HTTP/0.9": "GET AT\r\n\r\n",
  }),
  ...alike({ status: null }, {
    "a bare line feed after a chunk's extension": post(
      "transfer-encoding: chunked\r\n",
      `5;a\nhello\r\n0\r\n\r\n${SMUGGLED}`,
    ),
    "a chunk below zero": post("transfer-encoding: chunked\r\n", `-5\r\nhello\r\n${NO_CHUNK}`),
    "a chunk with a prefix": post("transfer-encoding: chunked\r\n", `0x5\r\nhello\r\n${NO_CHUNK}`),
    "a chunk beyond 64 bits": post(
      "transfer-encoding: chunked\r\n",
      `ffffffffffffffff5\r\nhello\r\n${NO_CHUNK}`,
    ),
  }),
  ...alike({ status: 200, passed: ["POST AT"], seen: /transfer-encoding: chunked$/ }, {
    "a length after the last chunk": post(
      "transfer-encoding: chunked\r\n",
      "5\r\nhello\r\n0\r\ncontent-length: 50\r\n\r\n",
    ),
    "a length that Connection names": post(
      "connection: content-length\r\ncontent-length: 5\r\n",
      "hello",
    ),
    "chunks that Connection names": post(
      "connection: transfer-encoding\r\ntransfer-encoding: chunked\r\n",
      HELLO,
    ),
  }),
  {
    what: "bare line feeds",
    send: `GET AT HTTP/1.1\nhost: shop.example\na: b\n\n`,
    status: 200,
    passed: ["GET AT"],
    seen: /\r\na: b$/,
    next: "kept",
  },
];

/** Another host, path or header than the one that the rules looked at. */
export const INJECTION: readonly Probe[] = [
  ...alike({ status: 400 }, {
    "two hosts": `GET AT HTTP/1.1\r\n${H}${H}\r\n`,
    "a path in the host": "GET AT HTTP/1.1\r\nhost: shop.example/evil?\r\n\r\n",
    "a query in the host": "GET AT HTTP/1.1\r\nhost: a?evil=/\r\n\r\n",
    "a user in the host": "GET AT HTTP/1.1\r\nhost: a@evil/b\r\n\r\n",
    "a fragment": get("", "AT#evil"),
    "a space in the path": get("", "AT evil"),
  }),
  ...alike({ status: 200, passed: ["GET AT"], never: EVIL, next: "kept" }, {
    "another host": "GET AT HTTP/1.1\r\nhost: evil.example\r\n\r\n",
    "a whole URL elsewhere": `GET http://evil.exampleAT HTTP/1.1\r\n${H}\r\n`,
  }),
  {
    what: "a query without a path",
    send: `GET http://evil.example?a=/../b HTTP/1.1\r\n${H}\r\n`,
    status: 200,
    passed: ["GET /?a=/../b"],
  },
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
