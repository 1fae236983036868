/**
 * TLS whatever the certificate. Deno's own TLS sockets always check it; those of `node:tls` need not, at
 * nearly twice the CPU.
 */
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { handshakeFailed, refused } from "./dial_error.ts";
import type { TcpEndpoint, Tls } from "./endpoint.ts";

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

/** As `dial` does it. */
export async function dialUnchecked(
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
