/**
 * One suite over all built-in apps: each keeps its contract (targets/apps/app.ts), without a socket
 * and over a real server; then, app by app, what it promises to answer.
 */
import { type AppName, appNames } from "../../base/target/app_settings.ts";
import assert from "node:assert/strict";
import { appNamed } from "../../targets/apps/registry.ts";
import { flatSettings } from "../../base/target/settings.ts";
import { serveApp } from "../../targets/apps/serve.ts";
import { type Settings, startApp } from "../targets/fixtures/started_app.ts";

/** Each app as it is without settings, and with as many as go together without Redis. */
const VARIANTS: [name: AppName, set: Settings][] = [
  ...appNames.map((name): [AppName, Settings] => [name, {}]),
  ["user", { cache: "memory", stampede: "all", rateLimit: { limit: 1_000 } }],
  ["wiki", { pages: 50, seed: 7, renderCache: "on", gzip: "on" }],
  ["site", { brotli: "on", etag: "on", files: "on" }],
  ["site", { gzip: "off", cache: "on", etag: "on" }],
];

for (const name of appNames) {
  const { summary, settings } = appNamed(name);

  Deno.test(`app ${name} describes itself and each of its settings`, () => {
    assert.match(summary, /^\w.{10,80}$/);
    for (const [key, field] of Object.entries(settings.shape)) {
      assert.ok(field.description, `${key} has no description`);
    }
  });

  Deno.test(`app ${name} starts without any setting`, () => {
    assert.deepEqual(settings.safeParse({}).error, undefined);
  });
}

for (const [name, set] of VARIANTS) {
  const what = [name, ...Object.keys(set)].join(" ");
  const { paths } = appNamed(name);

  Deno.test(`app ${what} answers each of its paths, with the same bytes every time`, async () => {
    await using app = await startApp(name, set);
    for (const path of paths.filter((path) => path !== "/redis")) {
      const [first, second] = [await app.ask(path), await app.ask(path)];
      assert.equal(first.status, 200, path);
      assert.deepEqual(await first.bytes(), await second.bytes(), path);
    }
  });

  Deno.test(`app ${what} answers over a real server as it does without one`, async () => {
    await using app = await startApp(name, set);
    const served = await serveApp({ app: name, port: 0, set: flatSettings(set) });
    for (const path of [...paths, "/no-such-path"]) {
      const [expected, actual] = [await app.ask(path), await fetch(served.origin + path)];
      assert.equal(actual.status, expected.status, path);
      assert.deepEqual(await actual.bytes(), await expected.bytes(), path);
    }
    await served.close();
  });

  Deno.test(`app ${what} answers HEAD as GET without a body, and 404 where nothing is`, async () => {
    await using app = await startApp(name, set);
    const head = await app.ask(paths[0], { method: "HEAD" });
    assert.deepEqual([head.status, head.body], [200, null]);
    assert.equal((await app.ask("/no-such-path")).status, 404);
  });

  Deno.test(`app ${what} leaves no file behind when it is closed`, async () => {
    const folder = Deno.makeTempDirSync({ prefix: "plateau-test-" });
    const before = Deno.env.get("TMPDIR");
    try {
      Deno.env.set("TMPDIR", folder);
      const app = await startApp(name, set);
      await (await app.ask(paths[0])).body?.cancel();
      await app.close();
      assert.deepEqual([...Deno.readDirSync(folder)], []);
    } finally {
      if (before === undefined) Deno.env.delete("TMPDIR");
      else Deno.env.set("TMPDIR", before);
      Deno.removeSync(folder, { recursive: true });
    }
  });
}

const API_ANSWERS: [path: string, status: number, body: unknown][] = [
  ["/static", 200, { ok: true }],
  ["/fib", 200, { res: 28657 }],
  ["/redis", 503, { error: "Cannot read from Redis: the app was started without a Redis" }],
  ["/validation?number=5&string=x1237", 200, { ok: true }],
  ["/validation?number=-12&string=12345", 200, { ok: true }],
  ["/error/2", 200, { value: 2 }],
  ["/error/0", 200, { value: 0 }],
  ["/error/1", 500, { error: "Division by 0" }],
];

for (const [path, status, body] of API_ANSWERS) {
  Deno.test(`api answers GET ${path} with ${status} ${JSON.stringify(body)}`, async () => {
    const response = await (await startApp("api")).ask(path);
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
    const response = await (await startApp("api")).ask(`/validation${query}`);
    assert.equal(response.status, 400);
    const { errors } = await response.json();
    assert.ok(errors.length > 0 && errors.every(({ message }: { message: string }) => message));
  });
}

const LOG_LINE =
  /^(\S+) - - \[\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET (\S+) HTTP\/1\.1" (\d{3}) (\d+|-) "([^"]*)" "([^"]*)"$/;

for (const name of ["api", "user", "wiki", "site"] as const) {
  const small: Settings = name === "wiki" ? { pages: 10 } : {};

  Deno.test(`app ${name} logs a combined line per request when its log is on`, async () => {
    await using app = await startApp(name, { ...small, log: "on" });
    const remoteAddr = { transport: "tcp", hostname: "10.0.0.7", port: 1 } as const;
    await app.fetch(new Request("http://app/nowhere?q=1"), { remoteAddr });
    await app.ask("/x", { headers: { referer: "http://ref/", "user-agent": "tester/1" } });
    const [first, second] = app.log.map((line) => LOG_LINE.exec(line)?.slice(1));
    assert.deepEqual(first, ["10.0.0.7", "/nowhere?q=1", "404", "-", "-", "-"]);
    assert.equal(second?.[0], "-");
    assert.deepEqual(second?.slice(4), ["http://ref/", "tester/1"]);
    assert.equal(app.log.length, 2);
  });

  Deno.test(`app ${name} logs nothing when its log is off`, async () => {
    await using app = await startApp(name, { ...small, log: "off" });
    await app.ask("/");
    assert.deepEqual(app.log, []);
  });
}

Deno.test("work computes for cpuTime milliseconds before it says hello", async () => {
  await using app = await startApp("work");
  const startMs = performance.now();
  const response = await app.ask("/?cpuTime=30");
  assert.ok(performance.now() - startMs >= 30);
  assert.equal(await response.text(), "Hello World!");
});

Deno.test("work sleeps for sleepTime milliseconds, many requests at once", async () => {
  await using app = await startApp("work");
  const startMs = performance.now();
  await Promise.all(Array.from({ length: 20 }, () => app.ask("/?sleepTime=200")));
  const elapsedMs = performance.now() - startMs;
  assert.ok(elapsedMs >= 199 && elapsedMs < 3_900, `${elapsedMs} ms, one after the other 4 s`);
});

Deno.test("work never sleeps for less than a request asks for, fractions included", async () => {
  await using app = await startApp("work");
  for (let asks = 0; asks < 40; asks++) {
    const startMs = performance.now();
    await (await app.ask("/?sleepTime=5.9")).body?.cancel();
    const tookMs = performance.now() - startMs;
    assert.ok(tookMs >= 5.9, `${tookMs} ms`);
  }
});

Deno.test("work computes and sleeps as set for a request that does not ask for another", async () => {
  await using app = await startApp("work", { cpuTime: "20ms", sleepTime: "30ms" });
  const tookMs = async (path: string): Promise<number> => {
    const startMs = performance.now();
    await (await app.ask(path)).body?.cancel();
    return performance.now() - startMs;
  };
  assert.ok(await tookMs("/") >= 49);
  assert.ok(await tookMs("/?cpuTime=60") >= 89);
});

const WORK_REFUSED = [
  ...["cpuTime=51", "sleepTime=201", "cpuTime=-1", "cpuTime=x", "sleepTime=", "sleepTime=1e9"],
];

for (const query of WORK_REFUSED) {
  Deno.test(`work refuses ${query} with 400 when it may compute 50 ms and sleep 200 ms`, async () => {
    await using app = await startApp("work", { maxCpuTime: "50ms", maxSleepTime: "200ms" });
    const response = await app.ask(`/?${query}`);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /must be a number of milliseconds from 0 to (50|200)"/);
  });
}
