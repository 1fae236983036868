/** Listens on a port for HTTP requests or TCP connections; if that fails, the error says why. */
import { messageOf, TargetError } from "../errors.ts";

/** Only this machine can reach a server at this address. */
export const LOOPBACK = "127.0.0.1";

/**
 * Host and port as in URLs: IPv6 in brackets (RFC 3986 §3.2.2).
 *
 * @param host A name or an address, IPv6 without brackets.
 */
export function hostAndPort(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export function originAt(host: string, port: number): string {
  return `http://${hostAndPort(host, port)}`;
}

export interface ListenOptions {
  readonly hostname: string;
  /** Port to listen on; 0 picks a free one. */
  readonly port: number;
  /**
   * Whether other processes may listen on the same port, with the kernel distributing connections among them (Linux).
   * Default: no.
   */
  readonly shared?: boolean;
}

/** Listens and serves. Throws a TargetError if it can't listen on the port. */
export function listenOn(
  { hostname, port, shared = false }: ListenOptions,
  handler: Deno.ServeHandler<Deno.NetAddr>,
): Deno.HttpServer<Deno.NetAddr> {
  const options = { hostname, port, reusePort: shared, onListen: () => {} };
  return explained({ hostname, port }, () => Deno.serve(options, handler));
}

/** Only listens: the caller accepts and serves the connections. Throws a TargetError if it can't listen on the port. */
export function listenForConnections(
  { hostname, port }: ListenOptions,
): Deno.TcpListener {
  return explained({ hostname, port }, () => Deno.listen({ hostname, port }));
}

function explained<Listening>(
  { hostname, port }: ListenOptions,
  listen: () => Listening,
): Listening {
  try {
    return listen();
  } catch (error) {
    throw new TargetError(`Cannot listen on ${hostAndPort(hostname, port)}: ${whyNot(error)}`);
  }
}

function whyNot(error: unknown): string {
  if (error instanceof Deno.errors.AddrInUse) {
    return "the port is in use; choose another, or 0 for a free one";
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return "the system forbids it; choose a port above 1023";
  }
  if (error instanceof Deno.errors.AddrNotAvailable) {
    return "this machine does not have that address";
  }
  return messageOf(error);
}
