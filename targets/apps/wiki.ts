/**
 * A wiki that does the work of a real one, in place of Wiki.js in the caching study. Its pages are in SQLite; markdown
 * and templates are rendered for each request; it has full-text search and sessions.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { App, RunningApp } from "./app.ts";
import { compute } from "./work.ts";
import { appSettings } from "../../base/target/app_settings.ts";
import type { Render, Rendered } from "./wiki/markdown.ts";
import type { WikiPage } from "./wiki/pages.ts";

/** The number of pages written per transaction at the start. */
const PAGES_AT_ONCE = 200;

export const wiki = {
  summary: "A wiki in SQLite: /home, /page/1, /search?q=pilot; user editor, password editor",
  settings: appSettings.wiki,
  paths: [
    "/",
    "/home",
    "/page/home",
    "/page/7",
    "/section/Tides",
    "/tag/pilot",
    "/search?q=pilot",
    "/login",
    "/api/pages?limit=5",
    "/api/pages/7",
    "/api/search?q=pilot+boat",
    "/assets/wiki.css",
  ],
  async start(settings, context): Promise<RunningApp> {
    const { pages: count, seed, renderCache, gzip, cpuTime, log } = settings;
    const { Hono } = await import("hono");
    const { openDatabase } = await import("./wiki/database.ts");
    const { generatePages } = await import("./wiki/generate.ts");
    const { markdownRenderer } = await import("./wiki/markdown.ts");
    const { openPages } = await import("./wiki/pages.ts");
    const { addRoutes } = await import("./wiki/routes.ts");
    const { openSearch } = await import("./wiki/pages.ts");
    const { openSessions } = await import("./wiki/sessions.ts");
    const database = openDatabase();
    const pages = openPages(database);
    for (const drafts of generatePages(count, seed, PAGES_AT_ONCE)) {
      pages.write(drafts);
      await pause(0); // lets signals and the death of the parent be noticed
    }
    database.settle();
    const sessions = openSessions(database);
    await sessions.addUser("editor", "editor");
    const render = slowed(markdownRenderer(), cpuTime);
    const app = new Hono();
    if (log) app.use((await import("./app.ts")).requestLog(context.log));
    app.use((await import("./compression.ts")).compression({ gzip, brotli: false }));
    addRoutes(app, {
      pages,
      sessions,
      search: openSearch(database),
      render: renderCache ? keepRendered(render) : renderEach(render),
      now: () => new Date().toISOString(),
    });
    return { fetch: app.fetch, close: () => Promise.resolve(database.remove()) };
  },
} satisfies App<typeof appSettings.wiki>;

/** Makes a renderer take `cpuMs` more CPU time per page. */
function slowed(render: Render, cpuMs: number): Render {
  if (cpuMs === 0) return render;
  return (text) => {
    compute(cpuMs);
    return render(text);
  };
}

function renderEach(render: Render): (page: WikiPage) => Rendered {
  return ({ body }) => render(body);
}

/** A renderer that caches the newest revision of each requested page. */
function keepRendered(render: Render): (page: WikiPage) => Rendered {
  const kept = new Map<number, { revision: number; rendered: Rendered }>();
  return ({ id, revision, body }) => {
    const found = kept.get(id);
    if (found?.revision === revision) return found.rendered;
    const rendered = render(body);
    kept.set(id, { revision, rendered });
    return rendered;
  };
}
