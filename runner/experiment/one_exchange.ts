/** One request and its response on a connection of its own, over the same codec as the load: for a preflight. */
import { Http2Connection } from "../../base/http/http2/connection.ts";
import { asHttp2 } from "../../base/http/http2/request.ts";
import type { LaneEvents } from "../../base/http/http2/streams.ts";
import { BROKEN, NEED_MORE, type ResponseReader } from "../../base/http/response.ts";
import type { Connection } from "../../base/net/connection.ts";
import { type Endpoint, hasTls } from "../../base/net/endpoint.ts";

const BUFFER_BYTES = 64 * 1024;

/**
 * Sends the request, as HTTP/1.1 has it, and reads its response with `reader`; gives how many requests at a time the
 * server takes on a connection. Rejects where there is no whole response.
 */
export async function exchangeOn(
  conn: Connection,
  endpoint: Endpoint,
  bytes: Uint8Array<ArrayBuffer>,
  reader: ResponseReader,
): Promise<number> {
  if (endpoint.http2) {
    return await overHttp2(conn, hasTls(endpoint) ? "https" : "http", bytes, reader);
  }
  await writeAll(conn, bytes);
  const buffer = new Uint8Array(BUFFER_BYTES);
  while (reader.state === NEED_MORE) {
    const length = await conn.read(buffer);
    if (length === null) reader.end();
    else reader.read(buffer, 0, length);
  }
  if (reader.state === BROKEN) throw new Error(reader.reason);
  return Infinity;
}

async function overHttp2(
  conn: Connection,
  scheme: "http" | "https",
  bytes: Uint8Array<ArrayBuffer>,
  reader: ResponseReader,
): Promise<number> {
  const events = new OneResponse(reader);
  const http2 = new Http2Connection(1, events);
  const buffer = new Uint8Array(BUFFER_BYTES);
  let isSent = false;
  while (!events.isOver) {
    if (http2.mayBegin && !isSent) {
      http2.begin(0, asHttp2(bytes, scheme));
      isSent = true;
    }
    await writeAll(conn, http2.out.take());
    const length = await conn.read(buffer);
    if (length === null) throw new Error("closed before the response");
    http2.read(buffer, length);
    if (http2.fault !== null) throw new Error(http2.fault);
  }
  http2.leave();
  await writeAll(conn, http2.out.take()).catch(() => {}); // a server that has gone needs no good-bye
  if (reader.state === BROKEN) throw new Error(reader.reason);
  if (events.failure !== null) throw new Error(events.failure);
  return http2.mostStreams;
}

async function writeAll(conn: Connection, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}

class OneResponse implements LaneEvents {
  isOver = false;
  failure: string | null = null;

  constructor(private readonly reader: ResponseReader) {}

  onResponse(_: number, octets: Uint8Array, from: number, to: number): void {
    this.reader.read(octets, from, to);
  }

  onEndOfResponse(): void {
    this.isOver = true;
  }

  onReset(_: number, reason: string): void {
    this.isOver = true;
    this.failure = reason;
  }

  onMalformed(lane: number, reason: string): void {
    this.onReset(lane, reason);
  }

  onTurnedAway(lane: number): void {
    this.onReset(lane, "GOAWAY before the response");
  }
}
