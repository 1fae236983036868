/** The settings that both sides announce when an HTTP/2 connection begins (RFC 9113 §6.5). */
import { LIMITS } from "../../limits.ts";
import {
  ConnectionError,
  FrameWriter,
  MAX_FRAME_BYTES,
  numberAt,
  numbers,
  SETTINGS,
  settingsPayload,
  WINDOW_UPDATE,
} from "./frames.ts";

// Identifiers (§6.5.2).
const HEADER_TABLE_SIZE = 1;
const ENABLE_PUSH = 2;
const MAX_CONCURRENT_STREAMS = 3;
const INITIAL_WINDOW_SIZE = 4;
const MAX_FRAME_SIZE = 5;
const MAX_HEADER_LIST_SIZE = 6;

/** Initial size of a window, before a side sets another (§6.9.2). */
export const DEFAULT_WINDOW_BYTES = 65_535;
/** The largest size of a window (§6.9.1). */
export const MOST_WINDOW_BYTES = 2 ** 31 - 1;
const MOST_FRAME_BYTES = 2 ** 24 - 1;
/** Stands for no limit, because a client has fewer stream identifiers than this (§5.1.1). */
const MOST_STREAMS = 2 ** 31 - 1;

/**
 * Window for responses, so wide that no server waits for us. The default of h2load is practically the same, 2³⁰ − 1.
 */
export const WINDOW_BYTES = 2 ** 30;

/** The octets that a client sends first (§3.4), including its settings. */
export function opening(): Uint8Array<ArrayBuffer> {
  const frames = new FrameWriter();
  frames.raw(new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  frames.frame(
    SETTINGS,
    0,
    0,
    settingsPayload([
      [ENABLE_PUSH, 0],
      [INITIAL_WINDOW_SIZE, WINDOW_BYTES],
      [MAX_HEADER_LIST_SIZE, LIMITS.responseHead.most],
    ]),
  );
  frames.frame(WINDOW_UPDATE, 0, 0, numbers(WINDOW_BYTES - DEFAULT_WINDOW_BYTES));
  return frames.take();
}

/** The server's settings. */
export class PeerSettings {
  /** Largest number of concurrent streams. */
  mostStreams = MOST_STREAMS;
  windowBytes = DEFAULT_WINDOW_BYTES;
  frameBytes = MAX_FRAME_BYTES;
  tableBytes = 4_096;

  /** Applies the payload of a SETTINGS frame. Throws ConnectionError if its length or a value is not valid. */
  take(payload: Uint8Array, from: number, to: number): void {
    if ((to - from) % 6 !== 0) throw new ConnectionError("FRAME_SIZE_ERROR", "SETTINGS cut short");
    for (let at = from; at < to; at += 6) {
      this.#takeOne(payload[at] << 8 | payload[at + 1], numberAt(payload, at + 2));
    }
  }

  /** Unknown identifiers are ignored (§6.5.3). */
  #takeOne(id: number, value: number): void {
    if (id === HEADER_TABLE_SIZE) this.tableBytes = value;
    else if (id === ENABLE_PUSH) refuse(value !== 0, "ENABLE_PUSH, which only a client may set");
    else if (id === MAX_CONCURRENT_STREAMS) this.mostStreams = Math.min(value, MOST_STREAMS);
    else if (id === INITIAL_WINDOW_SIZE) {
      if (value > MOST_WINDOW_BYTES) {
        throw new ConnectionError(
          "FLOW_CONTROL_ERROR",
          "an initial window larger than 2,147,483,647",
        );
      }
      this.windowBytes = value;
    } else if (id === MAX_FRAME_SIZE) {
      refuse(value < MAX_FRAME_BYTES || value > MOST_FRAME_BYTES, "a frame size out of range");
      this.frameBytes = value;
    }
  }
}

function refuse(isWrong: boolean, what: string): void {
  if (isWrong) throw new ConnectionError("PROTOCOL_ERROR", what);
}
