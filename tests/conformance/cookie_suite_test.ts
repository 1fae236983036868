/**
 * What virtual users keep of Set-Cookie and send back, by the test suite behind RFC 6265, over every driver and as octets:
 * each case is a journey of two requests.
 */
import assert from "node:assert/strict";
import type { StepSpec } from "../../runner/load/engine/flow.ts";
import { COOKIE_CASES, type CookieCase } from "./cookie_cases.ts";
import { assertNothingLost, load } from "./loading.ts";
import { raw, say } from "./servers.ts";
import { everyDriver } from "./ways.ts";

const HOST = "home.example.org:8888";

function get(path: string): StepSpec {
  const wire = { method: "GET", path, headers: {}, body: null };
  return { kind: "request", step: 0, follow: null, wire, check: null, strict: false, captures: [] };
}

/** The heads of the requests of a connection, one by one. */
async function* headsOf(conn: Deno.Conn): AsyncGenerator<string> {
  const bytes = new Uint8Array(16_384);
  const decoder = new TextDecoder();
  for (let text = "";;) {
    const count = await conn.read(bytes);
    if (count === null) return;
    text += decoder.decode(bytes.subarray(0, count), { stream: true });
    for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 4);
    }
  }
}

/** The response to `/cookie-parser?name`. */
function settingOf({ set }: CookieCase): string {
  const lines = set.map((line) => `Set-Cookie: ${line}\r\n`);
  return `HTTP/1.1 200 OK\r\n${lines.join("")}Content-Length: 0\r\n\r\n`;
}

everyDriver.test("each case of RFC 6265's suite sends what the suite expects", async (way) => {
  const seen: Record<string, string> = {};
  const server = raw(way, async (conn) => {
    for await (const head of headsOf(conn)) {
      const [, path, name] = /^GET ([^?]+)\?(\S+)/.exec(head) ?? [];
      const found = COOKIE_CASES.find((one) => one.name === name);
      assert.ok(found, head);
      const isSetting = path === "/cookie-parser";
      if (!isSetting) seen[name] = /\r\nCookie: ([^\r]*)/i.exec(head)?.[1] ?? "";
      await say(conn, settingOf(isSetting ? found : { ...found, set: [] }));
    }
  });
  const loaded = await load(way, server, {
    requests: COOKIE_CASES.length,
    script: {
      kind: "flow",
      journeys: COOKIE_CASES.map(({ name, to }) => [
        get(`/cookie-parser?${name}`),
        get(`${to}?${name}`),
      ]),
      sequence: COOKIE_CASES.map((_, at) => at),
      thinkSeed: 0,
      origins: [{ origin: `http://${HOST}`, connection: { host: HOST, keepAlive: true } }],
      users: [{}],
      first: 0,
      stride: 1,
      sharedPool: true,
      cookies: { origin: `http://${HOST}`, preset: {} },
    },
  });
  await server.stop();
  assertNothingLost(loaded);
  const expected = Object.fromEntries(COOKIE_CASES.map(({ name, sent }) => [name, sent]));
  assert.deepEqual(seen, expected);
  assert.deepEqual([loaded.totals.completed, loaded.errors], [2 * COOKIE_CASES.length, {}]);
});
