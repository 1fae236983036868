/** Compressed responses: checked and captured from as what was compressed, over every driver. */
import assert from "node:assert/strict";
import * as zlib from "node:zlib";
import { LIMITS } from "../../base/limits.ts";
import { loadEngine } from "../../base/pattern.ts";
import { checkResponses } from "../../runner/experiment/preflight.ts";
import { NO_FILES } from "../../base/files.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { assertNothingLost, load } from "./loading.ts";
import { counting } from "./servers.ts";
import { everyDriver, PLAIN_WAYS } from "./ways.ts";

await loadEngine(); // a scenario of a test has a pattern

const TEXT = JSON.stringify({ ok: true, token: "t".repeat(50), list: Array(2_000).fill("item") });

const ENCODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
};

const encoded = new TextEncoder().encode(TEXT);
const respond = (bytes: Uint8Array, coding: string): Response =>
  new Response(new Uint8Array(bytes), { headers: { "content-encoding": coding } });
const COUNT = 20;
const JSON_CHECK = { statuses: [200], body: null, contains: null, json: { ok: true } };
const STATUS_CHECK = { statuses: [200], body: null, contains: null };

/** Responses that cannot be read, by what is wrong with them. */
const UNREADABLE: Record<string, () => Response> = {
  "a plain body that is called gzip": () => respond(encoded, "gzip"),
  "a plain body that is called br": () => respond(encoded, "br"),
  "a coding that nobody knows": () => respond(encoded, "sdch"),
  "another coding than it says": () => respond(zlib.gzipSync(encoded), "zstd"),
};
for (const [coding, encode] of Object.entries(ENCODERS)) {
  const whole = encode(encoded);
  UNREADABLE[`half of a ${coding} body`] = () =>
    respond(whole.subarray(0, whole.length >> 1), coding);
}

for (const [coding, encode] of Object.entries(ENCODERS)) {
  everyDriver.test(`a ${coding} body is checked as what was compressed`, async (way) => {
    const bytes = encode(encoded);
    const server = counting(way, () => respond(bytes, coding));
    const loaded = await load(way, server, { requests: COUNT, check: JSON_CHECK });
    await server.stop();
    assertNothingLost(loaded);
    assert.deepEqual([loaded.totals.checksPassed, loaded.totals.checksFailed], [COUNT, 0]);
  });
}

for (const [what, answer] of Object.entries(UNREADABLE)) {
  everyDriver.test(`${what} is a wrong response, unless nothing looks at it`, async (way) => {
    const server = counting(way, answer);
    const looked = await load(way, server, { requests: COUNT, check: JSON_CHECK });
    const unseen = await load(way, server, { requests: COUNT, check: STATUS_CHECK });
    await server.stop();
    assert.deepEqual([looked.totals.completed, looked.errors], [COUNT, {}]);
    assert.deepEqual([looked.totals.checksPassed, looked.totals.checksFailed], [0, COUNT]);
    assert.deepEqual([unseen.totals.checksPassed, unseen.totals.checksFailed], [COUNT, 0]);
  });
}

everyDriver.test("a bomb is a wrong response, and the next one is read", async (way) => {
  const bomb = zlib.gzipSync(new Uint8Array(LIMITS.decodedBody.most + 1));
  const right = zlib.gzipSync(encoded);
  let turn = 0;
  const server = counting(way, () => respond(turn++ % 2 === 0 ? bomb : right, "gzip"));
  const loaded = await load(way, server, { requests: 6, connections: 1, check: JSON_CHECK });
  await server.stop();
  assert.deepEqual([loaded.totals.checksPassed, loaded.totals.checksFailed], [3, 3]);
});

everyDriver.test("a flow captures from a compressed body", async (way) => {
  const paths: string[] = [];
  const server = counting(way, (request) => {
    paths.push(new URL(request.url).pathname);
    return respond(zlib.brotliCompressSync(encoded), "br");
  });
  const get = (path: string) => ({ method: "GET", path, headers: {}, body: null });
  const ask = { kind: "request" as const, step: 0, check: null, strict: false, follow: null };
  const from = { kind: "json" as const, path: ["token"] };
  await load(way, server, {
    requests: 1,
    script: {
      kind: "flow",
      journeys: [[
        { ...ask, wire: get("/login"), captures: [{ as: "token", from }] },
        { ...ask, wire: get("/{{ token }}"), captures: [] },
      ]],
      sequence: [0],
      thinkSeed: 0,
      origins: [{ origin: "http://localhost", connection: { host: "localhost", keepAlive: true } }],
      users: [{}],
      first: 0,
      stride: 1,
      sharedPool: true,
      cookies: null,
    },
  });
  await server.stop();
  assert.deepEqual(paths, ["/login", `/${"t".repeat(50)}`]);
});

/** What the preflight says of the response. */
async function preflightOf(answer: () => Response, scenario: object): Promise<string | null> {
  const server = counting(PLAIN_WAYS[0], answer);
  const { hostname, port } = server.endpoint as { hostname: string; port: number };
  try {
    await checkResponses({
      target: "mine",
      origin: `http://${hostname}:${port}`,
      script: scriptOf(scenarioSpecWith(NO_FILES).parse(scenario), 1),
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await server.stop();
  }
}

Deno.test("the preflight reads compressed bodies, and says why one cannot be read", async () => {
  const check = { get: "/", expect: { json: { ok: true } } };
  for (const [coding, encode] of Object.entries(ENCODERS)) {
    assert.equal(await preflightOf(() => respond(encode(encoded), coding), check), null, coding);
  }
  for (const [what, answer] of Object.entries(UNREADABLE)) {
    assert.match(await preflightOf(answer, check) ?? "", /content-encoding/, what);
    assert.equal(await preflightOf(answer, { get: "/" }), null, what);
  }
  const capture = { flow: [{ get: "/", capture: { token: { pattern: "(t+)" } } }] };
  const half = UNREADABLE["half of a br body"];
  assert.match(await preflightOf(half, capture) ?? "", /not valid br: unexpected end of file/);
  const unsaid = await preflightOf(
    () => new Response(new Uint8Array(zlib.gzipSync(encoded))),
    check,
  );
  assert.match(unsaid ?? "", /looks like gzip, but the response has no content-encoding/);
  const broken = (): Response =>
    new Response("no", { status: 500, headers: { "content-encoding": "gzip" } });
  assert.match(await preflightOf(broken, check) ?? "", /expected status 2xx or 3xx, got 500/);
});
