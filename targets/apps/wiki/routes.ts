/** The wiki's routes for reading, writing, logging in and the API. */
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import * as z from "zod";
import {
  renderFound,
  renderFrame,
  renderHome,
  renderList,
  renderMissing,
  renderWikiPage,
  STYLE,
  type WikiHtml,
  type WikiViewer,
} from "./views.ts";
import type { Rendered } from "./markdown.ts";
import type { Pages, PageSearch, WikiPage } from "./pages.ts";
import { SESSION_SEC, type Sessions } from "./sessions.ts";

export interface Wiki {
  readonly pages: Pages;
  readonly search: PageSearch;
  readonly sessions: Sessions;
  readonly render: (page: WikiPage) => Rendered;
  /** The current time in ISO 8601, UTC. */
  readonly now: () => string;
}

const COOKIE = "session";
const NEWEST = 10;
const SLUG = "/:slug{[a-z0-9-]+}";

export function addRoutes(app: Hono, wiki: Wiki): void {
  addReading(app, wiki);
  addApi(app, wiki);
  addSessions(app, wiki);
  addWriting(app, wiki);
  app.get("/assets/wiki.css", (c) => c.body(STYLE, 200, { "content-type": "text/css" }));
}

/** The logged-in user, or null. Also forbids caching the response if the request has a session cookie. */
function userOf(c: Context, { sessions }: Wiki): string | null {
  const token = getCookie(c, COOKIE);
  if (token !== undefined) c.header("cache-control", "private, no-store");
  return token === undefined ? null : sessions.userOf(token);
}

/** Finds a page by its slug or its id. */
function find(pages: Pages, name: string): WikiPage | null {
  return pages.byName(name) ?? (/^\d{1,9}$/.test(name) ? pages.byId(Number(name)) : null);
}

function addReading(app: Hono, wiki: Wiki): void {
  const { pages, search, render } = wiki;
  const home = (c: Context): Response | Promise<Response> => {
    const user = userOf(c, wiki);
    const page = pages.byName("home");
    if (page === null) return c.html(renderMissing({ slug: "home", user }), 404);
    const view = { sections: pages.sections(), newest: pages.newest(NEWEST), pages: pages.count() };
    return c.html(renderHome({ user, rendered: render(page), ...view }));
  };
  app.get("/", home);
  app.get("/home", home);
  app.get(`/page${SLUG}`, (c) => {
    const [user, slug] = [userOf(c, wiki), c.req.param("slug")];
    const page = find(pages, slug);
    if (page === null) return c.html(renderMissing({ slug, user }), 404);
    const siblings = pages.inSection(page.section);
    const linking = pages.linkingTo(page.slug);
    const tags = pages.tagsOf(page.id);
    return c.html(renderWikiPage({ user, page, rendered: render(page), tags, siblings, linking }));
  });
  app.get("/section/:section", (c) => {
    const title = c.req.param("section");
    return c.html(renderList({ user: userOf(c, wiki), title, heads: pages.inSection(title) }));
  });
  app.get("/tag/:tag", (c) => {
    const title = c.req.param("tag");
    return c.html(renderList({ user: userOf(c, wiki), title, heads: pages.tagged(title) }));
  });
  app.get("/search", (c) => {
    const query = c.req.query("q") ?? "";
    return c.html(renderFound({ user: userOf(c, wiki), query, found: search(query) }));
  });
}

const slice = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});

function addApi(app: Hono, { pages, search, render }: Wiki): void {
  app.get("/api/pages", (c) => {
    const { data, error } = slice.safeParse(c.req.query());
    if (error) return c.json({ errors: error.issues }, 400);
    return c.json({ total: pages.count(), pages: pages.list(data.limit, data.offset) });
  });
  app.get(`/api/pages${SLUG}`, (c) => {
    const page = find(pages, c.req.param("slug"));
    if (page === null) return c.json({ error: "No such page" }, 404);
    return c.json({ ...page, tags: pages.tagsOf(page.id), html: render(page).html });
  });
  app.get("/api/search", (c) => c.json(search(c.req.query("q") ?? "")));
}

const credentials = z.object({ name: z.string(), password: z.string().max(1_000) });

function addSessions(app: Hono, wiki: Wiki): void {
  const { sessions } = wiki;
  app.get("/login", (c) => c.html(renderLogin({ user: userOf(c, wiki), problem: null })));
  app.post("/login", async (c) => {
    const given = credentials.safeParse(await c.req.parseBody());
    const token = given.success ? await sessions.logIn(given.data.name, given.data.password) : null;
    if (token === null) {
      const problem = "The name or the password is wrong";
      return c.html(renderLogin({ user: null, problem }), 401);
    }
    setCookie(c, COOKIE, token, {
      httpOnly: true,
      sameSite: "Lax",
      path: "/",
      maxAge: SESSION_SEC,
    });
    return c.redirect("/", 303);
  });
  app.post("/logout", (c) => {
    const token = deleteCookie(c, COOKIE, { path: "/" });
    if (token !== undefined) sessions.logOut(token);
    return c.redirect("/", 303);
  });
}

const text = z.string().trim().min(1);

const edited = z.object({
  title: text.max(200),
  section: text.max(50),
  body: z.string().max(100_000),
  tags: z.string().default("").transform((tags) => tags.toLowerCase().match(/[a-z0-9-]+/g) ?? []),
});

/** Adds the routes with which logged-in users write pages, by a form or as JSON. */
function addWriting(app: Hono, wiki: Wiki): void {
  const { pages, now } = wiki;
  app.get(`/edit${SLUG}`, (c) => {
    const [user, slug] = [userOf(c, wiki), c.req.param("slug")];
    if (user === null) return c.redirect("/login", 303);
    const page = pages.byName(slug);
    const blank = { section: "Forms", title: slug, body: "", tags: [] };
    return c.html(
      renderEditor({ ...page ? { ...page, tags: pages.tagsOf(page.id) } : blank, user, slug }),
    );
  });
  app.post(`/edit${SLUG}`, async (c) => {
    const [user, slug] = [userOf(c, wiki), c.req.param("slug")];
    if (user === null) return c.redirect("/login", 303);
    const { data, error } = edited.safeParse(await c.req.parseBody());
    if (error) return c.json({ errors: error.issues }, 400);
    pages.write([{ ...data, slug, author: user, writtenAt: now() }]);
    return c.redirect(`/page/${slug}`, 303);
  });
  app.put(`/api/pages${SLUG}`, async (c) => {
    const [user, slug] = [userOf(c, wiki), c.req.param("slug")];
    if (user === null) return c.json({ error: "Log in first" }, 401);
    const { data, error } = edited.safeParse(await c.req.json().catch(() => null));
    if (error) return c.json({ errors: error.issues }, 400);
    const isNew = pages.byName(slug) === null;
    pages.write([{ ...data, slug, author: user, writtenAt: now() }]);
    return c.json(pages.byName(slug), isNew ? 201 : 200);
  });
}

/** @param problem Why the last attempt to log in failed; null if there was none. */
function renderLogin({ user, problem }: WikiViewer & { problem: string | null }): WikiHtml {
  const main = html`
    <h1>Log in</h1>
    ${problem === null ? "" : html`<p role="alert">${problem}</p>`}
    <form method="post" action="/login">
      <label>Name <input name="name" autocomplete="username" required></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
      <button>Log in</button>
    </form>
  `;
  return renderFrame({ title: "Log in", user, main });
}

interface Editing extends WikiViewer {
  readonly slug: string;
  readonly section: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
}

function renderEditor({ user, slug, section, title, body, tags }: Editing): WikiHtml {
  const main = html`
    <h1>${title}</h1>
    <form method="post" action="/edit/${slug}">
      <label>Title <input name="title" value="${title}" required></label>
      <label>Section <input name="section" value="${section}" required></label>
      <label>Tags <input name="tags" value="${tags.join(" ")}"></label>
      <textarea name="body" aria-label="Text">${body}</textarea>
      <button>Save</button>
    </form>
  `;
  return renderFrame({ title, user, main });
}
