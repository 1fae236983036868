/** Opens one WebSocket on a connection of its own and closes it again, for a preflight. */
import { KeptRoom } from "../http/kept.ts";
import type { ReceivedResponse } from "../http/received.ts";
import { BROKEN, NEED_MORE, ResponseReader } from "../http/response.ts";
import { clientFrame, CLOSE, closePayload, LAST } from "../http/websocket/frames.ts";
import { HandshakeReader, keyOf, type Offer, withKey } from "../http/websocket/handshake.ts";
import { NORMAL } from "../http/websocket/message_reader.ts";
import type { Connection } from "./connection.ts";

const BUFFER_BYTES = 64 * 1024;
const SWITCHING_PROTOCOLS = 101;

/**
 * Sends the request and returns its response, of status 101 or any other. Rejects if the response is incomplete or the
 * handshake is wrong.
 */
export async function openSocketOn(
  conn: Connection,
  request: Uint8Array,
  offer: Offer,
): Promise<ReceivedResponse> {
  const key = keyOf(crypto.getRandomValues(new Uint8Array(16)));
  await writeAll(conn, withKey(request, key));
  const handshake = new HandshakeReader(key, offer, new KeptRoom());
  const buffer = new Uint8Array(BUFFER_BYTES);
  for (let length = await conn.read(buffer); length !== null; length = await conn.read(buffer)) {
    const result = handshake.read(buffer.subarray(0, length));
    if (result === null) continue;
    if ("problem" in result) throw new Error(result.problem);
    if ("other" in result) return await readResponse(conn, result.other);
    const [mask] = crypto.getRandomValues(new Uint32Array(1));
    await writeAll(conn, clientFrame(LAST | CLOSE, closePayload(NORMAL), mask));
    return { status: SWITCHING_PROTOCOLS, bodyBytes: 0, served: 0, kept: handshake.kept };
  }
  throw new Error(handshake.end());
}

/** Reads the rest of a response that opens no WebSocket. @param bytes The part that has arrived already. */
async function readResponse(conn: Connection, bytes: Uint8Array): Promise<ReceivedResponse> {
  const reader = new ResponseReader({ retain: true });
  const buffer = new Uint8Array(BUFFER_BYTES);
  reader.read(bytes, 0, bytes.length);
  while (reader.state === NEED_MORE) {
    const length = await conn.read(buffer);
    if (length === null) reader.end();
    else reader.read(buffer, 0, length);
  }
  if (reader.state === BROKEN) throw new Error(reader.reason);
  return reader;
}

async function writeAll(conn: Connection, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}
