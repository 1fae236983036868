import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { handshakeFailed, refused } from "../../base/net/dial_error.ts";
import { type Access, type Endpoint, endpointOf } from "../../base/net/endpoint.ts";
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
  ["a unix socket stands for any host", "http://a", { unixPath: "/s" }, { path: "/s" }],
];
for (const [sentence, origin, access, endpoint] of ENDPOINTS) {
  Deno.test(`endpointOf: ${sentence}`, () => {
    assert.deepEqual(endpointOf(origin, access), endpoint);
  });
}

const TLS: Endpoint = endpointOf("https://a");
const UNIX: Endpoint = { path: "/s" };

for (const [what, endpoint] of [["with TLS", TLS], ["on a unix socket", UNIX]] as const) {
  Deno.test(`chooseDriver takes tcp for a server ${what}, without a note`, () => {
    const choice = { driver: "tcp", note: null };
    assert.deepEqual(chooseDriver("auto", endpoint), choice);
    assert.deepEqual(chooseDriver("tcp", endpoint), choice);
  });

  Deno.test(`chooseDriver refuses epoll for a server ${what}`, () => {
    const message = `Cannot use the epoll driver ${what}: it speaks plain TCP alone`;
    assert.throws(() => chooseDriver("epoll", endpoint), (error) => {
      assert.ok(error instanceof UserError);
      assert.deepEqual(error.lines, [`--driver: ${message} (use tcp or auto)`]);
      return true;
    });
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
  ["connection reset", "the TLS handshake failed: connection reset"],
];
for (const [said, meant] of SAID) {
  Deno.test(`a failed handshake is told as "${meant}"`, () => {
    const { kind, message } = handshakeFailed(new Error(said));
    assert.deepEqual([kind, message], ["tls", meant]);
  });
}

const REFUSALS: [said: string, kind: string][] = [
  ["failed to lookup address information: Name or service not known", "dns"],
  ["getaddrinfo ENOTFOUND nobody.invalid", "dns"],
  ["invalid host 'a..b': empty label found in FQDN", "dns"],
  ["Connection refused (os error 111)", "connect"],
];
for (const [said, kind] of REFUSALS) {
  Deno.test(`a dial that fails with "${said}" is a ${kind} failure`, () => {
    assert.deepEqual(refused(new Error(said)).kind, kind);
  });
}
