/** Opens one WebSocket on a connection of its own, and closes it: for a preflight. */
import { KeptResponse, KeptRoom } from "../http/kept.ts";
import { joined } from "../http/octets.ts";
import type { ReceivedResponse } from "../http/received.ts";
import { BROKEN, NEED_MORE, ResponseReader } from "../http/response.ts";
import { clientFrame, CLOSE, closePayload, LAST } from "../http/websocket/frames.ts";
import {
  keyOf,
  type Offer,
  openedBy,
  switchingHead,
  withKey,
} from "../http/websocket/handshake.ts";
import { NORMAL } from "../http/websocket/message_reader.ts";
import { LIMITS } from "../limits.ts";
import type { Connection } from "./connection.ts";

const BUFFER_BYTES = 64 * 1024;
const SWITCHING_PROTOCOLS = 101;

/**
 * Sends the request and returns its response, of status 101 or any other. Rejects if the response is incomplete or the
 * handshake wrong.
 */
export async function openSocketOn(
  conn: Connection,
  request: Uint8Array,
  offer: Offer,
): Promise<ReceivedResponse> {
  const key = keyOf(crypto.getRandomValues(new Uint8Array(16)));
  await writeAll(conn, withKey(request, key));
  const buffer = new Uint8Array(BUFFER_BYTES);
  let bytes = new Uint8Array(0);
  for (let length = await conn.read(buffer); length !== null; length = await conn.read(buffer)) {
    bytes = joined([bytes, buffer.subarray(0, length)]);
    const head = switchingHead(bytes);
    if (head === "none") return await readResponse(conn, bytes);
    if (head !== "incomplete") {
      const kept = new KeptResponse(new KeptRoom());
      // Anything that follows the head is the server's first message.
      kept.addHead(bytes, head.from, head.to);
      return await opened(conn, kept, key, offer);
    }
    if (bytes.length > LIMITS.responseHead.most) {
      throw new Error("the response's head is larger than 65.5 kB, the limit");
    }
  }
  throw new Error(`closed ${bytes.length === 0 ? "before the response" : "within the head"}`);
}

/** Reads a response that opens no WebSocket. @param bytes As far as it has come. */
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

async function opened(
  conn: Connection,
  kept: KeptResponse,
  key: string,
  offer: Offer,
): Promise<ReceivedResponse> {
  const answer = openedBy((name) => kept.field(name), key, offer);
  if ("problem" in answer) throw new Error(`no WebSocket was opened: ${answer.problem}`);
  const [mask] = crypto.getRandomValues(new Uint32Array(1));
  await writeAll(conn, clientFrame(LAST | CLOSE, closePayload(NORMAL), mask));
  return { status: SWITCHING_PROTOCOLS, bodyBytes: 0, served: 0, kept };
}

async function writeAll(conn: Connection, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}
