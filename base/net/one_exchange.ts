/** Sends one request of a preflight on a connection of its own, with the same codec as the load. */
import { Http2Connection } from "../http/http2/connection.ts";
import { asHttp2 } from "../http/http2/request.ts";
import type { StreamEvents } from "../http/http2/live_streams.ts";
import { KeptResponse, KeptRoom } from "../http/kept.ts";
import type { ReceivedResponse } from "../http/received.ts";
import { BROKEN, NEED_MORE, ResponseReader } from "../http/response.ts";
import type { Connection } from "./connection.ts";
import { type Endpoint, hasTls } from "./endpoint.ts";

const BUFFER_BYTES = 64 * 1024;
/**
 * How long to wait for a server to raise its limit of concurrent streams, because it may announce a low limit first
 * (RFC 9113 §6.5.2).
 */
const RAISE_MS = 1_000;

interface OneExchange {
  /** The request, encoded as HTTP/1.1. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the request is a HEAD, whose response has no body. */
  readonly head: boolean;
  /** Whether the response is a stream. It may be endless, so only its head is read. */
  readonly isStream: boolean;
  /** Concurrent requests that the load will send on each connection, over HTTP/2. */
  readonly streams: number;
}

/**
 * Thrown if the server accepts fewer concurrent streams than the load would use. In a closed loop, requests would wait
 * for each other, so the measured concurrency would be lower than the load's setting.
 */
export class TooFewStreams extends Error {
  constructor(most: number, streams: number) {
    super(
      `runs into a limit: the server allows ${most} concurrent streams per connection, but the load has ` +
        `${streams}; set pipeline to ${most} or less, and use more connections instead`,
    );
  }
}

/** Sends a request and returns its response. Rejects if the response is incomplete, or with TooFewStreams. */
export async function exchangeOn(
  conn: Connection,
  endpoint: Endpoint,
  exchange: OneExchange,
): Promise<ReceivedResponse> {
  if (endpoint.http2) return await overHttp2(conn, hasTls(endpoint) ? "https" : "http", exchange);
  await writeAll(conn, exchange.bytes);
  return await readAll(conn, exchange);
}

async function readAll(
  conn: Connection,
  { head: isForHead, isStream }: OneExchange,
): Promise<ReceivedResponse> {
  const reader = new ResponseReader({ retain: true });
  reader.begin(isForHead);
  const buffer = new Uint8Array(BUFFER_BYTES);
  while (reader.state === NEED_MORE && !(isStream && reader.hasHead)) {
    const length = await conn.read(buffer);
    if (length === null) reader.end();
    else reader.read(buffer, 0, length);
  }
  if (reader.state === BROKEN) throw new Error(reader.reason);
  return reader;
}

async function overHttp2(
  conn: Connection,
  scheme: "http" | "https",
  { bytes, isStream, streams }: OneExchange,
): Promise<ReceivedResponse> {
  const events = new OneResponse();
  const kept = new KeptResponse(new KeptRoom());
  const http2 = new Http2Connection(1, events, { keep: () => kept });
  const buffer = new Uint8Array(BUFFER_BYTES);
  const goOn = async (): Promise<boolean> => {
    await writeAll(conn, http2.out.take());
    const length = await conn.read(buffer);
    if (length === null) return false;
    http2.read(buffer, length);
    if (http2.error !== null) throw new Error(http2.error);
    return true;
  };
  for (let isSent = false; !events.isOver;) {
    if (http2.mayBegin && !isSent) {
      http2.begin(0, asHttp2(bytes, scheme));
      isSent = true;
    }
    if (isStream && isSent && http2.response(0).status >= 200) break;
    if (!await goOn() && !events.isOver) throw new Error("closed before the response");
  }
  if (events.failure !== null) throw new Error(events.failure);
  if (http2.mostStreams < streams) await raised(http2, streams, goOn);
  http2.leave();
  await writeAll(conn, http2.out.take()).catch(() => {}); // a server that has gone needs no goodbye
  if (http2.mostStreams < streams) throw new TooFewStreams(http2.mostStreams, streams);
  return http2.response(0);
}

/** Waits for SETTINGS that allow this many streams: for at most RAISE_MS, and no longer than the connection lasts. */
async function raised(
  http2: Http2Connection,
  streams: number,
  goOn: () => Promise<boolean>,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOver = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), RAISE_MS);
  });
  while (http2.mostStreams < streams) {
    if (!await Promise.race([goOn().catch(() => false), isOver])) break;
  }
  clearTimeout(timer);
}

async function writeAll(conn: Connection, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}

class OneResponse implements StreamEvents {
  isOver = false;
  failure: string | null = null;

  onBegin(): void {}

  onEndOfResponse(): void {
    this.isOver = true;
  }

  onReset(_: number, reason: string): void {
    this.isOver = true;
    this.failure = reason;
  }

  onMalformed(place: number, reason: string): void {
    this.onReset(place, reason);
  }

  onTurnedAway(place: number): void {
    this.onReset(place, "GOAWAY before the response");
  }
}
