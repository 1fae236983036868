/** A server of HTTP/2 as its octets, and a client that reads them and says what it took them for. */
import assert from "node:assert/strict";
import { KeptResponse, KeptRoom } from "../../../base/http/kept.ts";
import { Http2Connection } from "../../../base/http/http2/connection.ts";
import {
  DATA,
  END_HEADERS,
  FrameWriter,
  HEADERS,
  numbers,
  SETTINGS,
  settingsPayload,
} from "../../../base/http/http2/frames.ts";
import { HpackEncoder } from "../../../base/http/http2/hpack_encoder.ts";
import { asHttp2 } from "../../../base/http/http2/request.ts";
import { SharedMemory } from "../../../base/http/http2/shared_memory.ts";
import { encodeRequest, type WireRequest } from "../../../base/http/request.ts";

export function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

export function octets(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = new Uint8Array(0),
): Uint8Array<ArrayBuffer> {
  const writer = new FrameWriter();
  writer.frame(type, flags, stream, payload);
  return writer.take();
}

export function settings(
  ...values: readonly (readonly [number, number])[]
): Uint8Array<ArrayBuffer> {
  return frame(SETTINGS, 0, 0, settingsPayload(values));
}

/** A header block that uses no table, so that it stands by itself. */
export function block(fields: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const list = Object.entries(fields).map(([name, value]) => ({ name, value }));
  const encoder = new HpackEncoder();
  encoder.resize(0);
  return encoder.encode(list);
}

export function headers(
  stream: number,
  fields: Readonly<Record<string, string>>,
  flags = 0,
): Uint8Array<ArrayBuffer> {
  return frame(HEADERS, flags | END_HEADERS, stream, block(fields));
}

export function data(stream: number, text: string, flags = 0): Uint8Array<ArrayBuffer> {
  return frame(DATA, flags, stream, octets(text));
}

export function request(fields: Partial<WireRequest> = {}): Uint8Array<ArrayBuffer> {
  const wire = { method: "GET", path: "/", headers: {}, body: null, ...fields };
  return encodeRequest(wire, { host: "a", keepAlive: true });
}

/** A client whose places each have sent a request, and what came of them. */
export class Client {
  readonly connection: Http2Connection;
  /** What came, in order: responses by status and content, and failures. */
  readonly events: string[] = [];

  constructor(places = 1, message = request(), retain = true, memory = new SharedMemory()) {
    const room = new KeptRoom();
    this.connection = new Http2Connection(
      places,
      {
        onBegin: () => {},
        onEndOfResponse: (place) => this.#say(place, this.#responseOn(place)),
        onReset: (place, reason) => this.#say(place, `reset ${reason}`),
        onMalformed: (place, reason) => this.#say(place, `malformed ${reason}`),
        onTurnedAway: (place) => this.#say(place, "turned away"),
      },
      { keep: () => retain ? new KeptResponse(room) : null, memory },
    );
    this.connection.out.take();
    for (let place = 0; place < places; place++) {
      this.connection.begin(place, asHttp2(message, "http"));
    }
  }

  #responseOn(place: number): string {
    const { status, bodyBytes, kept } = this.connection.response(place);
    if (kept === null) return `response ${status} of ${bodyBytes}`;
    const body = kept.body();
    assert.equal(body.length, bodyBytes);
    return `response ${status} ${String.fromCharCode(...body)}`.trimEnd();
  }

  #say(place: number, what: string): void {
    this.events.push(`${place}: ${what}`);
  }

  /** Feeds the octets in pieces of `size`; gives all that came, and the error at the end. */
  read(bytes: Uint8Array, size = bytes.length): string[] {
    for (let at = 0; at < bytes.length && this.connection.error === null; at += size) {
      const piece = bytes.slice(at, at + size);
      this.connection.read(piece, piece.length);
    }
    const { error } = this.connection;
    return error === null ? this.events : [...this.events, error];
  }
}

/** An error code as RST_STREAM and GOAWAY carry it, after what else GOAWAY has. */
export const coded = (...values: readonly number[]): Uint8Array<ArrayBuffer> => numbers(...values);
