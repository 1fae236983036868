/** The module `plateau/k6`, with which functions of a k6 script run. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { WireRequest } from "../../base/http/request.ts";
import { Realm } from "../../base/script/realm.ts";
import { Hooks } from "../../runner/load/hooks/hooks.ts";

const SCRIPT = {
  setup: `function* () { return null; }`,
  run: `function* () {}`,
  origin: "http://localhost",
  /** As more arguments. */
  agent: "",
};

function sourceOf(wish: Partial<typeof SCRIPT>): string {
  const { setup, run, origin, agent } = { ...SCRIPT, ...wish };
  return `import { around, hmac, http, iterations, uuidv4 } from "plateau/k6";
    const origin = ${JSON.stringify(origin)};
    export default {
      step: iterations(${run}, origin${agent}),
      setup: around(${setup}, origin, "http://127.0.0.1:1"${agent}),
    };`;
}

/** What `setup` gives, and the URLs that it fetches. */
async function setUp(wish: Partial<typeof SCRIPT>): Promise<{ given: unknown; urls: string[] }> {
  const realm = await Realm.open({
    entry: "script.js",
    load: () => sourceOf(wish),
    env: () => "",
    random: () => 0.5,
    nowMs: () => 0,
    log: () => {},
  });
  realm.experiment({});
  const urls: string[] = [];
  const given = await realm.call("setup", "[null]", (url) => {
    urls.push(url);
    return Promise.resolve(JSON.stringify({ status: 200, headers: {}, body: "" }));
  });
  return { given: JSON.parse(given), urls };
}

Deno.test("a request has the user agent of the options, unless it has its own", async () => {
  const agent = ', "me"';
  const run = "function* () { yield http.get(origin + '/'); }";
  assert.deepEqual(Object(await firstSent({ run, agent })).headers, { "user-agent": "me" });
  const own = run.replace("'/'", "'/', { headers: { 'User-Agent': 'own' } }");
  const sent = await firstSent({ run: own, agent });
  assert.deepEqual(Object(sent).headers, { "User-Agent": "own" });
});

/** The path of the first request, or why there is none. */
async function sentBy(wish: Partial<typeof SCRIPT>): Promise<string> {
  const sent = await firstSent(wish);
  return typeof sent === "string" ? sent : sent.path;
}

async function firstSent(wish: Partial<typeof SCRIPT>): Promise<WireRequest | string> {
  const code = { entry: "script.js", files: { "script.js": sourceOf(wish) }, parameters: {} };
  const hooks = await Hooks.open(
    { ...code, env: {}, data: null },
    { seed: 1, first: 0, stride: 1, nowUs: () => 0 },
  );
  const wire = { method: "GET", path: "/", headers: {}, body: null };
  const { before } = hooks.prepared({ before: "step.before", after: null }, wire);
  const user = { number: 0, isNew: true, news: new Map(), variables: new Map() };
  return before?.(user, wire) ?? "nothing";
}

Deno.test("requests of setup go to the target where they have its whole origin, and no longer one", async () => {
  const sent = ["", "/a?b", "?c", ":80/d", ":9000/token", "er/e"].map((rest) =>
    `yield http.get("HTTP://localhost${rest}");`
  );
  const { urls } = await setUp({ setup: `function* () { ${sent.join(" ")} }` });
  assert.deepEqual(urls, [
    "http://127.0.0.1:1",
    "http://127.0.0.1:1/a?b",
    "http://127.0.0.1:1?c",
    "http://127.0.0.1:1/d",
    "HTTP://localhost:9000/token",
    "HTTP://localhoster/e",
  ]);
});

const ORIGINS: readonly (readonly [url: string, origin: string, sent: RegExp])[] = [
  ["http://localhost:80/a", "http://localhost", /^\/a$/],
  ["https://LOCALHOST:443/a", "https://localhost", /^\/a$/],
  ["http://localhost:8080/a", "http://localhost:8080", /^\/a$/],
  ["https://localhost:80/a", "https://localhost", /it goes to https:\/\/localhost:80,/],
  ["http://localhost:8080/a", "http://localhost", /it goes to http:\/\/localhost:8080,/],
];

for (const [url, origin, sent] of ORIGINS) {
  Deno.test(`of requests to ${origin}, one to ${url} is ${sent}`, async () => {
    const run = `function* () { yield http.get(${JSON.stringify(url)}); }`;
    assert.match(await sentBy({ run, origin }), sent);
  });
}

Deno.test("digests have the forms of k6, also in setup, and octets may be their key", async () => {
  const forms = ["hex", "base64", "base64url", "base64rawurl"];
  const digests = forms.map((form) => `hmac("sha256", "key", "text 1", "${form}")`);
  const { given } = await setUp({
    setup: `function* () {
      return [${digests}, hmac("sha256", hmac("sha256", "key", "text 1", "binary"), "b", "hex")];
    }`,
  });
  const digest = createHmac("sha256", "key").update("text 1").digest();
  assert.deepEqual(given, [
    digest.toString("hex"),
    digest.toString("base64"),
    digest.toString("base64url") + "=",
    digest.toString("base64url"),
    createHmac("sha256", digest).update("b").digest("hex"),
  ]);
  assert.match(digest.toString("base64"), /[+/]/);
  const unknown = 'function* () { return hmac("sha256", "key", "a", "base32"); }';
  await assert.rejects(setUp({ setup: unknown }), /a digest cannot be written as base32/);
});

Deno.test("setup may make a UUID", async () => {
  const { given } = await setUp({ setup: "function* () { return uuidv4(); }" });
  assert.match(String(given), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

Deno.test("the user and password of a URL are sent as HTTP Basic, unless the request has a field of its own", async () => {
  const url = '"http://ada:p%40ss@localhost/a@b"';
  const sent = await firstSent({ run: `function* () { yield http.get(${url}); }` });
  assert.ok(typeof sent !== "string", String(sent));
  assert.equal(sent.path, "/a@b");
  assert.deepEqual(sent.headers, { authorization: `Basic ${btoa("ada:p@ss")}` });
  const own = `function* () { yield http.get(${url}, { headers: { Authorization: "mine" } }); }`;
  const kept = await firstSent({ run: own });
  assert.ok(typeof kept !== "string", String(kept));
  assert.deepEqual(kept.headers, { Authorization: "mine" });
});

Deno.test("a response knows its URL and the cookies that it sets", async () => {
  const realm = await Realm.open({
    entry: "script.js",
    load: () =>
      sourceOf({
        setup: `function* () {
          const response = yield http.get("http://localhost/a");
          return { url: response.url, cookies: response.cookies };
        }`,
      }),
    env: () => "",
    random: () => 0.5,
    nowMs: () => 0,
    log: () => {},
  });
  realm.experiment({});
  const field =
    "sid=a=b; Path=/; HttpOnly; Expires=Wed, 21 Oct 2015 07:28:00 GMT, lang=en; Max-Age=5";
  const given = await realm.call(
    "setup",
    "[null]",
    () =>
      Promise.resolve(JSON.stringify({ status: 200, headers: { "set-cookie": field }, body: "" })),
  );
  const none = { domain: "", path: "", http_only: false, secure: false, max_age: 0, expires: 0 };
  assert.deepEqual(JSON.parse(given), {
    url: "http://localhost/a",
    cookies: {
      sid: [{
        ...none,
        ...{ name: "sid", value: "a=b", path: "/", http_only: true },
        expires: Date.UTC(2015, 9, 21, 7, 28),
      }],
      lang: [{ ...none, name: "lang", value: "en", max_age: 5 }],
    },
  });
});
