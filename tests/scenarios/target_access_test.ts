/** The way to a target in an experiment file: certificates and sockets, and what people are told of them. */
import type { Access } from "../../base/net/endpoint.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { UserError } from "../../base/errors.ts";
import { loadExperiment } from "../../scenarios/file/experiment_file.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { startTarget } from "../../targets/launchers.ts";
import { certificates } from "../certificates.ts";
import { needing } from "../needs.ts";
import { launchContext } from "../targets/fixtures/launch_context.ts";
import { rejected } from "../thrown.ts";

const withOpenssl = needing("openssl");

interface Folder extends Disposable {
  readonly path: string;
}

/** With an experiment of the one target, a text file, and a socket. */
function folderOf(target: string): Folder {
  const path = Deno.makeTempDirSync();
  Deno.writeTextFileSync(
    join(path, "x.yaml"),
    `name: ways\ntargets:\n  a: ${target}\nscenarios: { s: { get: / } }\n`,
  );
  Deno.writeTextFileSync(join(path, "text"), "no certificate");
  const listener = Deno.listen({ transport: "unix", path: join(path, "socket") });
  return {
    path,
    [Symbol.dispose]: () => {
      listener.close();
      Deno.removeSync(path, { recursive: true });
    },
  };
}

async function accessOf({ path: baseDir }: Folder): Promise<Access | undefined> {
  const { experiment } = await loadExperiment(join(baseDir, "x.yaml"));
  const [{ targetSpec }] = planCells(experiment);
  return (await startTarget(targetSpec, launchContext({ baseDir }))).access;
}

Deno.test("a target without a word trusts the usual authorities, and nothing else", async () => {
  using folder = folderOf('{ url: "https://a:1" }');
  const access = await accessOf(folder);
  assert.deepEqual(access, { insecure: false, caCerts: [], unixPath: undefined });
});

Deno.test("a target may take any certificate", async () => {
  using folder = folderOf('{ url: "https://a:1", insecure: true }');
  assert.equal((await accessOf(folder))?.insecure, true);
});

Deno.test("a target's socket starts from the experiment's folder", async () => {
  using folder = folderOf('{ url: "http://a", unix: ./socket }');
  assert.equal((await accessOf(folder))?.unixPath, join(folder.path, "socket"));
});

withOpenssl.test("a target's authorities are read from the experiment's folder", async () => {
  using folder = folderOf('{ url: "https://a:1", cacert: ./ca.pem }');
  const { authority } = certificates();
  Deno.writeTextFileSync(join(folder.path, "ca.pem"), authority);
  assert.deepEqual((await accessOf(folder))?.caCerts, [authority]);
});

withOpenssl.test("a target's client certificate is read from the experiment's folder", async () => {
  using folder = folderOf('{ url: "https://a:1", cert: ./own.crt, key: ./own.key }');
  const { own, signed } = certificates();
  Deno.writeTextFileSync(join(folder.path, "own.crt"), own.cert);
  Deno.writeTextFileSync(join(folder.path, "own.key"), own.key);
  assert.deepEqual((await accessOf(folder))?.clientCertificate, own);
  const { experiment } = await loadExperiment(join(folder.path, "x.yaml"));
  const saved = JSON.stringify(experiment.targets);
  assert.ok(saved.includes('"key":"./own.key"') && !saved.includes("BEGIN"), saved);
  Deno.writeTextFileSync(join(folder.path, "own.key"), signed.key);
  await assert.rejects(
    loadExperiment(join(folder.path, "x.yaml")),
    /targets\.a\.key: Cannot use this key: it does not belong to the certificate/,
  );
});

Deno.test("a target has an address of its own, or a proxy", async () => {
  using named = folderOf('{ url: "https://[::1]", resolve: "[::1]:443:[::2]" }');
  assert.equal((await accessOf(named))?.addresses?.join(), "::2");
  using folder = folderOf('{ url: "http://a:1", httpProxy: "http://ada:x7731-by-proxy@b:2" }');
  assert.equal((await accessOf(folder))?.proxy, "http://ada:x7731-by-proxy@b:2");
});

const WRONG: [sentence: string, target: string, told: RegExp[]][] = [
  ["a URL that is no server's", '{ url: "ftp://a:1" }', [
    /^x\.yaml:3:13: targets\.a\.url: Cannot use this as a server: write http:.* or https:/,
  ]],
  ["authorities in a file that is not there", '{ url: "https://a:1", cacert: ca.pem }', [
    /^x\.yaml:3:36: targets\.a\.cacert: Cannot read ca\.pem: there is no file \/.*\/ca\.pem$/,
  ]],
  ["a file that holds no certificate", '{ url: "https://a:1", cacert: text }', [
    /^x\.yaml:3:36: targets\.a\.cacert: Cannot read text: it holds no certificates in PEM format$/,
  ]],
  ["a socket that is not there", '{ url: "http://a:1", unix: none }', [
    /^x\.yaml:3:33: targets\.a\.unix: Cannot dial none: there is no file \/.*\/none$/,
  ]],
  ["a file for a socket", '{ url: "http://a:1", unix: text }', [
    /^x\.yaml:3:33: targets\.a\.unix: Cannot dial text: it is not a socket$/,
  ]],
  ["everything at once", '{ url: "http://a:1", cacert: text, insecure: maybe }', [
    /targets\.a\.cacert: Cannot read text/,
    /targets\.a\.cacert: Cannot use certificates: the URL is not https; leave/,
    /targets\.a\.insecure: Cannot use "maybe": it must be true or false$/,
  ]],
  ["a socket for a URL with TLS", '{ url: "https://a:1", unix: socket }', [
    /targets\.a\.unix: Cannot use TLS on a unix socket: the URL is https; write http:\/\/$/,
  ]],
  ["a certificate without its key, and without TLS", '{ url: "http://a:1", cert: text }', [
    /targets\.a\.cert: Cannot read text: it holds no certificates in PEM format$/,
    /targets\.a\.cert: Cannot present a certificate without TLS: the URL is not https; leave/,
    /targets\.a\.cert: Cannot present a certificate without its key; add key$/,
  ]],
  ["a key that is none", '{ url: "https://a:1", key: text }', [
    /targets\.a\.key: Cannot read text: it holds no private key in PEM format$/,
    /targets\.a\.key: Cannot use a key without its certificate; add cert$/,
  ]],
  ["an address of another host", '{ url: "http://a:1", resolve: "b:1:127.0.0.1" }', [
    /targets\.a\.resolve: Cannot use an address for b:1: the load goes only to a:1; name/,
  ]],
  ["an address that is none", '{ url: "http://a:1", resolve: "a:1:b" }', [
    /targets\.a\.resolve: Cannot read "a:1:b" as the address of a host: write host:port:address/,
  ]],
  ["a proxy behind TLS", '{ url: "http://a:1", httpProxy: "https://b" }', [
    /targets\.a\.httpProxy: Cannot use this proxy: TLS to the proxy itself is not supported; write/,
  ]],
  ["a proxy that is more than one", '{ url: "http://a:1", httpProxy: "http://b/path" }', [
    /targets\.a\.httpProxy: Cannot use this proxy: it is not the URL of an HTTP proxy; write/,
  ]],
  [
    "a proxy beside an address",
    '{ url: "http://a:1", httpProxy: "http://b", resolve: "a:1:127.0.0.1" }',
    [
      /targets\.a\.resolve: Cannot use an address for the host: the proxy looks the host up; leave out resolve$/,
    ],
  ],
  ["authorities for a program of ours", "{ command: [x], cacert: text }", [
    /targets\.a\.cacert: Cannot understand "cacert"/,
  ]],
];

for (const [sentence, target, told] of WRONG) {
  Deno.test(`an experiment is told about ${sentence}`, async () => {
    using folder = folderOf(target);
    const error = await rejected(UserError, loadExperiment(join(folder.path, "x.yaml")));
    const lines = error.lines.map((line) => line.replace(`${folder.path}/x.yaml`, "x.yaml"));
    assert.equal(lines.length, told.length, lines.join("\n"));
    for (const [index, pattern] of told.entries()) assert.match(lines[index], pattern);
  });
}
