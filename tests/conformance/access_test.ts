/**
 * The ways to a server beyond its URL, over both drivers, and by the preflight: an address of its own, a certificate of
 * the client, an HTTP proxy, and IPv6.
 */
import assert from "node:assert/strict";
import { type Access, connectionOptions, endpointOf } from "../../base/net/endpoint.ts";
import { encodeRequest } from "../../base/http/request.ts";
import { NEXT_ADDRESS_MS } from "../../base/net/route.ts";
import { checkResponses } from "../../runner/experiment/preflight.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { mergeHistograms } from "../../runner/stats/histogram/histogram.ts";
import type { Script } from "../../scenarios/request/script.ts";
import { freePort } from "../../targets/launch/environment.ts";
import { certificates } from "../certificates.ts";
import { type Need, testWith } from "../needs.ts";
import { startHttpProxy } from "./http_proxy.ts";
import { assertNothingLost, load, type Loaded, type Wish } from "./loading.ts";
import { startMutualNginx } from "./mutual_nginx.ts";
import { DRIVER_NAMES } from "./ways.ts";

const REQUESTS = 12;
const WIRE = { method: "GET", path: "/a?b=1", headers: {}, body: null };

/** Loads an origin by a way, as `bench` does. */
async function reach(
  driver: DriverName,
  origin: string,
  access: Access,
  wish: Pick<Wish, "connections" | "keepAlive"> = {},
): Promise<Loaded> {
  const endpoint = endpointOf(origin, access);
  const bytes = encodeRequest(WIRE, connectionOptions(origin, endpoint, true));
  const loaded = await load({ driver }, { endpoint }, {
    ...wish,
    requests: REQUESTS,
    script: {
      kind: "requests",
      requests: [{ bytes, head: false, step: 0, check: null }],
      sequence: Uint32Array.of(0),
    },
  });
  assertNothingLost(loaded);
  return loaded;
}

/** As `run` checks a target before its load. */
async function preflight(origin: string, access: Access): Promise<void> {
  const request = {
    ...{ kind: "request" as const, step: 0, wire: WIRE, captures: [], follow: null },
    expect: { status: 200 },
  };
  const script: Script = { kind: "requests", stepNames: [], requests: [request], sequence: [0] };
  const { signal } = new AbortController();
  await checkResponses({ target: "a", origin, ...access, script, timeoutMs: 20_000, signal });
}

interface Served extends AsyncDisposable {
  readonly port: number;
  /** URLs, as they came. */
  readonly seen: string[];
}

function serve(options: { hostname?: string; cert?: string; key?: string } = {}): Served {
  const seen: string[] = [];
  const { hostname = "127.0.0.1", ...tls } = options;
  const place = { hostname, port: 0, ...tls, onListen: () => {} };
  const server = Deno.serve(place as Deno.ServeTcpOptions, ({ url }) => {
    seen.push(new URL(url).host + new URL(url).pathname);
    return new Response("ok");
  });
  return { port: server.addr.port, seen, [Symbol.asyncDispose]: () => server.shutdown() };
}

function everyDriver(
  needs: readonly Need[],
  sentence: string,
  test: (driver: DriverName) => Promise<void>,
): void {
  for (const driver of DRIVER_NAMES) testWith(needs, `${driver}: ${sentence}`, () => test(driver));
}

const TLS: readonly Need[] = ["openssl", "libssl"];

everyDriver(
  [],
  "an address of its own is dialed, and the URL's host is asked for",
  async (driver) => {
    await using server = serve();
    const origin = `http://no-such-host.invalid:${server.port}`;
    const access = { addresses: ["127.0.0.1"] };
    const { totals, errors } = await reach(driver, origin, access);
    assert.deepEqual([totals.completed, errors], [REQUESTS, {}]);
    await preflight(origin, access);
    assert.deepEqual(new Set(server.seen), new Set([`no-such-host.invalid:${server.port}/a`]));
    assert.equal(server.seen.length, REQUESTS + 1);
  },
);

everyDriver(
  TLS,
  "the certificate is that of the URL's host, wherever it is dialed",
  async (driver) => {
    const { signed, authority } = certificates();
    await using server = serve(signed);
    const access = { addresses: ["127.0.0.1"], caCerts: [authority] };
    const { totals } = await reach(driver, `https://localhost:${server.port}`, access);
    assert.equal(totals.completed, REQUESTS);
    const { errors } = await reach(driver, `https://elsewhere.example:${server.port}`, access);
    assert.deepEqual(errors, { tls: REQUESTS });
  },
);

everyDriver(
  ["ipv6"],
  "IPv6 is reached by its literal, also by TLS and by resolve",
  async (driver) => {
    await using server = serve({ hostname: "::1" });
    const origin = `http://[::1]:${server.port}`;
    const { totals, errors } = await reach(driver, origin, {});
    assert.deepEqual([totals.completed, errors], [REQUESTS, {}]);
    await preflight(origin, {});
    assert.equal(server.seen[0], `[::1]:${server.port}/a`);
    const named = await reach(driver, `http://named.invalid:${server.port}`, {
      addresses: ["::1"],
    });
    assert.equal(named.totals.completed, REQUESTS);
  },
);

everyDriver(["ipv6", ...TLS], "IPv6 is reached by TLS", async (driver) => {
  const { signed, authority } = certificates();
  await using server = serve({ ...signed, hostname: "::1" });
  const access = { addresses: ["::1"], caCerts: [authority] };
  const origin = `https://localhost:${server.port}`;
  const { totals, errors } = await reach(driver, origin, access);
  assert.deepEqual([totals.completed, errors], [REQUESTS, {}]);
  await preflight(origin, access);
});

/** Loopback addresses at which nobody listens: the system refuses what is dialed there. */
const DEAD = "127.0.0.9";

for (const isSecure of [false, true]) {
  everyDriver(
    isSecure ? TLS : [],
    `the addresses of a host are tried until one connects${isSecure ? ", by TLS, too" : ""}`,
    async (driver) => {
      const { signed, authority } = certificates();
      await using server = serve(isSecure ? signed : {});
      const origin = `${isSecure ? "https" : "http"}://localhost:${server.port}`;
      for (const insecure of isSecure ? [false, true] : [false]) {
        const access = { addresses: [DEAD, "127.0.0.1"], caCerts: [authority], insecure };
        const { totals, errors } = await reach(driver, origin, access);
        assert.deepEqual([totals.completed, errors], [REQUESTS, {}]);
        await preflight(origin, access);
      }
    },
  );
}

everyDriver([], "a dial that fails names every address that was tried", async (driver) => {
  const addresses = [DEAD, "127.0.0.8"];
  const port = freePort();
  const { totals, errors } = await reach(driver, `http://named.invalid:${port}`, { addresses });
  assert.deepEqual([totals.completed, errors], [0, { connect: REQUESTS }]);
  const tried = addresses.map((ip) => `${ip}:${port}: connection refused`).join("; ");
  assert.deepEqual([...totals.reasons.keys()], [tried]);
  await assert.rejects(preflight(`http://named.invalid:${port}`, { addresses }), ({ message }) => {
    return String(message).includes(tried);
  });
});

everyDriver(["ipv6"], "localhost is this machine in both families", async (driver) => {
  await using server = serve({ hostname: "::1" });
  const origin = `http://localhost:${server.port}`;
  const { totals, errors } = await reach(driver, origin, {});
  assert.deepEqual([totals.completed, errors], [REQUESTS, {}]);
  await preflight(origin, {});
});

everyDriver(
  ["linux"],
  "an address that is silent holds up the first dials alone",
  async (driver) => {
    await using server = serve();
    using _silent = await silentAt(DEAD, server.port);
    const access = { addresses: [DEAD, "127.0.0.1"] };
    const reached = await reach(driver, `http://named.invalid:${server.port}`, access, {
      connections: 1,
      keepAlive: false,
    });
    assert.deepEqual([reached.totals.completed, reached.errors], [REQUESTS, {}]);
    // Each dial that began with the silent address would have taken that long.
    const { count, meanUs } = mergeHistograms([reached.totals.connect]);
    assert.equal(count, REQUESTS);
    assert.ok(meanUs < NEXT_ADDRESS_MS * 1_000, `dials took ${meanUs} µs on average`);
  },
);

/** Listens and accepts nothing: its queue is full, so the system drops what is dialed. */
async function silentAt(hostname: string, port: number): Promise<Disposable> {
  const listener = Deno.listen({ hostname, port, tcpBacklog: 1 });
  const queued = [await Deno.connect({ hostname, port }), await Deno.connect({ hostname, port })];
  return {
    [Symbol.dispose](): void {
      for (const conn of [...queued, listener]) conn.close();
    },
  };
}

everyDriver(
  [...TLS, "nginx"],
  "a client shows its certificate to a server that demands one",
  async (driver) => {
    const { signed, own, authority } = certificates();
    await using server = await startMutualNginx(signed, authority);
    const access = { caCerts: [authority], clientCertificate: signed };
    const { totals } = await reach(driver, server.origin, access);
    assert.deepEqual([totals.status[200], totals.completed], [REQUESTS, REQUESTS]);
    await preflight(server.origin, access);
    const unchecked = await reach(driver, server.origin, {
      ...access,
      caCerts: [],
      insecure: true,
    });
    assert.equal(unchecked.totals.status[200], REQUESTS);
    const without = await reach(driver, server.origin, { caCerts: [authority] });
    assert.equal(without.totals.status[400], REQUESTS);
    await assert.rejects(preflight(server.origin, { caCerts: [authority] }), /expected status 200/);
    const strange = { caCerts: [authority], clientCertificate: own };
    const refused = await reach(driver, server.origin, strange);
    assert.equal(refused.totals.status[400], REQUESTS);
  },
);

everyDriver([], "an HTTP proxy is asked for whole URLs", async (driver) => {
  await using proxy = startHttpProxy();
  const access = { proxy: proxy.url.replace("//", "//ada:s%20t@") };
  const { totals, errors } = await reach(driver, "http://target.invalid:81", access);
  assert.deepEqual([totals.completed, errors], [REQUESTS, {}]);
  await preflight("http://target.invalid:81", access);
  const credentials = `Basic ${btoa("ada:s t")}`;
  const line = `GET http://target.invalid:81/a?b=1 HTTP/1.1 · ${credentials}`;
  assert.deepEqual(proxy.asked, new Array(REQUESTS + 1).fill(line));
});

for (const insecure of [false, true]) {
  const how = insecure ? "unchecked TLS" : "TLS";
  everyDriver(TLS, `${how} goes through the tunnel of an HTTP proxy`, async (driver) => {
    const { signed, authority } = certificates();
    await using server = serve(signed);
    await using proxy = startHttpProxy();
    const access = { proxy: proxy.url, insecure, caCerts: insecure ? [] : [authority] };
    const origin = `https://localhost:${server.port}`;
    const { totals, errors } = await reach(driver, origin, access);
    assert.deepEqual([totals.completed, errors], [REQUESTS, {}]);
    await preflight(origin, access);
    assert.equal(server.seen.length, REQUESTS + 1);
    assert.deepEqual(new Set(proxy.asked), new Set([`CONNECT localhost:${server.port} HTTP/1.1`]));
    assert.ok(proxy.asked.length >= 2 && proxy.asked.length <= 5, `${proxy.asked.length} tunnels`);
  });
}

everyDriver(
  [...TLS, "nginx"],
  "a client's certificate goes through a tunnel, too",
  async (driver) => {
    const { signed, authority } = certificates();
    await using server = await startMutualNginx(signed, authority);
    await using proxy = startHttpProxy();
    const access = { proxy: proxy.url, caCerts: [authority], clientCertificate: signed };
    const { totals } = await reach(driver, server.origin, access);
    assert.equal(totals.status[200], REQUESTS);
    await preflight(server.origin, access);
  },
);

const NO_TUNNEL: readonly (readonly [answer: string, reason: RegExp])[] = [
  ["HTTP/1.1 407 Who are you\r\ncontent-length: 0\r\n\r\n", /refused the tunnel with status 407/],
  ["HTTP/1.1 200 OK\r\n\r\nmore", /the proxy itself sent bytes into the tunnel/],
  ["nonsense\r\n\r\n", /response to CONNECT is not valid/],
  ["HTTP/1.1 200", /hung up before the tunnel was open/],
  ["", /hung up before the tunnel was open/],
];
for (const [answer, reason] of NO_TUNNEL) {
  everyDriver(TLS, `no tunnel is an error of the connection: ${reason.source}`, async (driver) => {
    await using proxy = startHttpProxy(answer);
    const access = { proxy: proxy.url, insecure: true };
    const { errors, totals } = await reach(driver, "https://localhost:9", access);
    assert.deepEqual(errors, { connect: REQUESTS });
    assert.match([...totals.reasons.keys()].join(), reason);
    await assert.rejects(preflight("https://localhost:9", access), reason);
  });
}

everyDriver([], "a proxy that is not there is an error of the connection", async (driver) => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const { errors } = await reach(driver, "http://target.invalid", {
    proxy: `http://127.0.0.1:${port}`,
  });
  assert.deepEqual(errors, { connect: REQUESTS });
});
