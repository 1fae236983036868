/** What a server of HTTP/2 may not send: each ends the connection. */
import {
  ACK,
  CONTINUATION,
  DATA,
  END_HEADERS,
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
import { block, coded, data, frame, headers, joined, octets, settings } from "./peer.ts";

const OK = { ":status": "200" };

/** With the error of the connection: its code and what was wrong, or how that begins. */
export const CONNECTION_ERRORS: readonly (readonly [string, readonly Uint8Array[], string])[] = [
  [
    "a push",
    [frame(PUSH_PROMISE, END_HEADERS, 1, joined(coded(2), block(OK)))],
    "PROTOCOL_ERROR: a push that nobody allowed",
  ],
  [
    "a head on no stream",
    [headers(0, OK)],
    "PROTOCOL_ERROR: a frame of a stream that nobody began",
  ],
  [
    "a head on a stream of the server",
    [headers(2, OK)],
    "PROTOCOL_ERROR: a frame of a stream that nobody began",
  ],
  [
    "content on a stream that nobody began",
    [data(3, "a")],
    "PROTOCOL_ERROR: a frame of a stream that nobody began",
  ],
  [
    "a reset of a stream that nobody began",
    [frame(RST_STREAM, 0, 3, coded(0))],
    "PROTOCOL_ERROR: a reset of no stream",
  ],
  [
    "a reset too long",
    [frame(RST_STREAM, 0, 1, coded(0, 0))],
    "FRAME_SIZE_ERROR: a frame of the wrong length",
  ],
  [
    "a window of a stream that nobody began",
    [frame(WINDOW_UPDATE, 0, 3, coded(1))],
    "PROTOCOL_ERROR: a window of no stream",
  ],
  [
    "the window widened by nothing",
    [frame(WINDOW_UPDATE, 0, 0, coded(0))],
    "PROTOCOL_ERROR: a window widened by nothing",
  ],
  [
    "the window widened by a reserved bit alone",
    [frame(WINDOW_UPDATE, 0, 0, coded(2 ** 31))],
    "PROTOCOL_ERROR: a window widened by nothing",
  ],
  [
    "the window over its limit",
    [frame(WINDOW_UPDATE, 0, 0, coded(2 ** 31 - 1))],
    "FLOW_CONTROL_ERROR: a window over its limit",
  ],
  [
    "a window cut short",
    [frame(WINDOW_UPDATE, 0, 0, octets("abc"))],
    "FRAME_SIZE_ERROR: a frame of the wrong length",
  ],
  [
    "a head within a block",
    [frame(HEADERS, 0, 1, block(OK)), headers(1, OK)],
    "PROTOCOL_ERROR: another frame within a header block",
  ],
  [
    "content within a block",
    [frame(HEADERS, 0, 1, block(OK)), data(1, "a")],
    "PROTOCOL_ERROR: another frame within a header block",
  ],
  ["a block that goes on elsewhere", [
    frame(HEADERS, 0, 1, block(OK)),
    frame(CONTINUATION, END_HEADERS, 3),
  ], "PROTOCOL_ERROR: another frame within a header block"],
  [
    "a block without a beginning",
    [frame(CONTINUATION, END_HEADERS, 1)],
    "PROTOCOL_ERROR: CONTINUATION of nothing",
  ],
  ["a block without an end", [
    frame(HEADERS, 0, 1, block(OK)),
    ...Array.from({ length: 100 }, () => frame(CONTINUATION, 0, 1)),
  ], "ENHANCE_YOUR_CALM: a header block over its limit"],
  [
    "a block that is none",
    [frame(HEADERS, END_HEADERS, 1, octets("\xff\xff\xff\xff\xff\xff"))],
    "COMPRESSION_ERROR: ",
  ],
  [
    "an index beyond the tables",
    [frame(HEADERS, END_HEADERS, 1, Uint8Array.of(0xbe))],
    "COMPRESSION_ERROR: ",
  ],
  [
    "padding over the length",
    [frame(DATA, PADDED, 1, octets("\x05abc"))],
    "PROTOCOL_ERROR: padding over the length of its frame",
  ],
  [
    "padding of nothing",
    [frame(HEADERS, END_HEADERS | PADDED, 1)],
    "PROTOCOL_ERROR: padding over the length of its frame",
  ],
  [
    "a priority cut short",
    [frame(HEADERS, END_HEADERS | HAS_PRIORITY, 1, octets("abc"))],
    "FRAME_SIZE_ERROR: a frame of the wrong length",
  ],
  [
    "a priority of another length",
    [frame(PRIORITY, 0, 1, octets("abc"))],
    "FRAME_SIZE_ERROR: a frame of the wrong length",
  ],
  ["settings of a stream", [frame(SETTINGS, 0, 1)], "PROTOCOL_ERROR: SETTINGS of a stream"],
  [
    "settings cut short",
    [frame(SETTINGS, 0, 0, octets("abc"))],
    "FRAME_SIZE_ERROR: SETTINGS cut short",
  ],
  [
    "settings with an answer in them",
    [frame(SETTINGS, ACK, 0, octets("abcdef"))],
    "FRAME_SIZE_ERROR: a frame of the wrong length",
  ],
  [
    "a server that would be pushed to",
    [settings([2, 1])],
    "PROTOCOL_ERROR: a server that would be pushed to",
  ],
  [
    "an initial window over its limit",
    [settings([4, 2 ** 31])],
    "FLOW_CONTROL_ERROR: an initial window over its limit",
  ],
  ["frames too small", [settings([5, 16_383])], "PROTOCOL_ERROR: a frame size out of its range"],
  ["frames too large", [settings([5, 2 ** 24])], "PROTOCOL_ERROR: a frame size out of its range"],
  [
    "a ping of a stream",
    [frame(PING, 0, 1, octets("12345678"))],
    "PROTOCOL_ERROR: PING of a stream",
  ],
  [
    "a ping cut short",
    [frame(PING, 0, 0, octets("1234567"))],
    "FRAME_SIZE_ERROR: a frame of the wrong length",
  ],
  [
    "a good-bye of a stream",
    [frame(GOAWAY, 0, 1, coded(0, 0))],
    "PROTOCOL_ERROR: GOAWAY of a stream",
  ],
  [
    "a good-bye cut short",
    [frame(GOAWAY, 0, 0, coded(0))],
    "FRAME_SIZE_ERROR: a frame of the wrong length",
  ],
  [
    "pings without end",
    Array.from({ length: 11_000 }, () => frame(PING, 0, 0, octets("12345678"))),
    "ENHANCE_YOUR_CALM: frames without end that bring nothing",
  ],
];
