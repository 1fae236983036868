/** Where an origin's connections go, and how they get there: over TCP, TLS, a proxy or a Unix socket. Pure. */
import { credentialsIn, unescaped } from "../secret_fields.ts";
import type { ConnectionOptions } from "../http/request.ts";
import type { Host } from "./resolve.ts";

/** How an origin is reached, beyond what its URL says. */
export interface Access {
  /** Whether any certificate is accepted. Default: no. */
  readonly insecure?: boolean;
  /** Certificates of authorities that are trusted in addition to the usual ones, as PEM. */
  readonly caCerts?: readonly string[];
  /** Unix socket that is dialed in place of the URL's host. */
  readonly unixPath?: string;
  /**
   * Addresses that are dialed without looking up the URL's host; at least one. Requests and TLS still name that host.
   */
  readonly addresses?: readonly string[];
  /** The certificate that the client presents in TLS. Default: none. */
  readonly clientCertificate?: ClientCertificate;
  /** HTTP proxy through which the server is reached: `http://host:port`, optionally with user and password. */
  readonly proxy?: string;
  /** Whether HTTP/2 is used, with prior knowledge for http and by ALPN for https. Default: HTTP/1.1. */
  readonly http2?: boolean;
}

/** A certificate, perhaps followed by intermediate ones, and its key, as PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

export type Endpoint = TcpEndpoint | UnixEndpoint;

export interface TcpEndpoint extends Host {
  /** Absent for plain HTTP. */
  readonly tls?: Tls;
  /**
   * Proxy that is dialed in place of the host. With TLS, it opens a tunnel; otherwise, it gets requests with whole
   * URLs.
   */
  readonly proxy?: HttpProxy;
  /** Absent for HTTP/1.1. */
  readonly http2?: true;
}

interface HttpProxy extends Host {
  /** Value of Proxy-Authorization (RFC 9110 §11.7.2); null for none. */
  readonly authorization: string | null;
}

interface UnixEndpoint {
  readonly path: string;
  /** Absent for HTTP/1.1. */
  readonly http2?: true;
}

export interface Tls {
  /** The name that the certificate must have. Unless it is an address, it is also sent as SNI (RFC 6066 §3). */
  readonly serverName: string;
  /** Whether any certificate is accepted. */
  readonly insecure: boolean;
  /** Certificates of authorities that are trusted in addition to the usual ones, as PEM. */
  readonly caCerts: readonly string[];
  readonly client?: ClientCertificate;
  /** The protocol that ALPN offers. Absent for HTTP/1.1. */
  readonly alpn?: "h2";
}

/** The only protocol that is offered, so that the server can't choose another one (RFC 7301 §3.2). */
export function offeredBy({ alpn }: Tls): string {
  return alpn ?? "http/1.1";
}

/** The certificates in a PEM text, which may have other text between them. */
export function certificatesIn(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/**
 * The settings of an access that also apply to other hosts: trust, proxy and protocol. Addresses, socket and client
 * certificate belong to one host only.
 */
export function accessElsewhere({ insecure, caCerts, proxy, http2 }: Access): Access {
  return { insecure, caCerts, proxy, http2 };
}

/** @param origin `http://host:port` or `https://host:port`, without a path. */
export function endpointOf(origin: string, access: Access = {}): Endpoint {
  const { insecure = false, caCerts = [], unixPath, addresses, clientCertificate: client } = access;
  const version = access.http2 ? { http2: true as const } : {};
  if (unixPath !== undefined) return { path: unixPath, ...version };
  const { protocol, hostname: host, port } = new URL(origin);
  const hostname = unbracketed(host);
  const named = { hostname, ...addresses && { addresses } };
  const by = access.proxy === undefined ? {} : { proxy: proxyAt(access.proxy) };
  if (protocol === "http:") return { ...named, port: Number(port || 80), ...by, ...version };
  const alpn = access.http2 ? { alpn: "h2" as const } : {};
  const tls = { serverName: hostname, insecure, caCerts, ...client && { client }, ...alpn };
  return { ...named, port: Number(port || 443), tls, ...by, ...version };
}

/** The host without the brackets that URLs put around an IPv6 address. */
export function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

function proxyAt(url: string): HttpProxy {
  const { hostname, port, username, password } = new URL(url);
  const user = `${unescaped(username)}:${unescaped(password)}`;
  const authorization = user === ":" ? null : basicAuthorization(user);
  return { hostname: unbracketed(hostname), port: Number(port || 80), authorization };
}

export function hasTls(endpoint: Endpoint): boolean {
  return !("path" in endpoint) && endpoint.tls !== undefined;
}

/** The host that a connection dials: the endpoint itself, or its proxy. */
export function dialedAt({ proxy, ...endpoint }: TcpEndpoint): Host {
  return proxy ?? endpoint;
}

/** Options of requests to the origin that depend on how it is reached. For example, an HTTP proxy needs whole URLs. */
export function connectionOptions(
  origin: string,
  endpoint: Endpoint,
  keepAlive: boolean,
): ConnectionOptions {
  const { host } = new URL(origin);
  const proxy = "path" in endpoint || endpoint.tls !== undefined ? undefined : endpoint.proxy;
  if (proxy === undefined) return { host, keepAlive };
  return { host, keepAlive, byProxy: { origin, authorization: proxy.authorization } };
}

/** Credentials that must never be shown, although a proxy may echo them in an error page. */
export function proxyCredentials(endpoint: Endpoint): string[] {
  const authorization = "path" in endpoint ? null : endpoint.proxy?.authorization ?? null;
  return authorization === null ? [] : credentialsIn("proxy-authorization", authorization);
}

/** @param credentials User and password with a colon between them (RFC 7617). */
export function basicAuthorization(credentials: string): string {
  return `Basic ${new TextEncoder().encode(credentials).toBase64()}`;
}
