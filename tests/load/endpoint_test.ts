import assert from "node:assert/strict";
import { TargetError, UserError } from "../../base/errors.ts";
import { alpnRefusal, handshakeFailed, systemReason } from "../../base/net/dial_error.ts";
import { type Access, type Endpoint, endpointOf } from "../../base/net/endpoint.ts";
import { testWith } from "../needs.ts";
import { chooseDriver } from "../../runner/load/transports/choose_driver.ts";

const CHECKED = { insecure: false, caCerts: [] };

const ENDPOINTS: [sentence: string, origin: string, access: Access, endpoint: Endpoint][] = [
  ["http has port 80", "http://a", {}, { hostname: "a", port: 80 }],
  ["a port is taken as it is", "http://a:8080", {}, { hostname: "a", port: 8080 }],
  ["an IPv6 address loses its brackets", "http://[::1]:1", {}, { hostname: "::1", port: 1 }],
  ["https has TLS and port 443", "https://a", {}, {
    hostname: "a",
    port: 443,
    tls: { serverName: "a", ...CHECKED },
  }],
  ["the certificate of an IPv6 address is for it without brackets", "https://[::1]:1", {}, {
    hostname: "::1",
    port: 1,
    tls: { serverName: "::1", ...CHECKED },
  }],
  ["what is trusted is what was said", "https://a", { insecure: true, caCerts: ["PEM"] }, {
    hostname: "a",
    port: 443,
    tls: { serverName: "a", insecure: true, caCerts: ["PEM"] },
  }],
  ["a proxy has port 80, and credentials of its URL", "http://a", {
    proxy: "http://ada:%40b@[::1]",
  }, {
    hostname: "a",
    port: 80,
    proxy: { hostname: "::1", port: 80, authorization: `Basic ${btoa("ada:@b")}` },
  }],
  ["a unix socket stands for any host", "http://a", { unixPath: "/s" }, { path: "/s" }],
  ["HTTP/2 is spoken over TCP", "http://a", { http2: true }, {
    hostname: "a",
    port: 80,
    http2: true,
  }],
  ["HTTP/2 is spoken over a unix socket", "http://a", { unixPath: "/s", http2: true }, {
    path: "/s",
    http2: true,
  }],
  ["HTTP/2 is offered over TLS", "https://a", { http2: true }, {
    hostname: "a",
    port: 443,
    tls: { serverName: "a", ...CHECKED, alpn: "h2" },
    http2: true,
  }],
  ["HTTP/1.1 is spoken where HTTP/2 is not wanted", "https://a", { http2: false }, {
    hostname: "a",
    port: 443,
    tls: { serverName: "a", ...CHECKED },
  }],
];
for (const [sentence, origin, access, endpoint] of ENDPOINTS) {
  Deno.test(`endpointOf: ${sentence}`, () => {
    assert.deepEqual(endpointOf(origin, access), endpoint);
  });
}

const UNIX: Endpoint = { path: "/s" };
const TLS: Endpoint = endpointOf("https://a", { insecure: true });

Deno.test("chooseDriver takes tcp for a server on a unix socket, without a note", async () => {
  const choice = { driver: "tcp", note: null };
  assert.deepEqual(await chooseDriver("auto", UNIX), choice);
  assert.deepEqual(await chooseDriver("tcp", UNIX), choice);
});

Deno.test("chooseDriver refuses epoll for a server on a unix socket", async () => {
  const message = "Cannot use the epoll driver on a unix socket: it speaks TCP alone";
  await assert.rejects(chooseDriver("epoll", UNIX), (error) => {
    assert.ok(error instanceof UserError);
    assert.deepEqual(error.lines, [`--driver: ${message} (use tcp or auto)`]);
    return true;
  });
});

Deno.test("chooseDriver leaves TLS to the runtime with tcp", async () => {
  const choice = { driver: "tcp", note: null, tls: "runtime" };
  assert.deepEqual(await chooseDriver("tcp", TLS), choice);
});

testWith(["libssl"], "chooseDriver takes epoll for a server with TLS", async () => {
  for (const wish of ["auto", "epoll"] as const) {
    const { driver, tls } = await chooseDriver(wish, TLS);
    assert.equal(driver, "epoll");
    assert.match(tls ?? "", /^openssl 3\.\d+\.\d+/);
  }
});

// rustls has rules of its own for what is a name: `.a` would be any name below `a` to OpenSSL.
for (const name of [".a", "a..b", "-a", "a b", "a.*", `${"a".repeat(64)}.b`]) {
  Deno.test(`chooseDriver leaves the name "${name}" to the runtime`, async () => {
    const tls = { serverName: name, insecure: false, caCerts: [] };
    const endpoint = { hostname: "127.0.0.1", port: 443, tls };
    const choice = { driver: "tcp", note: null, tls: "runtime" };
    assert.deepEqual(await chooseDriver("auto", endpoint), choice);
    await assert.rejects(chooseDriver("epoll", endpoint), TargetError);
  });
}

// What Deno 2.6 and 2.9 say.
const SAID: [said: string, meant: string][] = [
  [
    "invalid peer certificate: certificate expired: verification time 1795260988 (UNIX), but certificate is not valid after 1795260530 (458 seconds ago)",
    "the certificate has expired",
  ],
  [
    'invalid peer certificate: certificate not valid for name "a"; certificate is only valid for DnsName("b") or IpAddress(127.0.0.1)',
    "the certificate is not for a but for b or 127.0.0.1",
  ],
  [
    'invalid peer certificate: certificate not valid for name "a"',
    "the certificate is not for a",
  ],
  [
    "Client network socket disconnected before secure TLS connection was established",
    "the server hung up during the handshake",
  ],
  [
    "received fatal alert: NoApplicationProtocol",
    "the server does not speak HTTP/1.1: it refuses that by ALPN",
  ],
  [
    "tlsv1 alert no application protocol",
    "the server does not speak HTTP/1.1: it refuses that by ALPN",
  ],
  ["connection reset", "the TLS handshake failed: connection reset"],
];
for (const [said, meant] of SAID) {
  Deno.test(`a handshake that fails with "${said}" is told as "${meant}"`, () => {
    const { kind, message } = handshakeFailed(new Error(said));
    assert.deepEqual([kind, message], ["tls", meant]);
  });
}

const CHOICES: [wanted: "h2" | undefined, chosen: string | null, refusal: string | null][] = [
  ["h2", "h2", null],
  ["h2", "http/1.1", "the server does not speak HTTP/2: it chose http/1.1 by ALPN"],
  ["h2", null, "the server does not speak HTTP/2: it chose no protocol by ALPN"],
  [undefined, "http/1.1", null],
  [undefined, null, null],
];
for (const [alpn, chosen, refusal] of CHOICES) {
  Deno.test(`a server that chose ${chosen} when ${alpn ?? "http/1.1"} was offered`, () => {
    assert.equal(alpnRefusal({ alpn }, chosen), refusal);
  });
}

const REASONS: [sentence: string, error: unknown, words: string][] = [
  [
    "the number that Deno adds",
    new Error("Connection refused (os error 111)"),
    "connection refused",
  ],
  [
    "the code of node:net",
    Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:80"), { errno: -111 }),
    "connection refused",
  ],
  ["what has neither", new Error("closed"), "closed"],
];
for (const [sentence, error, words] of REASONS) {
  Deno.test(`why there is no connection, in the system's words: ${sentence}`, () => {
    assert.equal(systemReason(error), words);
  });
}
