/**
 * Opens one connection: TCP, TLS over TCP, or a unix socket.
 */
import type { Connection } from "./connection.ts";
import { alpnRefusal, DialError, handshakeFailed, refused } from "./dial_error.ts";
import { dialedAt, type Endpoint, offeredBy, type TcpEndpoint, type Tls } from "./endpoint.ts";
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

async function shakeHands(
  socket: Deno.TcpConn,
  tls: Tls,
  signal: AbortSignal,
): Promise<Connection> {
  const { serverName, caCerts } = tls;
  const offered = [offeredBy(tls)];
  const options = { hostname: serverName, caCerts: [...caCerts], alpnProtocols: offered };
  const conn = await Deno.startTls(socket, options).catch((error) => {
    throw handshakeFailed(error);
  });
  const close = (): void => conn.close();
  signal.addEventListener("abort", close);
  try {
    if (signal.aborted) close();
    const { alpnProtocol } = await conn.handshake();
    signal.throwIfAborted(); // it is closed then
    const refusal = alpnRefusal(tls, alpnProtocol);
    if (refusal !== null) throw new DialError("tls", refusal);
    return conn;
  } catch (error) {
    if (!signal.aborted) close();
    throw error instanceof DialError ? error : handshakeFailed(error, tls);
  } finally {
    signal.removeEventListener("abort", close);
  }
}
