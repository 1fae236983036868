import assert from "node:assert/strict";
import {
  freshForMs,
  keyOf,
  mayUseCache,
  type RequestHead,
} from "../../targets/gateways/proxy/rules.ts";
import type { Fields } from "../../targets/gateways/origin/fields.ts";

const ask = (changes: Partial<RequestHead> = {}): RequestHead => ({
  method: "GET",
  path: "/home",
  fields: [],
  ...changes,
});

const USES: { what: string; asked: RequestHead; paths?: string[]; may: boolean }[] = [
  { what: "a GET", asked: ask(), may: true },
  { what: "a HEAD", asked: ask({ method: "HEAD" }), may: true },
  { what: "a POST", asked: ask({ method: "POST" }), may: false },
  { what: "a DELETE", asked: ask({ method: "DELETE" }), may: false },
  { what: "a path that is named", asked: ask(), paths: ["/home"], may: true },
  { what: "a path below it", asked: ask({ path: "/home/a" }), paths: ["/home"], may: true },
  { what: "the path with a query", asked: ask({ path: "/home?a" }), paths: ["/home"], may: true },
  {
    what: "a path that only begins so",
    asked: ask({ path: "/homes" }),
    paths: ["/home"],
    may: false,
  },
  { what: "a path above it", asked: ask({ path: "/" }), paths: ["/home"], may: false },
  {
    what: "below a path with a slash",
    asked: ask({ path: "/a/b" }),
    paths: ["/x", "/a/"],
    may: true,
  },
  { what: "a signed-in client", asked: ask({ fields: [["authorization", "x"]] }), may: false },
  { what: "a client with a cookie", asked: ask({ fields: [["cookie", "a=b"]] }), may: false },
  { what: "dots in a path", asked: ask({ path: "/home/../own" }), paths: ["/home"], may: false },
  { what: "encoded dots", asked: ask({ path: "/home/%2E./own" }), paths: ["/home"], may: false },
  {
    what: "an encoded slash",
    asked: ask({ path: "/home/..%2fown" }),
    paths: ["/home"],
    may: false,
  },
  { what: "dots in a query", asked: ask({ path: "/home?next=%2f..%2fb" }), may: true },
  { what: "dots in a name", asked: ask({ path: "/a..b/.c/d.css" }), may: true },
  { what: "a part", asked: ask({ fields: [["range", "bytes=0-1"]] }), may: false },
  { what: "a condition", asked: ask({ fields: [["if-none-match", '"a"']] }), may: false },
  { what: "no-store", asked: ask({ fields: [["cache-control", "No-Store"]] }), may: false },
  { what: "a reload", asked: ask({ fields: [["cache-control", "no-cache"]] }), may: false },
  { what: "max-age", asked: ask({ fields: [["cache-control", "max-age=5"]] }), may: true },
];

for (const { what, asked, paths = ["/"], may } of USES) {
  Deno.test(`a request for ${what} ${may ? "may" : "may not"} be answered from the cache`, () => {
    assert.equal(mayUseCache(asked, paths), may);
  });
}

/** An hour after the epoch. */
const NOW_MS = 3_600_000;

const KEPT: { what: string; status?: number; fields?: Fields; ms: number }[] = [
  { what: "a plain answer", ms: 60_000 },
  { what: "a permanent redirect", status: 301, ms: 60_000 },
  { what: "a temporary redirect", status: 302, ms: 0 },
  { what: "a part", status: 206, ms: 0 },
  { what: "a missing page", status: 404, ms: 0 },
  { what: "an error", status: 500, ms: 0 },
  { what: "no-store", fields: [["cache-control", "no-store"]], ms: 0 },
  { what: "no-cache", fields: [["cache-control", "public, no-cache"]], ms: 0 },
  {
    what: "private, in a second field",
    fields: [["cache-control", "max-age=9"], ["cache-control", "private"]],
    ms: 0,
  },
  { what: "a cookie", fields: [["set-cookie", "a=b"]], ms: 0 },
  { what: "a shorter max-age", fields: [["cache-control", "max-age=5"]], ms: 5_000 },
  { what: "a longer max-age", fields: [["cache-control", "max-age=500"]], ms: 60_000 },
  { what: "max-age=0", fields: [["cache-control", "max-age=0"]], ms: 0 },
  {
    what: "s-maxage before max-age",
    fields: [["cache-control", "max-age=1, s-maxage=9"]],
    ms: 9_000,
  },
  { what: "max-age in capitals", fields: [["cache-control", "Max-Age=7"]], ms: 7_000 },
  {
    what: "max-age and proxy-revalidate",
    fields: [["cache-control", "max-age=7, proxy-revalidate"]],
    ms: 7_000,
  },
  { what: "a quoted max-age", fields: [["cache-control", 'max-age="7"']], ms: 7_000 },
  {
    what: "most of its max-age past",
    fields: [["cache-control", "max-age=60"], ["age", "59"]],
    ms: 1_000,
  },
  {
    what: "all of its max-age past",
    fields: [["cache-control", "max-age=60"], ["age", "99"]],
    ms: 0,
  },
  { what: "an age and no max-age", fields: [["age", "99"]], ms: 60_000 },
  { what: "an end to come", fields: [["expires", "Thu, 01 Jan 1970 01:00:07 GMT"]], ms: 7_000 },
  {
    what: "an end to come by the origin's clock",
    fields: [
      ["date", "Sun, 06 Nov 1994 08:49:37 GMT"],
      ["expires", "Sun, 06 Nov 1994 08:49:39 GMT"],
    ],
    ms: 2_000,
  },
  { what: "an end in the past", fields: [["expires", "Thu, 01 Jan 1970 00:00:00 GMT"]], ms: 0 },
  { what: "an end that is no date", fields: [["expires", "0"]], ms: 0 },
  {
    what: "max-age before its end",
    fields: [["cache-control", "max-age=5"], ["expires", "0"]],
    ms: 5_000,
  },
  { what: "events", fields: [["content-type", "text/event-stream; charset=utf-8"]], ms: 0 },
  { what: "codings", fields: [["vary", "Accept-Encoding"]], ms: 60_000 },
  { what: "languages", fields: [["vary", "accept-encoding, accept-language"]], ms: 0 },
  { what: "anything", fields: [["vary", "*"]], ms: 0 },
];

for (const { what, status = 200, fields = [], ms } of KEPT) {
  Deno.test(`an answer with ${what} is kept for ${ms} ms of a minute`, () => {
    assert.equal(freshForMs({ status, fields }, 60_000, NOW_MS), ms);
  });
}

Deno.test("the key tells apart methods, paths, queries and the codings that a client takes", () => {
  const heads = [
    ask(),
    ask({ method: "HEAD" }),
    ask({ path: "/home?a=1" }),
    ask({ path: "/home?a=2" }),
    ask({ fields: [["accept-encoding", "gzip"]] }),
  ];
  assert.equal(new Set(heads.map(keyOf)).size, heads.length);
  const spaced = ask({ fields: [["accept-encoding", "gzip, br"]] });
  const tight = ask({ fields: [["accept-encoding", "GZIP,br"]] });
  assert.equal(keyOf(spaced), keyOf(tight));
});
