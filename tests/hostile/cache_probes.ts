/** Methods that a cache must be careful with, and pages that are kept for the wrong ones. */
import { alike, EVIL, get, H, HELLO, type Probe } from "./probe.ts";
import { answerOf } from "./raw_origin.ts";

export const METHODS: readonly Probe[] = [
  ...alike({ status: 405, never: EVIL }, {
    "TRACE": `TRACE AT HTTP/1.1\r\n${H}cookie: evil\r\n\r\n`,
    "TRACE that may go no further":
      `TRACE AT HTTP/1.1\r\n${H}max-forwards: 0\r\ncookie: evil\r\n\r\n`,
  }),
  {
    what: "CONNECT",
    send: "CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n",
    status: 405,
  },
  ...alike({ status: 204 }, {
    "OPTIONS of everything": `OPTIONS * HTTP/1.1\r\n${H}\r\n`,
    "OPTIONS that may go no further": `OPTIONS AT HTTP/1.1\r\n${H}max-forwards: 0\r\n\r\n`,
  }),
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
export const POISONING: readonly Probe[] = [
  ...[
    ...["x-forwarded-host: evil.example", "x-forwarded-proto: evil"],
    ...["x-forwarded-for: 127.0.0.1, evil", "forwarded: host=evil.example"],
    ...["x-original-url: /evil", "x-rewrite-url: /evil", "x-http-method-override: EVIL"],
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
export const DECEPTION: readonly Probe[] = [
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
