import assert from "node:assert/strict";
import { openDatabase } from "../../targets/apps/wiki/database.ts";
import { generatePages } from "../../targets/apps/wiki/generate.ts";
import { markdownRenderer } from "../../targets/apps/wiki/markdown.ts";
import { openSessions, SESSION_SEC } from "../../targets/apps/wiki/sessions.ts";
import { type Settings, startApp, type StartedApp } from "./fixtures/started_app.ts";

const SMALL: Settings = { pages: 60 };

async function textOf(app: StartedApp, path: string, init?: RequestInit): Promise<string> {
  const response = await app.ask(path, init);
  assert.equal(response.status, 200, path);
  return await response.text();
}

function form(fields: Record<string, string>, cookie = ""): RequestInit {
  return { method: "POST", body: new URLSearchParams(fields), headers: { cookie } };
}

/** The cookie of a session. */
async function logIn(app: StartedApp): Promise<string> {
  const response = await app.ask("/login", form({ name: "editor", password: "editor" }));
  assert.deepEqual([response.status, response.headers.get("location")], [303, "/"]);
  return (response.headers.get("set-cookie") ?? "").split(";")[0];
}

Deno.test("generatePages() draws the same pages by the same seed, others by another", () => {
  assert.deepEqual([...generatePages(30, 5, 30)], [...generatePages(30, 5, 30)]);
  assert.notDeepEqual([...generatePages(30, 5, 30)], [...generatePages(30, 6, 30)]);
});

Deno.test("generatePages() draws the same pages however many at once", () => {
  const [all] = generatePages(30, 5, 30);
  const some = [...generatePages(30, 5, 7)];
  assert.deepEqual(some.map(({ length }) => length), [7, 7, 7, 7, 2]);
  assert.deepEqual(some.flat(), all);
});

Deno.test("a thousand pages have every kind of markdown, addresses of their own and links that lead somewhere", () => {
  const [pages] = generatePages(1_000, 1, 1_000);
  const slugs = new Set(pages.map(({ slug }) => slug));
  assert.equal(slugs.size, 1_000);
  const text = pages.map(({ body }) => body).join("\n");
  for (const [, to] of text.matchAll(/\]\(\/page\/([^)]+)\)/g)) assert.ok(slugs.has(to), to);
  const kinds = [/^# /m, /^## /m, /^### /m, /^- /m, /^ {2}- /m, /^1\. /m, /^\| --- \|/m, /^> /m];
  const more = [
    /^```yaml$/m,
    /^```ts$/m,
    /^```sh$/m,
    /^- \[x\] /m,
    /\*\*\[/,
    / `[a-z]+` /,
    / \*[a-z]+\* /,
  ];
  for (const kind of [...kinds, ...more]) assert.match(text, kind);
  const bytes = new TextEncoder().encode(text).length / pages.length;
  assert.ok(bytes > 2_000 && bytes < 8_000, `${bytes} bytes each`);
});

Deno.test("markdown brings no HTML and no script of its own", () => {
  const render = markdownRenderer();
  const hostile = [
    "<script>alert(1)</script>",
    "text <img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](data:text/html,x)",
    '[a](https://a.example/"onclick="x)',
    "[a](//other.example)",
    "[a](/\\\\other.example)",
    "# <b onclick=x>bold</b>",
  ];
  for (const markdown of hostile) {
    const { html } = render(markdown);
    assert.doesNotMatch(
      html,
      /<script|<img|<b |href="javascript|="[\/\\]{2}|data:text|" ?onclick="/i,
      html,
    );
  }
});

Deno.test("headings have ids, which the table of contents names in their order", () => {
  const { html, contents } = markdownRenderer()("# A\n\n## B *c*\n\n## B *c*\n\n### D");
  assert.deepEqual(contents.map(({ text }) => text), ["B *c*", "B *c*", "D"]);
  assert.equal(new Set(contents.map(({ id }) => id)).size, 3);
  for (const { id } of contents) assert.ok(html.includes(`id="${id}"`), id);
});

Deno.test("wiki shows a page by name and by number, with its section, tags and what links to it", async () => {
  await using app = await startApp("wiki", SMALL);
  const { slug, title, section, tags } = await (await app.ask("/api/pages/7")).json();
  const page = await textOf(app, `/page/${slug}`);
  assert.equal(await textOf(app, "/page/7"), page);
  assert.match(page, new RegExp(`<h1 id="[^"]+">${title}</h1>`));
  for (const tag of tags) assert.ok(page.includes(`<a href="/tag/${tag}">`), tag);
  assert.ok((await textOf(app, `/section/${section}`)).includes(`/page/${slug}`));
  assert.ok((await textOf(app, `/tag/${tags[0]}`)).includes(`/page/${slug}`));
  const linking = /What links here[^]*?<a href="(\/page\/[^"]+)"/.exec(page)?.[1];
  assert.ok((await textOf(app, linking ?? "/no-such-path")).includes(`/page/${slug}`));
});

Deno.test("wiki has as many pages as it is told to", async () => {
  await using app = await startApp("wiki", SMALL);
  const { total, pages } = await (await app.ask("/api/pages?limit=500")).json();
  assert.deepEqual([total, pages.length], [60, 60]);
  const rest = await (await app.ask("/api/pages?limit=20&offset=50")).json();
  assert.deepEqual(rest.pages, pages.slice(50));
  assert.equal((await app.ask("/api/pages?limit=0")).status, 400);
  assert.equal((await app.ask("/page/61")).status, 404);
  assert.equal((await app.ask("/api/pages/no-such")).status, 404);
});

Deno.test("wiki finds pages by all of their words, best first, and marks the words", async () => {
  await using app = await startApp("wiki", SMALL);
  const { title, slug } = await (await app.ask("/api/pages/9")).json();
  const { total, hits } = await (await app.ask(`/api/search?q=${encodeURIComponent(title)}`))
    .json();
  assert.ok(total >= hits.length && hits.length <= 20);
  assert.equal(hits[0].slug, slug);
  const one = await (await app.ask(`/api/search?q=${title.split(" ")[1]}`)).json();
  assert.ok(one.total >= total);
  const page = await textOf(app, `/search?q=${encodeURIComponent(title)}`);
  assert.match(page, /<mark>\w+<\/mark>/);
});

const ODD_QUERIES = [
  "",
  " ",
  '"',
  "a AND OR NOT",
  "title:x",
  "(",
  "*",
  "a*",
  "日本",
  "<b>",
  "x".repeat(5_000),
];

for (const query of ODD_QUERIES) {
  Deno.test(`wiki searches for ${JSON.stringify(query.slice(0, 20))} as for words`, async () => {
    await using app = await startApp("wiki", { pages: 10 });
    const page = await textOf(app, `/search?q=${encodeURIComponent(query)}`);
    assert.ok(!page.includes("<b>"));
  });
}

Deno.test("wiki logs its editor in, says so on each page that no cache may keep, and out", async () => {
  await using app = await startApp("wiki", { pages: 10 });
  const anonymous = await app.ask("/home");
  assert.doesNotMatch(anonymous.headers.get("cache-control") ?? "", /no-store/);
  assert.match(await anonymous.text(), /Log in/);
  const cookie = await logIn(app);
  const mine = await app.ask("/home", { headers: { cookie } });
  assert.match(mine.headers.get("cache-control") ?? "", /no-store/);
  assert.match(await mine.text(), /Log out editor/);
  assert.equal((await app.ask("/logout", form({}, cookie))).status, 303);
  assert.match(await textOf(app, "/home", { headers: { cookie } }), /Log in/);
});

const WRONG: Record<string, string>[] = [{ name: "editor", password: "x" }, {
  name: "nobody",
  password: "editor",
}, {}];

for (const fields of WRONG) {
  Deno.test(`wiki refuses ${JSON.stringify(fields)} with 401 and no cookie`, async () => {
    await using app = await startApp("wiki", { pages: 10 });
    const response = await app.ask("/login", form(fields));
    assert.deepEqual([response.status, response.headers.get("set-cookie")], [401, null]);
    assert.match(await response.text(), /or the password is wrong/);
  });
}

Deno.test("a session ends after a day", async () => {
  const database = openDatabase();
  let nowMs = 0;
  const sessions = openSessions(database, () => nowMs);
  await sessions.addUser("ada", "secret");
  const token = await sessions.logIn("ada", "secret");
  assert.ok(token);
  nowMs = SESSION_SEC * 1_000 - 1;
  assert.equal(sessions.userOf(token), "ada");
  nowMs = SESSION_SEC * 1_000;
  assert.equal(sessions.userOf(token), null);
  database.remove();
});

Deno.test("wiki lets nobody write who is not logged in", async () => {
  await using app = await startApp("wiki", { pages: 10 });
  for (const init of [undefined, form({ title: "t", section: "s", body: "b" })]) {
    const response = await app.ask("/edit/home", init);
    assert.deepEqual([response.status, response.headers.get("location")], [303, "/login"]);
  }
});

for (const renderCache of ["off", "on"]) {
  Deno.test(`what is written is shown, found and linked at once, with renderCache ${renderCache}`, async () => {
    await using app = await startApp("wiki", { pages: 10, renderCache });
    const headers = { cookie: await logIn(app) };
    const old = await (await app.ask("/api/pages/home")).json();
    assert.ok((await textOf(app, "/edit/home", { headers })).includes("<textarea"));
    assert.ok(!(await textOf(app, "/page/home")).includes("zeppelin"));
    const fields = {
      title: "New home",
      section: "Tides",
      tags: "Airship x y",
      body: "A zeppelin. [New](/page/new-one)",
    };
    const saved = await app.ask("/edit/home", form(fields, headers.cookie));
    assert.deepEqual([saved.status, saved.headers.get("location")], [303, "/page/home"]);
    assert.equal((await app.ask("/edit/new-one", form(fields, headers.cookie))).status, 303);
    assert.match(await textOf(app, "/page/home"), /zeppelin[^]*Revision 2 by editor/);
    assert.match(await textOf(app, "/page/new-one"), /What links here[^]*New home/);
    const page = await (await app.ask("/api/pages/home")).json();
    assert.deepEqual([page.id, page.revision, page.tags], [old.id, 2, ["airship", "x", "y"]]);
    assert.equal((await (await app.ask("/api/search?q=zeppelins")).json()).total, 2);
    assert.match(await textOf(app, "/home"), /Changes[^]*New home/);
  });
}

Deno.test("a PUT writes a page for who is logged in: 201 a new one, 200 the next revision, 401 and 400 nothing", async () => {
  await using app = await startApp("wiki", { pages: 10 });
  const cookie = await logIn(app);
  const put = (page: unknown, headers: Record<string, string>) =>
    app.ask("/api/pages/tide-table", { method: "PUT", headers, body: JSON.stringify(page) });
  const page = { title: "Tides", section: "Forms", body: "High at **noon**" };
  assert.equal((await put(page, {})).status, 401);
  for (const wrong of [{ ...page, title: " " }, null, { title: "Tides" }]) {
    assert.equal((await put(wrong, { cookie })).status, 400);
  }
  assert.equal((await app.ask("/page/tide-table")).status, 404);
  const made = await put(page, { cookie });
  assert.deepEqual([made.status, (await made.json()).revision], [201, 1]);
  const changed = await put({ ...page, body: "Low at **noon**" }, { cookie });
  assert.deepEqual([changed.status, (await changed.json()).revision], [200, 2]);
  assert.match(await textOf(app, "/page/tide-table"), /Low at <strong>noon<\/strong>[^]*by editor/);
});

Deno.test("wiki refuses a page without a title", async () => {
  await using app = await startApp("wiki", { pages: 10 });
  const response = await app.ask(
    "/edit/x",
    form({ title: " ", section: "s", body: "" }, await logIn(app)),
  );
  assert.equal(response.status, 400);
  assert.equal((await app.ask("/page/x")).status, 404);
});

Deno.test("wiki compresses only when gzip is on, not even by the server's own means", async () => {
  const headers = { "accept-encoding": "gzip" };
  await using plain = await startApp("wiki", { pages: 10 });
  const uncompressed = await plain.ask("/home", { headers });
  assert.equal(uncompressed.headers.get("content-encoding"), null);
  assert.match(uncompressed.headers.get("cache-control") ?? "", /no-transform/);
  await using small = await startApp("wiki", { pages: 10, gzip: "on" });
  assert.equal((await small.ask("/home", { headers })).headers.get("content-encoding"), "gzip");
});
