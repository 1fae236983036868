import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { endpointOf } from "../../base/net/endpoint.ts";
import { certificates } from "../certificates.ts";
import { testWith } from "../needs.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { benchOf, toldOf, URL_ } from "./command_line.ts";

const HERE = import.meta.dirname ?? "";
const TEXT = join(HERE, "body.txt");
const HTTPS = "https://a/";

Deno.test("bench of https trusts the usual authorities, and nothing else", () => {
  const { url, insecure, caCerts, unixPath } = benchOf(HTTPS);
  assert.equal(url.href, HTTPS);
  assert.deepEqual([insecure, caCerts, unixPath], [false, [], undefined]);
});

Deno.test("bench takes any certificate when told", () => {
  assert.equal(benchOf(HTTPS, "--insecure").insecure, true);
});

testWith(["openssl"], "bench takes a file of authorities, as its text", () => {
  const { authority } = certificates();
  using folder = emptyFolder();
  const file = join(folder.path, "authority.pem");
  Deno.writeTextFileSync(file, authority);
  for (const url of [HTTPS, "wss://a/"]) {
    assert.deepEqual(benchOf(url, "--cacert", file).caCerts, [authority]);
  }
});

Deno.test("bench takes a unix socket in place of a host", () => {
  using folder = emptyFolder();
  const path = join(folder.path, "socket");
  using _listener = Deno.listen({ transport: "unix", path });
  for (const written of [path, relative(Deno.cwd(), path)]) {
    assert.equal(benchOf(URL_, "--unix", written).unixPath, path);
  }
});

testWith(["openssl"], "bench takes a client certificate with its key, as their texts", () => {
  const { own, signed } = certificates();
  using folder = emptyFolder();
  const file = (name: string, text: string): string => {
    Deno.writeTextFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  const args = [HTTPS, "--cert", file("a.crt", own.cert), "--key"];
  assert.deepEqual(benchOf(...args, file("a.key", own.key)).clientCertificate, own);
  const both = file("both.pem", own.key + own.cert);
  const { clientCertificate } = benchOf(HTTPS, "--cert", both, "--key", both);
  assert.deepEqual(clientCertificate, { cert: own.key + own.cert, key: own.key });
  const strange = file("b.key", signed.key);
  assert.throws(() => benchOf(...args, strange), /it does not belong to the certificate/);
});

Deno.test("bench speaks HTTP/2 when told, with every kind of load", () => {
  assert.equal("http2" in benchOf(URL_).load, false);
  for (const more of [["--pipeline", "8"], ["-r", "5/s"], ["--phases", "1s@1/s"], ["-n", "5"]]) {
    assert.equal(benchOf(URL_, "--http2", ...more).load.http2, true);
  }
  assert.equal(benchOf(HTTPS, "--http2", "--proxy", "http://b").load.http2, true);
});

Deno.test("bench takes an address for the host, and a proxy", () => {
  assert.deepEqual(benchOf("http://a/", "--resolve", "a:80:[::1],127.0.0.1").addresses, [
    "::1",
    "127.0.0.1",
  ]);
  assert.deepEqual(benchOf("wss://a/", "--resolve", "a:443:127.0.0.1").addresses, ["127.0.0.1"]);
  assert.equal(benchOf("http://a/", "--proxy", "http://b:1").proxy, "http://b:1");
});

Deno.test("the user of a proxy goes with the requests to it, and a password without a user, too", () => {
  const credentialsOf = (proxy: string): string | null => {
    const endpoint = endpointOf("http://a", { proxy });
    assert.ok("hostname" in endpoint);
    return endpoint.proxy?.authorization ?? null;
  };
  assert.equal(credentialsOf("http://me:a%25b@c"), `Basic ${btoa("me:a%b")}`);
  assert.equal(credentialsOf("http://:b@c"), `Basic ${btoa(":b")}`);
  assert.equal(credentialsOf("http://c"), null);
});

const lines: [sentence: string, args: string[], told: RegExp[]][] = [
  ["authorities for a URL without TLS", [URL_, "--cacert", TEXT], [
    /^--cacert: Cannot read certificates from .*body\.txt: it holds no certificates in PEM format$/,
    /^--cacert: Cannot use certificates: the URL is not https \(/,
  ]],
  ["authorities for a WebSocket without TLS", ["ws://a/", "--cacert", TEXT], [
    /^--cacert: Cannot read certificates from /,
    /^--cacert: Cannot use certificates: the URL is not wss \(leave out --cacert, or write wss:\/\/ in the URL\)$/,
  ]],
  ["TLS sessions of a WebSocket without TLS", ["ws://a/", "--tls", "resume"], [
    /^--tls: .*: the URL is not wss \(leave out tls, or write wss:\/\/ in the URL\)$/,
  ]],
  ["authorities in a file that is not there", [HTTPS, "--cacert", "no/such.pem"], [
    /^--cacert: Cannot read certificates from no\/such\.pem: there is no file \/.*no\/such\.pem$/,
  ]],
  ["authorities that are no certificates", [HTTPS, "--cacert", join(HERE, "no_certificate.pem")], [
    /^--cacert: Cannot read certificates from .*no_certificate\.pem: /,
  ]],
  ["a certificate without its key", [HTTPS, "--key", TEXT], [
    /^--key: Cannot read a key from .*body\.txt: it holds no private key in PEM format$/,
    /^--key: Cannot use a key without its certificate \(add --cert\)$/,
  ]],
  ["an address of another host", [URL_, "--resolve", "b:1:127.0.0.1"], [
    /^--resolve: Cannot use an address for b:1: the load goes only to .* \(name the URL's host and port\)$/,
  ]],
  ["a password that is not written as in a URL", [URL_, "--proxy", "http://a:100%@b:1"], [
    /^--proxy: Cannot use this proxy: its user or password has a bare %: write %25; /,
  ]],
  ["a proxy of agents", [URL_, "--proxy", "http://b:1", "--agents", "1", "--redis", "redis://c"], [
    /^--proxy: Cannot load through an HTTP proxy from other machines \(leave out --proxy or --agents\)$/,
  ]],
  ["a connection for each request of HTTP/2", [URL_, "--http2", "--no-keepalive"], [
    /^--http2: Cannot open a connection for every request over HTTP\/2, which keeps connections open \(leave out --http2 or --no-keepalive\)$/,
  ]],
  ["HTTP/2 through a proxy that would have to speak it", [URL_, "--http2", "--proxy", "http://b"], [
    /^--proxy: Cannot speak HTTP\/2 to an http:\/\/ URL through an HTTP proxy, because only https uses a tunnel \(leave out --proxy or --http2, or write https:\/\/\)$/,
  ]],
  [
    "every field that HTTP/2 forbids",
    [
      ...[URL_, "--http2", "-H", "Connection: close", "-H", "keep-alive: timeout=5"],
      ...["-H", "proxy-connection: close", "-H", "upgrade: h2c", "-H", "TE: gzip"],
      ...["-H", "te: Trailers", "-H", "a: connection"],
    ],
    [
      /^--header: Cannot send the field connection over HTTP\/2, which forbids connection-specific fields \(leave out this header or --http2\)$/,
      /^--header: Cannot send the field keep-alive over /,
      /^--header: Cannot send the field proxy-connection over /,
      /^--header: Cannot send the field upgrade over /,
      /^--header: Cannot send this te field over HTTP\/2, which allows only "te: trailers" \(/,
    ],
  ],
  ["a form with get, and a part that is none", [URL_, "-F", "a=b", "-F", "c"], [
    /^--form: Cannot read "c" as a part of a form: write name=value/,
    /^--form: Cannot send a form with get \(add -m post\)$/,
  ]],
  ["a form beside a body", [URL_, "-m", "post", "-F", "a=b", "-b", "c"], [
    /^--form: Cannot send both a body and a form \(leave one out\)$/,
  ]],
  ["a socket that is not there", [URL_, "--unix", "no/such"], [
    /^--unix: Cannot dial no\/such: there is no file \/.*no\/such$/,
  ]],
  ["a file for a socket", [URL_, "--unix", TEXT], [/^--unix: Cannot dial .*: it is not a socket$/]],
  ["a socket for a URL with TLS", [HTTPS, "--unix", TEXT], [
    /^--unix: Cannot dial /,
    /^--unix: Cannot use TLS on a unix socket: the URL is https \(write http:\/\/\)$/,
  ]],
  ["a socket for a WebSocket with TLS", ["wss://a/", "--unix", TEXT], [
    /^--unix: Cannot dial /,
    /^--unix: Cannot use TLS on a unix socket: the URL is wss \(write ws:\/\/\)$/,
  ]],
];
for (const [sentence, args, told] of lines) {
  Deno.test(`bench is told about ${sentence}`, async () => {
    const lines = await toldOf(["bench", ...args]);
    assert.equal(lines.length, told.length, lines.join("\n"));
    for (const [index, pattern] of told.entries()) assert.match(lines[index], pattern);
  });
}
