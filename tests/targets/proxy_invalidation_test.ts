/** Invalidation by key: what a write makes the proxy forget, and what it does not. */
import assert from "node:assert/strict";
import {
  Generations,
  type Invalidation,
  pathsChangedBy,
} from "../../targets/gateways/proxy/invalidation.ts";
import type { Fields } from "../../targets/gateways/origin/fields.ts";
import { serveOrigin, type TestOrigin } from "./fixtures/origin.ts";
import { proxyOf } from "./fixtures/proxy.ts";

const ORIGIN = "http://wiki:80";

interface Written {
  what: string;
  method?: string;
  path?: string;
  status?: number;
  fields?: Fields;
  invalidate?: Invalidation;
  changes: string[];
}

const WRITES: Written[] = [
  { what: "a write changes its own path", changes: ["/edit/a"] },
  { what: "its query is no part of that", path: "/edit/a?draft=1", changes: ["/edit/a"] },
  {
    what: "what it redirects to is changed, too",
    status: 303,
    fields: [["location", "/page/a?new=1"]],
    changes: ["/edit/a", "/page/a"],
  },
  {
    what: "a whole URL of the origin is a path of it",
    fields: [["content-location", "http://wiki/page/a"]],
    changes: ["/edit/a", "/page/a"],
  },
  {
    what: "a relative one begins at the path of the write",
    fields: [["location", "b"]],
    changes: ["/edit/a", "/edit/b"],
  },
  {
    what: "another origin's paths are not its own",
    fields: [["location", "http://elsewhere/page/a"]],
    changes: ["/edit/a"],
  },
  { what: "no URL names nothing", fields: [["location", "http://["]], changes: ["/edit/a"] },
  {
    what: "paths that are tied to it are changed",
    invalidate: { "/edit": ["/home", "/edit/a"], "/other": ["/never"] },
    changes: ["/edit/a", "/home"],
  },
  {
    what: "a path that only begins so is not below it",
    path: "/edits",
    invalidate: { "/edit": ["/home"] },
    changes: ["/edits"],
  },
  { what: "a method that nobody knows may write", method: "MERGE", changes: ["/edit/a"] },
  { what: "a GET changes nothing", method: "GET", changes: [] },
  { what: "a HEAD changes nothing", method: "HEAD", changes: [] },
  { what: "an OPTIONS changes nothing", method: "OPTIONS", changes: [] },
  { what: "a write that is refused changes nothing", status: 403, changes: [] },
  { what: "a write that fails changes nothing", status: 500, changes: [] },
];

for (const { what, changes, invalidate = {}, status = 200, fields = [], ...asked } of WRITES) {
  Deno.test(`invalidation by key: ${what}`, () => {
    const request = { method: "POST", path: "/edit/a", ...asked };
    const write = { request, response: { status, fields }, origin: ORIGIN };
    assert.deepEqual(pathsChangedBy(write, invalidate), changes);
  });
}

Deno.test("a generation is that of a path however it is written, and of no other", () => {
  const generations = new Generations();
  assert.equal(generations.of("/page/a"), 0);
  generations.advance("/page/a");
  const first = generations.of("/page/a?x=1");
  assert.notEqual(first, 0);
  assert.equal(generations.of("/page/%61"), first);
  assert.equal(generations.of("/page/b"), 0);
  assert.equal(generations.of("/page/%zz"), 0);
  generations.advance("/page/%61");
  assert.ok(generations.of("/page/a") > first);
});

Deno.test("too many written paths make all older responses old, and never one of them new", () => {
  const generations = new Generations(3);
  const seen = new Map<string, Set<number>>();
  const remember = (path: string): boolean => {
    const before = seen.get(path) ?? new Set();
    seen.set(path, before);
    const generation = generations.of(path);
    const isNew = !before.has(generation);
    before.add(generation);
    return isNew;
  };
  for (const path of ["/a", "/b", "/c", "/d", "/a", "/e", "/f", "/g", "/b", "/a"]) {
    remember(path);
    generations.advance(path);
    assert.ok(remember(path), `${path} is found as it was before the write`);
  }
});

/** Pages with a version each: a POST to /edit/a makes the next version of /page/a, and a list on /home. */
function wiki(): TestOrigin {
  const versions = new Map<string, number>();
  return serveOrigin((request) => {
    const { pathname } = new URL(request.url);
    const name = pathname.split("/")[2] ?? "";
    if (request.method === "POST") {
      if (name === "locked") return new Response("no", { status: 403 });
      versions.set(name, (versions.get(name) ?? 0) + 1);
      return new Response(null, { status: 303, headers: { location: `/page/${name}` } });
    }
    if (pathname === "/home") return new Response([...versions].join(" "));
    return new Response(`version ${versions.get(name) ?? 0}`);
  });
}

const POST: RequestInit = { method: "POST", body: "text", redirect: "manual" };

Deno.test("who reads after a write finds it, and other pages stay in the cache", async () => {
  await using origin = wiki();
  await using proxy = await proxyOf(origin, { invalidate: { "/edit": ["/home"] } });
  for (const path of ["/page/a", "/page/b", "/home"]) await proxy.get(path);
  await proxy.get("/edit/a", POST);
  assert.deepEqual(await proxy.get("/page/a"), { word: "miss", status: 200, text: "version 1" });
  assert.deepEqual(await proxy.get("/home"), { word: "miss", status: 200, text: "a,1" });
  assert.equal((await proxy.get("/page/b")).word, "hit");
  assert.deepEqual(await proxy.get("/page/a"), { word: "hit", status: 200, text: "version 1" });
});

Deno.test("every coding and query of a written page is forgotten", async () => {
  await using origin = wiki();
  await using proxy = await proxyOf(origin, { invalidate: {} });
  const gzip = { headers: { "accept-encoding": "gzip" } };
  await proxy.get("/page/a", gzip);
  await proxy.get("/page/a?print=1");
  await proxy.get("/edit/a", POST);
  assert.equal((await proxy.get("/page/a", gzip)).text, "version 1");
  assert.equal((await proxy.get("/page/a?print=1")).text, "version 1");
});

Deno.test("a write that is refused leaves the cache as it is", async () => {
  await using origin = wiki();
  await using proxy = await proxyOf(origin, { invalidate: { "/edit": ["/home"] } });
  for (const path of ["/page/locked", "/home"]) await proxy.get(path);
  await proxy.get("/edit/locked", POST);
  for (const path of ["/page/locked", "/home"]) assert.equal((await proxy.get(path)).word, "hit");
});

Deno.test("without the setting the time alone ends what is stored", async () => {
  await using origin = wiki();
  await using proxy = await proxyOf(origin);
  await proxy.get("/page/a");
  await proxy.get("/edit/a", POST);
  assert.deepEqual(await proxy.get("/page/a"), { word: "hit", status: 200, text: "version 0" });
});

Deno.test("a fetch that was sent before a write stores nothing for those who read after it", async () => {
  const read = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let version = 0;
  await using origin = serveOrigin(async (request) => {
    if (request.method === "POST") {
      version++;
      return new Response("written");
    }
    const text = `version ${version}`;
    if (version === 0) {
      read.resolve();
      await release.promise;
    }
    return new Response(text);
  });
  await using proxy = await proxyOf(origin, { invalidate: {} });
  const before = proxy.get("/page/a");
  await read.promise;
  await proxy.get("/page/a", POST);
  const after = await proxy.get("/page/a");
  assert.deepEqual(after, { word: "miss", status: 200, text: "version 1" });
  release.resolve();
  assert.equal((await before).text, "version 0");
  assert.deepEqual(await proxy.get("/page/a"), { word: "hit", status: 200, text: "version 1" });
});
