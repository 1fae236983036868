/** Promises for sockets of `node:net`, and for those of `node:tls` before their handshake. */
import type { Socket } from "node:net";

/**
 * Waits until a socket has connected. Rejects with the system's reason, also when the signal aborts.
 * @param socket A socket just created.
 */
export function connected<S extends Socket>(socket: S, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => void socket.destroy();
    const closed = (): void => reject(new Error("closed"));
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    socket.once("error", reject).once("close", closed).once("connect", () => {
      signal.removeEventListener("abort", giveUp);
      socket.off("error", reject).off("close", closed);
      resolve(socket);
    });
  });
}

export function discard(socket: Socket): void {
  socket.destroy();
}
