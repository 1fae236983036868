/**
 * Opens one connection: TCP, TLS over TCP, or a unix socket.
 */
import type { Connection } from "./connection.ts";
import { handshakeFailed, refused } from "./dial_error.ts";
import { dialedAt, type Endpoint, type TcpEndpoint, type Tls } from "./endpoint.ts";
import { dialNodeTls } from "./node_tls.ts";
import { openTunnel } from "./open_tunnel.ts";

/**
 * Resolves when bytes can be sent: after the handshake where there is TLS. Rejects with a DialError.
 * @param signal Gives the attempt up; nothing stays open.
 */
export async function dial(endpoint: Endpoint, signal: AbortSignal): Promise<Connection> {
  if ("path" in endpoint) return await dialUnix(endpoint.path);
  const { tls } = endpoint;
  if (tls?.insecure || tls?.client) return await dialNodeTls({ ...endpoint, tls }, signal);
  const conn = await dialTcp(endpoint, signal);
  if (tls === undefined) return conn;
  if (endpoint.proxy !== undefined) await openTunnel(conn, endpoint, signal);
  return await shakeHands(conn, tls, signal);
}

async function dialUnix(path: string): Promise<Connection> {
  try {
    return await Deno.connect({ transport: "unix", path });
  } catch (error) {
    throw refused(error);
  }
}

async function dialTcp(endpoint: TcpEndpoint, signal: AbortSignal): Promise<Deno.TcpConn> {
  try {
    const conn = await Deno.connect({ ...dialedAt(endpoint), signal });
    conn.setNoDelay(true);
    return conn;
  } catch (error) {
    throw refused(error);
  }
}

/** Offers HTTP/1.1 alone, lest a server choose HTTP/2 (RFC 7301 §3.2). */
async function shakeHands(
  socket: Deno.TcpConn,
  { serverName, caCerts }: Tls,
  signal: AbortSignal,
): Promise<Connection> {
  const options = { hostname: serverName, caCerts: [...caCerts], alpnProtocols: ["http/1.1"] };
  const conn = await Deno.startTls(socket, options).catch((error) => {
    throw handshakeFailed(error);
  });
  const close = (): void => conn.close();
  signal.addEventListener("abort", close);
  try {
    if (signal.aborted) close();
    await conn.handshake();
    signal.throwIfAborted(); // it is closed then
    return conn;
  } catch (error) {
    if (!signal.aborted) close();
    throw handshakeFailed(error);
  } finally {
    signal.removeEventListener("abort", close);
  }
}
