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

const OK = { ":status": "200" };
const WHOLE = headers(1, OK, END_STREAM);
const HELLO = [headers(1, OK), data(1, "hello", END_STREAM)];
const EMPTY_200 = { comes: ["0: 200 "] };
const HELLO_200 = { comes: ["0: 200 hello"] };
const BROKEN = { comes: ["0: malformed"] };
const RESET = { comes: ["0: reset"] };
const STATUS_200 = "88";

type Outcome = Partial<Omit<HostileFrames, "what" | "section" | "frames">>;

/** Of one outcome, which is nothing where `comes` is absent. @param rows By section and what it is: `"6.5: SETTINGS of …"`. */
function alike(
  outcome: Outcome,
  rows: Readonly<Record<string, readonly Uint8Array[]>>,
): HostileFrames[] {
  return Object.entries(rows).map(([title, frames]) => {
    const [, section, what] = /^(.*?): (.*)$/.exec(title) ?? [];
    return { what, section, frames, comes: [], ...outcome };
  });
}

/** Frames of each of `values`, by its name. */
function each<T>(
  values: Readonly<Record<string, T>>,
  frames: (value: T) => Uint8Array[],
): Record<string, Uint8Array[]> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, frames(value)]));
}

/** A frame of more than its writer would make: its length is only said. */
function announced(length: number, type: number, flags: number, stream: number): Uint8Array {
  return Uint8Array.of(length >> 16, length >> 8, length, type, flags, ...coded(stream));
}

/** The block of a whole response. */
const whole = (bytes: Uint8Array): Uint8Array => frame(HEADERS, END_HEADERS | END_STREAM, 1, bytes);

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
const CLOSED = wrong("STREAM_CLOSED");
const CALM = wrong("ENHANCE_YOUR_CALM");

/** A frame within a header block. */
const within = (between: Uint8Array): Uint8Array[] => [
  frame(HEADERS, END_STREAM, 1, block(OK)),
  between,
  frame(CONTINUATION, END_HEADERS, 1),
];

const FRAMES: readonly HostileFrames[] = [
  ...alike(HELLO_200, {
    "6.1: DATA of nothing but padding": [
      headers(1, OK),
      frame(DATA, PADDED, 1, octets("\x04\0\0\0\0")),
      data(1, "hello", END_STREAM),
    ],
    "6.1: DATA with a padding of no octets": [
      headers(1, OK),
      frame(DATA, PADDED | END_STREAM, 1, octets("\0hello")),
    ],
    "6.1: DATA with padding that is not zero": [
      headers(1, OK),
      frame(DATA, PADDED | END_STREAM, 1, octets("\x03helloabc")),
    ],
    "4.1: flags of DATA that nobody knows": [
      headers(1, OK),
      frame(DATA, 0xf6 | END_STREAM, 1, octets("hello")),
    ],
  }),
  ...alike(PROTOCOL, {
    "6.1: DATA whose padding is as long as its frame": [
      headers(1, OK),
      frame(DATA, PADDED, 1, octets("\x04abc")),
    ],
    "6.1: DATA that is padded, and empty": [headers(1, OK), frame(DATA, PADDED, 1)],
    "6.2: HEADERS whose padding is longer than its frame": [
      frame(HEADERS, END_HEADERS | PADDED, 1, joined(octets("\xff"), block(OK))),
    ],
  }),
  ...alike(BROKEN, {
    "6.2: HEADERS of nothing but padding": [
      frame(HEADERS, END_HEADERS | END_STREAM | PADDED, 1, octets("\x02\0\0")),
    ],
  }),
  ...alike(EMPTY_200, {
    "6.2: HEADERS with padding and a priority": [
      frame(
        HEADERS,
        END_HEADERS | END_STREAM | PADDED | HAS_PRIORITY,
        1,
        joined(octets("\x02\0\0\0\0\x10"), block(OK), octets("\0\0")),
      ),
    ],
    "4.1: flags of HEADERS that nobody knows": [
      frame(HEADERS, 0xd2 | END_HEADERS | END_STREAM, 1, block(OK)),
    ],
    "4.1: flags of SETTINGS and PING that nobody knows": [
      frame(SETTINGS, 0xfe, 0),
      frame(PING, 0xfe, 0, octets("12345678")),
      WHOLE,
    ],
    "4.1: the reserved bit of a stream's identifier": [
      frame(HEADERS, END_HEADERS | END_STREAM, 0x8000_0001, block(OK)),
    ],
    "RFC 7838, 4: ALTSVC": [frame(0x0a, 0, 0, octets('\0\x01ah2=":1"')), WHOLE],
    "RFC 8336, 2: ORIGIN": [frame(0x0c, 0, 0, octets("\0\x08https://")), WHOLE],
    "5.5: PRIORITY_UPDATE": [frame(0x10, 0, 0, octets("\0\0\0\x01u=1")), WHOLE],
    "5.5: a frame that nobody knows, of a stream that nobody began": [
      frame(0xee, 0xff, 99, octets("?")),
      WHOLE,
    ],
    "4.2: a frame that nobody knows, of the greatest length": [
      frame(0xee, 0, 0, new Uint8Array(16_384)),
      WHOLE,
    ],
    "5.5: 20,000 frames that nobody knows": [many(20_000, frame(0xee, 0, 0)), WHOLE],
  }),
  ...alike(SIZE, {
    "6.2: HEADERS whose padding covers its priority": [
      frame(HEADERS, END_HEADERS | PADDED | HAS_PRIORITY, 1, octets("\x03\0\0\0\0\0")),
    ],
    "4.2: a frame that nobody knows, over the greatest length": [announced(16_385, 0xee, 0, 0)],
    "4.2: DATA over the greatest length": [headers(1, OK), announced(16_385, DATA, 0, 1)],
    "4.2: HEADERS over the greatest length": [announced(16_385, HEADERS, 4, 1)],
    "4.2: SETTINGS of the greatest length": [announced(0xffffff, SETTINGS, 0, 0)],
  }),
  ...alike({ comes: [`0: 200 ${"a".repeat(16_384)}`] }, {
    "4.2: DATA of the greatest length": [
      headers(1, { ...OK, "content-length": "16384" }),
      data(1, "a".repeat(16_384), END_STREAM),
    ],
  }),
];

const SETTINGS_ROWS: readonly HostileFrames[] = [
  ...alike(EMPTY_200, {
    "6.5: SETTINGS of nothing, twice": [settings(), settings(), WHOLE],
    "6.5.2: settings that nobody knows, of all values": [
      settings([0, 2 ** 32 - 1], [7, 1], [8, 1], [9, 1], [0x1a1a, 5], [0xffff, 2 ** 32 - 1]),
      WHOLE,
    ],
    "6.5.2: a server that says it will not be pushed to": [settings([2, 0]), WHOLE],
    "6.9.2: the greatest initial window": [settings([4, 2 ** 31 - 1]), WHOLE],
    "RFC 7541, 4.2: SETTINGS_HEADER_TABLE_SIZE of 0, then of 4 kB": [
      settings([1, 0]),
      settings([1, 4_096]),
      WHOLE,
    ],
    "6.5.2: SETTINGS_HEADER_TABLE_SIZE of 4 GB": [settings([1, 2 ** 32 - 1]), WHOLE],
    "6.5.2: SETTINGS_MAX_FRAME_SIZE of the greatest value": [settings([5, 2 ** 24 - 1]), WHOLE],
    "6.5.2: SETTINGS_MAX_HEADER_LIST_SIZE of 0": [settings([6, 0]), WHOLE],
    "6.5.1: 2,730 settings in one frame": [
      settings(...Array.from({ length: 2_730 }, () => [3, 100] as const)),
      WHOLE,
    ],
    "6.5.3: acknowledgements of nothing": [many(3, frame(SETTINGS, ACK, 0)), WHOLE],
  }),
  ...alike({ request: "POST", sentBytes: 65_535 }, {
    "6.5.3: SETTINGS that contradict themselves: the last counts": [
      settings([4, 0], [4, 70_000], [4, 1_000]),
    ],
  }),
  ...alike(PROTOCOL, {
    "6.5.2: SETTINGS_ENABLE_PUSH of 2": [settings([2, 2])],
    "6.5.2: SETTINGS_MAX_FRAME_SIZE of 0": [settings([5, 0])],
  }),
  ...alike({ first: settings([4, 0]), request: "POST", sentBytes: 65_535 }, {
    "6.9.2: an initial window of nothing, before the request is sent": [],
  }),
  ...alike({ request: "POST", sentBytes: 70_000 }, {
    "6.9.2: an initial window that shrinks to nothing, and grows again": [
      settings([4, 0]),
      frame(WINDOW_UPDATE, 0, 0, coded(1_000_000)),
      settings([4, 70_000]),
    ],
  }),
  ...alike(wrong("FLOW_CONTROL_ERROR"), {
    "6.9.2: an initial window that lifts a stream's over its limit": [
      frame(WINDOW_UPDATE, 0, 1, coded(2 ** 31 - 1 - 65_535)),
      settings([4, 65_536]),
    ],
  }),
  ...alike(SIZE, { "6.5: SETTINGS of seven octets": [frame(SETTINGS, 0, 0, octets("1234567"))] }),
  ...alike(CALM, {
    "10.5: acknowledgements without end": [many(11_000, frame(SETTINGS, ACK, 0))],
    "10.5: SETTINGS without end": [many(11_000, settings())],
  }),
];

/** One entry of 4,000 octets, and 12,000 references to it: 48 MB. */
const BOMB = joined(
  hex(`${STATUS_200} 40 01 61 7f a1 1e`),
  octets("b".repeat(4_000)),
  many(12_000, hex("be")),
);

const HPACK: readonly HostileFrames[] = [
  ...alike(EMPTY_200, {
    "RFC 7541, 4.2: a table's size at the start of a block": [raw(`3f e1 1f ${STATUS_200}`)],
    "RFC 7541, 4.2: a table's size twice, down and up": [raw(`20 3f e1 1f ${STATUS_200}`)],
    "RFC 7541, 4.2: a table's size at the start of trailers": [
      headers(1, OK),
      raw("20 00 01 61 01 62"),
    ],
    "RFC 7541, 5.1: a length with zeros behind it": [
      whole(joined(hex(`${STATUS_200} 00 01 61 7f 80 80 00`), octets("b".repeat(127)))),
    ],
    "RFC 7541, 6.2.3: a status never to be indexed": [raw("18 03 32 30 30")],
    "RFC 7541, 6.2.2: a status as a literal, its name not from the table": [
      whole(joined(hex("00 07"), octets(":status"), octets("\x03200"))),
    ],
    "RFC 7541, 4.4: an entry that evicts the one that names it": [
      raw(`3f 03 ${STATUS_200} 40 01 61 01 62 7e 01 63 be`),
    ],
  }),
  ...alike(COMPRESSION, {
    "RFC 7541, 6.3: a table larger than the client's": [raw(`3f e2 1f ${STATUS_200}`)],
    "RFC 7541, 4.2: a table's size after a field": [raw(`${STATUS_200} 20`)],
    "RFC 7541, 4.2: a table's size at the start of CONTINUATION": [
      frame(HEADERS, END_STREAM, 1, hex(STATUS_200)),
      frame(CONTINUATION, END_HEADERS, 1, hex("20")),
    ],
    "RFC 7541, 6.1: an index of zero": [raw(`${STATUS_200} 80`)],
    "RFC 7541, 5.1: an index of ten octets": [raw("ff ff ff ff ff ff ff ff ff 7f")],
    "RFC 7541, 5.2: a length beyond its block": [raw(`${STATUS_200} 00 01 61 7e 62`)],
    "RFC 7541, 5.2: Huffman's end of string within a value": [
      raw(`${STATUS_200} 00 01 61 85 1f ff ff ff ff`),
    ],
    "RFC 7541, 5.2: Huffman's padding of zeros": [raw(`${STATUS_200} 00 01 61 81 18`)],
    "RFC 7541, 5.2: Huffman's padding of an octet": [raw(`${STATUS_200} 00 01 61 82 1f ff`)],
    "RFC 7541, 4.4: an entry larger than the table, and a reference to the emptied table": [
      whole(joined(hex(`${STATUS_200} 40 01 61 7f ff 1f`), octets("b".repeat(4_222)), hex("be"))),
    ],
  }),
  ...alike(BROKEN, {
    "8.3.2: a block of a table's size alone": [raw("20")],
    "8.2.1: a name in capitals by Huffman": [raw(`${STATUS_200} 00 81 87 01 62`)],
    "10.5.1: a field list of 48 MB in 16 kB": [whole(BOMB.slice(0, 16_384))],
    "10.5.1: 5,000 empty fields": [whole(joined(hex(STATUS_200), many(5_000, hex("00 00 00"))))],
  }),
  ...alike({ comes: ["0: malformed", "1: 200 ", "2: 200 "], places: 3 }, {
    "4.3: a malformed head that fills the table, and a head that uses it": [
      raw(`${STATUS_200} 40 01 41 01 62`, END_STREAM, 1),
      raw(`${STATUS_200} 40 01 61 01 63`, END_STREAM, 3),
      raw(`${STATUS_200} be`, END_STREAM, 5),
    ],
    "10.5.1: a head too long that fills the table, and a head that uses it": [
      whole(BOMB.slice(0, 16_384)),
      raw(`${STATUS_200} 00 01 63 01 64`, END_STREAM, 3),
      raw(`${STATUS_200} be`, END_STREAM, 5),
    ],
  }),
];

const CONTINUATIONS: readonly HostileFrames[] = [
  ...alike(CALM, {
    "10.5: CONTINUATION of 16 kB without end (CVE-2024-27316)": [
      frame(HEADERS, 0, 1, block(OK)),
      many(100, frame(CONTINUATION, 0, 1, new Uint8Array(16_384).fill(0x88))),
    ],
    "10.5: CONTINUATION frames of one octet without end": [
      frame(HEADERS, 0, 1, block(OK)),
      many(1_000, frame(CONTINUATION, 0, 1, hex("88"))),
    ],
  }),
  ...alike(EMPTY_200, {
    "6.10: a block in 60 parts": [
      frame(HEADERS, END_STREAM, 1),
      many(58, frame(CONTINUATION, 0, 1)),
      frame(CONTINUATION, END_HEADERS, 1, block(OK)),
    ],
    "6.10: padding of CONTINUATION, which has no such flag": [
      frame(HEADERS, END_STREAM, 1),
      frame(CONTINUATION, END_HEADERS | PADDED, 1, block(OK)),
    ],
  }),
  ...alike(PROTOCOL, {
    "6.10: CONTINUATION after the end of a block": [
      headers(1, OK),
      frame(CONTINUATION, END_HEADERS, 1, block({ a: "b" })),
    ],
    "6.10: CONTINUATION of the connection": [
      frame(HEADERS, 0, 1, block(OK)),
      frame(CONTINUATION, END_HEADERS, 0),
    ],
    "6.10: PING within a block": within(frame(PING, 0, 0, octets("12345678"))),
    "6.10: SETTINGS within a block": within(settings()),
    "6.10: WINDOW_UPDATE within a block": within(frame(WINDOW_UPDATE, 0, 1, coded(1))),
    "6.10: RST_STREAM within a block": within(frame(RST_STREAM, 0, 1, coded(8))),
    "6.10: GOAWAY within a block": within(frame(GOAWAY, 0, 0, coded(1, 0))),
    "6.10: PRIORITY within a block": within(frame(PRIORITY, 0, 1, octets("\0\0\0\0\0"))),
    "6.10: a frame that nobody knows, within a block": within(frame(0xee, 0, 1)),
  }),
  ...alike(HELLO_200, {
    "6.10: an end of the stream in CONTINUATION, which has no such flag": [
      frame(HEADERS, 0, 1, block(OK)),
      frame(CONTINUATION, END_HEADERS | END_STREAM, 1),
      data(1, "hello", END_STREAM),
    ],
    "8.1: trailers in three parts": [
      headers(1, OK),
      data(1, "hello"),
      frame(HEADERS, END_STREAM, 1, hex("00 01")),
      frame(CONTINUATION, 0, 1, hex("61")),
      frame(CONTINUATION, END_HEADERS, 1, hex("01 62")),
    ],
  }),
];

const promise = (stream: number, flags: number, payload: Uint8Array): Uint8Array =>
  frame(PUSH_PROMISE, flags, stream, payload);
const PUSHES: readonly HostileFrames[] = [
  ...alike(PROTOCOL, {
    "6.6: a push on the connection": [promise(0, END_HEADERS, coded(2))],
    "6.6: a push whose padding is too long": [
      promise(1, END_HEADERS | PADDED, octets("\xff\0\0\0\x02")),
    ],
    "6.6: a push that goes on in CONTINUATION": [promise(1, 0, coded(2))],
    "6.6: a push of an odd stream": [promise(1, END_HEADERS, coded(3))],
  }),
  ...alike({ ...EMPTY_200, ...PROTOCOL }, {
    "6.6: a push on a stream that has ended": [WHOLE, promise(1, END_HEADERS, coded(2))],
    "5.1.1: an answer to a push that nobody promised": [WHOLE, headers(2, OK, END_STREAM)],
  }),
];

const HINTS = headers(1, { ":status": "103", link: "</a>" });
const INTERIM: readonly HostileFrames[] = [
  ...alike(EMPTY_200, {
    "8.1: ten interim responses": [many(10, HINTS), WHOLE],
    "RFC 9110, 8.6: an interim response with a length": [
      headers(1, { ":status": "103", "content-length": "5" }),
      WHOLE,
    ],
  }),
  ...alike(HELLO_200, {
    "RFC 9110, 15.2.1: 100 though nobody expects it": [headers(1, { ":status": "100" }), ...HELLO],
    "RFC 9110, 15.2: an interim response of a status that nobody knows": [
      headers(1, { ":status": "199" }),
      ...HELLO,
    ],
  }),
  ...alike(BROKEN, {
    "8.1: 100 that ends the stream": [headers(1, { ":status": "100" }, END_STREAM)],
    "8.1: content after an interim response": [HINTS, data(1, "a", END_STREAM)],
    "8.1: an interim response after the final one": [headers(1, OK), HINTS],
    "8.1: an interim response and trailers alone": [HINTS, headers(1, { a: "b" }, END_STREAM)],
  }),
  ...alike(RESET, {
    "8.1: an interim response and a reset": [HINTS, frame(RST_STREAM, 0, 1, coded(8))],
  }),
];

const TRAILERS: readonly HostileFrames[] = [
  ...alike(BROKEN, {
    "8.1: trailers with a path": [headers(1, OK), headers(1, { ":path": "/" }, END_STREAM)],
    "8.2.1: trailers with a capital": [headers(1, OK), headers(1, { "X-Sum": "1" }, END_STREAM)],
    "8.2.1: trailers with a break in a value": [
      headers(1, OK),
      headers(1, { a: "b\r\nc: d" }, END_STREAM),
    ],
    "8.2.2: trailers with connection": [
      headers(1, OK),
      headers(1, { connection: "close" }, END_STREAM),
    ],
    "8.1: trailers without an end, then content": [
      ...[headers(1, OK), headers(1, { a: "b" })],
      data(1, "more", END_STREAM),
    ],
    "8.1.1: trailers in place of the content that a length says": [
      headers(1, { ...OK, "content-length": "5" }),
      headers(1, { a: "b" }, END_STREAM),
    ],
  }),
  ...alike(HELLO_200, {
    "RFC 9110, 6.5.1: trailers with another length": [
      headers(1, { ...OK, "content-length": "5" }),
      data(1, "hello"),
      headers(1, { "content-length": "9" }, END_STREAM),
    ],
    "8.1: trailers of no field": [headers(1, OK), data(1, "hello"), headers(1, {}, END_STREAM)],
  }),
  ...alike({ ...EMPTY_200, ...CLOSED }, {
    "5.1: trailers twice": [
      ...[headers(1, OK), headers(1, { a: "b" }, END_STREAM)],
      headers(1, { a: "b" }, END_STREAM),
    ],
    "5.1: content after trailers": [
      ...[headers(1, OK), headers(1, { a: "b" }, END_STREAM)],
      data(1, "more", END_STREAM),
    ],
  }),
];

const sized = (value: string, ...rest: readonly Uint8Array[]): Uint8Array[] => [
  headers(1, { ...OK, "content-length": value }),
  ...rest,
];
/** Two fields of a length, then five octets. */
const twoLengths = (one: string, other: string): Uint8Array[] => [
  frame(
    HEADERS,
    END_HEADERS,
    1,
    joined(block({ ...OK, "content-length": one }), block({ "content-length": other }).slice(1)),
  ),
  data(1, "hello", END_STREAM),
];
const LENGTHS: readonly HostileFrames[] = [
  ...alike(HELLO_200, {
    "8.1.1: content octet by octet, with nothing between": sized(
      "5",
      ...[..."hello"].flatMap((octet) => [data(1, octet), data(1, "")]),
      data(1, "", END_STREAM),
    ),
    "RFC 9110, 8.6: two lengths that agree": twoLengths("5", "5"),
  }),
  ...alike(BROKEN, {
    "8.1.1: content where the length is zero": sized("0", data(1, "a", END_STREAM)),
    "8.1.1: an empty end where there is a length": sized("5", data(1, "", END_STREAM)),
    "8.1.1: two lengths that differ": twoLengths("5", "6"),
    "8.1.1: content of a 304": [headers(1, { ":status": "304" }), data(1, "a", END_STREAM)],
  }),
  ...alike(EMPTY_200, {
    "8.1.1: nothing where the length is zero": sized("0", data(1, "", END_STREAM)),
  }),
  ...alike(
    BROKEN,
    each({
      "RFC 9110, 8.6: a length with a sign": "+5",
      "RFC 9110, 8.6: a length below zero": "-5",
      "RFC 9110, 8.6: a length in hexadecimal": "0x5",
      "RFC 9110, 8.6: a length of nothing": "",
      "RFC 9110, 8.6: a length with a point": "5.0",
      "RFC 9110, 8.6: a length of twenty digits": "99999999999999999999",
      "RFC 9110, 8.6: a length with words": "5 octets",
    }, (value) => sized(value, data(1, "hello", END_STREAM))),
  ),
  ...alike({ ...BROKEN, request: "HEAD" }, {
    "RFC 9110, 9.3.2: content of a HEAD's response": sized("5", data(1, "hello", END_STREAM)),
  }),
  ...alike({ ...EMPTY_200, request: "HEAD" }, {
    "8.1.1: an empty end of a HEAD's response": sized("5", data(1, "", END_STREAM)),
  }),
  ...alike({ comes: ["0: 304 "] }, {
    "8.1.1: a length of a 304": [
      headers(1, { ":status": "304", "content-length": "100" }, END_STREAM),
    ],
  }),
  ...alike({ comes: ["0: 204 "] }, {
    "8.1.1: an empty end of a 204": [headers(1, { ":status": "204" }), data(1, "", END_STREAM)],
  }),
];

const STREAMS: readonly HostileFrames[] = [
  ...alike({ ...EMPTY_200, ...CLOSED }, {
    "5.1: a head on a stream that has ended": [WHOLE, WHOLE],
  }),
  ...alike(PROTOCOL, {
    "6.1: content of no stream": [data(0, "a")],
    "5.1.1: content on a stream of the server": [data(2, "a")],
    "6.4: a reset of the connection": [frame(RST_STREAM, 0, 0, coded(8))],
    "5.1.1: a head of the last stream there can be": [headers(2 ** 31 - 1, OK)],
  }),
  ...alike({ ...RESET, ...CLOSED }, {
    "5.1: content after a reset": [frame(RST_STREAM, 0, 1, coded(8)), data(1, "a")],
    "5.1: a head after a reset": [frame(RST_STREAM, 0, 1, coded(8)), WHOLE],
  }),
  ...alike({ comes: ["0: malformed", "1: 200 "], places: 2 }, {
    "5.1: content of a response that we refused": [
      headers(1, {}),
      many(100, data(1, "a")),
      headers(3, OK, END_STREAM),
    ],
  }),
  ...alike(SIZE, { "6.4: RST_STREAM of three octets": [frame(RST_STREAM, 0, 1, octets("123"))] }),
  ...alike({ comes: ["0: reset", "1: 200 "], places: 2 }, {
    "5.1: a reset twice": [many(2, frame(RST_STREAM, 0, 1, coded(8))), headers(3, OK, END_STREAM)],
  }),
  ...alike({ comes: ["0: 200 ", "1: 200 "], places: 2 }, {
    "10.5: 20,000 resets of a stream that has ended": [
      WHOLE,
      many(20_000, frame(RST_STREAM, 0, 1, coded(8))),
      headers(3, OK, END_STREAM),
    ],
  }),
  ...alike(RESET, {
    "8.1: a reset without an error in place of a response": [frame(RST_STREAM, 0, 1, coded(0))],
    "8.1: a reset without an error within a response": [
      headers(1, OK),
      data(1, "a"),
      frame(RST_STREAM, 0, 1, coded(0)),
    ],
  }),
  ...alike({ comes: ["0: 413 "], request: "POST" }, {
    "8.1: a response before the request is sent, then a reset without an error": [
      headers(1, { ":status": "413" }, END_STREAM),
      frame(RST_STREAM, 0, 1, coded(0)),
    ],
  }),
  ...alike(CALM, {
    "10.5: empty content without end (CVE-2019-9518)": [headers(1, OK), many(11_000, data(1, ""))],
    "10.5: padding without end": [
      headers(1, OK),
      many(11_000, frame(DATA, PADDED, 1, octets("\x01\0"))),
    ],
  }),
  ...alike(HELLO_200, {
    "6.1: empty content 9,000 times, then an end": [
      headers(1, OK),
      many(9_000, data(1, "")),
      data(1, "hello", END_STREAM),
    ],
  }),
  ...alike({ comes: ["1: 200 HI", "0: 200 hi"], places: 2 }, {
    "5.1: responses in the opposite order, content in turns": [
      ...[3, 1].map((id) => headers(id, OK)),
      ...["h", "i"].flatMap((text) => [data(1, text), data(3, text.toUpperCase())]),
      ...[3, 1].map((id) => data(id, "", END_STREAM)),
    ],
  }),
];

const WINDOWS: readonly HostileFrames[] = [
  ...alike(PROTOCOL, {
    "6.9: a window update of 0 but the reserved bit": [
      frame(WINDOW_UPDATE, 0, 0, coded(0x8000_0000)),
    ],
    "5.1: a window of a stream that nobody began, widened by nothing": [
      frame(WINDOW_UPDATE, 0, 9, coded(0)),
    ],
  }),
  ...alike({ request: "POST", sentBytes: 75_535 }, {
    "6.9: a window widened with the reserved bit": [
      frame(WINDOW_UPDATE, 0, 0, coded(0x8000_2710)),
      frame(WINDOW_UPDATE, 0, 1, coded(0x8000_2710)),
    ],
  }),
  ...alike({ comes: ["0: malformed", "1: 200 "], places: 2 }, {
    "6.9: a stream's window widened by nothing but the reserved bit": [
      frame(WINDOW_UPDATE, 0, 1, coded(0x8000_0000)),
      headers(3, OK, END_STREAM),
    ],
  }),
  ...alike(SIZE, {
    "6.9: WINDOW_UPDATE of five octets": [frame(WINDOW_UPDATE, 0, 0, octets("\0\0\0\x01\0"))],
  }),
  ...alike({ comes: ["0: 200 ", "1: 200 "], places: 2 }, {
    "6.9: a window of a stream that has ended, widened by nothing": [
      WHOLE,
      frame(WINDOW_UPDATE, 0, 1, coded(0)),
      headers(3, OK, END_STREAM),
    ],
  }),
  ...alike(EMPTY_200, {
    "6.9: a window widened by one, 100,000 times": [
      many(100_000, frame(WINDOW_UPDATE, 0, 0, coded(1))),
      WHOLE,
    ],
    "6.9.1: the window at its limit": [
      frame(WINDOW_UPDATE, 0, 0, coded(2 ** 31 - 1 - 65_535)),
      WHOLE,
    ],
  }),
];

const goAway = (last: number, code: number, debug = ""): Uint8Array =>
  frame(GOAWAY, 0, 0, joined(coded(last, code), octets(debug)));
const LEAVING = { isLeaving: true } as const;
const GOAWAYS: readonly HostileFrames[] = [
  ...alike({ comes: ["1: turned away", "2: turned away", "0: 200 "], places: 3, ...LEAVING }, {
    "6.8: a last stream that goes down": [goAway(5, 0), goAway(1, 0), WHOLE],
    "6.8: a last stream that goes up": [goAway(1, 0), goAway(5, 0), WHOLE],
  }),
  ...alike({ ...EMPTY_200, ...LEAVING }, {
    "6.8: the same GOAWAY 100 times": [many(100, goAway(1, 0)), WHOLE],
    "6.8: GOAWAY with 10 kB of debug data": [goAway(1, 0, "x".repeat(10_000)), WHOLE],
    "6.8: GOAWAY with the reserved bit": [goAway(0x8000_0001, 0), WHOLE],
  }),
  ...alike({ ...HELLO_200, ...LEAVING }, {
    "6.8: GOAWAY that names the last stream there can be": [
      goAway(2 ** 31 - 1, 0),
      ...HELLO,
      goAway(1, 0),
    ],
    "6.8: GOAWAY after the response": [...HELLO, goAway(1, 0)],
  }),
  ...alike({ comes: ["1: turned away", "0: 200 "], places: 2, ...LEAVING }, {
    "6.8: GOAWAY that names an even stream": [goAway(2, 0), WHOLE],
  }),
  ...alike(SIZE, { "6.8: GOAWAY of seven octets": [frame(GOAWAY, 0, 0, octets("1234567"))] }),
];

const ECHO = frame(PING, ACK, 0, octets("12345678"));
const OTHERS: readonly HostileFrames[] = [
  ...alike(EMPTY_200, {
    "6.7: PING acknowledgements that answer nothing": [many(3, ECHO), WHOLE],
    "5.3: a stream that depends on itself": [
      frame(
        HEADERS,
        END_HEADERS | END_STREAM | HAS_PRIORITY,
        1,
        joined(coded(1), octets("\x10"), block(OK)),
      ),
    ],
    "5.3: PRIORITY of a stream that depends on itself": [
      frame(PRIORITY, 0, 1, joined(coded(1), octets("\x10"))),
      WHOLE,
    ],
    "5.1: PRIORITY of a stream that nobody began": [
      frame(PRIORITY, 0, 99, octets("\0\0\0\0\0")),
      WHOLE,
    ],
    "6.3: PRIORITY 100,000 times": [
      many(100_000, frame(PRIORITY, 0, 1, octets("\0\0\0\0\0"))),
      WHOLE,
    ],
  }),
  ...alike(CALM, { "10.5: echoes without end": [many(11_000, ECHO)] }),
  ...alike(SIZE, {
    "6.7: a PING of nine octets": [frame(PING, 0, 0, octets("123456789"))],
    "6.7: a PING of nothing": [frame(PING, 0, 0)],
  }),
  ...alike(PROTOCOL, {
    "6.3: PRIORITY of the connection": [frame(PRIORITY, 0, 0, octets("\0\0\0\0\0"))],
  }),
];

const fields = (
  outcome: Outcome,
  rows: Readonly<Record<string, Readonly<Record<string, string>>>>,
): HostileFrames[] =>
  alike(outcome, each(rows, (fields) => [headers(1, { ...OK, ...fields }, END_STREAM)]));
const BAD_STATUSES = [
  ...["", "0", "20", "000", "099", "1000", "2 0", " 200", "200 ", "2xx", "+20", "-200", "2e2"],
  "200\0",
];
const FIELDS: readonly HostileFrames[] = [
  ...fields(BROKEN, {
    "8.2: keep-alive": { "keep-alive": "timeout=5" },
    "8.2: proxy-connection": { "proxy-connection": "close" },
    "8.2: upgrade": { upgrade: "h2c" },
    "8.2: a name with a space": { "a b": "c" },
    "8.2: a name with a colon": { "a:b": "c" },
    "8.2: a name with DEL": { "a\x7f": "b" },
    "8.2: a name that is not ASCII": { "\xe9": "b" },
    "8.2: a name of a tab": { "\t": "b" },
    "8.2: a value with a bare CR": { a: "b\rc" },
    "8.2: a value with a bare LF": { a: "b\nc" },
    "8.2: a value that ends with a tab": { a: "b\t" },
    "8.2: a value that ends with a space": { a: "b " },
    "8.2: a pseudo-field that nobody knows": { ":protocol": "x" },
    "8.2: a pseudo-field without a name": { ":": "x" },
    "8.2: a pseudo-field in capitals": { ":Status": "200" },
  }),
  ...fields(EMPTY_200, {
    "8.2: a value with a tab within": { a: "b\tc" },
    "8.2: a value that is not ASCII": { a: "\xe9\xff" },
    "8.2: a value of nothing": { a: "" },
    "8.2: a value of 16 kB, in 12 kB of Huffman's code": { a: "b".repeat(16_000) },
  }),
  ...BAD_STATUSES.flatMap((value) =>
    alike(BROKEN, {
      [`8.3.2: a status of ${JSON.stringify(value)}`]: [
        headers(1, { ":status": value }, END_STREAM),
      ],
    })
  ),
  ...alike({ comes: ["0: 999 "] }, {
    "RFC 9110, 15: a status of 999": [headers(1, { ":status": "999" }, END_STREAM)],
  }),
  ...alike(BROKEN, { "8.3: a status twice": [whole(joined(block(OK), block(OK).slice(1)))] }),
];

const FIRST: Readonly<Record<string, Uint8Array>> = {
  "3.4: PING first": frame(PING, 0, 0, octets("12345678")),
  "3.4: WINDOW_UPDATE first": frame(WINDOW_UPDATE, 0, 0, coded(1)),
  "3.4: GOAWAY first": goAway(0, 0),
  "3.4: a frame that nobody knows first": frame(0xee, 0, 0),
  "3.4: SETTINGS on a stream first": frame(SETTINGS, 0, 1),
  "3.4: the client's own words": octets("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  "3.4: SSH": octets("SSH-2.0-OpenSSH_9.2\r\n"),
  "3.4: an alert of TLS": octets("\x15\x03\x01\0\x02\x02\x46".repeat(2)),
  "3.4: HTTP/1.0": octets("HTTP/1.0 505 HTTP Version Not Supported\r\n\r\n"),
  "3.4: nine zeros": new Uint8Array(9),
  "6.5: SETTINGS that are too long first": announced(16_385, SETTINGS, 0, 0),
};
const PREFACES = Object.entries(FIRST).flatMap(([title, first]) =>
  alike({ first, ...PROTOCOL }, { [title]: [] })
);

/** By subject, in the order of RFC 9113. */
export const HOSTILE_FRAMES: Readonly<Record<string, readonly HostileFrames[]>> = {
  "prefaces": PREFACES,
  "frames, flags and padding": FRAMES,
  "streams": STREAMS,
  "SETTINGS": SETTINGS_ROWS,
  "pushes": PUSHES,
  "GOAWAY": GOAWAYS,
  "windows": WINDOWS,
  "CONTINUATION": CONTINUATIONS,
  "PING and PRIORITY": OTHERS,
  "compression": HPACK,
  "interim responses": INTERIM,
  "trailers": TRAILERS,
  "lengths": LENGTHS,
  "fields and statuses": FIELDS,
};
