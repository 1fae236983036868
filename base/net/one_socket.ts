/** Opens one WebSocket on a connection of its own, and closes it: for a preflight. */
import { KeptResponse, KeptRoom } from "../http/kept.ts";
import type { ReceivedResponse } from "../http/received.ts";
import { BROKEN, NEED_MORE, ResponseReader } from "../http/response.ts";
import { clientFrame, CLOSE, closePayload, LAST } from "../http/websocket/frames.ts";
import { keyOf, type Offer, openedBy, withKey } from "../http/websocket/handshake.ts";
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
  const kept = new KeptResponse(new KeptRoom());
  const reader = new ResponseReader({ retain: true });
  const buffer = new Uint8Array(BUFFER_BYTES);
  while (reader.state === NEED_MORE) {
    const length = await conn.read(buffer);
    if (length === null) {
      reader.end();
      continue;
    }
    if (!reader.started && isSwitching(buffer, length)) {
      await readHead(conn, kept, buffer, length);
      return await opened(conn, kept, key, offer);
    }
    reader.read(buffer, 0, length);
  }
  if (reader.state === BROKEN) throw new Error(reader.reason);
  return reader;
}

/** Whether a response is 101. The first read holds the status, unless the server splits the status line on purpose. */
function isSwitching(buffer: Uint8Array, length: number): boolean {
  const text = new TextDecoder().decode(buffer.subarray(0, Math.min(length, 12)));
  return text === `HTTP/1.1 ${SWITCHING_PROTOCOLS}`;
}

async function readHead(
  conn: Connection,
  kept: KeptResponse,
  buffer: Uint8Array,
  length: number,
): Promise<void> {
  let bytes = 0;
  for (let part: number | null = length; part !== null; part = await conn.read(buffer)) {
    bytes += part;
    if (bytes > LIMITS.responseHead.most) {
      throw new Error("the response's head is larger than 65.5 kB, the limit");
    }
    // Anything that follows the head is the server's first message.
    for (let at = 0; at < part; at++) {
      kept.addHead(buffer, at, at + 1);
      if (kept.hasHead) return;
    }
  }
  throw new Error("closed within the head");
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
