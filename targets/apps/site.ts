/**
 * The site of the oha study: five linked pages with images on a server with compression, a request
 * log and a response cache, each of them a switch. Without the cache a page is rendered, and
 * compressed, for every request.
 */
import type { MiddlewareHandler } from "hono";
import { z } from "zod";
import type { App, RunningApp } from "./app.ts";
import { onOrOff } from "./settings.ts";

const settings = z.strictObject({
  gzip: onOrOff.default(true).describe("Compression for clients that accept gzip: on or off"),
  log: onOrOff.default(false).describe("Request log, one line each: on or off"),
  cache: onOrOff.default(false)
    .describe("Whole responses kept in memory, without end: on or off"),
});

export const site = {
  summary: "Five linked HTML pages with images; gzip, request log and cache are switches",
  settings,
  paths: [
    "/",
    ...[1, 2, 3, 4, 5].map((page) => `/page${page}.html`),
    ...[1, 2, 3, 4, 5].map((image) => `/images/${image}.png`),
  ],
  async start({ gzip, log, cache }, context): Promise<RunningApp> {
    const { Hono } = await import("hono");
    const { drawImage, renderPage, PAGES } = await import("./site_content.ts");
    const app = new Hono();
    if (log) app.use((await import("./request_log.ts")).requestLog(context.log));
    if (cache) app.use(keepResponses());
    app.use(gzip ? (await import("hono/compress")).compress({ encoding: "gzip" }) : noTransform);
    app.get("/", (c) => c.html(renderPage(1)));
    for (let page = 1; page <= PAGES; page++) {
      const image = drawImage(page);
      app.get(`/page${page}.html`, (c) => c.html(renderPage(page)));
      app.get(`/images/${page}.png`, (c) => c.body(image, 200, { "content-type": "image/png" }));
    }
    return { fetch: app.fetch, close: () => Promise.resolve() };
  },
} satisfies App<typeof settings>;

/** Deno before 2.9 compresses on its own what does not forbid it. */
const noTransform: MiddlewareHandler = async (c, next) => {
  await next();
  c.header("cache-control", "no-transform");
};

/**
 * The cache in front of rendering and compression, as apicache in the study. Only what answers 200 is
 * kept, so it never holds more than the site's paths, compressed and not.
 */
function keepResponses(): MiddlewareHandler {
  const kept = new Map<string, { body: ArrayBuffer; headers: Headers }>();
  return async (c, next) => {
    const takesGzip = c.req.header("accept-encoding")?.includes("gzip") ?? false;
    const key = `${c.req.path} ${takesGzip}`;
    const hit = kept.get(key);
    if (hit) return new Response(hit.body, { headers: hit.headers });
    await next();
    c.header("x-cache", "miss");
    if (c.res.status !== 200) return;
    const headers = new Headers(c.res.headers);
    headers.set("x-cache", "hit");
    const body = await c.res.clone().arrayBuffer();
    kept.set(key, { body, headers });
  };
}
