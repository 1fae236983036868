/** The caching proxy in front of a real origin. */
import assert from "node:assert/strict";
import { until } from "../e2e/patience.ts";
import { serveOrigin, type TestOrigin } from "./fixtures/origin.ts";
import { proxyOf, type TestProxy } from "./fixtures/proxy.ts";

Deno.test("the first request is a miss, the next are hits with the same bytes and fields", async () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, at) => at % 256);
  await using origin = serveOrigin(() =>
    new Response(bytes, { headers: { "content-type": "image/png", "x-own": "a", etag: '"v1"' } })
  );
  await using proxy = await proxyOf(origin);
  const seen = [];
  for (const word of ["miss", "hit", "hit"]) {
    const response = await fetch(`${proxy.url}/a`);
    assert.equal(response.headers.get("x-cache"), word);
    const { status, headers } = response;
    const fields = ["content-type", "x-own", "etag"].map((name) => headers.get(name));
    seen.push({ status, fields, body: [...new Uint8Array(await response.arrayBuffer())] });
    assert.match(`${headers.get("age")}`, word === "miss" ? /^null$/ : /^\d$/);
  }
  assert.deepEqual(seen[0].body, [...bytes]);
  assert.deepEqual(seen[1], seen[0]);
  assert.deepEqual(origin.asked, ["GET /a"]);
});

for (const whole of [true, false]) {
  const what = whole ? "in one piece" : "in pieces";
  Deno.test(`1,000 concurrent cold requests reach the origin once when it answers ${what}`, async () => {
    await using origin = serveOrigin(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (whole) return new Response("a page");
      const pieces = ReadableStream.from(["a ", "pa", "ge"]);
      return new Response(pieces.pipeThrough(new TextEncoderStream()));
    });
    await using proxy = await proxyOf(origin);
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => proxy.get("/home")));
    assert.ok(answers.every(({ status, text }) => status === 200 && text === "a page"));
    assert.deepEqual(origin.asked, ["GET /home"]);
    assert.equal(answers.filter(({ word }) => word === "miss").length, 1);
  });
}

Deno.test("without singleFlight cold requests reach the origin side by side", async () => {
  const all = Promise.withResolvers<void>();
  await using origin = serveOrigin(async () => {
    if (origin.asked.length === 20) all.resolve();
    await all.promise;
    return new Response("a");
  });
  await using proxy = await proxyOf(origin, { singleFlight: false });
  const answers = await Promise.all(Array.from({ length: 20 }, () => proxy.get("/")));
  assert.ok(answers.every(({ word }) => word === "miss"));
  assert.equal(origin.asked.length, 20);
});

Deno.test("what waits for an answer that must not be shared asks for its own", async () => {
  let n = 0;
  await using origin = serveOrigin(async () => {
    const own = `visitor ${++n}`;
    await new Promise((resolve) => setTimeout(resolve, 30));
    return new Response(own, { headers: { "set-cookie": `id=${own}` } });
  });
  await using proxy = await proxyOf(origin);
  const answers = await Promise.all(Array.from({ length: 50 }, () => proxy.get("/")));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 50);
  assert.ok(answers.every(({ word }) => word === "miss"));
});

const NOT_KEPT: { what: string; answer: () => Response; init?: RequestInit; path?: string }[] = [
  { what: "an error", answer: () => new Response("no", { status: 500 }) },
  { what: "a missing page", answer: () => new Response("no", { status: 404 }) },
  {
    what: "no-store",
    answer: () => new Response("a", { headers: { "cache-control": "no-store" } }),
  },
  { what: "a cookie", answer: () => new Response("a", { headers: { "set-cookie": "a=b" } }) },
  { what: "a POST", answer: () => new Response("a"), init: { method: "POST", body: "b" } },
  {
    what: "a signed-in client",
    answer: () => new Response("a"),
    init: { headers: { authorization: "x" } },
  },
  { what: "a path outside", answer: () => new Response("a"), path: "/other" },
  {
    what: "a large body",
    answer: () => new Response("x".repeat(2_000), { headers: { "cache-control": "no-transform" } }),
  },
  {
    what: "a large body in pieces",
    answer: () =>
      new Response(
        ReadableStream.from(["x".repeat(900), "y".repeat(900)]).pipeThrough(
          new TextEncoderStream(),
        ),
      ),
  },
];

for (const { what, answer, init, path = "/home" } of NOT_KEPT) {
  Deno.test(`the answer is never kept for ${what}`, async () => {
    await using origin = serveOrigin(answer);
    await using proxy = await proxyOf(origin, { paths: ["/home"], maxBodyBytes: 1_000 });
    const expected = await answer().text();
    for (let n = 1; n <= 3; n++) {
      const { word, text } = await proxy.get(path, init);
      assert.deepEqual([word, text], ["miss", expected]);
      assert.equal(origin.asked.length, n);
    }
  });
}

Deno.test("an error ends with its cause: what the origin answers next is kept", async () => {
  await using origin = serveOrigin(() =>
    origin.asked.length === 1 ? new Response("down", { status: 503 }) : new Response("up")
  );
  await using proxy = await proxyOf(origin);
  const words = [];
  for (let n = 0; n < 3; n++) words.push((await proxy.get("/")).word);
  assert.deepEqual(words, ["miss", "miss", "hit"]);
});

Deno.test("a stale answer is served while one request fetches it anew", async () => {
  const release = Promise.withResolvers<void>();
  await using origin = serveOrigin(async () => {
    const version = origin.asked.length;
    if (version > 1) await release.promise;
    return new Response(`version ${version}`);
  });
  await using proxy = await proxyOf(origin, { ttlMs: 1, staleMs: 60_000 });
  await proxy.get("/");
  await new Promise((resolve) => setTimeout(resolve, 20));
  const answers = await Promise.all(Array.from({ length: 20 }, () => proxy.get("/")));
  assert.ok(answers.every(({ word, text }) => word === "stale" && text === "version 1"));
  await until("it is fetched anew", () => origin.asked.length > 1);
  assert.equal(origin.asked.length, 2);
  release.resolve();
  while ((await proxy.get("/")).text === "version 1");
});

for (const control of ["max-age=1, Must-Revalidate", "max-age=1, proxy-revalidate", "s-maxage=1"]) {
  Deno.test(`an answer with ${control} is never served stale`, async () => {
    const headers = { "cache-control": control };
    await using origin = serveOrigin(() => new Response("a", { headers }));
    await using proxy = await proxyOf(origin, { staleMs: 60_000 });
    const words = [(await proxy.get("/")).word, (await proxy.get("/")).word];
    await new Promise((resolve) => setTimeout(resolve, 1_020));
    words.push((await proxy.get("/")).word);
    assert.deepEqual(words, ["miss", "hit", "miss"]);
  });
}

Deno.test("without stale an answer past its time is fetched before it is served", async () => {
  await using origin = serveOrigin(() => new Response(`version ${origin.asked.length}`));
  await using proxy = await proxyOf(origin, { ttlMs: 1 });
  await proxy.get("/");
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(await proxy.get("/"), { word: "miss", status: 200, text: "version 2" });
});

Deno.test("how old an answer was when it came counts", async () => {
  const headers = { "cache-control": "max-age=60", age: "50" };
  await using origin = serveOrigin(() => new Response("a", { headers }));
  await using proxy = await proxyOf(origin);
  for (const word of ["miss", "hit"]) {
    const response = await fetch(proxy.url);
    await response.body?.cancel();
    assert.equal(response.headers.get("x-cache"), word);
    assert.match(response.headers.get("age") ?? "", word === "miss" ? /^50$/ : /^5\d$/);
  }
});

Deno.test("a load begins without what was kept before it", async () => {
  await using origin = serveOrigin(() => new Response("a"));
  await using proxy = await proxyOf(origin);
  for (const word of ["miss", "hit"]) assert.equal((await proxy.get("/")).word, word);
  proxy.receive("empty");
  assert.equal((await proxy.get("/")).word, "miss");
});

Deno.test("nobody but the origin is asked, whatever host a request names", async () => {
  await using origin = serveOrigin((request) => new Response(request.headers.get("host")));
  await using other = serveOrigin(() => new Response("another"));
  await using proxy = await proxyOf(origin);
  const { hostname, port } = new URL(proxy.url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const request = `GET ${other.url}/secret HTTP/1.1\r\nhost: ${
    new URL(other.url).host
  }\r\nconnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const answer = await new Response(connection.readable).text();
  assert.match(answer, new RegExp(`${new URL(origin.url).host}$`));
  assert.deepEqual([origin.asked, other.asked], [["GET /secret"], []]);
});

Deno.test("an origin that is gone is status 502, and is asked again when it is back", async () => {
  const gone = serveOrigin(() => new Response("a"));
  await gone[Symbol.asyncDispose]();
  await using proxy = await proxyOf(gone);
  const { status, text } = await proxy.get("/");
  assert.equal(status, 502);
  assert.match(text, /^\{"error":"Cannot get a response from the origin: .*refused/);
});

/** Twenty concurrent requests, each answered after a while. */
async function assertOneFetch(proxy: TestProxy, origin: TestOrigin): Promise<void> {
  const before = origin.asked.length;
  const answers = await Promise.all(Array.from({ length: 20 }, () => proxy.get("/")));
  assert.ok(answers.every(({ text }) => text === "a page"));
  assert.equal(origin.asked.length - before, 1);
}

const slowPage = async (): Promise<Response> => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  return new Response("a page");
};

Deno.test("an origin that is back is asked once for all that want the same, as if it had never been gone", async () => {
  const gone = serveOrigin(slowPage);
  await gone[Symbol.asyncDispose]();
  await using proxy = await proxyOf(gone);
  assert.equal((await proxy.get("/")).status, 502);
  await using origin = serveOrigin(slowPage, Number(new URL(gone.url).port));
  await assertOneFetch(proxy, origin);
});

Deno.test("after an answer that was cut off, the origin is asked once for all that want the same", async () => {
  const cut = new ReadableStream({
    pull(controller): void {
      controller.enqueue(new TextEncoder().encode("a"));
      controller.error(new Error("cut off"));
    },
  });
  await using origin = serveOrigin(() =>
    origin.asked.length > 1 ? slowPage() : new Response(cut, { headers: { "content-length": "6" } })
  );
  await using proxy = await proxyOf(origin);
  await assert.rejects(proxy.get("/"));
  await assertOneFetch(proxy, origin);
});

Deno.test("a HEAD has the fields of the answer and no body, also from the cache", async () => {
  await using origin = serveOrigin(() => new Response("12345"));
  await using proxy = await proxyOf(origin);
  for (const word of ["miss", "hit"]) {
    const { headers } = await fetch(proxy.url, { method: "HEAD" });
    assert.deepEqual([headers.get("x-cache"), headers.get("content-length")], [word, "5"]);
  }
  assert.deepEqual(await proxy.get("/"), { word: "miss", status: 200, text: "12345" });
});
