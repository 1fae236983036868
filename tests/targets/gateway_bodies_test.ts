/** Bodies that fronts of ours can't pass on. */
import assert from "node:assert/strict";
import { serveGateway } from "../../targets/serve_gateway.ts";
import type { GatewaySettings } from "../../targets/gateways/gateway.ts";
import { serveOrigin } from "./fixtures/origin.ts";
import { PROXY_DEFAULTS } from "./fixtures/proxy.ts";

const FRONTS: { name: string; settings: (origin: string) => GatewaySettings }[] = [
  {
    name: "balancer",
    settings: (origin) => ({ kind: "balancer", origins: [origin], policy: "round-robin" }),
  },
  { name: "proxy", settings: (origin) => ({ ...PROXY_DEFAULTS, origin }) },
];

const SMUGGLED = "GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n";
const CHUNK = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;

const BODIES = [
  `content-length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  `transfer-encoding: chunked\r\n\r\n${CHUNK}`,
];

/** All that comes back on one connection until it ends. */
async function sendRaw(origin: string, text: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(text));
  return await new Response(connection.readable).text();
}

for (const { name, settings } of FRONTS) {
  for (const method of ["GET", "HEAD"]) {
    Deno.test(`a ${name} refuses a body with ${method}, and the next request is answered right`, async () => {
      await using origin = serveOrigin(() => new Response("right"));
      const front = await serveGateway(settings(origin.url), { hostname: "127.0.0.1", port: 0 });
      for (const body of BODIES) {
        const last = "GET /next HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        const answers = await sendRaw(
          front.origin,
          `${method} /a HTTP/1.1\r\nhost: x\r\n${body}${last}`,
        );
        assert.match(answers, /^HTTP\/1\.1 400 [^]*HTTP\/1\.1 200 [^]*right$/);
      }
      assert.ok(origin.asked.every((line) => line === "GET /next"), origin.asked.join());
      await front.close();
    });
  }

  Deno.test(`a ${name} passes on a GET that says it has no body`, async () => {
    await using origin = serveOrigin(() => new Response("right"));
    const front = await serveGateway(settings(origin.url), { hostname: "127.0.0.1", port: 0 });
    const none = "host: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    assert.match(await sendRaw(front.origin, `GET / HTTP/1.1\r\n${none}`), / 200 OK[^]*right$/);
    await front.close();
  });
}
