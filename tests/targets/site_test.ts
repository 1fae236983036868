import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { negotiate } from "../../targets/apps/compression.ts";
import { serveApp } from "../../targets/apps/serve.ts";
import { type Settings, startApp } from "./fixtures/started_app.ts";

Deno.test("site links its five pages, and every image that a page shows is a PNG", async () => {
  await using app = await startApp("site");
  for (
    const page of ["/", "/page1.html", "/page2.html", "/page3.html", "/page4.html", "/page5.html"]
  ) {
    const html = await (await app.ask(page)).text();
    const links = [...html.matchAll(/<a href="([^"]+)"/g)].map(([, path]) => path);
    const images = [...html.matchAll(/<img src="([^"]+)"/g)].map(([, path]) => path);
    assert.deepEqual(links, ["/", ...[1, 2, 3, 4, 5].map((number) => `/page${number}.html`)]);
    assert.equal(new Set(images).size, 3);
    for (const image of images) assert.deepEqual(await pngSize(await app.ask(image)), [160, 120]);
  }
});

/** Width and height, after the signature and the CRC of every chunk were seen to be right. */
async function pngSize(response: Response): Promise<[number, number]> {
  const { crc32 } = await import("node:zlib");
  const bytes = await response.bytes();
  const view = new DataView(bytes.buffer);
  assert.equal(response.headers.get("content-type"), "image/png");
  assert.equal(view.getBigUint64(0), 0x89504e470d0a1a0an);
  const types: string[] = [];
  for (let at = 8; at < bytes.length;) {
    const end = at + 8 + view.getUint32(at);
    assert.equal(view.getUint32(end), crc32(bytes.subarray(at + 4, end)));
    types.push(new TextDecoder().decode(bytes.subarray(at + 4, at + 8)));
    at = end + 4;
  }
  assert.deepEqual(types, ["IHDR", "IDAT", "IEND"]);
  return [view.getUint32(16), view.getUint32(20)];
}

Deno.test("site compresses pages, not images, for clients that accept gzip", async () => {
  await using app = await startApp("site");
  const headers = { "accept-encoding": "gzip, deflate, br" };
  const page = await app.ask("/page1.html", { headers });
  assert.equal(page.headers.get("content-encoding"), "gzip");
  const bytes = await page.clone().bytes();
  assert.ok(bytes.length > 750 && bytes.length < 1_000, `${bytes.length} bytes, 873 in the study`);
  const unpacked = await new Response(page.body?.pipeThrough(new DecompressionStream("gzip")))
    .text();
  assert.equal(unpacked, await (await app.ask("/page1.html")).text());
  const image = await app.ask("/images/1.png", { headers });
  assert.equal(image.headers.get("content-encoding"), null);
});

Deno.test("site does not compress when gzip is off, not even by the server's own means", async () => {
  const { origin, close } = await serveApp({ app: "site", port: 0, set: { gzip: "off" } });
  const response = await fetch(`${origin}/`, { headers: { "accept-encoding": "gzip" } });
  assert.equal(response.headers.get("content-encoding"), null);
  assert.match(await response.text(), /^\s*<!DOCTYPE html>/);
  await close();
});

Deno.test("site keeps whole responses when its cache is on: compressed and not, apart", async () => {
  await using app = await startApp("site", { cache: "on" });
  const gzip = { "accept-encoding": "gzip" };
  const states: (string | null)[] = [];
  const bodies: Uint8Array[] = [];
  for (const headers of [{}, gzip, {}, gzip]) {
    const response = await app.ask("/page2.html", { headers });
    states.push(response.headers.get("x-cache"));
    bodies.push(await response.bytes());
  }
  assert.deepEqual(states, ["miss", "miss", "hit", "hit"]);
  assert.deepEqual(bodies[2], bodies[0]);
  assert.deepEqual(bodies[3], bodies[1]);
  assert.ok(bodies[1].length < bodies[0].length);
});

Deno.test("site never keeps an answer other than 200", async () => {
  await using app = await startApp("site", { cache: "on" });
  for (const _ of [1, 2]) {
    const response = await app.ask("/page6.html");
    assert.deepEqual([response.status, response.headers.get("x-cache")], [404, "miss"]);
  }
});

const NEGOTIATIONS: [accepted: string | undefined, offered: string, chosen: string | null][] = [
  ["gzip, deflate, br", "gzip brotli", "br"],
  ["gzip, deflate, br", "gzip", "gzip"],
  ["br", "gzip", null],
  ["gzip;q=1, br;q=0.5", "gzip brotli", "gzip"],
  ["gzip;q=0, *", "gzip brotli", "br"],
  ["*", "gzip", "gzip"],
  ["GZIP ; q=0.1", "gzip brotli", "gzip"],
  ["gzip;q=x", "gzip", null],
  ["identity", "gzip brotli", null],
  [undefined, "gzip brotli", null],
];

for (const [accepted, offered, chosen] of NEGOTIATIONS) {
  Deno.test(`of ${offered}, a client with accept-encoding ${accepted} gets ${chosen}`, () => {
    const encodings = { gzip: offered.includes("gzip"), brotli: offered.includes("brotli") };
    assert.equal(negotiate(accepted, encodings), chosen);
  });
}

Deno.test("site compresses with brotli for clients that accept it, and says what its answers vary by", async () => {
  await using app = await startApp("site", { brotli: "on" });
  const plain = await (await app.ask("/page1.html")).text();
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const encoding of ["br", "gzip"] as const) {
    const response = await app.ask("/page1.html", { headers: { "accept-encoding": encoding } });
    const { headers } = response;
    assert.equal(headers.get("content-encoding"), encoding);
    assert.equal(headers.get("vary"), "accept-encoding");
    const bytes = await response.bytes();
    assert.equal(headers.get("content-length"), `${bytes.length}`);
    assert.equal(new TextDecoder().decode(decoders[encoding](bytes)), plain);
  }
});

const SOURCES: Settings[] = [{}, { files: "on" }, { cache: "on" }, {
  files: "on",
  cache: "on",
  brotli: "on",
}];

for (const set of SOURCES) {
  const what = `site ${JSON.stringify(set)}`;

  Deno.test(`${what} with ETags answers 304 to who has the page, and the page to who has another`, async () => {
    await using app = await startApp("site", { ...set, etag: "on" });
    for (const path of ["/page3.html", "/images/3.png"]) {
      for (const encoding of ["identity", "gzip"]) {
        const first = await app.ask(path, { headers: { "accept-encoding": encoding } });
        const etag = first.headers.get("etag") ?? "";
        assert.match(etag, /^(?:W\/)?"[^"]+"$/);
        const headers = { "accept-encoding": encoding, "if-none-match": `"x", ${etag}` };
        for (const _ of ["not kept", "kept"]) {
          const again = await app.ask(path, { headers });
          assert.deepEqual([again.status, again.headers.get("etag"), again.body], [
            304,
            etag,
            null,
          ]);
          assert.equal(again.headers.get("content-type"), null);
        }
        const other = await app.ask(path, { headers: { ...headers, "if-none-match": '"x"' } });
        assert.equal(other.status, 200);
        assert.deepEqual(await other.bytes(), await first.bytes());
      }
    }
  });

  Deno.test(`${what} has no ETags unless they are switched on`, async () => {
    await using app = await startApp("site", set);
    const response = await app.ask("/page3.html", { headers: { "if-none-match": "*" } });
    assert.deepEqual([response.status, response.headers.get("etag")], [200, null]);
  });
}

Deno.test("site gives the same bytes from files as from memory, with tags of their size and time", async () => {
  await using memory = await startApp("site");
  await using files = await startApp("site", { files: "on", etag: "on" });
  for (const path of ["/", "/page5.html", "/images/5.png"]) {
    const [expected, actual] = [await memory.ask(path), await files.ask(path)];
    assert.deepEqual(await actual.bytes(), await expected.bytes());
    assert.match(actual.headers.get("etag") ?? "", /^W\/"[0-9a-f]+-[0-9a-f]+"$/);
  }
});

Deno.test("site renders a page again when the cache has kept it for its ttl", async () => {
  await using app = await startApp("site", { cache: "on", ttl: "10ms" });
  assert.equal((await app.ask("/")).headers.get("x-cache"), "miss");
  const states = new Set<string | null>();
  const endMs = performance.now() + 10_000;
  while (states.size < 2 && performance.now() < endMs) {
    states.add((await app.ask("/")).headers.get("x-cache"));
  }
  assert.deepEqual([...states].sort(), ["hit", "miss"]);
});

Deno.test("with helmet every response tells browsers to use HTTPS, also from the cache; without none does", async () => {
  for (const helmet of ["on", "off"]) {
    await using app = await startApp("site", { helmet, cache: "on" });
    for (const path of ["/page1.html", "/page1.html", "/images/1.png", "/nowhere"]) {
      const { headers } = await app.ask(path);
      const seen = [
        headers.get("strict-transport-security"),
        headers.get("x-content-type-options"),
      ];
      const sent = helmet === "on"
        ? ["max-age=15552000; includeSubDomains", "nosniff"]
        : [null, null];
      assert.deepEqual(seen, sent, path);
    }
  }
});
