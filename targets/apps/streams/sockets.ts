/**
 * WebSocket endpoints with set delays: an echo, a server that pushes, a chat in which everybody hears everybody, and
 * the news. They count the messages that they receive and send.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { News } from "./news.ts";
import { type Freezes, momentsOf, thawed } from "./schedule.ts";

export interface SentBySockets {
  /** The number of WebSockets opened; below, the numbers of messages received and sent. */
  opened: number;
  came: number;
  sent: number;
}

interface SocketSettings {
  readonly events: number;
  readonly firstMs: number;
  readonly gapsMs: readonly number[];
  /** The time between a message and its echo. */
  readonly delayMs: number;
}

type Handler = (request: Request) => Response;

interface SocketPaths {
  readonly echo: Handler;
  readonly push: Handler;
  readonly chat: Handler;
  readonly hear: Handler;
}

interface SocketContext {
  readonly freezes: Freezes;
  readonly news: News;
  readonly count: SentBySockets;
}

/** The most bytes of news that may be buffered for a slow listener on a WebSocket. */
const MOST_BEHIND_BYTES = 64 * 1024;
/** Close code by which a server says that it cannot serve the client at present. */
const TRY_AGAIN_LATER = 1013;

/**
 * Sends the news on the socket until the returned function is called. A listener that does not read is disconnected,
 * because its queue would grow without limit.
 */
export function hearOn(
  socket: Pick<WebSocket, "bufferedAmount" | "close">,
  news: Pick<News, "listen">,
  send: (text: string) => void,
): () => void {
  const leave = news.listen((text) => {
    if (socket.bufferedAmount <= MOST_BEHIND_BYTES) return send(text);
    leave();
    socket.close(TRY_AGAIN_LATER, "fallen behind");
  });
  return leave;
}

export function socketPaths(
  { events, delayMs, ...planted }: SocketSettings,
  { freezes, news, count }: SocketContext,
): SocketPaths {
  const moments = momentsOf(planted, freezes);
  const room = new Set<WebSocket>();

  const opened = (request: Request, use: (socket: WebSocket) => void): Response => {
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      const headers = { upgrade: "websocket", connection: "upgrade" };
      return new Response("A WebSocket is opened here\n", { status: 426, headers });
    }
    const [protocol] = request.headers.get("sec-websocket-protocol")?.split(",") ?? [];
    const { socket, response } = Deno.upgradeWebSocket(request, {
      idleTimeout: 0,
      ...protocol !== undefined && { protocol: protocol.trim() },
    });
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      count.opened++;
      use(socket);
    };
    socket.onerror = () => {}; // the client has gone
    return response;
  };
  const send = (socket: WebSocket, data: string | ArrayBuffer): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(data);
    count.sent++;
  };
  const due = async (atMs: number): Promise<void> => {
    const waitMs = atMs - performance.now();
    if (waitMs > 0) await sleep(Math.ceil(waitMs)); // rounded up, because timers drop fractions
  };

  const echo: Handler = (request) =>
    opened(request, (socket) => {
      socket.onmessage = async ({ data }) => {
        count.came++;
        const atMs = thawed(performance.now() + delayMs, freezes);
        if (atMs > performance.now()) await due(atMs);
        send(socket, data);
      };
    });

  const push: Handler = (request) => {
    const requestMs = performance.now();
    return opened(request, async (socket) => {
      socket.onmessage = () => count.came++;
      for (let k = 0; k < events && socket.readyState === WebSocket.OPEN; k++) {
        await due(moments(requestMs, k));
        send(socket, `{"n":${k}}`);
      }
      if (socket.readyState === WebSocket.OPEN) socket.close(1000);
    });
  };

  const chat: Handler = (request) =>
    opened(request, (socket) => {
      room.add(socket);
      socket.onclose = () => room.delete(socket);
      socket.onmessage = ({ data }) => {
        count.came++;
        for (const one of room) send(one, data);
      };
    });

  const hear: Handler = (request) =>
    opened(request, (socket) => {
      socket.onclose = hearOn(socket, news, (text) => send(socket, text));
    });

  return { echo, push, chat, hear };
}
