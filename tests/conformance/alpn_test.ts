/**
 * Which protocol a connection offers by ALPN, and which choice of a server refuses it: by the system's OpenSSL under
 * the epoll driver, and by each TLS of the runtime, with and without a tunnel.
 */
import assert from "node:assert/strict";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { type Access, endpointOf } from "../../base/net/endpoint.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { certificates } from "../certificates.ts";
import { type Need, testWith } from "../needs.ts";
import { startHttpProxy } from "./http_proxy.ts";
import { load } from "./loading.ts";
import { isAsked, say } from "./servers.ts";
import { DRIVER_NAMES } from "./ways.ts";

const OPEN = "open";

/** A connection preface (RFC 9113 §3.4), which servers of HTTP/2 answer with frames: no response of HTTP/1.1. */
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\0\0\0\x04\0\0\0\0\0";
const PLAIN = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** How the dials of a load end: all open, or all with this reason. */
async function dialed(driver: DriverName, port: number, access: Access): Promise<string> {
  const endpoint = endpointOf(`https://localhost:${port}`, access);
  const bytes = new TextEncoder().encode(access.http2 ? PREFACE : PLAIN);
  const request = { bytes, head: false, step: 0, check: null };
  const script = { kind: "requests" as const, requests: [request], sequence: Uint32Array.of(0) };
  const wish = { requests: 2, connections: 1, script };
  const { totals, errors } = await load({ driver }, { endpoint }, wish);
  if (totals.connect.count === 0) return [...totals.reasons.keys()].join();
  assert.deepEqual(errors, access.http2 ? { protocol: 2 } : {});
  return OPEN;
}

interface Served extends AsyncDisposable {
  readonly port: number;
}

async function http2(options: { readonly allowHTTP1: boolean }): Promise<Served> {
  const server: Http2SecureServer = createSecureServer({ ...certificates().signed, ...options });
  server.on("request", (_, response) => response.end());
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((end) => server.close(() => end())),
  };
}

/** Its connections end when the client closes them. */
function serving(listener: Deno.Listener, serve: (conn: Deno.Conn) => Promise<void>): Served {
  const serveOne = async (conn: Deno.Conn): Promise<void> => {
    using _ = conn;
    await serve(conn);
  };
  const served = (async () => {
    const all: Promise<void>[] = [];
    for await (const conn of listener) all.push(serveOne(conn).catch(() => {}));
    await Promise.all(all);
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    async [Symbol.asyncDispose](): Promise<void> {
      listener.close();
      await served;
    },
  };
}

const PLACE = { hostname: "127.0.0.1", port: 0 };

function withoutAlpn(): Served {
  return serving(Deno.listenTls({ ...PLACE, ...certificates().signed }), async (conn) => {
    while (await isAsked(conn)) await say(conn, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  });
}

/** A fatal alert, no_application_protocol (RFC 8446 §6, RFC 7301 §3.2). */
const ALERT = "\x15\x03\x03\0\x02\x02\x78";

/** As servers do that know ALPN, and not the protocol that is offered. */
function refusing(): Served {
  return serving(Deno.listen(PLACE), async (conn) => {
    await isAsked(conn);
    await say(conn, ALERT);
    while (await isAsked(conn));
  });
}

interface Case {
  readonly server: string;
  readonly serve: () => Served | Promise<Served>;
  /** Null: not tried. */
  readonly byHttp1: string | null;
  readonly byHttp2: string;
}

const CASES: readonly Case[] = [
  {
    server: "that speaks HTTP/2 alone",
    serve: () => http2({ allowHTTP1: false }),
    byHttp1: null, // its alert may be lost, as it closes the connection right away
    byHttp2: OPEN,
  },
  {
    server: "that speaks both",
    serve: () => http2({ allowHTTP1: true }),
    byHttp1: OPEN,
    byHttp2: OPEN,
  },
  {
    server: "that refuses what is offered",
    serve: refusing,
    byHttp1: "the server does not speak HTTP/1.1: it refused the protocol in ALPN",
    byHttp2: "the server does not speak HTTP/2: it refused the protocol in ALPN",
  },
  {
    server: "without ALPN",
    serve: withoutAlpn,
    byHttp1: OPEN,
    byHttp2: "the server does not speak HTTP/2: it chose no protocol in ALPN",
  },
];

const WAYS: Record<string, () => Access> = {
  "checked": () => ({ caCerts: [certificates().authority] }),
  "unchecked": () => ({ insecure: true }),
};

for (const driver of DRIVER_NAMES) {
  const needs: Need[] = driver === "epoll" ? ["openssl", "libssl"] : ["openssl"];
  for (const [way, access] of Object.entries(WAYS)) {
    for (const { server, serve, byHttp1, byHttp2 } of CASES) {
      testWith(needs, `${driver}, ${way}: a server ${server}`, async () => {
        await using served = await serve();
        const wanted = { ...access(), http2: true };
        if (byHttp1 !== null) {
          assert.equal(await dialed(driver, served.port, access()), byHttp1);
        }
        assert.equal(await dialed(driver, served.port, wanted), byHttp2);
      });
      testWith(needs, `${driver}, ${way}, by a tunnel: a server ${server}`, async () => {
        await using served = await serve();
        await using proxy = startHttpProxy();
        const wanted = { ...access(), proxy: proxy.url, http2: true };
        assert.equal(await dialed(driver, served.port, wanted), byHttp2);
      });
    }
  }
}
