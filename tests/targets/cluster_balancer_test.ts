/** The builtin balancer in front of real instances. */
import type { PolicyName } from "../../base/target/gateway_shape.ts";
import assert from "node:assert/strict";
import { type ServedGateway, serveGateway } from "../../targets/serve_gateway.ts";
import { serveOrigin, type TestOrigin } from "./fixtures/origin.ts";

type Balanced = Pick<ServedGateway, "origin" | "receive"> & AsyncDisposable;

async function balance(
  instances: TestOrigin[],
  policy: PolicyName = "round-robin",
): Promise<Balanced> {
  const settings = { kind: "balancer", origins: instances.map(({ url }) => url), policy } as const;
  const served = await serveGateway(settings, { hostname: "127.0.0.1", port: 0 });
  return { ...served, [Symbol.asyncDispose]: served.close };
}

const text = async (url: string, init?: RequestInit): Promise<string> =>
  (await fetch(url, init)).text();

Deno.test("requests on one connection go to one instance after the other", async () => {
  await using a = serveOrigin(() => new Response("a"));
  await using b = serveOrigin(() => new Response("b"));
  await using balanced = await balance([a, b]);
  const { hostname, port } = new URL(balanced.origin);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const request = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
  const last = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
  await connection.write(new TextEncoder().encode(request.repeat(3) + last));
  await new Response(connection.readable).text();
  assert.deepEqual([a.asked.length, b.asked.length], [2, 2]);
});

for (const policy of ["least-connections", "random-two"] as const) {
  Deno.test(`${policy} sends a slow instance less`, async () => {
    const release = Promise.withResolvers<void>();
    await using slow = serveOrigin(async () => {
      await release.promise;
      return new Response("slow");
    });
    await using quick = serveOrigin(() => new Response("quick"));
    await using balanced = await balance([slow, quick], policy);
    const askMany = async (): Promise<void> => {
      for (let n = 0; n < 40; n++) await text(balanced.origin);
    };
    const all = Promise.all([askMany(), askMany(), askMany()]);
    const quickOnes = new Promise<void>((resolve) => {
      const look = (): unknown => quick.asked.length >= 30 ? resolve() : setTimeout(look, 5);
      look();
    });
    await Promise.race([quickOnes, all]);
    assert.ok(slow.asked.length <= 2, `${slow.asked.length} of ${quick.asked.length}`);
    release.resolve();
    await all;
  });
}

Deno.test("an instance that joins gets requests from then on", async () => {
  await using a = serveOrigin(() => new Response("a"));
  await using b = serveOrigin(() => new Response("b"));
  await using balanced = await balance([a]);
  for (let n = 0; n < 2; n++) await text(balanced.origin);
  balanced.receive(`join ${b.url}`);
  for (let n = 0; n < 4; n++) await text(balanced.origin);
  assert.deepEqual([a.asked.length, b.asked.length], [4, 2]);
});

Deno.test("method, path, query, fields and body arrive as they were sent", async () => {
  await using origin = serveOrigin(async (request) =>
    Response.json({
      method: request.method,
      path: request.url.slice(origin.url.length),
      own: request.headers.get("x-own"),
      connection: request.headers.get("x-hop"),
      body: await request.text(),
    }, { status: 201, headers: [["set-cookie", "a=1"], ["set-cookie", "b=2"]] })
  );
  await using balanced = await balance([origin]);
  const headers = { "x-own": "ü", "x-hop": "1", connection: "x-hop, keep-alive" };
  const { hostname, port } = new URL(balanced.origin);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const request =
    `PUT /a/../b%2e?c=%41 HTTP/1.1\r\nhost: x\r\n${lines}content-length: 5\r\n\r\n12345`;
  await connection.write(Uint8Array.from(request, (letter) => letter.charCodeAt(0)));
  const buffer = new Uint8Array(4_096);
  let answer = "";
  while (!answer.endsWith("}")) {
    const length = await connection.read(buffer);
    assert.ok(length !== null, answer);
    answer += new TextDecoder().decode(buffer.subarray(0, length));
  }
  connection.close();
  assert.match(answer, /^HTTP\/1\.1 201 /);
  assert.match(answer, /set-cookie: a=1\r\n(?:.*\r\n)*?set-cookie: b=2\r\n/);
  const seen = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
  assert.deepEqual(seen, {
    method: "PUT",
    path: "/a/../b%2e?c=%41",
    own: "ü",
    connection: null,
    body: "12345",
  });
});

Deno.test("a body in pieces of any size comes through whole, both ways", async () => {
  await using origin = serveOrigin((request) => new Response(request.body));
  await using balanced = await balance([origin]);
  const pieces = [1, 70_000, 3, 200_000].map((length, at) => String(at).repeat(length));
  const body = ReadableStream.from(pieces).pipeThrough(new TextEncoderStream());
  assert.equal(await text(balanced.origin, { method: "POST", body }), pieces.join(""));
});

Deno.test("a client that goes away ends its request at the instance", async () => {
  const ended = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await using origin = serveOrigin(async (request) => {
    request.signal.addEventListener("abort", () => ended.resolve());
    arrived.resolve();
    await ended.promise;
    return new Response("for nobody");
  });
  await using balanced = await balance([origin]);
  const leaving = new AbortController();
  const asking = fetch(balanced.origin, { signal: leaving.signal }).catch(() => "left");
  await arrived.promise;
  leaving.abort();
  assert.equal(await asking, "left");
  await ended.promise;
});

Deno.test("a client that goes away within an answer ends it at the instance", async () => {
  const ended = Promise.withResolvers<void>();
  await using origin = serveOrigin(() =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => ended.resolve(),
      }),
    )
  );
  await using balanced = await balance([origin]);
  const response = await fetch(balanced.origin);
  await response.body?.cancel();
  await ended.promise;
});

Deno.test("an instance that is gone is status 502", async () => {
  const gone = serveOrigin(() => new Response("a"));
  await gone[Symbol.asyncDispose]();
  await using balanced = await balance([gone]);
  const response = await fetch(balanced.origin);
  assert.equal(response.status, 502);
  assert.match(await response.text(), /Cannot get a response from the origin/);
});

Deno.test("connections to an instance are used again", async () => {
  const ports = new Set<number>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (_, info) => {
    ports.add(info.remoteAddr.port);
    return new Response("a");
  });
  const origin = { url: `http://127.0.0.1:${server.addr.port}`, asked: [] };
  {
    await using balanced = await balance([{ ...origin, [Symbol.asyncDispose]: async () => {} }]);
    for (let n = 0; n < 20; n++) await text(balanced.origin);
  }
  await server.shutdown();
  assert.equal(ports.size, 1);
});
