/**
 * Opens one connection: TCP, TLS over TCP, or a unix socket.
 */
import type { Connection } from "./connection.ts";
import { alpnRefusal, DialError, handshakeFailed, systemReason } from "./dial_error.ts";
import { dialedAt, type Endpoint, offeredBy, type TcpEndpoint, type Tls } from "./endpoint.ts";
import { dialNodeTls } from "./node_tls.ts";
import { openTunnel } from "./open_tunnel.ts";
import type { Address } from "./resolve.ts";
import { connectTo, type Route, RouteTo } from "./route.ts";

/**
 * Resolves when bytes can be sent: after the handshake where there is TLS. Rejects with a DialError.
 * @param signal Gives the attempt up; nothing stays open.
 */
type Dial = (signal: AbortSignal) => Promise<Connection>;

/** Dials an endpoint once. */
export async function dial(endpoint: Endpoint, signal: AbortSignal): Promise<Connection> {
  return await dialer(endpoint)(signal);
}

/** Dials an endpoint again and again: its name is looked up once, and the address that connected last comes first. */
export function dialer(endpoint: Endpoint): Dial {
  if ("path" in endpoint) return () => dialUnix(endpoint.path);
  const to = new RouteTo(dialedAt(endpoint));
  return async (signal) => await dialBy(await to.get(), endpoint, signal);
}

async function dialBy(
  route: Route,
  endpoint: TcpEndpoint,
  signal: AbortSignal,
): Promise<Connection> {
  const { tls } = endpoint;
  if (tls?.insecure || tls?.client) return await dialNodeTls({ ...endpoint, tls }, route, signal);
  const conn = await connectTo(route, TCP, signal);
  if (tls === undefined) return conn;
  if (endpoint.proxy !== undefined) await openTunnel(conn, endpoint, signal);
  return await shakeHands(conn, tls, signal);
}

async function dialUnix(path: string): Promise<Connection> {
  try {
    return await Deno.connect({ transport: "unix", path });
  } catch (error) {
    throw new DialError("connect", `${path}: ${systemReason(error)}`);
  }
}

const TCP = {
  async open({ ip, port }: Address, signal: AbortSignal): Promise<Deno.TcpConn> {
    const conn = await Deno.connect({ hostname: ip, port, signal });
    conn.setNoDelay(true);
    return conn;
  },
  discard: (conn: Deno.TcpConn): void => conn.close(),
};

async function shakeHands(
  socket: Deno.TcpConn,
  tls: Tls,
  signal: AbortSignal,
): Promise<Connection> {
  const { serverName, caCerts } = tls;
  const offered = [offeredBy(tls)];
  const options = { hostname: serverName, caCerts: [...caCerts], alpnProtocols: offered };
  const conn = await Deno.startTls(socket, options).catch((error) => {
    throw handshakeFailed(error, tls);
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
