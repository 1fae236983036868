/** Connects and closes sockets of `node:net` and `node:tls`. */
import type { Socket } from "node:net";

/**
 * Waits until a socket has connected. Rejects with the system's error, or with the error "closed" if the socket closes
 * or the signal aborts first.
 * @param socket A socket just created.
 */
export function connected<S extends Socket>(socket: S, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      signal.removeEventListener("abort", giveUp);
      reject(error);
    };
    const closed = (): void => failed(new Error("closed"));
    const giveUp = (): void => {
      discard(socket);
      closed();
    };
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    socket.once("error", failed).once("close", closed).once("connect", () => {
      signal.removeEventListener("abort", giveUp);
      socket.off("error", failed).off("close", closed);
      resolve(socket);
    });
  });
}

/** Closes a socket. Before Deno 2.8, a socket amid a TLS handshake is closed only once the handshake is complete. */
export function discard(socket: Socket): void {
  const isShaking = "secureConnecting" in socket && socket.secureConnecting === true;
  if (!isShaking || isNodeTlsWhole()) return void socket.destroy();
  socket.on("error", () => {}); // without a listener, an error would be thrown
  socket.once("secureConnect", () => socket.destroy());
}

/**
 * Whether this is Deno 2.8 or later. In earlier versions, `node:tls` can't do a handshake on a socket from which
 * something was read before, refuses a CA certificate as a server's own even if the user trusts that very certificate,
 * and leaves the connection open if the socket is destroyed during the handshake.
 */
export function isNodeTlsWhole(): boolean {
  const [major, minor] = Deno.version.deno.split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 8);
}
