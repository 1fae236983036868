/**
 * Opens one connection: TCP, TLS over TCP, or a unix socket.
 */
import { handshakeFailed, refused } from "./dial_error.ts";
import type { Endpoint, TcpEndpoint, Tls } from "./endpoint.ts";
import { dialUnchecked } from "./unchecked_tls.ts";

/** What a client needs of a connection; Deno's own have it. */
export interface Connection {
  /** Gives the number of bytes put into `buffer`, or null when the peer has closed its side. */
  read(buffer: Uint8Array): Promise<number | null>;
  /** Gives the number of bytes taken, which may be fewer than all. */
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/**
 * Resolves when bytes can be sent: after the handshake where there is TLS. Rejects with a DialError.
 * @param signal Gives the attempt up; nothing stays open.
 */
export async function dial(endpoint: Endpoint, signal: AbortSignal): Promise<Connection> {
  if ("path" in endpoint) return await dialUnix(endpoint.path);
  const { tls } = endpoint;
  if (tls === undefined) return await dialTcp(endpoint, signal);
  if (!tls.insecure) return await shakeHands(await dialTcp(endpoint, signal), tls, signal);
  return await dialUnchecked({ ...endpoint, tls }, signal);
}

async function dialUnix(path: string): Promise<Connection> {
  try {
    return await Deno.connect({ transport: "unix", path });
  } catch (error) {
    throw refused(error);
  }
}

async function dialTcp(
  { hostname, port }: TcpEndpoint,
  signal: AbortSignal,
): Promise<Deno.TcpConn> {
  try {
    const conn = await Deno.connect({ hostname, port, signal });
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
