/**
 * Feeding an answer to the reader in pieces, and what came of it.
 */
import { NEED_MORE, ResponseReader } from "../../base/http/response.ts";

export interface Outcome {
  readonly state: number;
  readonly status: number;
  readonly body: string;
  readonly bodyBytes: number;
  readonly keepAlive: boolean;
  readonly reason: string;
  /** Octets that it took. */
  readonly taken: number;
}

export interface Feeding {
  /** It answers a HEAD. */
  readonly answersHead?: boolean;
  /** The connection ends after the last piece. */
  readonly untilClose?: boolean;
  readonly maxHeadBytes?: number;
}

/** Reads the pieces, each from the middle of a buffer, as the reader must stay within its bounds. */
export function feed(pieces: readonly string[], feeding: Feeding = {}): Outcome {
  const { answersHead = false, untilClose = false, maxHeadBytes } = feeding;
  const reader = new ResponseReader({ retain: true, maxHeadBytes });
  reader.begin(answersHead);
  let taken = 0;
  for (const piece of pieces) {
    const bytes = octetsOf(`\r\n${piece}\r\n`);
    taken += reader.read(bytes, 2, bytes.length - 2) - 2;
    if (reader.state !== NEED_MORE) break;
  }
  if (untilClose) reader.end();
  const { state, status, bodyBytes, keepAlive, reason } = reader;
  return { state, status, body: textOf(reader.kept?.body()), bodyBytes, keepAlive, reason, taken };
}

/** One octet a character. */
export function octetsOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** One character an octet. */
export function textOf(octets: Uint8Array = new Uint8Array(0)): string {
  return Array.from(octets, (octet) => String.fromCharCode(octet)).join("");
}

/** `wire` in pieces that end at `cuts`, which may be any numbers. */
export function cutUp(wire: string, cuts: readonly number[]): string[] {
  const ends = cuts.map((cut) => cut % (wire.length + 1)).sort((a, b) => a - b);
  return [...ends, wire.length].map((end, i) => wire.slice(ends[i - 1] ?? 0, end));
}
