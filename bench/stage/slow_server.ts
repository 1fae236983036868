/**
 * A server that answers each request after a while and notes both moments by its own clock; GET /noted
 * gives what it has noted since the last time. It keeps nothing else, and measures nobody but itself.
 *
 * slow_server.ts PORT DELAY_MS
 */
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds since its start. */
export interface Noted {
  readonly askedMs: number;
  /** 0 for one without its answer yet. */
  answeredMs: number;
}

if (import.meta.main) {
  const [port, delayMs] = Deno.args.map(Number);
  const noted: Noted[] = [];
  const onListen = (): void => {};
  Deno.serve({ hostname: "127.0.0.1", port, onListen }, async ({ url }) => {
    if (url.endsWith("/noted")) return Response.json(noted.splice(0));
    const exchange = { askedMs: performance.now(), answeredMs: 0 };
    noted.push(exchange);
    await sleep(delayMs);
    exchange.answeredMs = performance.now();
    return new Response("slow");
  });
}
