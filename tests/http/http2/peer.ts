/** A server of HTTP/2 as its octets, and a client that reads them and says what it took them for. */
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

/** A client whose lanes each have sent a request, and what came of them. */
export class Client {
  readonly connection: Http2Connection;
  /** What came, in order: responses as text, and ends. */
  readonly events: string[] = [];
  readonly #texts: string[];

  constructor(lanes = 1, message = request()) {
    this.#texts = new Array(lanes).fill("");
    this.connection = new Http2Connection(lanes, {
      onResponse: (lane, bytes, from, to) => this.onOctets(lane, bytes.subarray(from, to)),
      onEndOfResponse: (lane) => this.#say(lane, `response ${JSON.stringify(this.#texts[lane])}`),
      onReset: (lane, reason) => this.#say(lane, `reset ${reason}`),
      onMalformed: (lane, reason) => this.#say(lane, `malformed ${reason}`),
      onTurnedAway: (lane) => this.#say(lane, "turned away"),
    });
    this.connection.out.take();
    for (let lane = 0; lane < lanes; lane++) this.connection.begin(lane, asHttp2(message, "http"));
  }

  onOctets = (lane: number, bytes: Uint8Array): void => {
    this.#texts[lane] += String.fromCharCode(...bytes);
  };

  #say(lane: number, what: string): void {
    this.events.push(`${lane}: ${what}`);
    this.#texts[lane] = "";
  }

  /** Feeds the octets in pieces of `size`; gives all that came, and the fault at the end. */
  read(bytes: Uint8Array, size = bytes.length): string[] {
    for (let at = 0; at < bytes.length && this.connection.fault === null; at += size) {
      const piece = bytes.slice(at, at + size);
      this.connection.read(piece, piece.length);
    }
    const { fault } = this.connection;
    return fault === null ? this.events : [...this.events, fault];
  }
}

/** An error code as RST_STREAM and GOAWAY carry it, after what else GOAWAY has. */
export const coded = (...values: readonly number[]): Uint8Array<ArrayBuffer> => numbers(...values);
