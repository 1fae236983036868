/** Where an origin's connections go, and by which way. Pure. */

/** What the URL does not say of the way to its origin. */
export interface Access {
  /** Any certificate will do; false when absent. */
  readonly insecure?: boolean;
  /** Authorities that are trusted besides the usual ones, as PEM. */
  readonly caCerts?: readonly string[];
  /** Unix socket that is dialed in place of the URL's host. */
  readonly unixPath?: string;
  /** Address that is dialed in place of a look-up of the URL's host; requests and TLS name that host. */
  readonly address?: string;
}

export type Endpoint = TcpEndpoint | UnixEndpoint;

export interface TcpEndpoint {
  /** What is dialed: a name or an address, IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Plain HTTP when absent. */
  readonly tls?: Tls;
}

interface UnixEndpoint {
  /** Path of the socket. */
  readonly path: string;
}

export interface Tls {
  /** What the certificate must be for; a name (no address) is sent as SNI, too (RFC 6066 §3). */
  readonly serverName: string;
  /** Any certificate will do. */
  readonly insecure: boolean;
  /** Authorities that are trusted besides the usual ones, as PEM. */
  readonly caCerts: readonly string[];
}

/** @param origin `http://host:port` or `https://host:port`, without a path. */
export function endpointOf(origin: string, access: Access = {}): Endpoint {
  const { insecure = false, caCerts = [], unixPath, address } = access;
  if (unixPath !== undefined) return { path: unixPath };
  const { protocol, hostname: host, port } = new URL(origin);
  const serverName = host.replace(/^\[|\]$/g, "");
  const hostname = address ?? serverName;
  if (protocol === "http:") return { hostname, port: Number(port || 80) };
  return { hostname, port: Number(port || 443), tls: { serverName, insecure, caCerts } };
}

/** Whether it is TCP without TLS: what every driver speaks. */
export function isPlainTcp(endpoint: Endpoint): endpoint is TcpEndpoint {
  return !("path" in endpoint) && endpoint.tls === undefined;
}
