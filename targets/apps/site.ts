/**
 * A site like that of a study of static sites under oha: five linked pages with images, on a server with compression, a request log and a response
 * cache, each of which can be switched on or off. Without the cache, every request renders its page (or reads it from a
 * file) and compresses it.
 */
import type { MiddlewareHandler } from "hono";
import type { App, RunningApp } from "./app.ts";
import type { Encodings } from "./compression.ts";
import { appSettings } from "../../base/target/app_settings.ts";
import type { Body, Document, Source } from "./site_content.ts";

const PAGE_NUMBERS = [1, 2, 3, 4, 5];

export const site = {
  summary: "Five linked HTML pages with images; compression, cache and more are settings",
  settings: appSettings.site,
  paths: [
    "/",
    ...PAGE_NUMBERS.map((page) => `/page${page}.html`),
    ...PAGE_NUMBERS.map((image) => `/images/${image}.png`),
  ],
  async start(
    { log, etag, helmet, cache, ttl, files, ...encodings },
    context,
  ): Promise<RunningApp> {
    const { Hono } = await import("hono");
    const { compression } = await import("./compression.ts");
    const app = new Hono();
    if (log) app.use((await import("./app.ts")).requestLog(context.log));
    if (helmet) app.use((await import("hono/secure-headers")).secureHeaders());
    // Responds with 304 to a conditional request if the page has not changed.
    if (etag) app.use((await import("hono/etag")).etag());
    if (cache) app.use(await keepResponses(encodings, ttl));
    app.use(compression(encodings));
    const documents = (await import("./site_content.ts")).drawDocuments();
    const source = files
      ? await (await import("./site_content.ts")).writeFiles(documents)
      : inMemory(documents);
    for (const { path, type } of documents) {
      app.get(path, async (c) => {
        const { body, tag } = await source.read(path);
        if (etag) c.header("etag", tag ?? await hashTag(body));
        return c.body(body, 200, { "content-type": type });
      });
    }
    return { fetch: app.fetch, close: () => Promise.resolve(source.close()) };
  },
} satisfies App<typeof appSettings.site>;

/** A strong entity tag made from a hash of the body. */
async function hashTag(body: Body): Promise<string> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes));
  return `"${btoa(String.fromCharCode(...hash))}"`;
}

/** Keeps the documents in memory, but renders a page for each request. */
function inMemory(documents: readonly Document[]): Source {
  const bodies = new Map(documents.map(({ path, body }) => [path, body]));
  return {
    read: async (path) => ({ body: await bodies.get(path)?.() ?? "", tag: null }),
    close: () => {},
  };
}

/**
 * Caches responses so that they are neither rendered nor compressed again, like apicache in the study. Only responses
 * with status 200 are kept, so the cache holds at most one response per path and coding.
 */
async function keepResponses(encodings: Encodings, ttlMs: number): Promise<MiddlewareHandler> {
  const { negotiate } = await import("./compression.ts");
  const kept = new Map<string, { body: ArrayBuffer; headers: Headers; endMs: number }>();
  return async (c, next) => {
    const key = `${c.req.path} ${negotiate(c.req.header("accept-encoding"), encodings)}`;
    const found = kept.get(key);
    if (found && performance.now() < found.endMs) {
      return new Response(found.body, { headers: found.headers });
    }
    await next();
    c.header("x-cache", "miss");
    if (c.res.status !== 200) return;
    const headers = new Headers(c.res.headers);
    headers.set("x-cache", "hit");
    const body = await c.res.clone().arrayBuffer();
    kept.set(key, { body, headers, endMs: performance.now() + ttlMs });
  };
}
