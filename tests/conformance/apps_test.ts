/**
 * One suite over all built-in apps: each keeps its contract (targets/apps/app.ts), without a socket
 * and over a real server; then, app by app, what it promises to answer.
 */
import assert from "node:assert/strict";
import type { RunningApp } from "../../targets/apps/app.ts";
import { type AppName, appNamed, appNames } from "../../targets/apps/registry.ts";
import { serveApp } from "../../targets/serve.ts";

type Settings = Record<string, unknown>;

async function startApp(
  name: AppName,
  set: Settings = {},
): Promise<RunningApp & { log: string[] }> {
  const log: string[] = [];
  const app = appNamed(name);
  const context = { redisUrl: null, log: (line: string) => void log.push(line) };
  return { ...await app.start(app.settings.parse(set), context), log };
}

async function ask(app: RunningApp, path: string, headers: HeadersInit = {}): Promise<Response> {
  return await app.fetch(new Request(`http://app${path}`, { headers }));
}

for (const name of appNames) {
  const { summary, settings, paths } = appNamed(name);

  Deno.test(`app ${name} describes itself and each of its settings`, () => {
    assert.match(summary, /^\w.{10,80}$/);
    for (const [key, field] of Object.entries(settings.shape)) {
      assert.ok(field.description, `${key} has no description`);
    }
  });

  Deno.test(`app ${name} starts without any setting`, () => {
    assert.deepEqual(settings.safeParse({}).error, undefined);
  });

  Deno.test(`app ${name} answers each of its paths, with the same bytes every time`, async () => {
    const app = await startApp(name);
    for (const path of paths.filter((path) => path !== "/redis")) {
      const [first, second] = [await ask(app, path), await ask(app, path)];
      assert.equal(first.status, 200, path);
      assert.deepEqual(await first.bytes(), await second.bytes(), path);
    }
    await app.close();
  });

  Deno.test(`app ${name} answers over a real server as it does without one`, async () => {
    const app = await startApp(name);
    const served = await serveApp({ app: name, port: 0 });
    for (const path of [...paths, "/no-such-path"]) {
      const [expected, actual] = [await ask(app, path), await fetch(served.origin + path)];
      assert.equal(actual.status, expected.status, path);
      assert.deepEqual(await actual.bytes(), await expected.bytes(), path);
    }
    await served.close();
    await app.close();
  });
}

const API_ANSWERS: [path: string, status: number, body: unknown][] = [
  ["/static", 200, { ok: true }],
  ["/fib", 200, { res: 28657 }],
  ["/redis", 503, { error: "Cannot ask Redis as the app was started without one" }],
  ["/validation?number=5&string=x1237", 200, { ok: true }],
  ["/validation?number=-12&string=12345", 200, { ok: true }],
  ["/error/2", 200, { value: 2 }],
  ["/error/0", 200, { value: 0 }],
  ["/error/1", 500, { error: "Division by 0" }],
];

for (const [path, status, body] of API_ANSWERS) {
  Deno.test(`api answers GET ${path} with ${status} ${JSON.stringify(body)}`, async () => {
    const response = await ask(await startApp("api"), path);
    assert.equal(response.status, status);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    assert.deepEqual(await response.json(), body);
  });
}

const INVALID = [
  ["nothing", ""],
  ["no string", "?number=5"],
  ["no number", "?string=x1237"],
  ["a number that is none", "?number=five&string=x1237"],
  ["a number with a fraction", "?number=5.5&string=x1237"],
  ["an empty number", "?number=&string=x1237"],
  ["a string of 4 characters", "?number=5&string=1234"],
] as const;

for (const [what, query] of INVALID) {
  Deno.test(`api refuses ${what} with 400 and says why`, async () => {
    const response = await ask(await startApp("api"), `/validation${query}`);
    assert.equal(response.status, 400);
    const { errors } = await response.json();
    assert.ok(errors.length > 0 && errors.every(({ message }: { message: string }) => message));
  });
}

const LOG_LINE =
  /^(\S+) - - \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET (\S+) HTTP\/1\.1" (\d{3}) (\d+|-) "([^"]*)" "([^"]*)"$/;

for (const name of ["api", "site"] as const) {
  Deno.test(`app ${name} logs a combined line per request when its log is on`, async () => {
    const app = await startApp(name, { log: "on" });
    const remoteAddr = { transport: "tcp", hostname: "10.0.0.7", port: 1 } as const;
    await app.fetch(new Request("http://app/nowhere?q=1"), { remoteAddr });
    await ask(app, "/static", { referer: "http://ref/", "user-agent": "tester/1" });
    const [first, second] = app.log.map((line) => LOG_LINE.exec(line)?.slice(1));
    assert.deepEqual(first, ["10.0.0.7", "/nowhere?q=1", "404", "-", "-", "-"]);
    assert.equal(second?.[0], "-");
    assert.deepEqual(second?.slice(4), ["http://ref/", "tester/1"]);
    assert.equal(app.log.length, 2);
    await app.close();
  });

  Deno.test(`app ${name} logs nothing when its log is off`, async () => {
    const app = await startApp(name, { log: "off" });
    await ask(app, "/");
    assert.deepEqual(app.log, []);
    await app.close();
  });
}

Deno.test("work computes for cpuTime milliseconds before it says hello", async () => {
  const app = await startApp("work");
  const startMs = performance.now();
  const response = await ask(app, "/?cpuTime=30");
  assert.ok(performance.now() - startMs >= 30);
  assert.equal(await response.text(), "Hello World!");
});

Deno.test("work sleeps for sleepTime milliseconds, many requests at once", async () => {
  const app = await startApp("work");
  const startMs = performance.now();
  await Promise.all(Array.from({ length: 20 }, () => ask(app, "/?sleepTime=50")));
  const elapsedMs = performance.now() - startMs;
  assert.ok(elapsedMs >= 49 && elapsedMs < 900, `${elapsedMs} ms`);
});

const WORK_REFUSED = [
  "cpuTime=51",
  "sleepTime=201",
  "cpuTime=-1",
  "cpuTime=x",
  "sleepTime=",
  "sleepTime=1e9",
];

for (const query of WORK_REFUSED) {
  Deno.test(`work refuses ${query} with 400 when it may compute 50 ms and sleep 200 ms`, async () => {
    const app = await startApp("work", { maxCpuTime: "50ms", maxSleepTime: "200ms" });
    const response = await ask(app, `/?${query}`);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /must be a number of milliseconds from 0 to (50|200)"/);
  });
}

Deno.test("site links its five pages, and every image that a page shows is a PNG", async () => {
  const app = await startApp("site");
  for (
    const page of ["/", "/page1.html", "/page2.html", "/page3.html", "/page4.html", "/page5.html"]
  ) {
    const html = await (await ask(app, page)).text();
    const links = [...html.matchAll(/<a href="([^"]+)"/g)].map(([, path]) => path);
    const images = [...html.matchAll(/<img src="([^"]+)"/g)].map(([, path]) => path);
    assert.deepEqual(links, ["/", ...[1, 2, 3, 4, 5].map((number) => `/page${number}.html`)]);
    assert.equal(new Set(images).size, 3);
    for (const image of images) assert.deepEqual(await pngSize(await ask(app, image)), [160, 120]);
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
  const app = await startApp("site");
  const headers = { "accept-encoding": "gzip, deflate, br" };
  const page = await ask(app, "/page1.html", headers);
  assert.equal(page.headers.get("content-encoding"), "gzip");
  const bytes = await page.clone().bytes();
  assert.ok(bytes.length > 750 && bytes.length < 1_000, `${bytes.length} bytes, 873 in the study`);
  const unpacked = await new Response(page.body?.pipeThrough(new DecompressionStream("gzip")))
    .text();
  assert.equal(unpacked, await (await ask(app, "/page1.html")).text());
  const image = await ask(app, "/images/1.png", headers);
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
  const app = await startApp("site", { cache: "on" });
  const gzip = { "accept-encoding": "gzip" };
  const states: (string | null)[] = [];
  const bodies: Uint8Array[] = [];
  for (const headers of [{}, gzip, {}, gzip]) {
    const response = await ask(app, "/page2.html", headers);
    states.push(response.headers.get("x-cache"));
    bodies.push(await response.bytes());
  }
  assert.deepEqual(states, ["miss", "miss", "hit", "hit"]);
  assert.deepEqual(bodies[2], bodies[0]);
  assert.deepEqual(bodies[3], bodies[1]);
  assert.ok(bodies[1].length < bodies[0].length);
});

Deno.test("site never keeps an answer other than 200", async () => {
  const app = await startApp("site", { cache: "on" });
  for (const _ of [1, 2]) {
    const response = await ask(app, "/page6.html");
    assert.deepEqual([response.status, response.headers.get("x-cache")], [404, "miss"]);
  }
});
