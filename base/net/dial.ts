/** Opens one connection: TCP, TLS over TCP, or a Unix socket. */
import { messageOf } from "../errors.ts";
import type { Connection } from "./connection.ts";
import {
  alpnRefusal,
  DialError,
  handshakeFailed,
  NAMELESS,
  OF_AN_AUTHORITY,
  OF_AN_AUTHORITY_THOUGH_NAMED,
  SELF_SIGNED,
  systemReason,
} from "./dial_error.ts";
import { dialedAt, type Endpoint, offeredBy, type TcpEndpoint, type Tls } from "./endpoint.ts";
import { isNodeTlsWhole } from "./node_socket.ts";
import { dialNodeTls } from "./node_tls.ts";
import { openTunnel } from "./open_tunnel.ts";
import type { Address } from "./resolve.ts";
import { connectTo, type Route, RouteTo } from "./route.ts";

/**
 * Resolves when bytes can be sent: with TLS, after the handshake. Rejects with a DialError if no connection can be
 * opened.
 * @param signal Cancels the attempt and leaves nothing open.
 */
type Dial = (signal: AbortSignal) => Promise<Connection>;

export async function dial(endpoint: Endpoint, signal: AbortSignal): Promise<Connection> {
  return await dialer(endpoint)(signal);
}

/**
 * Dials an endpoint repeatedly. Its name is looked up only once, and the address that connected last is tried first.
 */
export function dialer(endpoint: Endpoint): Dial {
  if ("path" in endpoint) return () => dialUnix(endpoint.path);
  const { tls } = endpoint;
  const to = new RouteTo(dialedAt(endpoint));
  const byNode = (route: Route, tls: Tls, signal: AbortSignal): Promise<Connection> =>
    dialNodeTls({ ...endpoint, tls }, route, signal);
  let isByNode = tls?.insecure || tls?.client !== undefined;
  return async (signal) => {
    const route = await to.get();
    if (tls === undefined) return await dialDeno(route, endpoint, signal);
    if (isByNode) return await byNode(route, tls, signal);
    try {
      return await dialDeno(route, endpoint, signal);
    } catch (error) {
      if (!mayBeNamed(error, tls)) throw error;
      if (!isNodeTlsWhole()) throw thoughNamed(error);
      const conn = await byNode(route, tls, signal).catch((again) => {
        throw messageOf(again) === SELF_SIGNED ? error : again; // SELF_SIGNED: not the trusted one
      });
      isByNode = true;
      return conn;
    }
  };
}

/**
 * Whether the refused certificate may be one that the user has named as trusted. Deno's own TLS refuses a CA
 * certificate as a server's own, and a certificate whose name is only in its subject, even if the user trusts exactly
 * that certificate.
 */
function mayBeNamed(error: unknown, { caCerts }: Tls): error is DialError {
  return error instanceof DialError && caCerts.length > 0 &&
    (error.message === OF_AN_AUTHORITY || error.message.endsWith(NAMELESS));
}

function thoughNamed(error: DialError): DialError {
  return error.message === OF_AN_AUTHORITY
    ? new DialError("tls", OF_AN_AUTHORITY_THOUGH_NAMED)
    : error;
}

async function dialDeno(
  route: Route,
  endpoint: TcpEndpoint,
  signal: AbortSignal,
): Promise<Connection> {
  const { tls } = endpoint;
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
    signal.throwIfAborted(); // an abort during the handshake has closed the connection
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
