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

/** By the error of the connection: its code and what was wrong, or how that begins. */
const FRAMES: Readonly<Record<string, Readonly<Record<string, readonly Uint8Array[]>>>> = {
  "PROTOCOL_ERROR: a push that was not allowed": {
    "a push": [frame(PUSH_PROMISE, END_HEADERS, 1, joined(coded(2), block(OK)))],
  },
  "PROTOCOL_ERROR: a frame on a stream that was never opened": {
    "a head on no stream": [headers(0, OK)],
    "a head on a stream of the server": [headers(2, OK)],
    "content on a stream that nobody began": [data(3, "a")],
  },
  "PROTOCOL_ERROR: RST_STREAM on a stream that was never opened": {
    "a reset of a stream that nobody began": [frame(RST_STREAM, 0, 3, coded(0))],
  },
  "FRAME_SIZE_ERROR: a frame of the wrong length": {
    "a reset too long": [frame(RST_STREAM, 0, 1, coded(0, 0))],
    "a window cut short": [frame(WINDOW_UPDATE, 0, 0, octets("abc"))],
    "a priority cut short": [frame(HEADERS, END_HEADERS | HAS_PRIORITY, 1, octets("abc"))],
    "a priority of another length": [frame(PRIORITY, 0, 1, octets("abc"))],
    "settings with an answer in them": [frame(SETTINGS, ACK, 0, octets("abcdef"))],
    "a ping cut short": [frame(PING, 0, 0, octets("1234567"))],
    "a good-bye cut short": [frame(GOAWAY, 0, 0, coded(0))],
  },
  "PROTOCOL_ERROR: WINDOW_UPDATE on a stream that was never opened": {
    "a window of a stream that nobody began": [frame(WINDOW_UPDATE, 0, 3, coded(1))],
  },
  "PROTOCOL_ERROR: a window update of 0": {
    "the window widened by nothing": [frame(WINDOW_UPDATE, 0, 0, coded(0))],
    "the window widened by a reserved bit alone": [frame(WINDOW_UPDATE, 0, 0, coded(2 ** 31))],
  },
  "FLOW_CONTROL_ERROR: a window over its limit": {
    "the window over its limit": [frame(WINDOW_UPDATE, 0, 0, coded(2 ** 31 - 1))],
  },
  "PROTOCOL_ERROR: a frame of another kind or stream within a header block": {
    "a head within a block": [frame(HEADERS, 0, 1, block(OK)), headers(1, OK)],
    "content within a block": [frame(HEADERS, 0, 1, block(OK)), data(1, "a")],
    "a block that goes on elsewhere": [
      frame(HEADERS, 0, 1, block(OK)),
      frame(CONTINUATION, END_HEADERS, 3),
    ],
  },
  "PROTOCOL_ERROR: CONTINUATION without HEADERS": {
    "a block without a beginning": [frame(CONTINUATION, END_HEADERS, 1)],
  },
  "ENHANCE_YOUR_CALM: a header block over its limit": {
    "a block without an end": [
      frame(HEADERS, 0, 1, block(OK)),
      ...Array.from({ length: 100 }, () => frame(CONTINUATION, 0, 1)),
    ],
  },
  "COMPRESSION_ERROR: ": {
    "a block that is none": [frame(HEADERS, END_HEADERS, 1, octets("\xff\xff\xff\xff\xff\xff"))],
    "an index beyond the tables": [frame(HEADERS, END_HEADERS, 1, Uint8Array.of(0xbe))],
  },
  "PROTOCOL_ERROR: padding longer than its frame": {
    "padding over the length": [frame(DATA, PADDED, 1, octets("\x05abc"))],
    "padding of nothing": [frame(HEADERS, END_HEADERS | PADDED, 1)],
  },
  "PROTOCOL_ERROR: SETTINGS on a stream": { "settings of a stream": [frame(SETTINGS, 0, 1)] },
  "FRAME_SIZE_ERROR: SETTINGS cut short": {
    "settings cut short": [frame(SETTINGS, 0, 0, octets("abc"))],
  },
  "PROTOCOL_ERROR: ENABLE_PUSH, which only a client may set": {
    "a server that sets ENABLE_PUSH": [settings([2, 1])],
  },
  "FLOW_CONTROL_ERROR: an initial window larger than 2,147,483,647": {
    "an initial window over its limit": [settings([4, 2 ** 31])],
  },
  "PROTOCOL_ERROR: a frame size out of range": {
    "frames too small": [settings([5, 16_383])],
    "frames too large": [settings([5, 2 ** 24])],
  },
  "PROTOCOL_ERROR: PING on a stream": {
    "a ping of a stream": [frame(PING, 0, 1, octets("12345678"))],
  },
  "PROTOCOL_ERROR: GOAWAY on a stream": {
    "a good-bye of a stream": [frame(GOAWAY, 0, 1, coded(0, 0))],
  },
  "ENHANCE_YOUR_CALM: an endless flow of frames that carry nothing": {
    "pings without end": Array.from(
      { length: 11_000 },
      () => frame(PING, 0, 0, octets("12345678")),
    ),
  },
};

export const CONNECTION_ERRORS = Object.entries(FRAMES).flatMap(([error, cases]) =>
  Object.entries(cases).map(([what, frames]) => [what, frames, error] as const)
);
