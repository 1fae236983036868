/** Promises for sockets of `node:net`, and for those of `node:tls` before their handshake. */
import type { Socket } from "node:net";

/**
 * Waits until a socket has connected. Rejects with the system's reason, also when the signal aborts.
 * @param socket A socket just created.
 */
export function connected<S extends Socket>(socket: S, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const closed = (): void => reject(new Error("closed"));
    const giveUp = (): void => {
      discard(socket);
      closed();
    };
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    socket.once("error", reject).once("close", closed).once("connect", () => {
      signal.removeEventListener("abort", giveUp);
      socket.off("error", reject).off("close", closed);
      resolve(socket);
    });
  });
}

/** Closes a socket; before Deno 2.8, only after the end of a TLS handshake that has begun. */
export function discard(socket: Socket): void {
  const isShaking = "secureConnecting" in socket && socket.secureConnecting === true;
  if (!isShaking || isNodeTlsWhole()) return void socket.destroy();
  socket.on("error", () => {}); // nobody is interested any more
  socket.once("secureConnect", () => socket.destroy());
}

/**
 * Whether `node:tls` is that of Deno 2.8 or later: it can shake hands on a socket that was read before, accepts a CA
 * certificate as a server's own if the user trusts exactly that one, and closes a connection whose socket is destroyed
 * within the handshake.
 */
export function isNodeTlsWhole(): boolean {
  const [major, minor] = Deno.version.deno.split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 8);
}
