/**
 * TLS through `node:tls`, for connections that accept any certificate or present a client certificate. Deno's own TLS
 * sockets use half the CPU, but can do neither through a tunnel.
 */
import { connect as connectTcp, isIP, type Socket } from "node:net";
import {
  checkServerIdentity,
  connect,
  type ConnectionOptions,
  type PeerCertificate,
  type TLSSocket,
} from "node:tls";
import type { Connection } from "./connection.ts";
import { alpnRefusal, DialError, handshakeFailed, notValidFor } from "./dial_error.ts";
import { certificatesIn, offeredBy, type TcpEndpoint, type Tls } from "./endpoint.ts";
import { connected, discard, isNodeTlsWhole } from "./node_socket.ts";
import { openTunnel } from "./open_tunnel.ts";
import { connectTo, type Dialing, type Route } from "./route.ts";
import { usualAuthorities } from "./server_trust.ts";

/** A connection whose owner must keep reading, because `node:tls` of Deno 2.9 buffers unread data without limit. */
class NodeTlsConnection implements Connection {
  #error: Error | null;
  #wake = (): void => {};
  readonly #onNews = (): void => this.#wake();
  readonly #onError = (error: Error): void => {
    this.#error = error;
    this.#wake();
  };

  /**
   * @param below The socket that carries `socket`, such as a tunnel to the server; it is closed along with `socket`.
   * @param errors Errors that `socket` has reported already.
   */
  constructor(
    private readonly socket: Socket,
    private readonly below: Socket | null = null,
    errors: readonly Error[] = [],
  ) {
    this.#error = errors[0] ?? null;
    for (const event of NEWS) socket.on(event, this.#onNews);
    socket.on("error", this.#onError);
  }

  async read(buffer: Uint8Array): Promise<number | null> {
    for (;;) {
      const { socket } = this;
      const chunk = socket.read(Math.min(buffer.length, socket.readableLength) || undefined);
      if (chunk !== null) {
        buffer.set(chunk);
        return chunk.length;
      }
      const error = this.#error ?? socket.errored; // the socket may end before it emits its error
      if (error !== null) throw error;
      if (socket.readableEnded || socket.destroyed) return null;
      await new Promise<void>((wake) => this.#wake = wake);
    }
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.socket.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
    });
  }

  /** Removes this object's listeners, so that another reader can use the socket. */
  release(): void {
    for (const event of NEWS) this.socket.off(event, this.#onNews);
    this.socket.off("error", this.#onError);
  }

  close(): void {
    this.socket.destroy();
    this.below?.destroy();
  }
}

const NEWS = ["readable", "end", "close"] as const;

type TlsEndpoint = TcpEndpoint & { readonly tls: Tls };

/** Connects through `node:tls`, to the endpoint itself or through its proxy. Rejects with a DialError. */
export async function dialNodeTls(
  endpoint: TlsEndpoint,
  route: Route,
  signal: AbortSignal,
): Promise<Connection> {
  const { proxy, tls } = endpoint;
  const options = optionsOf(tls);
  const below = proxy === undefined ? null : await tunnelTo(endpoint, route, signal);
  const socket = below === null
    ? await connectTo(route, directly(options), signal)
    : connect({ socket: below, ...options });
  const close = (): void => {
    discard(socket);
    below?.destroy();
  };
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => {
    close();
    aborted.reject(handshakeFailed(new Error("closed"), tls));
  };
  const errors: Error[] = []; // an alert may arrive before NodeTlsConnection listens
  socket.on("error", (error) => errors.push(error));
  below?.on("error", close); // closing makes the TLS socket report the failure
  signal.addEventListener("abort", abort);
  try {
    if (signal.aborted) abort();
    await Promise.race([handshake(socket, tls), aborted.promise]);
    const refusal = alpnRefusal(tls, socket.alpnProtocol || null);
    if (refusal !== null) throw new DialError("tls", refusal);
    socket.setNoDelay(true);
    return new NodeTlsConnection(socket, below, errors);
  } catch (error) {
    close();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Opens sockets that begin the TLS handshake as soon as they are connected. */
function directly(options: ConnectionOptions): Dialing<TLSSocket> {
  return {
    open: ({ ip: host, port }, signal) => connected(connect({ host, port, ...options }), signal),
    discard,
  };
}

const PLAINLY: Dialing<Socket> = {
  open: ({ ip: host, port }, signal) =>
    connected(connectTcp({ host, port, noDelay: true }), signal),
  discard,
};

/** A socket tunneled to the endpoint through its proxy. */
async function tunnelTo(
  endpoint: TcpEndpoint,
  route: Route,
  signal: AbortSignal,
): Promise<Socket> {
  if (!isNodeTlsWhole()) {
    const what = "--insecure or a client certificate";
    throw new DialError("connect", `TLS with ${what} through a proxy needs Deno 2.8`);
  }
  const socket = await connectTo(route, PLAINLY, signal);
  const connection = new NodeTlsConnection(socket);
  await openTunnel(connection, endpoint, signal);
  connection.release();
  return socket;
}

function optionsOf(tls: Tls): ConnectionOptions {
  const { serverName, insecure, caCerts, client } = tls;
  const usual = insecure ? null : usualAuthorities();
  return {
    servername: isIP(serverName) ? "" : serverName,
    rejectUnauthorized: !insecure,
    ALPNProtocols: [offeredBy(tls)],
    ...!insecure && { ca: [...usual ?? [], ...caCerts] },
    checkServerIdentity: (_, certificate) => identityRefusal(tls, certificate),
    ...client,
  };
}

/**
 * Why a certificate of a trusted chain is not valid for this server, in the words of rustls; undefined if it is valid.
 * A CA certificate, or one with a host name only in its subject, is valid only if the user has named that very
 * certificate.
 */
function identityRefusal(
  { serverName, caCerts }: Tls,
  certificate: PeerCertificate,
): Error | undefined {
  const sent = new Uint8Array(certificate.raw).toBase64();
  const isNamed = caCerts.flatMap(certificatesIn).some((pem) => octetsOf(pem) === sent);
  if (certificate.ca && !isNamed) return new Error("CaUsedAsEndEntity");
  const names = (certificate.subjectaltname ?? "").split(", ")
    .flatMap((name) => /^(?:DNS|IP Address):(.*)$/.exec(name)?.[1] ?? []);
  const hasName = isNamed || names.length > 0;
  if (hasName && checkServerIdentity(serverName, certificate) === undefined) return;
  return new Error(notValidFor(serverName, names));
}

/** The octets of a PEM certificate, as base64. */
function octetsOf(pem: string): string {
  return pem.replace(/-----[^-]+-----|\s/g, "");
}

/** Waits until the TLS handshake of a connected socket is complete. */
function handshake(socket: TLSSocket, tls: Tls): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(handshakeFailed(error, tls));
    socket.on("error", failed);
    socket.once("close", () => failed(new Error("closed")));
    socket.once("secureConnect", () => {
      // Deno 2.6 emits this event even after a failed handshake, when there is no certificate.
      // Reading makes the socket emit the error.
      if (Object.keys(socket.getPeerCertificate()).length > 0) return resolve();
      socket.resume();
    });
  });
}
