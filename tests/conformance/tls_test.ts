/**
 * Which servers are trusted, and what becomes of the requests where a handshake fails.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { dial } from "../../base/net/dial.ts";
import { OF_AN_AUTHORITY } from "../../base/net/dial_error.ts";
import { isNodeTlsWhole } from "../../base/net/node_socket.ts";
import type { Endpoint, Tls } from "../../base/net/endpoint.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { mergeHistograms } from "../../runner/stats/histogram/histogram.ts";
import { type Certificate, certificates } from "../certificates.ts";
import { until } from "../e2e/patience.ts";
import { type Need, testWith } from "../needs.ts";
import { assertNothingLost, load, type Loaded } from "./loading.ts";
import { counting, isAsked, pause, raw, say, type Server } from "./servers.ts";
import { DRIVER_NAMES, type Way } from "./ways.ts";

const LOCAL = "127.0.0.1";
const CHECKED: Tls = { serverName: "localhost", insecure: false, caCerts: [] };
const UNCHECKED: Tls = { ...CHECKED, insecure: true };

/** A driver to a server with TLS, or with none when there is no certificate. */
function wayTo(certificate: Certificate | null, tls: Tls, driver: DriverName): Way {
  return {
    name: driver,
    driver,
    needs: ["openssl"],
    place: () => ({ hostname: LOCAL, port: 0, ...certificate }),
    endpoint: (address) => ({ hostname: LOCAL, port: (address as Deno.NetAddr).port, tls }),
  };
}

/** A test of both who do TLS: the system's OpenSSL under the epoll driver, and the runtime under the tcp driver. */
function everyTls(
  needs: readonly Need[],
  sentence: string,
  test: (driver: DriverName) => Promise<void>,
  drivers: readonly DriverName[] = DRIVER_NAMES,
): void {
  for (const driver of drivers) {
    const all: Need[] = driver === "epoll" ? [...needs, "libssl"] : [...needs];
    testWith(all, `${driver}: ${sentence}`, () => test(driver));
  }
}

function authorities(...caCerts: string[]): Tls {
  return { ...CHECKED, caCerts };
}

interface Meeting {
  readonly certificate: Certificate;
  readonly tls: Tls;
}

const TRUSTED: Record<string, () => Meeting> = {
  "signed by an authority that is named": () => {
    const { signed, authority } = certificates();
    return { certificate: signed, tls: authorities("", authority) };
  },
  "signed by itself and itself named": () => {
    const { own } = certificates();
    return { certificate: own, tls: authorities(own.cert) };
  },
  "for the address that is dialed": () => {
    const { signed, authority } = certificates();
    return { certificate: signed, tls: { ...authorities(authority), serverName: LOCAL } };
  },
  "of P-521": () => {
    const { long, authority } = certificates();
    return { certificate: long, tls: authorities(authority) };
  },
  "of P-521 where none is checked": () => {
    return { certificate: certificates().long, tls: UNCHECKED };
  },
  "of any kind where none is checked": () => {
    return { certificate: certificates().careless, tls: { ...UNCHECKED, serverName: "elsewhere" } };
  },
  "of any kind, at an address, where none is checked": () => {
    return { certificate: certificates().careless, tls: { ...UNCHECKED, serverName: LOCAL } };
  },
};
for (const [what, meeting] of Object.entries(TRUSTED)) {
  everyTls(["openssl"], `a certificate ${what} is trusted`, async (driver) => {
    const { certificate, tls } = meeting();
    const way = wayTo(certificate, tls, driver);
    const server = counting(way, () => new Response("ok"));
    const loaded = await load(way, server, { requests: 20 });
    await server.stop();
    assert.deepEqual([loaded.totals.completed, loaded.errors, server.seen()], [20, {}, 20]);
  });
}

/** Who may take an authority's certificate for a server's: before Deno 2.8 not the runtime. */
const TAKING: readonly DriverName[] = isNodeTlsWhole() ? DRIVER_NAMES : ["epoll"];

for (const serverName of ["localhost", LOCAL]) {
  everyTls(
    ["openssl"],
    `a certificate that openssl makes for an authority is trusted at ${serverName} where it is itself named`,
    async (driver) => {
      const { careless, authority } = certificates();
      const way = wayTo(careless, { ...authorities(authority, careless.cert), serverName }, driver);
      const server = counting(way, () => new Response("ok"));
      const loaded = await load(way, server, { requests: 20 });
      await server.stop();
      assert.deepEqual([loaded.totals.completed, loaded.errors, server.seen()], [20, {}, 20]);
    },
    TAKING,
  );
}

interface Distrusted {
  readonly meeting: () => Meeting;
  readonly reason: string;
  /** All when absent. */
  readonly drivers?: readonly DriverName[];
}

const DISTRUSTED: Record<string, Distrusted> = {
  "signed by an authority that is not named": {
    meeting: () => ({ certificate: certificates().signed, tls: CHECKED }),
    reason: "the certificate is not signed by an authority that this machine trusts",
  },
  "for another name": {
    meeting: () => {
      const { signed, authority } = certificates();
      return { certificate: signed, tls: { ...authorities(authority), serverName: "elsewhere" } };
    },
    reason: "the certificate is not for elsewhere but for localhost or 127.0.0.1",
  },
  "of an authority that is not named": {
    meeting: () => ({ certificate: certificates().careless, tls: CHECKED }),
    reason: OF_AN_AUTHORITY,
  },
  "of an authority where another is named": {
    meeting: () => {
      const { careless, authority } = certificates();
      return { certificate: careless, tls: authorities(authority) };
    },
    reason: OF_AN_AUTHORITY,
    drivers: TAKING,
  },
  "of an authority that is itself named, but for another name": {
    meeting: () => {
      const { careless } = certificates();
      const tls = { ...authorities(careless.cert), serverName: "elsewhere" };
      return { certificate: careless, tls };
    },
    reason: "the certificate is not for elsewhere but for localhost or 127.0.0.1",
    drivers: TAKING,
  },
  "for the address as a DNS name": {
    meeting: () => {
      const { misnamed, authority } = certificates();
      return { certificate: misnamed, tls: { ...authorities(authority), serverName: LOCAL } };
    },
    reason:
      "the certificate is not for the address 127.0.0.1, which it lists only as a DNS name: " +
      "it needs IP:127.0.0.1 in its subjectAltName",
  },
};
for (const [what, { meeting, reason, drivers }] of Object.entries(DISTRUSTED)) {
  everyTls(["openssl"], `with a certificate ${what} every request fails as tls`, async (driver) => {
    const { certificate, tls } = meeting();
    const way = wayTo(certificate, tls, driver);
    const server = counting(way, () => new Response("ok"));
    const loaded = await load(way, server, { requests: 8 });
    await server.stop();
    assertFailedAs("tls", loaded);
    assert.deepEqual([...loaded.totals.reasons.keys()], [reason]);
    assert.equal(server.seen(), 0);
  }, drivers);
}

Deno.test({
  name:
    "a certificate that is signed by itself is told from one of an unknown authority by OpenSSL",
  ignore: !DRIVER_NAMES.includes("epoll"),
  async fn(): Promise<void> {
    const way = wayTo(certificates().own, CHECKED, "epoll");
    const server = counting(way, () => new Response("ok"));
    const loaded = await load(way, server, { requests: 4 });
    await server.stop();
    assertFailedAs("tls", loaded);
    assert.deepEqual([...loaded.totals.reasons.keys()], ["the certificate is self-signed"]);
  },
});

/** `openssl s_server` that demands a client's certificate by one version of TLS. */
async function demanding(
  version: string,
  folder: string,
): Promise<Deno.ChildProcess & { port: number }> {
  const { signed, authority } = certificates();
  const files = { "a.crt": signed.cert, "a.key": signed.key, "ca.crt": authority };
  for (const [name, pem] of Object.entries(files)) Deno.writeTextFileSync(join(folder, name), pem);
  const child = new Deno.Command("openssl", {
    args: [
      ...["s_server", "-accept", `${LOCAL}:0`, version, "-cert", "a.crt", "-key", "a.key", "-www"],
      ...["-Verify", "1", "-CAfile", "ca.crt", "-verify_return_error"],
    ],
    cwd: folder,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let printed = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += text;
    const [, port] = /ACCEPT \S+:(\d+)/.exec(printed) ?? [];
    if (port !== undefined) return Object.assign(child, { port: Number(port) });
  }
  throw new Error(`openssl ended: ${printed}`);
}

for (const [version, what] of [["-tls1_2", "TLS 1.2"], ["-tls1_3", "TLS 1.3"]] as const) {
  for (const tls of [CHECKED, UNCHECKED]) {
    const checks = tls.insecure ? "an unchecked server" : "a server";
    everyTls(
      ["openssl"],
      `${checks} that demands a client certificate by ${what} fails every request as tls`,
      async (driver) => {
        const folder = Deno.makeTempDirSync();
        const server = await demanding(version, folder);
        const { port } = server;
        const caCerts = [certificates().authority];
        const endpoint = { hostname: LOCAL, port, tls: { ...tls, caCerts } };
        const loaded = await load({ driver }, { endpoint }, { requests: 8 });
        server.kill();
        await server.status;
        Deno.removeSync(folder, { recursive: true });
        assertFailedAs("tls", loaded);
        assert.match([...loaded.totals.reasons.keys()].join(), /demands a client certificate$/);
      },
    );
  }
}

/** Every request; a load by number has no other end. */
function assertFailedAs(kind: string, loaded: Loaded): void {
  assertNothingLost(loaded);
  const { due, reasons } = loaded.totals;
  assert.ok(due > 0);
  assert.deepEqual(loaded.errors, { [kind]: due }, [...reasons.keys()].join());
}

/** A test with certificates checked, and one without: both ways are different sockets. */
function bothSockets(sentence: string, test: (way: Way) => Promise<void>): void {
  for (const [name, tls] of Object.entries({ checked: CHECKED, unchecked: UNCHECKED })) {
    everyTls([], `${name} TLS: ${sentence}`, (driver) => test(wayTo(null, tls, driver)));
  }
}

bothSockets("a server that does not speak TLS fails every request as tls", async (way) => {
  const server = counting(way, () => new Response("ok"));
  const loaded = await load(way, server, { requests: 8 });
  await server.stop();
  assertFailedAs("tls", loaded);
  assert.deepEqual([...loaded.totals.reasons.keys()], ["the server does not speak TLS"]);
});

bothSockets("a server that hangs up on the hello fails every request as tls", async (way) => {
  const server = raw(way, async (conn) => void await isAsked(conn));
  const loaded = await load(way, server, { requests: 8 });
  await server.stop();
  assertFailedAs("tls", loaded);
  const reasons = [...loaded.totals.reasons.keys()];
  assert.deepEqual(reasons, ["the server hung up during the handshake"]);
});

bothSockets("a handshake without end is given up in time, and its socket closed", async (way) => {
  let left = 0;
  const server = raw(way, async (conn) => {
    while (await isAsked(conn));
    left++;
  });
  // Deno 2.9 keeps a socket open whose checked handshake is given up, until the peer or its isolate ends.
  const wish = { requests: 6, timeoutUs: 50_000, connections: 2, apart: true };
  const loaded = await load(way, server, wish);
  await until("all were closed", () => left >= loaded.totals.failed);
  await server.stop();
  assertFailedAs("timeout", loaded);
});

bothSockets("a port where nobody listens is refused", async (way) => {
  const gone = raw(way, () => Promise.resolve());
  await gone.stop();
  assertFailedAs("connect", await load(way, gone, { requests: 2, connections: 1 }));
});

bothSockets("a name that nobody knows is a dns failure", async (way) => {
  const endpoint = { ...way.endpoint({ port: 1 } as Deno.NetAddr), hostname: "nobody.invalid" };
  assertFailedAs("dns", await load(way, { endpoint }, { requests: 2, connections: 1 }));
});

for (const [serverName, isSent] of [["localhost", true], [LOCAL, false]] as const) {
  const what = isSent ? `names ${serverName}` : `does not name ${serverName}, an address,`;
  bothSockets(`the hello ${what} and offers HTTP/1.1`, async (way) => {
    let hello = "";
    const server = raw(way, async (conn) => {
      const buffer = new Uint8Array(4_096);
      hello = new TextDecoder("latin1").decode(buffer.subarray(0, await conn.read(buffer) ?? 0));
    });
    const { tls, ...address } = server.endpoint as Endpoint & { tls: Tls };
    const endpoint = { ...address, tls: { ...tls, serverName } };
    await load(way, { endpoint }, { requests: 1, connections: 1 });
    await server.stop();
    assert.deepEqual([hello.includes(serverName), hello.includes("http/1.1")], [isSent, true]);
    // With its length before it (RFC 7301 §3.1): the random bytes of a hello may well hold an h and a 2.
    assert.ok(!hello.includes("\x02h2"), "no HTTP/2");
  });
}

testWith(["openssl"], "a server with TLS that is asked without fails every request", async () => {
  const way = wayTo(certificates().signed, CHECKED, "tcp");
  const server = counting(way, () => new Response("ok"));
  const { hostname, port } = server.endpoint as { hostname: string; port: number };
  for (const driver of ["tcp", "epoll"] as const) {
    if (driver === "epoll" && Deno.build.os !== "linux") continue;
    const loaded = await load({ driver }, { endpoint: { hostname, port } }, { requests: 8 });
    assertNothingLost(loaded);
    assert.equal(loaded.totals.failed, 8);
    assert.ok(Object.keys(loaded.errors).every((kind) => /closed|reset|protocol/.test(kind)));
  }
  await server.stop();
  assert.equal(server.seen(), 0);
});

interface Passage {
  readonly delayMs?: number;
  /** Resolves when a connection is to be cut off. */
  readonly cut?: () => Promise<void>;
}

/** Before a server: bytes go through `delayMs` late, until both sides have ended or the connection is cut. */
function relay(server: Server, driver: DriverName, { delayMs = 0, cut }: Passage): Server {
  const { port } = server.endpoint as { port: number };
  return raw(wayTo(null, authorities(certificates().authority), driver), async (conn) => {
    await pause(delayMs);
    using back = await Deno.connect({ hostname: LOCAL, port });
    const passing = [conn.readable.pipeTo(back.writable), back.readable.pipeTo(conn.writable)];
    const whole = Promise.allSettled(passing);
    await Promise.race([whole, ...cut ? [cut()] : []]);
  });
}

everyTls(["openssl"], "the time to connect is that until the handshake is done", async (driver) => {
  const way = wayTo(certificates().signed, authorities(certificates().authority), driver);
  const server = counting(way, () => new Response("ok"));
  const late = relay(server, driver, { delayMs: 50 });
  const { totals } = await load(way, late, { requests: 4, connections: 2 });
  await late.stop();
  await server.stop();
  assert.equal(totals.completed, 4);
  const fastestUs = mergeHistograms([totals.connect]).valueAtPercentile(0);
  assert.ok(fastestUs >= 49_000, `${fastestUs} µs`);
});

// RFC 9112 §9.8: such an answer is complete only if TLS itself says that no more will come.
everyTls(
  ["openssl"],
  "an answer until close that is cut off below TLS is not taken for whole",
  async (driver) => {
    const way = wayTo(certificates().signed, authorities(certificates().authority), driver);
    let said = Promise.withResolvers<void>();
    const server = raw(way, async (conn) => {
      await isAsked(conn);
      await say(conn, "HTTP/1.1 200 OK\r\n\r\nhalf of an ans");
      said.resolve();
      await isAsked(conn); // until the peer closes
    });
    const cut = async (): Promise<void> => {
      await said.promise;
      said = Promise.withResolvers();
      await pause(20); // until the client has it, too
    };
    const cutting = relay(server, driver, { cut });
    const loaded = await load(way, cutting, { requests: 3, connections: 1 });
    await cutting.stop();
    await server.stop();
    assertFailedAs("reset", loaded);
    const reasons = [...loaded.totals.reasons.keys()];
    assert.deepEqual(reasons, ["peer closed connection without sending TLS close_notify"]);
  },
);

testWith(
  ["openssl"],
  "a dial that is given up closes its connection, however far it is",
  async () => {
    const server = Deno.serve(
      { hostname: LOCAL, port: 0, onListen: () => {}, ...certificates().own },
      () => new Response("ok"),
    );
    const { port } = server.addr;
    for (let turns = 0; turns < 20; turns++) {
      const giveUp = new AbortController();
      const dialing = dial({ hostname: LOCAL, port, tls: UNCHECKED }, giveUp.signal)
        .then((conn) => conn.close(), () => {});
      for (let turn = 0; turn < turns; turn++) {
        await new Promise<void>((go) => void setImmediate(go));
      }
      giveUp.abort();
      await dialing;
    }
    await server.shutdown(); // waits until every connection is closed
  },
);
