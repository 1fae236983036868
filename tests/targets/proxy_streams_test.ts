/** Bodies that come in pieces through the caching proxy, and those that have no end. */
import assert from "node:assert/strict";
import { serveOrigin } from "./fixtures/origin.ts";
import { proxyOf } from "./fixtures/proxy.ts";

Deno.test("the answer's beginning arrives before its end exists", async () => {
  const end = Promise.withResolvers<void>();
  await using origin = serveOrigin(() =>
    new Response(
      new ReadableStream({
        async start(controller): Promise<void> {
          controller.enqueue(new TextEncoder().encode("first "));
          await end.promise;
          controller.enqueue(new TextEncoder().encode("last"));
          controller.close();
        },
      }),
    )
  );
  await using proxy = await proxyOf(origin);
  const response = await fetch(proxy.url);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await reader?.read())?.value, "first ");
  end.resolve();
  assert.equal((await reader?.read())?.value, "last");
  assert.equal((await reader?.read())?.done, true);
  assert.deepEqual(await proxy.get("/"), { word: "hit", status: 200, text: "first last" });
});

/** Sends a piece at once and no more; `ended` when all who asked for it have gone. */
function endless(clients: number): { stream(): ReadableStream<Uint8Array>; ended: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = clients;
  const stream = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("first ")),
      cancel: () => --left > 0 ? undefined : resolve(),
    });
  return { stream, ended: promise };
}

const WITHOUT_END: { what: string; headers: HeadersInit }[] = [
  { what: "is of events", headers: { "content-type": "text/event-stream" } },
  { what: "says that it is too long", headers: { "content-length": "2000000" } },
  { what: "only takes long", headers: {} },
];

for (const { what, headers } of WITHOUT_END) {
  Deno.test(`nobody waits for the end of an answer that ${what}`, async () => {
    const { stream, ended } = endless(3);
    await using origin = serveOrigin(() => new Response(stream(), { headers }));
    await using proxy = await proxyOf(origin);
    const leaving: Response["body"][] = [];
    for (let n = 1; n <= 3; n++) {
      const signal = AbortSignal.timeout(5_000);
      const { status, headers, body } = await fetch(proxy.url, { signal });
      assert.deepEqual([status, headers.get("x-cache")], [200, "miss"]);
      assert.equal(origin.asked.length, n);
      leaving.push(body);
    }
    await Promise.all(leaving.map((body) => body?.cancel()));
    await ended;
  });
}

Deno.test("what takes long is kept in the end, and the others do not wait for it", async () => {
  const end = Promise.withResolvers<void>();
  await using origin = serveOrigin(() => {
    if (origin.asked.length > 1) return new Response("quick");
    const pieces = async function* (): AsyncGenerator<string> {
      yield "first ";
      await end.promise;
      yield "last";
    };
    return new Response(ReadableStream.from(pieces()).pipeThrough(new TextEncoderStream()));
  });
  await using proxy = await proxyOf(origin);
  const soon = { signal: AbortSignal.timeout(5_000) };
  const slow = proxy.get("/");
  while (origin.asked.length === 0) await new Promise((resolve) => setTimeout(resolve));
  const others = await Promise.all(Array.from({ length: 5 }, () => proxy.get("/", soon)));
  assert.ok(others.every(({ word, text }) => word === "miss" && text === "quick"));
  end.resolve();
  assert.equal((await slow).text, "first last");
  assert.deepEqual(await proxy.get("/"), { word: "hit", status: 200, text: "first last" });
});

Deno.test("an answer that takes long ends at the origin when its client has gone", async () => {
  const { stream, ended } = endless(1);
  await using origin = serveOrigin(() =>
    origin.asked.length > 1 ? new Response("quick") : new Response(stream())
  );
  await using proxy = await proxyOf(origin);
  const { body } = await fetch(proxy.url);
  const other = proxy.get("/", { signal: AbortSignal.timeout(5_000) });
  await proxy.get("/after"); // by then the other one waits
  await body?.cancel();
  assert.equal((await other).text, "quick");
  await ended;
});
