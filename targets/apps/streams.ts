/**
 * Streams of messages at set intervals: server-sent events, lines of text or JSON, the tokens of a model server, and
 * WebSockets (an echo at `/ws`, `/push`, and a chat at `/chat` in which everybody hears everybody). The news at `/news`
 * is the same for everybody, over three transports. The settings alone decide how long after the request a message is
 * due or, for news, how long after the start of the app. So measurements of the app can be checked against exact
 * figures. As further evidence, the app counts what it has sent.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { appSettings } from "../../base/target/app_settings.ts";
import type { App, RunningApp } from "./app.ts";
import { News } from "./streams/news.ts";
import { type Freezes, momentsOf } from "./streams/schedule.ts";
import { type SentBySockets, socketPaths } from "./streams/sockets.ts";

/** Counts of what the app has sent, whether or not it was received. */
interface Sent {
  messages: number;
  /** Numbers of streams: begun, ended with their last message, cut off by the app, and cancelled by the client. */
  begun: number;
  ended: number;
  cut: number;
  left: number;
  /** Total milliseconds from request to last message, over all streams that ended. */
  tookMs: number;
  readonly sockets: SentBySockets;
}

const ENCODER = new TextEncoder();

export const streams = {
  summary: "Server-sent events, lines, model tokens and WebSocket messages at set intervals",
  settings: appSettings.streams,
  paths: ["/", "/events", "/tokens", "/lines", "/json-lines"],
  async start(settings): Promise<RunningApp> {
    const { events, first, gaps, delay, cutAfter, freeze, freezeEvery } = settings;
    const { Hono } = await import("hono");
    const app = new Hono();
    const startMs = performance.now();
    const freezes: Freezes = { startMs, lengthMs: freeze, everyMs: freezeEvery };
    const sockets = { opened: 0, came: 0, sent: 0 };
    const sent: Sent = { messages: 0, begun: 0, ended: 0, cut: 0, left: 0, tookMs: 0, sockets };
    const moments = momentsOf({ firstMs: first, gapsMs: gaps }, freezes);

    const times = { events, firstMs: first, gapsMs: gaps, delayMs: delay };
    const news = new News(settings.news, freezes);
    const { echo, push, chat, hear } = socketPaths(times, { freezes, news, count: sockets });

    /** @param last Text sent right after the last message. */
    const streamed = (
      type: string,
      textOf: (k: number) => string,
      from: number,
      last = "",
    ): Response => {
      const requestMs = performance.now();
      let k = from;
      const body = new ReadableStream<Uint8Array>({
        async pull(controller): Promise<void> {
          if (k === from) sent.begun++;
          const isCut = cutAfter > 0 && k - from >= cutAfter;
          const waitMs = moments(requestMs, k - from) - performance.now();
          // Round up, because timers drop fractions and would fire too early. Always sleep before a
          // cut, so that the last message can leave the server first.
          if (waitMs > 0 || isCut) await sleep(Math.max(1, Math.ceil(waitMs)));
          if (isCut) {
            sent.cut++;
            return controller.error("A stream is cut off, as the settings demand");
          }
          const isLast = k + 1 >= events;
          // Measured before the last message is sent, so the client can't receive it in less time.
          if (isLast) sent.tookMs += performance.now() - requestMs;
          controller.enqueue(ENCODER.encode(textOf(k) + (isLast ? last : "")));
          sent.messages += isLast && last !== "" ? 2 : 1;
          k++;
          if (!isLast) return;
          sent.ended++;
          controller.close();
        },
        cancel(): void {
          sent.left++;
        },
      }, { highWaterMark: 0 });
      return new Response(body, { headers: { "content-type": type, "cache-control": "no-store" } });
    };

    const heard = (): Response => {
      let leave = (): void => {};
      const body = new ReadableStream<Uint8Array>({
        start(controller): void {
          sent.begun++;
          leave = news.listen((text) => {
            // The client does not read, so its queue would only grow.
            if ((controller.desiredSize ?? 0) <= 0) {
              leave();
              sent.cut++;
              return controller.error("A listener has fallen behind");
            }
            controller.enqueue(ENCODER.encode(`data: ${text}\n\n`));
            sent.messages++;
          });
        },
        cancel(): void {
          leave();
          sent.left++;
        },
      }, { highWaterMark: MOST_BEHIND });
      return new Response(body, {
        headers: { "content-type": EVENTS, "cache-control": "no-store" },
      });
    };

    app.get(
      "/",
      (c) =>
        c.text(
          "/events, /tokens, /lines and /json-lines are streams; /ws, /push and /chat are WebSockets; /news is the " +
            "latest news item, which /news/events and /news/ws send as it comes; /sent counts what was sent\n",
        ),
    );
    app.get("/sent", (c) => c.json(sent));
    app.get("/events", (c) => {
      const seen = Number(c.req.header("last-event-id") ?? "0");
      // Status 204 tells a client that has seen all events not to reconnect.
      if (seen >= events) return c.body(null, 204);
      const from = Number.isInteger(seen) && seen > 0 ? seen : 0;
      return streamed(EVENTS, (k) => `event: tick\nid: ${k + 1}\ndata: ${k}\n\n`, from);
    });
    app.get("/tokens", () => streamed(EVENTS, (k) => chunkOf(k, events), 0, "data: [DONE]\n\n"));
    app.post("/tokens", () => streamed(EVENTS, (k) => chunkOf(k, events), 0, "data: [DONE]\n\n"));
    app.get("/lines", () => streamed("text/plain", (k) => `line ${k}\n`, 0));
    app.get("/json-lines", () => streamed("application/x-ndjson", (k) => `{"n":${k}}\n`, 0));
    app.get("/ws", (c) => echo(c.req.raw));
    app.get("/push", (c) => push(c.req.raw));
    app.get("/chat", (c) => chat(c.req.raw));
    app.get("/news", (c) => {
      sent.messages++;
      return c.body(`${news.latest}\n`, 200, {
        "content-type": "application/x-ndjson",
        "cache-control": "no-store",
      });
    });
    app.get("/news/events", heard);
    app.get("/news/ws", (c) => hear(c.req.raw));
    return { fetch: app.fetch, close: () => Promise.resolve() };
  },
} satisfies App<typeof appSettings.streams>;

const EVENTS = "text/event-stream";
/** The most messages that may be buffered for a slow listener. */
const MOST_BEHIND = 16;

/**
 * One chunk of a chat completion in the format of model servers: the role comes first, then the tokens, and finally the
 * reason why the completion ended.
 */
function chunkOf(k: number, events: number): string {
  const isLast = k + 1 >= events;
  const delta = k === 0 ? { role: "assistant", content: "" } : isLast ? {} : { content: ` t${k}` };
  const choices = [{ index: 0, delta, finish_reason: isLast ? "stop" : null }];
  return `data: ${JSON.stringify({ object: "chat.completion.chunk", choices })}\n\n`;
}
