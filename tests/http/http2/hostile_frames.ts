/**
 * Frames that a server may send though nobody expects them, and frames that it may not, each with the section of the RFC
 * and the outcome that is right. None of them stands in `connection_cases.ts`, `connection_error_cases.ts` or
 * `hpack_decoder_test.ts`; `hostile_frames_test.ts` feeds them to the connection, `conformance/hostile_frames_test.ts` by
 * a socket.
 */
import {
  ACK,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  type ErrorCode,
  GOAWAY,
  HAS_PRIORITY,
  HEADERS,
  PADDED,
  PING,
  PRIORITY,
  PUSH_PROMISE,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from "../../../base/http/http2/frames.ts";
import { hex } from "./blocks.ts";
import { block, coded, data, frame, headers, joined, octets, settings } from "./peer.ts";

export interface HostileFrames {
  readonly what: string;
  /** Of RFC 9113, where no other is named. */
  readonly section: string;
  readonly frames: readonly Uint8Array[];
  /** In place of the server's SETTINGS. */
  readonly first?: Uint8Array;
  readonly request?: "HEAD" | "POST";
  /** Requests in flight; 1 when absent. */
  readonly places?: number;
  /**
   * What comes of the requests, in order: the place, then the status and the body of a response, `malformed`, `reset` or
   * `turned away`.
   */
  readonly comes: readonly string[];
  /** Why the connection ends; absent: it can go on, or no request may begin after a GOAWAY. */
  readonly error?: ErrorCode;
  readonly isLeaving?: true;
  /** Octets that are sent of a POST's body, of which there are 100,000. */
  readonly sentBytes?: number;
}

type Row = readonly [
  what: string,
  section: string,
  frames: readonly Uint8Array[],
  comes: readonly string[],
  rest?: Omit<HostileFrames, "what" | "section" | "frames" | "comes">,
];

const OK = { ":status": "200" };
const WHOLE = headers(1, OK, END_STREAM);
const HELLO = [headers(1, OK), data(1, "hello", END_STREAM)];
const EMPTY_200 = ["0: 200 "];
const HELLO_200 = ["0: 200 hello"];
const BROKEN = ["0: malformed"];
const STATUS_200 = "88";

/** A frame of more than its writer would make: its length is only said. */
function announced(length: number, type: number, flags: number, stream: number): Uint8Array {
  return Uint8Array.of(length >> 16, length >> 8, length, type, flags, ...coded(stream));
}

/** A header block in hexadecimal. */
function raw(text: string, flags = END_STREAM, stream = 1): Uint8Array {
  return frame(HEADERS, flags | END_HEADERS, stream, hex(text));
}

function many(count: number, bytes: Uint8Array): Uint8Array {
  const all = new Uint8Array(count * bytes.length);
  for (let i = 0; i < count; i++) all.set(bytes, i * bytes.length);
  return all;
}

const wrong = (error: ErrorCode): Pick<HostileFrames, "error"> => ({ error });
const PROTOCOL = wrong("PROTOCOL_ERROR");
const SIZE = wrong("FRAME_SIZE_ERROR");
const COMPRESSION = wrong("COMPRESSION_ERROR");
const CALM = wrong("ENHANCE_YOUR_CALM");

/** A frame within a header block. */
const within = (between: Uint8Array): Uint8Array[] => [
  frame(HEADERS, END_STREAM, 1, block(OK)),
  between,
  frame(CONTINUATION, END_HEADERS, 1),
];

const FRAMES: readonly Row[] = [
  ["DATA of nothing but padding", "6.1", [
    headers(1, OK),
    frame(DATA, PADDED, 1, octets("\x04\0\0\0\0")),
    data(1, "hello", END_STREAM),
  ], HELLO_200],
  ["DATA with a padding of no octets", "6.1", [
    headers(1, OK),
    frame(DATA, PADDED | END_STREAM, 1, octets("\0hello")),
  ], HELLO_200],
  ["DATA with padding that is not zero", "6.1", [
    headers(1, OK),
    frame(DATA, PADDED | END_STREAM, 1, octets("\x03helloabc")),
  ], HELLO_200],
  [
    "DATA whose padding is as long as its frame",
    "6.1",
    [
      headers(1, OK),
      frame(DATA, PADDED, 1, octets("\x04abc")),
    ],
    [],
    PROTOCOL,
  ],
  ["DATA that is padded, and empty", "6.1", [headers(1, OK), frame(DATA, PADDED, 1)], [], PROTOCOL],
  ["HEADERS of nothing but padding", "6.2", [
    frame(HEADERS, END_HEADERS | END_STREAM | PADDED, 1, octets("\x02\0\0")),
  ], BROKEN],
  ["HEADERS with padding and a priority", "6.2", [
    frame(
      HEADERS,
      END_HEADERS | END_STREAM | PADDED | HAS_PRIORITY,
      1,
      joined(octets("\x02\0\0\0\0\x10"), block(OK), octets("\0\0")),
    ),
  ], EMPTY_200],
  [
    "HEADERS whose padding covers its priority",
    "6.2",
    [
      frame(HEADERS, END_HEADERS | PADDED | HAS_PRIORITY, 1, octets("\x03\0\0\0\0\0")),
    ],
    [],
    SIZE,
  ],
  [
    "HEADERS whose padding is longer than its frame",
    "6.2",
    [
      frame(HEADERS, END_HEADERS | PADDED, 1, joined(octets("\xff"), block(OK))),
    ],
    [],
    PROTOCOL,
  ],
  ["flags of DATA that nobody knows", "4.1", [
    headers(1, OK),
    frame(DATA, 0xf6 | END_STREAM, 1, octets("hello")),
  ], HELLO_200],
  ["flags of HEADERS that nobody knows", "4.1", [
    frame(HEADERS, 0xd2 | END_HEADERS | END_STREAM, 1, block(OK)),
  ], EMPTY_200],
  ["flags of SETTINGS and PING that nobody knows", "4.1", [
    frame(SETTINGS, 0xfe, 0),
    frame(PING, 0xfe, 0, octets("12345678")),
    WHOLE,
  ], EMPTY_200],
  ["the reserved bit of a stream's identifier", "4.1", [
    frame(HEADERS, END_HEADERS | END_STREAM, 0x8000_0001, block(OK)),
  ], EMPTY_200],
  ["ALTSVC", "RFC 7838, 4", [frame(0x0a, 0, 0, octets('\0\x01ah2=":1"')), WHOLE], EMPTY_200],
  ["ORIGIN", "RFC 8336, 2", [frame(0x0c, 0, 0, octets("\0\x08https://")), WHOLE], EMPTY_200],
  ["PRIORITY_UPDATE", "5.5", [frame(0x10, 0, 0, octets("\0\0\0\x01u=1")), WHOLE], EMPTY_200],
  ["a frame that nobody knows, of a stream that nobody began", "5.5", [
    frame(0xee, 0xff, 99, octets("?")),
    WHOLE,
  ], EMPTY_200],
  ["a frame that nobody knows, as long as may be", "4.2", [
    frame(0xee, 0, 0, new Uint8Array(16_384)),
    WHOLE,
  ], EMPTY_200],
  [
    "a frame that nobody knows, longer than may be",
    "4.2",
    [announced(16_385, 0xee, 0, 0)],
    [],
    SIZE,
  ],
  ["20,000 frames that nobody knows", "5.5", [many(20_000, frame(0xee, 0, 0)), WHOLE], EMPTY_200],
  ["DATA as long as may be", "4.2", [
    headers(1, { ...OK, "content-length": "16384" }),
    data(1, "a".repeat(16_384), END_STREAM),
  ], [`0: 200 ${"a".repeat(16_384)}`]],
  ["DATA longer than may be", "4.2", [headers(1, OK), announced(16_385, DATA, 0, 1)], [], SIZE],
  ["HEADERS longer than may be", "4.2", [announced(16_385, HEADERS, 4, 1)], [], SIZE],
  ["SETTINGS of the greatest length", "4.2", [announced(0xffffff, SETTINGS, 0, 0)], [], SIZE],
];

const SETTINGS_ROWS: readonly Row[] = [
  ["SETTINGS of nothing, twice", "6.5", [settings(), settings(), WHOLE], EMPTY_200],
  [
    "SETTINGS that contradict themselves: the last counts",
    "6.5.3",
    [
      settings([4, 0], [4, 70_000], [4, 1_000]),
    ],
    [],
    { request: "POST", sentBytes: 65_535 },
  ],
  ["settings that nobody knows, of all values", "6.5.2", [
    settings([0, 2 ** 32 - 1], [7, 1], [8, 1], [9, 1], [0x1a1a, 5], [0xffff, 2 ** 32 - 1]),
    WHOLE,
  ], EMPTY_200],
  ["a server that says it will not be pushed to", "6.5.2", [settings([2, 0]), WHOLE], EMPTY_200],
  ["a setting of pushes that is no truth value", "6.5.2", [settings([2, 2])], [], PROTOCOL],
  ["the greatest initial window", "6.9.2", [settings([4, 2 ** 31 - 1]), WHOLE], EMPTY_200],
  ["an initial window of nothing, before the request is sent", "6.9.2", [], [], {
    first: settings([4, 0]),
    request: "POST",
    sentBytes: 65_535,
  }],
  [
    "an initial window that shrinks to nothing, and grows again",
    "6.9.2",
    [
      settings([4, 0]),
      frame(WINDOW_UPDATE, 0, 0, coded(1_000_000)),
      settings([4, 70_000]),
    ],
    [],
    { request: "POST", sentBytes: 70_000 },
  ],
  [
    "an initial window that lifts a stream's over its limit",
    "6.9.2",
    [
      frame(WINDOW_UPDATE, 0, 1, coded(2 ** 31 - 1 - 65_535)),
      settings([4, 65_536]),
    ],
    [],
    wrong("FLOW_CONTROL_ERROR"),
  ],
  ["a table of nothing, then of 4 kB", "RFC 7541, 4.2", [
    settings([1, 0]),
    settings([1, 4_096]),
    WHOLE,
  ], EMPTY_200],
  ["a table of 4 GB", "6.5.2", [settings([1, 2 ** 32 - 1]), WHOLE], EMPTY_200],
  ["frames as large as may be", "6.5.2", [settings([5, 2 ** 24 - 1]), WHOLE], EMPTY_200],
  ["frames of nothing", "6.5.2", [settings([5, 0])], [], PROTOCOL],
  ["a field list of nothing", "6.5.2", [settings([6, 0]), WHOLE], EMPTY_200],
  ["2,730 settings in one frame", "6.5.1", [
    settings(...Array.from({ length: 2_730 }, () => [3, 100] as const)),
    WHOLE,
  ], EMPTY_200],
  ["acknowledgements of nothing", "6.5.3", [many(3, frame(SETTINGS, ACK, 0)), WHOLE], EMPTY_200],
  ["SETTINGS of seven octets", "6.5", [frame(SETTINGS, 0, 0, octets("1234567"))], [], SIZE],
  ["acknowledgements without end", "10.5", [many(11_000, frame(SETTINGS, ACK, 0))], [], CALM],
  ["SETTINGS without end", "10.5", [many(11_000, settings())], [], CALM],
];

/** One entry of 4,000 octets, and 12,000 references to it: 48 MB. */
const BOMB = joined(
  hex(`${STATUS_200} 40 01 61 7f a1 1e`),
  octets("b".repeat(4_000)),
  many(12_000, hex("be")),
);

const HPACK: readonly Row[] = [
  [
    "a table's size at the start of a block",
    "RFC 7541, 4.2",
    [raw(`3f e1 1f ${STATUS_200}`)],
    EMPTY_200,
  ],
  [
    "a table's size twice, down and up",
    "RFC 7541, 4.2",
    [raw(`20 3f e1 1f ${STATUS_200}`)],
    EMPTY_200,
  ],
  [
    "a table larger than the client's",
    "RFC 7541, 6.3",
    [raw(`3f e2 1f ${STATUS_200}`)],
    [],
    COMPRESSION,
  ],
  ["a table's size after a field", "RFC 7541, 4.2", [raw(`${STATUS_200} 20`)], [], COMPRESSION],
  [
    "a table's size at the start of CONTINUATION",
    "RFC 7541, 4.2",
    [
      frame(HEADERS, END_STREAM, 1, hex(STATUS_200)),
      frame(CONTINUATION, END_HEADERS, 1, hex("20")),
    ],
    [],
    COMPRESSION,
  ],
  ["a table's size at the start of trailers", "RFC 7541, 4.2", [
    headers(1, OK),
    raw("20 00 01 61 01 62"),
  ], EMPTY_200],
  ["a block of a table's size alone", "8.3.2", [raw("20")], BROKEN],
  ["an index of zero", "RFC 7541, 6.1", [raw(`${STATUS_200} 80`)], [], COMPRESSION],
  [
    "an index of ten octets",
    "RFC 7541, 5.1",
    [raw("ff ff ff ff ff ff ff ff ff 7f")],
    [],
    COMPRESSION,
  ],
  ["a length with zeros behind it", "RFC 7541, 5.1", [
    frame(
      HEADERS,
      END_HEADERS | END_STREAM,
      1,
      joined(hex(`${STATUS_200} 00 01 61 7f 80 80 00`), octets("b".repeat(127))),
    ),
  ], EMPTY_200],
  [
    "a length beyond its block",
    "RFC 7541, 5.2",
    [raw(`${STATUS_200} 00 01 61 7e 62`)],
    [],
    COMPRESSION,
  ],
  [
    "Huffman's end of string within a value",
    "RFC 7541, 5.2",
    [
      raw(`${STATUS_200} 00 01 61 85 1f ff ff ff ff`),
    ],
    [],
    COMPRESSION,
  ],
  [
    "Huffman's padding of zeros",
    "RFC 7541, 5.2",
    [raw(`${STATUS_200} 00 01 61 81 18`)],
    [],
    COMPRESSION,
  ],
  [
    "Huffman's padding of an octet",
    "RFC 7541, 5.2",
    [raw(`${STATUS_200} 00 01 61 82 1f ff`)],
    [],
    COMPRESSION,
  ],
  ["a name in capitals by Huffman", "8.2.1", [raw(`${STATUS_200} 00 81 87 01 62`)], BROKEN],
  ["a status never to be indexed", "RFC 7541, 6.2.3", [raw("18 03 32 30 30")], EMPTY_200],
  ["a status in words of its own", "RFC 7541, 6.2.2", [
    frame(
      HEADERS,
      END_HEADERS | END_STREAM,
      1,
      joined(hex("00 07"), octets(":status"), octets("\x03200")),
    ),
  ], EMPTY_200],
  [
    "an entry larger than the table, and a reference to the emptied table",
    "RFC 7541, 4.4",
    [
      frame(
        HEADERS,
        END_HEADERS | END_STREAM,
        1,
        joined(hex(`${STATUS_200} 40 01 61 7f ff 1f`), octets("b".repeat(4_222)), hex("be")),
      ),
    ],
    [],
    COMPRESSION,
  ],
  ["an entry that evicts the one that names it", "RFC 7541, 4.4", [
    raw(`3f 03 ${STATUS_200} 40 01 61 01 62 7e 01 63 be`),
  ], EMPTY_200],
  ["a field list of 48 MB in 16 kB", "10.5.1", [
    frame(HEADERS, END_HEADERS | END_STREAM, 1, BOMB.slice(0, 16_384)),
  ], BROKEN],
  ["5,000 empty fields", "10.5.1", [
    frame(
      HEADERS,
      END_HEADERS | END_STREAM,
      1,
      joined(hex(STATUS_200), many(5_000, hex("00 00 00"))),
    ),
  ], BROKEN],
  [
    "a malformed head that fills the table, and a head that uses it",
    "4.3",
    [
      raw(`${STATUS_200} 40 01 41 01 62`, END_STREAM, 1),
      raw(`${STATUS_200} 40 01 61 01 63`, END_STREAM, 3),
      raw(`${STATUS_200} be`, END_STREAM, 5),
    ],
    ["0: malformed", "1: 200 ", "2: 200 "],
    { places: 3 },
  ],
  [
    "a head too long that fills the table, and a head that uses it",
    "10.5.1",
    [
      frame(HEADERS, END_HEADERS | END_STREAM, 1, BOMB.slice(0, 16_384)),
      raw(`${STATUS_200} 00 01 63 01 64`, END_STREAM, 3),
      raw(`${STATUS_200} be`, END_STREAM, 5),
    ],
    ["0: malformed", "1: 200 ", "2: 200 "],
    { places: 3 },
  ],
];

const CONTINUATIONS: readonly Row[] = [
  [
    "CONTINUATION of 16 kB without end (CVE-2024-27316)",
    "10.5",
    [
      frame(HEADERS, 0, 1, block(OK)),
      many(100, frame(CONTINUATION, 0, 1, new Uint8Array(16_384).fill(0x88))),
    ],
    [],
    CALM,
  ],
  [
    "CONTINUATION of an octet without end",
    "10.5",
    [
      frame(HEADERS, 0, 1, block(OK)),
      many(1_000, frame(CONTINUATION, 0, 1, hex("88"))),
    ],
    [],
    CALM,
  ],
  ["a block in 60 parts", "6.10", [
    frame(HEADERS, END_STREAM, 1),
    many(58, frame(CONTINUATION, 0, 1)),
    frame(CONTINUATION, END_HEADERS, 1, block(OK)),
  ], EMPTY_200],
  [
    "CONTINUATION after the end of a block",
    "6.10",
    [
      headers(1, OK),
      frame(CONTINUATION, END_HEADERS, 1, block({ a: "b" })),
    ],
    [],
    PROTOCOL,
  ],
  [
    "CONTINUATION of the connection",
    "6.10",
    [
      frame(HEADERS, 0, 1, block(OK)),
      frame(CONTINUATION, END_HEADERS, 0),
    ],
    [],
    PROTOCOL,
  ],
  ["PING within a block", "6.10", within(frame(PING, 0, 0, octets("12345678"))), [], PROTOCOL],
  ["SETTINGS within a block", "6.10", within(settings()), [], PROTOCOL],
  [
    "WINDOW_UPDATE within a block",
    "6.10",
    within(frame(WINDOW_UPDATE, 0, 1, coded(1))),
    [],
    PROTOCOL,
  ],
  ["RST_STREAM within a block", "6.10", within(frame(RST_STREAM, 0, 1, coded(8))), [], PROTOCOL],
  ["GOAWAY within a block", "6.10", within(frame(GOAWAY, 0, 0, coded(1, 0))), [], PROTOCOL],
  [
    "PRIORITY within a block",
    "6.10",
    within(frame(PRIORITY, 0, 1, octets("\0\0\0\0\0"))),
    [],
    PROTOCOL,
  ],
  ["a frame that nobody knows, within a block", "6.10", within(frame(0xee, 0, 1)), [], PROTOCOL],
  ["an end of the stream in CONTINUATION, which has no such flag", "6.10", [
    frame(HEADERS, 0, 1, block(OK)),
    frame(CONTINUATION, END_HEADERS | END_STREAM, 1),
    data(1, "hello", END_STREAM),
  ], HELLO_200],
  ["padding of CONTINUATION, which has no such flag", "6.10", [
    frame(HEADERS, END_STREAM, 1),
    frame(CONTINUATION, END_HEADERS | PADDED, 1, block(OK)),
  ], EMPTY_200],
  ["trailers in three parts", "8.1", [
    ...[headers(1, OK), data(1, "hello")],
    frame(HEADERS, END_STREAM, 1, hex("00 01")),
    frame(CONTINUATION, 0, 1, hex("61")),
    frame(CONTINUATION, END_HEADERS, 1, hex("01 62")),
  ], HELLO_200],
];

const promise = (stream: number, flags: number, payload: Uint8Array): Uint8Array =>
  frame(PUSH_PROMISE, flags, stream, payload);
const PUSHES: readonly Row[] = [
  ["a push on the connection", "6.6", [promise(0, END_HEADERS, coded(2))], [], PROTOCOL],
  [
    "a push on a stream that has ended",
    "6.6",
    [WHOLE, promise(1, END_HEADERS, coded(2))],
    EMPTY_200,
    PROTOCOL,
  ],
  [
    "a push whose padding is too long",
    "6.6",
    [promise(1, END_HEADERS | PADDED, octets("\xff\0\0\0\x02"))],
    [],
    PROTOCOL,
  ],
  ["a push that goes on in CONTINUATION", "6.6", [promise(1, 0, coded(2))], [], PROTOCOL],
  ["a push of an odd stream", "6.6", [promise(1, END_HEADERS, coded(3))], [], PROTOCOL],
  [
    "an answer to a push that nobody promised",
    "5.1.1",
    [WHOLE, headers(2, OK, END_STREAM)],
    EMPTY_200,
    PROTOCOL,
  ],
];

const HINTS = headers(1, { ":status": "103", link: "</a>" });
const INTERIM: readonly Row[] = [
  ["ten interim responses", "8.1", [many(10, HINTS), WHOLE], EMPTY_200],
  [
    "100 though nobody expects it",
    "RFC 9110, 15.2.1",
    [headers(1, { ":status": "100" }), ...HELLO],
    HELLO_200,
  ],
  ["an interim response of a status that nobody knows", "RFC 9110, 15.2", [
    headers(1, { ":status": "199" }),
    ...HELLO,
  ], HELLO_200],
  ["100 that ends the stream", "8.1", [headers(1, { ":status": "100" }, END_STREAM)], BROKEN],
  ["content after an interim response", "8.1", [HINTS, data(1, "a", END_STREAM)], BROKEN],
  ["an interim response after the final one", "8.1", [headers(1, OK), HINTS], BROKEN],
  [
    "an interim response and trailers alone",
    "8.1",
    [HINTS, headers(1, { a: "b" }, END_STREAM)],
    BROKEN,
  ],
  ["an interim response and a reset", "8.1", [HINTS, frame(RST_STREAM, 0, 1, coded(8))], [
    "0: reset",
  ]],
  ["an interim response with a length", "RFC 9110, 8.6", [
    headers(1, { ":status": "103", "content-length": "5" }),
    WHOLE,
  ], EMPTY_200],
];

const TRAILERS: readonly Row[] = [
  [
    "trailers with a path",
    "8.1",
    [headers(1, OK), headers(1, { ":path": "/" }, END_STREAM)],
    BROKEN,
  ],
  [
    "trailers with a capital",
    "8.2.1",
    [headers(1, OK), headers(1, { "X-Sum": "1" }, END_STREAM)],
    BROKEN,
  ],
  ["trailers with a break in a value", "8.2.1", [
    headers(1, OK),
    headers(1, { a: "b\r\nc: d" }, END_STREAM),
  ], BROKEN],
  ["trailers with connection", "8.2.2", [
    headers(1, OK),
    headers(1, { connection: "close" }, END_STREAM),
  ], BROKEN],
  ["trailers with another length", "RFC 9110, 6.5.1", [
    headers(1, { ...OK, "content-length": "5" }),
    data(1, "hello"),
    headers(1, { "content-length": "9" }, END_STREAM),
  ], HELLO_200],
  ["trailers of no field", "8.1", [
    ...[headers(1, OK), data(1, "hello")],
    headers(1, {}, END_STREAM),
  ], HELLO_200],
  [
    "trailers twice",
    "5.1",
    [
      ...[headers(1, OK), headers(1, { a: "b" }, END_STREAM)],
      headers(1, { a: "b" }, END_STREAM),
    ],
    EMPTY_200,
    wrong("STREAM_CLOSED"),
  ],
  [
    "content after trailers",
    "5.1",
    [
      ...[headers(1, OK), headers(1, { a: "b" }, END_STREAM)],
      data(1, "more", END_STREAM),
    ],
    EMPTY_200,
    wrong("STREAM_CLOSED"),
  ],
  ["trailers without an end, then content", "8.1", [
    ...[headers(1, OK), headers(1, { a: "b" })],
    data(1, "more", END_STREAM),
  ], BROKEN],
  ["trailers in place of the content that a length says", "8.1.1", [
    headers(1, { ...OK, "content-length": "5" }),
    headers(1, { a: "b" }, END_STREAM),
  ], BROKEN],
];

const sized = (value: string, ...rest: readonly Uint8Array[]): Uint8Array[] => [
  headers(1, { ...OK, "content-length": value }),
  ...rest,
];
const badLength = (what: string, value: string): Row => [
  `a length ${what}`,
  "RFC 9110, 8.6",
  sized(value, data(1, "hello", END_STREAM)),
  BROKEN,
];
const LENGTHS: readonly Row[] = [
  [
    "content octet by octet, with nothing between",
    "8.1.1",
    sized(
      "5",
      ...[..."hello"].flatMap((octet) => [data(1, octet), data(1, "")]),
      data(1, "", END_STREAM),
    ),
    HELLO_200,
  ],
  ["content where the length is zero", "8.1.1", sized("0", data(1, "a", END_STREAM)), BROKEN],
  ["nothing where the length is zero", "8.1.1", sized("0", data(1, "", END_STREAM)), EMPTY_200],
  ["an empty end where there is a length", "8.1.1", sized("5", data(1, "", END_STREAM)), BROKEN],
  badLength("with a sign", "+5"),
  badLength("below zero", "-5"),
  badLength("in hexadecimal", "0x5"),
  badLength("of nothing", ""),
  badLength("with a point", "5.0"),
  badLength("of twenty digits", "99999999999999999999"),
  badLength("with words", "5 octets"),
  ["two lengths that differ", "8.1.1", [
    frame(
      HEADERS,
      END_HEADERS,
      1,
      joined(block({ ...OK, "content-length": "5" }), block({ "content-length": "6" }).slice(1)),
    ),
    data(1, "hello", END_STREAM),
  ], BROKEN],
  ["two lengths that agree", "RFC 9110, 8.6", [
    frame(
      HEADERS,
      END_HEADERS,
      1,
      joined(block({ ...OK, "content-length": "5" }), block({ "content-length": "5" }).slice(1)),
    ),
    data(1, "hello", END_STREAM),
  ], HELLO_200],
  [
    "content of a HEAD's response",
    "RFC 9110, 9.3.2",
    sized("5", data(1, "hello", END_STREAM)),
    BROKEN,
    { request: "HEAD" },
  ],
  ["an empty end of a HEAD's response", "8.1.1", sized("5", data(1, "", END_STREAM)), EMPTY_200, {
    request: "HEAD",
  }],
  ["a length of a 304", "8.1.1", [
    headers(1, { ":status": "304", "content-length": "100" }, END_STREAM),
  ], ["0: 304 "]],
  [
    "content of a 304",
    "8.1.1",
    [headers(1, { ":status": "304" }), data(1, "a", END_STREAM)],
    BROKEN,
  ],
  ["an empty end of a 204", "8.1.1", [headers(1, { ":status": "204" }), data(1, "", END_STREAM)], [
    "0: 204 ",
  ]],
];

const STREAMS: readonly Row[] = [
  ["a head on a stream that has ended", "5.1", [WHOLE, WHOLE], EMPTY_200, wrong("STREAM_CLOSED")],
  ["content of no stream", "6.1", [data(0, "a")], [], PROTOCOL],
  ["content on a stream of the server", "5.1.1", [data(2, "a")], [], PROTOCOL],
  [
    "content after a reset",
    "5.1",
    [frame(RST_STREAM, 0, 1, coded(8)), data(1, "a")],
    ["0: reset"],
    wrong("STREAM_CLOSED"),
  ],
  [
    "a head after a reset",
    "5.1",
    [frame(RST_STREAM, 0, 1, coded(8)), WHOLE],
    ["0: reset"],
    wrong("STREAM_CLOSED"),
  ],
  [
    "content of a response that we refused",
    "5.1",
    [
      headers(1, {}),
      many(100, data(1, "a")),
      headers(3, OK, END_STREAM),
    ],
    ["0: malformed", "1: 200 "],
    { places: 2 },
  ],
  ["a reset of the connection", "6.4", [frame(RST_STREAM, 0, 0, coded(8))], [], PROTOCOL],
  ["a reset of three octets", "6.4", [frame(RST_STREAM, 0, 1, octets("123"))], [], SIZE],
  [
    "a reset twice",
    "5.1",
    [many(2, frame(RST_STREAM, 0, 1, coded(8))), headers(3, OK, END_STREAM)],
    ["0: reset", "1: 200 "],
    { places: 2 },
  ],
  [
    "20,000 resets of a stream that has ended",
    "10.5",
    [WHOLE, many(20_000, frame(RST_STREAM, 0, 1, coded(8))), headers(3, OK, END_STREAM)],
    ["0: 200 ", "1: 200 "],
    { places: 2 },
  ],
  ["a reset without an error in place of a response", "8.1", [frame(RST_STREAM, 0, 1, coded(0))], [
    "0: reset",
  ]],
  ["a reset without an error within a response", "8.1", [
    headers(1, OK),
    data(1, "a"),
    frame(RST_STREAM, 0, 1, coded(0)),
  ], ["0: reset"]],
  [
    "a response before the request is sent, then a reset without an error",
    "8.1",
    [
      headers(1, { ":status": "413" }, END_STREAM),
      frame(RST_STREAM, 0, 1, coded(0)),
    ],
    ["0: 413 "],
    { request: "POST" },
  ],
  ["a head of the last stream there can be", "5.1.1", [headers(2 ** 31 - 1, OK)], [], PROTOCOL],
  [
    "empty content without end (CVE-2019-9518)",
    "10.5",
    [headers(1, OK), many(11_000, data(1, ""))],
    [],
    CALM,
  ],
  [
    "padding without end",
    "10.5",
    [
      headers(1, OK),
      many(11_000, frame(DATA, PADDED, 1, octets("\x01\0"))),
    ],
    [],
    CALM,
  ],
  ["empty content 9,000 times, then an end", "6.1", [
    headers(1, OK),
    many(9_000, data(1, "")),
    data(1, "hello", END_STREAM),
  ], HELLO_200],
  [
    "responses in the opposite order, content in turns",
    "5.1",
    [
      ...[3, 1].map((id) => headers(id, OK)),
      ...["h", "i"].flatMap((text) => [data(1, text), data(3, text.toUpperCase())]),
      ...[3, 1].map((id) => data(id, "", END_STREAM)),
    ],
    ["1: 200 HI", "0: 200 hi"],
    { places: 2 },
  ],
];

const WINDOWS: readonly Row[] = [
  [
    "a window widened by nothing but the reserved bit",
    "6.9",
    [frame(WINDOW_UPDATE, 0, 0, coded(0x8000_0000))],
    [],
    PROTOCOL,
  ],
  [
    "a window widened with the reserved bit",
    "6.9",
    [
      frame(WINDOW_UPDATE, 0, 0, coded(0x8000_2710)),
      frame(WINDOW_UPDATE, 0, 1, coded(0x8000_2710)),
    ],
    [],
    { request: "POST", sentBytes: 75_535 },
  ],
  [
    "a stream's window widened by nothing but the reserved bit",
    "6.9",
    [frame(WINDOW_UPDATE, 0, 1, coded(0x8000_0000)), headers(3, OK, END_STREAM)],
    ["0: malformed", "1: 200 "],
    { places: 2 },
  ],
  [
    "a window of five octets",
    "6.9",
    [frame(WINDOW_UPDATE, 0, 0, octets("\0\0\0\x01\0"))],
    [],
    SIZE,
  ],
  [
    "a window of a stream that has ended, widened by nothing",
    "6.9",
    [WHOLE, frame(WINDOW_UPDATE, 0, 1, coded(0)), headers(3, OK, END_STREAM)],
    ["0: 200 ", "1: 200 "],
    { places: 2 },
  ],
  [
    "a window of a stream that nobody began, widened by nothing",
    "5.1",
    [frame(WINDOW_UPDATE, 0, 9, coded(0))],
    [],
    PROTOCOL,
  ],
  ["a window widened by one, 100,000 times", "6.9", [
    many(100_000, frame(WINDOW_UPDATE, 0, 0, coded(1))),
    WHOLE,
  ], EMPTY_200],
  ["the window at its limit", "6.9.1", [
    frame(WINDOW_UPDATE, 0, 0, coded(2 ** 31 - 1 - 65_535)),
    WHOLE,
  ], EMPTY_200],
];

const goAway = (last: number, code: number, debug = ""): Uint8Array =>
  frame(GOAWAY, 0, 0, joined(coded(last, code), octets(debug)));
const LEAVING = { isLeaving: true } as const;
const GOAWAYS: readonly Row[] = [
  ["a last stream that goes down", "6.8", [goAway(5, 0), goAway(1, 0), WHOLE], [
    "1: turned away",
    "2: turned away",
    "0: 200 ",
  ], { places: 3, ...LEAVING }],
  ["a last stream that goes up", "6.8", [goAway(1, 0), goAway(5, 0), WHOLE], [
    "1: turned away",
    "2: turned away",
    "0: 200 ",
  ], { places: 3, ...LEAVING }],
  ["the same good-bye 100 times", "6.8", [many(100, goAway(1, 0)), WHOLE], EMPTY_200, LEAVING],
  [
    "a good-bye with 10 kB of words",
    "6.8",
    [goAway(1, 0, "x".repeat(10_000)), WHOLE],
    EMPTY_200,
    LEAVING,
  ],
  [
    "a good-bye that names the last stream there can be",
    "6.8",
    [goAway(2 ** 31 - 1, 0), ...HELLO, goAway(1, 0)],
    HELLO_200,
    LEAVING,
  ],
  ["a good-bye with the reserved bit", "6.8", [goAway(0x8000_0001, 0), WHOLE], EMPTY_200, LEAVING],
  ["a good-bye that names an even stream", "6.8", [goAway(2, 0), WHOLE], [
    "1: turned away",
    "0: 200 ",
  ], { places: 2, ...LEAVING }],
  ["a good-bye after the response", "6.8", [...HELLO, goAway(1, 0)], HELLO_200, LEAVING],
  ["a good-bye of seven octets", "6.8", [frame(GOAWAY, 0, 0, octets("1234567"))], [], SIZE],
];

const ECHO = frame(PING, ACK, 0, octets("12345678"));
const OTHERS: readonly Row[] = [
  ["echoes of no PING", "6.7", [many(3, ECHO), WHOLE], EMPTY_200],
  ["echoes without end", "10.5", [many(11_000, ECHO)], [], CALM],
  ["a PING of nine octets", "6.7", [frame(PING, 0, 0, octets("123456789"))], [], SIZE],
  ["a PING of nothing", "6.7", [frame(PING, 0, 0)], [], SIZE],
  ["a stream that depends on itself", "5.3", [
    frame(
      HEADERS,
      END_HEADERS | END_STREAM | HAS_PRIORITY,
      1,
      joined(coded(1), octets("\x10"), block(OK)),
    ),
  ], EMPTY_200],
  ["PRIORITY of a stream that depends on itself", "5.3", [
    frame(PRIORITY, 0, 1, joined(coded(1), octets("\x10"))),
    WHOLE,
  ], EMPTY_200],
  ["PRIORITY of a stream that nobody began", "5.1", [
    frame(PRIORITY, 0, 99, octets("\0\0\0\0\0")),
    WHOLE,
  ], EMPTY_200],
  [
    "PRIORITY of the connection",
    "6.3",
    [frame(PRIORITY, 0, 0, octets("\0\0\0\0\0"))],
    [],
    PROTOCOL,
  ],
  ["PRIORITY 100,000 times", "6.3", [
    many(100_000, frame(PRIORITY, 0, 1, octets("\0\0\0\0\0"))),
    WHOLE,
  ], EMPTY_200],
];

const field = (what: string, fields: Readonly<Record<string, string>>): Row => [
  what,
  "8.2",
  [headers(1, { ...OK, ...fields }, END_STREAM)],
  BROKEN,
];
const fine = (what: string, fields: Readonly<Record<string, string>>): Row => [
  what,
  "8.2",
  [headers(1, { ...OK, ...fields }, END_STREAM)],
  EMPTY_200,
];
const status = (value: string): Row => [
  `a status of ${JSON.stringify(value)}`,
  "8.3.2",
  [headers(1, { ":status": value }, END_STREAM)],
  BROKEN,
];
const FIELDS: readonly Row[] = [
  field("keep-alive", { "keep-alive": "timeout=5" }),
  field("proxy-connection", { "proxy-connection": "close" }),
  field("upgrade", { upgrade: "h2c" }),
  field("a name with a space", { "a b": "c" }),
  field("a name with a colon", { "a:b": "c" }),
  field("a name with DEL", { "a\x7f": "b" }),
  field("a name that is not ASCII", { "\xe9": "b" }),
  field("a name of a tab", { "\t": "b" }),
  field("a value with a bare CR", { a: "b\rc" }),
  field("a value with a bare LF", { a: "b\nc" }),
  field("a value that ends with a tab", { a: "b\t" }),
  field("a value that ends with a space", { a: "b " }),
  fine("a value with a tab within", { a: "b\tc" }),
  fine("a value that is not ASCII", { a: "\xe9\xff" }),
  fine("a value of nothing", { a: "" }),
  fine("a value of 60 kB, in pieces of Huffman's 15 kB", { a: "b".repeat(16_000) }),
  field("a pseudo-field that nobody knows", { ":protocol": "x" }),
  field("a pseudo-field without a name", { ":": "x" }),
  field("a pseudo-field in capitals", { ":Status": "200" }),
  ...[
    "",
    "0",
    "20",
    "000",
    "099",
    "1000",
    "2 0",
    " 200",
    "200 ",
    "2xx",
    "+20",
    "-200",
    "2e2",
    "200\0",
  ].map(status),
  ["a status of 999", "RFC 9110, 15", [headers(1, { ":status": "999" }, END_STREAM)], ["0: 999 "]],
  ["a status twice", "8.3", [
    frame(HEADERS, END_HEADERS | END_STREAM, 1, joined(block(OK), block(OK).slice(1))),
  ], BROKEN],
];

const first = (
  what: string,
  bytes: Uint8Array,
): Row => [what, "3.4", [], [], { first: bytes, ...PROTOCOL }];
const PREFACES: readonly Row[] = [
  first("PING first", frame(PING, 0, 0, octets("12345678"))),
  first("WINDOW_UPDATE first", frame(WINDOW_UPDATE, 0, 0, coded(1))),
  first("GOAWAY first", goAway(0, 0)),
  first("a frame that nobody knows first", frame(0xee, 0, 0)),
  first("SETTINGS of a stream first", frame(SETTINGS, 0, 1)),
  first("the client's own words", octets("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")),
  first("SSH", octets("SSH-2.0-OpenSSH_9.2\r\n")),
  first("an alert of TLS", octets("\x15\x03\x01\0\x02\x02\x46".repeat(2))),
  first("HTTP/1.0", octets("HTTP/1.0 505 HTTP Version Not Supported\r\n\r\n")),
  first("nine zeros", new Uint8Array(9)),
  ["SETTINGS that are too long first", "6.5", [], [], {
    first: announced(16_385, SETTINGS, 0, 0),
    ...PROTOCOL,
  }],
];

const rowsOf = (rows: readonly Row[]): HostileFrames[] =>
  rows.map(([what, section, frames, comes, rest]) => ({ what, section, frames, comes, ...rest }));

/** By subject, in the order of RFC 9113. */
export const HOSTILE_FRAMES: Readonly<Record<string, readonly HostileFrames[]>> = {
  "prefaces": rowsOf(PREFACES),
  "frames, flags and padding": rowsOf(FRAMES),
  "streams": rowsOf(STREAMS),
  "SETTINGS": rowsOf(SETTINGS_ROWS),
  "pushes": rowsOf(PUSHES),
  "GOAWAY": rowsOf(GOAWAYS),
  "windows": rowsOf(WINDOWS),
  "CONTINUATION": rowsOf(CONTINUATIONS),
  "PING and PRIORITY": rowsOf(OTHERS),
  "compression": rowsOf(HPACK),
  "interim responses": rowsOf(INTERIM),
  "trailers": rowsOf(TRAILERS),
  "lengths": rowsOf(LENGTHS),
  "fields and statuses": rowsOf(FIELDS),
};
