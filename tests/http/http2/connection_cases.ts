/** What a server may send, and what it may not: h2spec's cases from the client's side (RFC 9113). */
import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  GOAWAY,
  HAS_PRIORITY,
  HEADERS,
  PADDED,
  PRIORITY,
  RST_STREAM,
  WINDOW_UPDATE,
} from "../../../base/http/http2/frames.ts";
import { block, coded, data, frame, headers, joined, octets, settings } from "./peer.ts";

const OK = { ":status": "200" };
const SIZED = { ":status": "200", "content-length": "5" };

/** Name of the case, frames of the server, and what comes of them. */
export type Case = readonly [string, readonly Uint8Array[], readonly string[]];

function response(body = ""): string {
  return `0: response 200 ${body}`.trimEnd();
}

export const RIGHT: readonly Case[] = [
  ["a head alone", [headers(1, OK, END_STREAM)], [response()]],
  ["a length and content", [headers(1, SIZED), data(1, "hello", END_STREAM)], [
    response("hello"),
  ]],
  ["content without a length", [headers(1, OK), data(1, "h"), data(1, "i", END_STREAM)], [
    response("hi"),
  ]],
  ["an end of its own", [headers(1, SIZED), data(1, "hello"), data(1, "", END_STREAM)], [
    response("hello"),
  ]],
  ["trailers", [headers(1, OK), data(1, "a"), headers(1, { "x-sum": "7" }, END_STREAM)], [
    response("a"),
  ]],
  ["trailers of sized content", [
    headers(1, SIZED),
    data(1, "hello"),
    headers(1, { "x-sum": "7" }, END_STREAM),
  ], [response("hello")]],
  ["an interim response", [
    headers(1, { ":status": "103", link: "</a>" }),
    headers(1, OK, END_STREAM),
  ], [response()]],
  ["20 interim responses", [
    ...Array.from({ length: 20 }, () => headers(1, { ":status": "103" })),
    headers(1, OK, END_STREAM),
  ], [response()]],
  ["padding", [
    frame(HEADERS, END_HEADERS | PADDED, 1, joined(octets("\x03"), block(SIZED), octets("\0\0\0"))),
    frame(DATA, END_STREAM | PADDED, 1, joined(octets("\x02"), octets("hello\0\0"))),
  ], [response("hello")]],
  ["a priority", [
    frame(
      HEADERS,
      END_HEADERS | END_STREAM | HAS_PRIORITY,
      1,
      joined(coded(0), octets("\x01"), block(OK)),
    ),
    frame(PRIORITY, 0, 1, octets("\0\0\0\0\0")),
  ], [response()]],
  ["a block in three parts", [
    frame(HEADERS, END_STREAM, 1, block(SIZED).slice(0, 1)),
    frame(CONTINUATION, 0, 1),
    frame(CONTINUATION, END_HEADERS, 1, block({ ":status": "200" }).slice(1)),
  ], [response()]],
  ["reserved bits, which say nothing", [
    frame(WINDOW_UPDATE, 0, 0, coded(2 ** 31 + 1)),
    frame(WINDOW_UPDATE, 0, 2 ** 31 + 1, coded(2 ** 31 + 1)),
    frame(PRIORITY, 0, 2 ** 31 + 1, octets("\xff\xff\xff\xff\0")),
    frame(GOAWAY, 0, 2 ** 31, coded(2 ** 31 + 1, 0)),
    frame(
      HEADERS,
      END_HEADERS | END_STREAM | HAS_PRIORITY,
      2 ** 31 + 1,
      joined(coded(2 ** 32 - 1), octets("\x01"), block(OK)),
    ),
  ], [response()]],
  ["frames that nobody knows", [
    frame(99, 0xff, 0, octets("what?")),
    frame(98, 0, 1),
    headers(1, OK, END_STREAM),
  ], [response()]],
  ["settings that nobody knows", [settings([0xffff, 1]), headers(1, OK, END_STREAM)], [
    response(),
  ]],
  ["a reset", [frame(RST_STREAM, 0, 1, coded(7))], ["0: reset RST_STREAM with REFUSED_STREAM"]],
  ["a reset of a code that nobody knows", [frame(RST_STREAM, 0, 1, coded(4_000))], [
    "0: reset RST_STREAM with error 4000",
  ]],
  ["a reset after the response", [headers(1, OK, END_STREAM), frame(RST_STREAM, 0, 1, coded(0))], [
    response(),
  ]],
  ["a server that leaves after the response", [
    frame(GOAWAY, 0, 0, coded(1, 0)),
    headers(1, OK, END_STREAM),
  ], [response()]],
  ["a server that leaves before it", [frame(GOAWAY, 0, 0, coded(0, 0))], ["0: turned away"]],
  ["a server that complains", [frame(GOAWAY, 0, 0, coded(0, 11))], [
    "0: reset GOAWAY with ENHANCE_YOUR_CALM",
  ]],
  ["windows wider for no stream at hand", [
    headers(1, OK, END_STREAM),
    frame(WINDOW_UPDATE, 0, 1, coded(5)),
  ], [response()]],
];

export const MALFORMED: readonly Case[] = ([
  ["no status", {}, "a response that does not begin with its status"],
  [
    "a status after others",
    { a: "b", ":status": "200" },
    "a response that does not begin with its status",
  ],
  ["a status of words", { ":status": "ok" }, "malformed status"],
  [
    "a protocol switch",
    { ":status": "101" },
    "a 101 response, or an interim response that ends the stream",
  ],
  [
    "another pseudo field",
    { ":status": "200", ":path": "/" },
    "a misplaced pseudo-header field",
  ],
  ["a name with a capital", { ":status": "200", "X-a": "b" }, "malformed field name"],
  ["a name with a break", { ":status": "200", "x\r\na": "b" }, "malformed field name"],
  ["a name with a zero", { ":status": "200", "x\0": "b" }, "malformed field name"],
  ["no name", { ":status": "200", "": "b" }, "malformed field name"],
  ["a value with a break", { ":status": "200", a: "b\r\nset-cookie: c" }, "malformed field value"],
  ["a value with a zero", { ":status": "200", a: "b\0" }, "malformed field value"],
  ["a value with space around", { ":status": "200", a: " b" }, "malformed field value"],
  [
    "connection",
    { ":status": "200", connection: "close" },
    "the field connection, which HTTP/2 forbids",
  ],
  [
    "transfer-encoding",
    { ":status": "200", "transfer-encoding": "chunked" },
    "the field transfer-encoding, which HTTP/2 forbids",
  ],
  ["a length of words", { ":status": "200", "content-length": "many" }, "malformed content-length"],
  [
    "a head over its limit",
    { ":status": "200", a: "b".repeat(70_000) },
    "the response's head is larger than 65.5 kB, the limit",
  ],
] as const).map(([name, fields, why]) => {
  const whole = block(fields);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += 16_000) parts.push(whole.slice(at, at + 16_000));
  const frames = parts.map((part, i) =>
    frame(i === 0 ? HEADERS : CONTINUATION, i === parts.length - 1 ? END_HEADERS : 0, 1, part)
  );
  return [name, frames, [`0: malformed ${why}`]];
});

const OTHER_LENGTH = "0: malformed content whose length is not its content-length";

export const WRONG_CONTENT: readonly Case[] = [
  ["more content than said", [headers(1, SIZED), data(1, "hello!", END_STREAM)], [OTHER_LENGTH]],
  ["less content than said", [headers(1, SIZED), data(1, "hell", END_STREAM)], [OTHER_LENGTH]],
  ["no content, but a length", [headers(1, SIZED, END_STREAM)], [OTHER_LENGTH]],
  ["content of a 204", [headers(1, { ":status": "204" }), data(1, "a", END_STREAM)], [
    "0: malformed content in a response that can have none",
  ]],
  ["content before the head", [data(1, "a", END_STREAM)], ["0: malformed content before the head"]],
  ["an interim response that ends the stream", [
    headers(1, { ":status": "100" }, END_STREAM),
  ], [
    "0: malformed a 101 response, or an interim response that ends the stream",
  ]],
  ["21 interim responses", Array.from({ length: 21 }, () => headers(1, { ":status": "103" })), [
    "0: malformed more than 20 interim responses, the limit",
  ]],
  ["two heads", [headers(1, OK), headers(1, OK)], ["0: malformed a second head"]],
  ["trailers with a status", [headers(1, OK), headers(1, OK, END_STREAM)], [
    "0: malformed a misplaced pseudo-header field",
  ]],
  ["content after it was refused", [
    headers(1, SIZED),
    data(1, "hello!"),
    data(1, "more", END_STREAM),
  ], [OTHER_LENGTH]],
  ["a stream's window widened by nothing", [frame(WINDOW_UPDATE, 0, 1, coded(0))], [
    "0: malformed a window update of 0",
  ]],
  ["a stream's window over its limit", [frame(WINDOW_UPDATE, 0, 1, coded(2 ** 31 - 1))], [
    "0: malformed a window over its limit",
  ]],
];
