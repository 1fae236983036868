// deno-lint-ignore-file explicit-function-return-type -- no types
// A WebSocket server by others: what it does with a socket is in the path, and it counts what it gets and sends.
import { WebSocketServer } from "ws";

export class Witness {
  came = 0;
  sent = 0;
  pongs = 0;
  /** @type {number[]} */
  codes = [];
  #server;

  /** @param {WebSocketServer} server */
  constructor(server) {
    this.#server = server;
    server.on("connection", (socket, { url = "/" }) => this.#serve(socket, url));
  }

  static async open() {
    const server = new WebSocketServer({
      host: "127.0.0.1",
      port: 0,
      perMessageDeflate: { threshold: 0 },
      handleProtocols: (offered) => [...offered].at(-1) ?? false,
    });
    await new Promise((resolve) => server.on("listening", () => resolve(null)));
    return new Witness(server);
  }

  get endpoint() {
    return { hostname: "127.0.0.1", port: Number(this.#server.address().port) };
  }

  #serve(socket, url) {
    let echoes = 0;
    socket.on("error", () => {});
    socket.on("pong", () => this.pongs++);
    socket.on("close", (code) => this.codes.push(code));
    socket.on("message", (data, isBinary) => {
      this.came++;
      if (url === "/die" && echoes === 3) return socket.terminate();
      if (url === "/leave" && echoes === 3) return socket.close(4001, "enough");
      echoes++;
      this.sent++;
      if (url !== "/fragments") return socket.send(data, { binary: isBinary });
      const text = String(data);
      socket.send(text.slice(0, 1), { fin: false });
      socket.ping("between");
      socket.send(text.slice(1, 2), { fin: false });
      socket.send(text.slice(2), { fin: true });
    });
  }

  async stop() {
    for (const client of this.#server.clients) client.terminate();
    await new Promise((resolve) => this.#server.close(() => resolve(null)));
  }
}
