/**
 * Cookies of virtual users in whole flows over both drivers, held against what the server saw. The cases of RFC 6265's own
 * suite are in `cookie_suite_test.ts`.
 */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { CookieJar } from "tough-cookie";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { measureLoad } from "../../runner/measure/measure.ts";
import { ResponseReader } from "../../base/http/response.ts";
import { LIMITS } from "../../base/limits.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { cookieJars, type UserCookies } from "../../runner/load/engine/user/cookies.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import { NO_FILES } from "../../base/files.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { testWith } from "../needs.ts";

async function jarOf(
  lines: readonly string[],
  origin = "http://home.example:8080",
): Promise<string> {
  const cookies = (await cookieJars({ origin, preset: {} })).open();
  const reader = new ResponseReader({ retain: "head" });
  const head = [
    "HTTP/1.1 200 OK",
    ...lines.map((line) => `SET-cookie: ${line}`),
    "Content-Length: 3",
  ];
  const bytes = new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\nabc`);
  reader.begin(false);
  reader.read(bytes, 0, bytes.length);
  assert.equal(reader.reason, "");
  cookies.keep(reader, () => `${origin}/cookie-parser`);
  const wire = { method: "GET", path: "/cookie-parser/result", headers: {}, body: null };
  return cookies.added(wire, origin).headers.cookie ?? "";
}

Deno.test("cookies: what is secure goes over https, and to this machine, as browsers have it", async () => {
  for (const origin of ["https://home.example", "http://localhost:8080", "http://127.0.0.1:80"]) {
    assert.equal(await jarOf(["foo=bar; secure"], origin), "foo=bar", origin);
  }
});

Deno.test("cookies: a request's own field is left as it is", async () => {
  const origin = "http://a";
  const cookies = (await cookieJars({ origin, preset: { a: "1" } })).open();
  const wire = { method: "GET", path: "/", headers: { Cookie: "mine=1" }, body: null };
  assert.deepEqual(cookies.added(wire, origin), wire);
});

Deno.test("cookies: what is set for a domain goes to its hosts, and for a public suffix to no other", async () => {
  const wire = { method: "GET", path: "/", headers: {}, body: null };
  const cookies = (await cookieJars({ origin: "http://www.a.com", preset: {} })).open();
  const reader = new ResponseReader({ retain: "head" });
  const head =
    "HTTP/1.1 204 No Content\r\nSet-Cookie: a=1; Domain=com\r\nSet-Cookie: b=2; Domain=a.com\r\n\r\n";
  reader.begin(false);
  reader.read(new TextEncoder().encode(head), 0, head.length);
  cookies.keep(reader, () => "http://www.a.com/");
  const sentTo = (origin: string): string | undefined => cookies.added(wire, origin).headers.cookie;
  assert.deepEqual(["http://b.a.com", "https://a.com:8443", "http://b.com"].map(sentTo), [
    ...["b=2", "b=2", undefined],
  ]);
});

/** Keeps what a response to `/` of the origin sets. */
function kept(cookies: UserCookies, origin: string, lines: readonly string[]): void {
  const reader = new ResponseReader({ retain: "head" });
  const fields = lines.map((line) => `Set-Cookie: ${line}\r\n`).join("");
  const bytes = new TextEncoder().encode(`HTTP/1.1 204 No Content\r\n${fields}\r\n`);
  reader.begin(false);
  reader.read(bytes, 0, bytes.length);
  cookies.keep(reader, () => `${origin}/`);
}

Deno.test("cookies: what was sent once is sent again until one is set, removed or expires", async () => {
  const origin = "http://a.com";
  const jars = await cookieJars({ origin, preset: { lang: "de" } });
  const [cookies, neighbour] = [jars.open(), jars.open()];
  const sent = (path: string, to = origin, of = cookies): string =>
    of.added({ method: "GET", path, headers: {}, body: null }, to).headers.cookie ?? "";
  const sentTwice = (): string[] => ["/", "/admin", "/", "/admin"].map((path) => sent(path));

  assert.deepEqual(sentTwice(), ["lang=de", "lang=de", "lang=de", "lang=de"]);
  assert.equal(sent("/", "http://b.com"), "");
  kept(cookies, origin, ["lang=fr; Path=/", "role=1; Path=/admin"]);
  assert.deepEqual(sentTwice(), ["lang=fr", "role=1; lang=fr", "lang=fr", "role=1; lang=fr"]);
  assert.equal(sent("/", "http://b.com"), "");
  kept(cookies, origin, ["role=; Path=/admin; Max-Age=0"]);
  assert.deepEqual(sentTwice(), ["lang=fr", "lang=fr", "lang=fr", "lang=fr"]);
  assert.equal(sent("/", origin, neighbour), "lang=de");

  kept(cookies, origin, ["soon=1; Path=/; Max-Age=1"]);
  const [first, isGone] = [sent("/"), () => !sent("/").includes("soon")];
  assert.ok(first === "lang=fr; soon=1" || isGone(), first);
  for (const start = Date.now(); !isGone() && Date.now() - start < 30_000;) await delay(20);
  assert.equal(sent("/"), "lang=fr");
  using lookups = lookupsInJars();
  assert.deepEqual([sent("/"), sent("/"), lookups.count], ["lang=fr", "lang=fr", 0]);
});

/** Counts how often the library looks up the cookies of a URL. */
function lookupsInJars(): Disposable & { count: number } {
  const { getCookieStringSync } = CookieJar.prototype;
  const lookups = {
    count: 0,
    [Symbol.dispose](): void {
      CookieJar.prototype.getCookieStringSync = getCookieStringSync;
    },
  };
  CookieJar.prototype.getCookieStringSync = function (...args): string {
    lookups.count++;
    return getCookieStringSync.apply(this, args);
  };
  return lookups;
}

Deno.test("cookies: requests to ever new URLs do not prolong Max-Age, which counts from the response", async () => {
  const origin = "http://a.com";
  const cookies = (await cookieJars({ origin, preset: {} })).open();
  kept(cookies, origin, ["soon=1; Path=/; Max-Age=1"]);
  let [path, text] = [0, "soon=1"];
  const until = Date.now() + 10_000;
  for (; text !== "" && Date.now() < until; await delay(20)) {
    const wire = { method: "GET", path: `/${path++}`, headers: {}, body: null };
    text = cookies.added(wire, origin).headers.cookie ?? "";
  }
  assert.equal(text, "");
});

/** The cookies of a request to `/`, in their order. */
function namesSent(cookies: UserCookies, origin: string): string[] {
  const { headers } = cookies.added({ method: "GET", path: "/", headers: {}, body: null }, origin);
  return (headers.cookie ?? "").split("; ").map((pair) => pair.split("=")[0]);
}

Deno.test("cookies: however many responses set, a user has the newest, and no field grows for ever", async () => {
  const origin = "http://a.com";
  const cookies = (await cookieJars({ origin, preset: { lang: "de" } })).open();
  kept(cookies, origin, ["sid=1"]);
  for (let response = 0; response < 5; response++) {
    kept(cookies, origin, Array.from({ length: 2_000 }, (_, at) => `c${response}-${at}=`));
  }
  const { most } = LIMITS.cookies;
  const newest = Array.from({ length: most }, (_, at) => `c4-${2_000 - most + at}`);
  assert.deepEqual(namesSent(cookies, origin), newest);
  kept(cookies, origin, ["sid=2"]);
  assert.deepEqual(namesSent(cookies, origin), [...newest.slice(1), "sid"]);
});

Deno.test("cookies: long ones are bounded by what all have together, and the longest are not kept", async () => {
  const origin = "http://a.com";
  const cookies = (await cookieJars({ origin, preset: {} })).open();
  for (let at = 0; at < 100; at++) kept(cookies, origin, [`c${at}=${"x".repeat(3_000)}; Path=/`]);
  const names = namesSent(cookies, origin);
  assert.equal(names.length, Math.floor(LIMITS.cookieBytes.most / 3_012));
  assert.equal(names.at(-1), "c99");
  kept(cookies, origin, [`long=${"x".repeat(LIMITS.cookie.most)}`, "short=1"]);
  assert.deepEqual(namesSent(cookies, origin).slice(-2), ["c99", "short"]);
});

Deno.test("cookies: one that is set again and again pushes out no other", async () => {
  const origin = "http://a.com";
  const cookies = (await cookieJars({ origin, preset: { lang: "de" } })).open();
  for (let at = 0; at < 3 * LIMITS.cookies.most; at++) {
    kept(cookies, origin, [`sid=${at}`, `gone${at}=1; Path=/`, `gone${at}=; Path=/; Max-Age=0`]);
  }
  assert.deepEqual(namesSent(cookies, origin), ["lang", "sid"]);
});

/** Runs a flow; gives the cookies of each request that came, by its path. */
async function cookiesSeen(
  driver: DriverName,
  scenario: object,
): Promise<{ seen: Map<string, string[]>; failed: number; wrong: number }> {
  const seen = new Map<string, string[]>();
  let users = 0;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => {
      const { pathname } = new URL(request.url);
      seen.set(pathname, [...seen.get(pathname) ?? [], request.headers.get("cookie") ?? ""]);
      const headers = new Headers();
      if (pathname === "/login") {
        headers.append("set-cookie", `sid=u${++users}; Path=/; HttpOnly`);
        headers.append("set-cookie", "admin=1; Path=/admin");
        headers.append("set-cookie", "elsewhere=1; Domain=example.com");
      }
      if (pathname === "/logout") headers.append("set-cookie", "sid=; Max-Age=0; Path=/");
      return new Response("x".repeat(20_000), { headers });
    },
  );
  const loader = new LocalLoader();
  try {
    const { requests, checks } = await measureLoad({
      origin: `http://127.0.0.1:${server.addr.port}`,
      script: scriptOf(scenarioSpecWith(NO_FILES).parse(scenario), 1),
      load: loadOf({
        connections: 5,
        phases: [{ durationUs: 500_000, fromPerSec: 20, toPerSec: 20 }],
        timeout: 20_000,
        keepAlive: true,
        workers: 1,
        pool: "shared",
      }),
      seed: 1,
      driver,
      intervalMs: 100,
      logPath: null,
      implicitCheck: true,
    }, { loader, onProgress: () => {}, signal: new AbortController().signal });
    return { seen, failed: requests.failed, wrong: checks.failed };
  } finally {
    await loader.close();
  }
}

const FLOW = [
  { get: "/start" },
  { post: "/login", capture: { sid: { cookie: "sid" } } },
  { get: "/home?{{ sid }}" },
  { get: "/admin/users" },
  { post: "/logout" },
  { get: "/end" },
];

for (const driver of ["epoll", "tcp"] as const) {
  const needs = driver === "epoll" ? ["linux"] as const : [] as const;
  testWith([...needs], `cookies: each user has a jar of its own (${driver})`, async () => {
    const { seen, failed, wrong } = await cookiesSeen(driver, { flow: FLOW });
    assert.deepEqual([failed, wrong], [0, 0]);
    const home = seen.get("/home") ?? [];
    assert.equal(home.length, 10);
    assert.deepEqual(home.toSorted(), home.map((_, at) => `sid=u${at + 1}`).toSorted());
    assert.ok(seen.get("/start")?.every((text) => text === ""));
    assert.ok(seen.get("/admin/users")?.every((text) => /^admin=1; sid=u\d+$/.test(text)));
    assert.ok(seen.get("/end")?.every((text) => text === ""));
  });

  testWith(
    [...needs],
    `cookies: preset ones are sent, and none where they are off (${driver})`,
    async () => {
      const preset = await cookiesSeen(driver, { flow: FLOW, cookies: { lang: "de" } });
      assert.ok(preset.seen.get("/start")?.every((text) => text === "lang=de"));
      assert.ok(preset.seen.get("/home")?.every((text) => /^lang=de; sid=u\d+$/.test(text)));
      const off = await cookiesSeen(driver, { flow: FLOW, cookies: "off" });
      for (const texts of off.seen.values()) assert.ok(texts.every((text) => text === ""));
    },
  );
}
