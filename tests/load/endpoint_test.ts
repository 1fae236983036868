import assert from "node:assert/strict";
import { TargetError, UserError } from "../../base/errors.ts";
import {
  alertMeaning,
  alpnRefusal,
  handshakeFailed,
  isRefusalByAlert,
  NAMELESS,
  OF_AN_AUTHORITY,
  OF_AN_AUTHORITY_THOUGH_NAMED,
  remedyFor,
  systemReason,
} from "../../base/net/dial_error.ts";
import { type Access, type Endpoint, endpointOf } from "../../base/net/endpoint.ts";
import { testWith } from "../needs.ts";
import { chooseDriver } from "../../runner/load/transports/choose_driver.ts";
import { rejected } from "../thrown.ts";

const CHECKED = { insecure: false, caCerts: [] };

const ENDPOINTS: Readonly<Record<string, [origin: string, access: Access, endpoint: Endpoint]>> = {
  "http has port 80": ["http://a", {}, { hostname: "a", port: 80 }],
  "a port is taken as it is": ["http://a:8080", {}, { hostname: "a", port: 8080 }],
  "an IPv6 address loses its brackets": ["http://[::1]:1", {}, { hostname: "::1", port: 1 }],
  "https has TLS and port 443": ["https://a", {}, {
    hostname: "a",
    port: 443,
    tls: { serverName: "a", ...CHECKED },
  }],
  "the certificate of an IPv6 address is for it without brackets": ["https://[::1]:1", {}, {
    hostname: "::1",
    port: 1,
    tls: { serverName: "::1", ...CHECKED },
  }],
  "what is trusted is what was said": ["https://a", { insecure: true, caCerts: ["PEM"] }, {
    hostname: "a",
    port: 443,
    tls: { serverName: "a", insecure: true, caCerts: ["PEM"] },
  }],
  "a proxy has port 80, and credentials of its URL": ["http://a", {
    proxy: "http://ada:%40b@[::1]",
  }, {
    hostname: "a",
    port: 80,
    proxy: { hostname: "::1", port: 80, authorization: `Basic ${btoa("ada:@b")}` },
  }],
  "a % in the credentials of a proxy may stand for itself": ["http://a", {
    proxy: "http://ada:50%@b",
  }, {
    hostname: "a",
    port: 80,
    proxy: { hostname: "b", port: 80, authorization: `Basic ${btoa("ada:50%")}` },
  }],
  "a unix socket stands for any host": ["http://a", { unixPath: "/s" }, { path: "/s" }],
  "HTTP/2 is spoken over TCP": ["http://a", { http2: true }, {
    hostname: "a",
    port: 80,
    http2: true,
  }],
  "HTTP/2 is spoken over a unix socket": ["http://a", { unixPath: "/s", http2: true }, {
    path: "/s",
    http2: true,
  }],
  "HTTP/2 is offered over TLS": ["https://a", { http2: true }, {
    hostname: "a",
    port: 443,
    tls: { serverName: "a", ...CHECKED, alpn: "h2" },
    http2: true,
  }],
  "HTTP/1.1 is spoken where HTTP/2 is not wanted": ["https://a", { http2: false }, {
    hostname: "a",
    port: 443,
    tls: { serverName: "a", ...CHECKED },
  }],
};
for (const [sentence, [origin, access, endpoint]] of Object.entries(ENDPOINTS)) {
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
  const message = "Cannot use the epoll driver on a unix socket: it supports only TCP";
  const error = await rejected(UserError, chooseDriver("epoll", UNIX));
  assert.deepEqual(error.lines, [`--driver: ${message} (use tcp or auto)`]);
});

Deno.test("chooseDriver leaves TLS to the runtime with tcp", async () => {
  const choice = { driver: "tcp", note: null, tls: "runtime" };
  assert.deepEqual(await chooseDriver("tcp", TLS), choice);
});

Deno.test("chooseDriver refuses to resume TLS sessions where that cannot be", async () => {
  const byRuntime = await rejected(UserError, chooseDriver("tcp", TLS, true));
  assert.deepEqual(byRuntime.lines, [
    "--driver: Cannot resume TLS sessions with the tcp driver: the runtime's TLS cannot " +
    "(use epoll or auto)",
  ]);
  const clear = await rejected(UserError, chooseDriver("auto", { hostname: "a", port: 80 }, true));
  assert.match(clear.lines[0], /Cannot resume TLS sessions without TLS/);
  const unusual = endpointOf("https://-a", { insecure: true });
  await assert.rejects(
    chooseDriver("auto", unusual, true),
    /Cannot resume TLS sessions here: only the epoll driver can, but it is not available: /,
  );
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
const SAID: Readonly<Record<string, string>> = {
  "invalid peer certificate: certificate expired: verification time 1795260988 (UNIX), but certificate is not valid after 1795260530 (458 seconds ago)":
    "the certificate has expired",
  'invalid peer certificate: certificate not valid for name "a"; certificate is only valid for DnsName("b") or IpAddress(127.0.0.1)':
    "the certificate is not for a but for b or 127.0.0.1",
  'invalid peer certificate: certificate not valid for name "a"': "the certificate is not for a",
  "Client network socket disconnected before secure TLS connection was established":
    "the server hung up during the handshake",
  "received fatal alert: NoApplicationProtocol":
    "the server does not speak HTTP/1.1: it refused the protocol in ALPN",
  "tlsv1 alert no application protocol":
    "the server does not speak HTTP/1.1: it refused the protocol in ALPN",
  "connection reset": "the TLS handshake failed: connection reset",
  'invalid peer certificate: certificate not valid for name "a"; certificate is not valid for any names (according to its subjectAltName extension)':
    "the certificate is not for a: it names no host (subjectAltName)",
  'certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("a") or DnsName("127.0.0.1")':
    "the certificate is not for the address 127.0.0.1, which it lists only as a DNS name: it needs IP:127.0.0.1 in its subjectAltName",
};
for (const [said, meant] of Object.entries(SAID)) {
  Deno.test(`a handshake that fails with "${said}" is told as "${meant}"`, () => {
    const { kind, message } = handshakeFailed(new Error(said));
    assert.deepEqual([kind, message], ["tls", meant]);
  });
}

const WITH_CLIENT = { client: { cert: "", key: "" } };

const ALERTS: Readonly<Record<string, [byRustls: string, tls: object, meant: RegExp]>> = {
  "tlsv13 alert certificate required": ["CertificateRequired", {}, /demands a client certificate$/],
  "sslv3 alert bad certificate": ["BadCertificate", {}, /demands a client certificate$/],
  "tlsv1 alert unknown ca": [
    "UnknownCA",
    WITH_CLIENT,
    /refused the client certificate \(unknown ca/,
  ],
  "sslv3 alert certificate expired": [
    "CertificateExpired",
    WITH_CLIENT,
    /refused the client certificate \(certificate expired/,
  ],
  "sslv3 alert handshake failure": ["HandshakeFailure", {}, /no cipher.* or demands a client cert/],
  "tlsv1 alert protocol version": ["ProtocolVersion", {}, /only versions of TLS before 1\.2/],
  "tlsv1 unrecognized name": [
    "UnrecognisedName",
    { serverName: "a.test" },
    /certificate for a\.test/,
  ],
  "tlsv1 alert internal error": ["InternalError", {}, /the handshake \(internal error\)$/],
};
for (const [byOpenSsl, [byRustls, tls, meant]] of Object.entries(ALERTS)) {
  Deno.test(`the alert "${byOpenSsl}" means the same as OpenSSL and as rustls name it`, () => {
    const said = [byOpenSsl, `received fatal alert: ${byRustls}`];
    const [one, other] = said.map((alert) => alertMeaning(alert, tls));
    assert.match(String(one), meant);
    assert.equal(one, other);
    assert.ok(isRefusalByAlert(String(one)));
    assert.equal(handshakeFailed(new Error(byOpenSsl), tls).message, one);
  });
}

Deno.test("what is no alert is none", () => {
  assert.equal(alertMeaning("Connection reset by peer"), null);
  assert.equal(isRefusalByAlert("Connection reset by peer"), false);
});

const REMEDIES: Readonly<Record<string, RegExp | null>> = {
  "the certificate is self-signed": /--cacert names .* --insecure accepts/,
  "the certificate is not signed by an authority that this machine trusts": /--cacert .*--insecure/,
  [OF_AN_AUTHORITY]:
    /^--cacert with the file of that very certificate trusts it.*--insecure accepts any/,
  [`the certificate is not for a.test${NAMELESS}`]:
    /^make a certificate with subjectAltName=DNS:a\.test .*--insecure accepts any/,
  "the certificate is not for ::1 but for localhost":
    /^make a certificate with subjectAltName=IP:::1 /,
  "the certificate is not for the address 127.0.0.1, which it lists only as a DNS name: it needs IP:127.0.0.1 in its subjectAltName":
    /^make a certificate with subjectAltName=IP:127\.0\.0\.1 /,
  "the server demands a client certificate": /^--cert and --key/,
  "the server does not speak TLS": /^write http:/,
  "127.0.0.1:80: connection refused": /^nothing listens there: start the server/,
  "there is no host named a.test": /--resolve$/,
  "127.0.0.1:80: no route to host": null,
};
for (const [reason, flags] of Object.entries(REMEDIES)) {
  Deno.test(`what can be done about "${reason}" is said in flags, and in keys of a file`, () => {
    const byFlags = remedyFor(reason, "flags");
    if (flags === null) assert.equal(byFlags, null);
    else assert.match(String(byFlags), flags);
    assert.equal(remedyFor(reason, "keys"), byFlags?.replaceAll("--", "") ?? null);
  });
}

Deno.test("for an authority's certificate that only OpenSSL takes, flags can name its driver, and a file cannot", () => {
  const [byFlags, byKeys] = (["flags", "keys"] as const)
    .map((written) => String(remedyFor(OF_AN_AUTHORITY_THOUGH_NAMED, written)));
  assert.match(
    byFlags,
    /^--driver epoll trusts the certificate .*--insecure accepts any .*CA:FALSE$/,
  );
  assert.match(byKeys, /^insecure accepts any .*CA:FALSE$/);
});

const CHOICES: [wanted: "h2" | undefined, chosen: string | null, refusal: string | null][] = [
  ["h2", "h2", null],
  ["h2", "http/1.1", "the server does not speak HTTP/2: it chose http/1.1 in ALPN"],
  ["h2", null, "the server does not speak HTTP/2: it chose no protocol in ALPN"],
  [undefined, "http/1.1", null],
  [undefined, null, null],
];
for (const [alpn, chosen, refusal] of CHOICES) {
  Deno.test(`a server that chose ${chosen} when ${alpn ?? "http/1.1"} was offered`, () => {
    assert.equal(alpnRefusal({ alpn }, chosen), refusal);
  });
}

const REASONS: Readonly<Record<string, [error: unknown, words: string]>> = {
  "the number that Deno adds": [
    new Error("Connection refused (os error 111)"),
    "connection refused",
  ],
  "the code of node:net": [
    Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:80"), { code: "ECONNREFUSED" }),
    "connection refused",
  ],
  "what has neither": [new Error("closed"), "closed"],
};
for (const [sentence, [error, words]] of Object.entries(REASONS)) {
  Deno.test(`why there is no connection, in the system's words: ${sentence}`, () => {
    assert.equal(systemReason(error), words);
  });
}
