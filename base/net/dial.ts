/**
 * Opens one connection: TCP, TLS over TCP, or a unix socket.
 */
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { handshakeFailed, refused } from "./dial_error.ts";
import type { Endpoint, TcpEndpoint, Tls } from "./endpoint.ts";

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

// TLS whatever the certificate. Deno's own TLS sockets always check it; those of `node:tls` need not, at
// nearly twice the CPU.

/** To be read all the time: while nobody does, node:tls of Deno 2.9 goes on receiving, into memory. */
class UncheckedConnection {
  #error: Error | null = null;
  #wake = (): void => {};

  constructor(private readonly socket: TLSSocket) {
    const news = (): void => this.#wake();
    socket.on("readable", news).on("end", news).on("close", news);
    socket.on("error", (error) => {
      this.#error = error;
      news();
    });
  }

  async read(buffer: Uint8Array): Promise<number | null> {
    for (;;) {
      const { socket } = this;
      const chunk = socket.read(Math.min(buffer.length, socket.readableLength) || undefined);
      if (chunk !== null) {
        buffer.set(chunk);
        return chunk.length;
      }
      if (this.#error !== null) throw this.#error;
      if (socket.readableEnded || socket.destroyed) return null;
      await new Promise<void>((wake) => this.#wake = wake);
    }
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.socket.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
    });
  }

  close(): void {
    this.socket.destroy();
  }
}

async function dialUnchecked(
  { hostname, port, tls }: TcpEndpoint & { readonly tls: Tls },
  signal: AbortSignal,
): Promise<UncheckedConnection> {
  const socket = connect({
    host: hostname,
    port,
    servername: isIP(tls.serverName) ? "" : tls.serverName,
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
  });
  const close = (): void => void socket.destroy();
  signal.addEventListener("abort", close);
  if (signal.aborted) close();
  try {
    await handshake(socket);
    socket.setNoDelay(true);
    return new UncheckedConnection(socket);
  } catch (error) {
    close();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
  }
}

function handshake(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    let explain = refused;
    socket.once("connect", () => explain = handshakeFailed);
    socket.on("error", (error) => reject(explain(error)));
    socket.once("close", () => reject(explain(new Error("closed"))));
    socket.once("secureConnect", () => {
      // Deno 2.6 says so after a failed handshake, too: then there is no certificate, and whoever
      // reads gets the error.
      if (Object.keys(socket.getPeerCertificate()).length > 0) return resolve();
      socket.resume();
    });
  });
}
