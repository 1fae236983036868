/** Opens a tunnel on a connection to an HTTP proxy. */
import { messageOf } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { DialError } from "./dial_error.ts";
import type { TcpEndpoint } from "./endpoint.ts";
import { NO_TUNNEL, tunnelRequest, TunnelResponse } from "./tunnel.ts";

const READ_BYTES = 4 * 1024;

/** Opens a tunnel. If that fails or the signal aborts, closes the connection and rejects with a DialError. */
export async function openTunnel(
  conn: Connection,
  endpoint: TcpEndpoint,
  signal: AbortSignal,
): Promise<void> {
  const close = (): void => conn.close();
  signal.addEventListener("abort", close);
  try {
    if (signal.aborted) close();
    const refusal = await requestTunnel(conn, endpoint);
    if (refusal !== null) throw new Error(refusal);
  } catch (error) {
    if (!signal.aborted) close();
    throw new DialError("connect", messageOf(error));
  } finally {
    signal.removeEventListener("abort", close);
  }
}

async function requestTunnel(conn: Connection, endpoint: TcpEndpoint): Promise<string | null> {
  const request = tunnelRequest(endpoint);
  for (let at = 0; at < request.length;) at += await conn.write(request.subarray(at));
  const response = new TunnelResponse();
  const buffer = new Uint8Array(READ_BYTES);
  for (;;) {
    const length = await conn.read(buffer);
    if (length === null) return NO_TUNNEL;
    const said = response.read(buffer, length);
    if (said !== "") return said;
  }
}
