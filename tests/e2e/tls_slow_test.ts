/**
 * `bench` and `run` of servers with TLS, and on unix sockets.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { capacityResult } from "../../runner/result/capacity.ts";
import { measurement, results } from "../../runner/result/result.ts";
import { certificates } from "../certificates.ts";
import { openssl } from "../../base/system/openssl.ts";
import { isThere, needing } from "../needs.ts";
import { emptyFolder, type Ended, exits, plateau } from "./plateau.ts";

const withOpenssl = needing("openssl");
const withOpensslAndLibssl = needing("openssl", "libssl");

const BY_OPENSSL = isThere("libssl") ? `openssl ${openssl().version}` : "";

type Where = Deno.ServeTcpOptions | (Deno.ServeTcpOptions & Deno.TlsCertifiedKeyPem);

/** A server that answers with the Host that it was asked for. */
function serveHost(where: Where | { path: string }): Deno.HttpServer {
  return Deno.serve(
    { ...where, onListen: () => {} },
    ({ headers }) => new Response(headers.get("host")),
  );
}

function secure(): Deno.HttpServer & { addr: Deno.NetAddr } {
  const { signed } = certificates();
  const server = serveHost({ hostname: "127.0.0.1", port: 0, ...signed });
  return server as Deno.HttpServer & { addr: Deno.NetAddr };
}

/** Who may do TLS that is checked. */
function possibleWays(): string[] {
  if (!isThere("libssl")) return ["tcp runtime"];
  const ways = [`epoll ${BY_OPENSSL}`];
  // A binary of Deno 2.6 does not report which authorities of the system it trusts.
  return Deno.env.get("DENO_TLS_CA_STORE") === "system" ? [...ways, "tcp runtime"] : ways;
}

withOpenssl.test("bench of https trusts whom --cacert names, and nobody by itself", async () => {
  await using server = secure();
  using folder = emptyFolder();
  const file = join(folder.path, "authority.pem");
  Deno.writeTextFileSync(file, certificates().authority);
  const host = `localhost:${server.addr.port}`;
  const args = ["bench", `https://${host}/`, "-n", "50", "-c", "5", "--expect-body", host];

  const trusted = await exits(0, [...args, "--cacert", file, "--json", "-"]);
  const { driver, requests, checks, url, tls } = measurement.parse(JSON.parse(trusted.stdout));
  assert.deepEqual([requests.completed, checks.passed], [50, 50]);
  const way = `${driver} ${tls?.by}`;
  assert.ok(possibleWays().includes(way), way);
  assert.equal(url, `https://${host}/`);

  await exits(0, [...args, "--insecure", "--json", "-"]);

  const distrusted = await exits(3, [...args, "--json", "-"]);
  const { errors, requests: { failed } } = measurement.parse(JSON.parse(distrusted.stdout));
  assert.ok(failed > 0 && errors.tls === failed, `${errors.tls} of ${failed}`);
  assert.match(
    distrusted.stderr,
    /not signed by an authority that this machine trusts: --cacert names/,
  );
});

Deno.test("bench of a unix socket asks for the URL's host", async () => {
  using folder = emptyFolder();
  const path = join(folder.path, "socket");
  await using _server = serveHost({ path });
  const args = ["bench", "http://elsewhere/", "-n", "50", "--expect-body", "elsewhere"];
  const { stdout } = await exits(0, [...args, "--unix", path, "--json", "-"]);
  const { driver, requests, checks } = measurement.parse(JSON.parse(stdout));
  assert.deepEqual([driver, requests.completed, checks.passed], ["tcp", 50, 50]);
});

withOpensslAndLibssl.test("bench says who did TLS, what was agreed on and how often; each driver is to be had", async () => {
  await using server = secure();
  const args = ["bench", `https://localhost:${server.addr.port}/`, "-n", "40", "-c", "4"];
  const tlsOf = async (...more: string[]): Promise<unknown> => {
    const { stdout, stderr } = await plateau([...args, "--insecure", ...more, "--json", "-"]);
    const { driver, tls, requests: { completed } } = measurement.parse(JSON.parse(stdout));
    assert.equal(completed, 40, stderr);
    return { driver, ...tls };
  };
  const agreed = { version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", alpn: "http/1.1" };
  assert.deepEqual(await tlsOf("-w", "2"), {
    driver: "epoll",
    by: BY_OPENSSL,
    handshakes: [{ ...agreed, full: 4, resumed: 0 }],
  });
  assert.deepEqual(await tlsOf("--driver", "epoll", "--no-keepalive"), {
    driver: "epoll",
    by: BY_OPENSSL,
    handshakes: [{ ...agreed, full: 40, resumed: 0 }],
  });
  const byRuntime = { driver: "tcp", by: "runtime", handshakes: [] };
  assert.deepEqual(await tlsOf("--driver", "tcp"), byRuntime);

  const { stdout } = await plateau([...args, "--insecure"]);
  assert.match(
    stdout,
    /TLS +openssl 3\.\S+; TLSv1\.3, TLS_AES_256_GCM_SHA384, http\/1\.1: 4 full handshakes/,
  );
});

Deno.test("bench of a unix socket with --driver epoll is refused", async () => {
  using folder = emptyFolder();
  const path = join(folder.path, "socket");
  await using _server = serveHost({ path });
  const args = ["bench", "http://localhost/", "--unix", path, "--driver", "epoll"];
  const { stderr } = await exits(2, args);
  assert.match(stderr, /Cannot use the epoll driver on a unix socket: it supports only TCP/);
});

withOpenssl.test("run goes the way that its targets name, and tells of a certificate that nobody trusts", async () => {
  await using server = secure();
  using folder = emptyFolder();
  const socket = join(folder.path, "socket");
  await using _local = serveHost({ path: socket });
  const host = `localhost:${server.addr.port}`;
  Deno.writeTextFileSync(join(folder.path, "ca.pem"), certificates().authority);
  Deno.writeTextFileSync(
    join(folder.path, "ways.yaml"),
    `name: ways
targets:
  trusted: { url: "https://${host}", cacert: ./ca.pem }
  unchecked: { url: "https://${host}", insecure: true }
  distrusted: { url: "https://${host}" }
  local: { url: "http://${host}", unix: socket }
scenarios: { host: { get: /, expect: { body: "${host}" } } }
load: { connections: 2, requests: 20 }
repeat: 1
`,
  );
  const { stderr } = await exits(3, ["run", join(folder.path, "ways.yaml")], { cwd: folder.path });
  assert.match(
    stderr,
    /Cannot measure target distrusted: GET \/ got no response: the certificate is not signed by an authority that this machine trusts \(cacert/,
  );
  const [time] = [...Deno.readDirSync(join(folder.path, "results/ways"))];
  const text = Deno.readTextFileSync(join(folder.path, "results/ways", time.name, "results.json"));
  const { runs, missing, experiment } = results.parse(JSON.parse(text));
  assert.deepEqual(missing.map(({ target }) => target), ["distrusted"]);
  assert.deepEqual(
    runs.map(({ target, requests, checks }) => [target, requests.completed, checks.passed])
      .sort(),
    [["local", 20, 20], ["trusted", 20, 20], ["unchecked", 20, 20]],
  );
  assert.match(
    JSON.stringify(experiment),
    /"cacert":\{"path":".\/ca.pem","sha256":"[0-9a-f]{64}"\}/,
    "authorities stay a path, with a digest",
  );
});

/** A server with the certificate that `openssl req -x509` makes, an authority's, and the file of it. */
function careless(folder: string): {
  readonly server: Deno.HttpServer & { addr: Deno.NetAddr };
  readonly origin: string;
  readonly cacert: string;
} {
  const { careless } = certificates();
  const server = serveHost({ hostname: "127.0.0.1", port: 0, ...careless }) as Deno.HttpServer & {
    addr: Deno.NetAddr;
  };
  const cacert = join(folder, "c.pem");
  Deno.writeTextFileSync(cacert, careless.cert);
  return { server, origin: `https://127.0.0.1:${server.addr.port}`, cacert };
}

/** Whether a binary of Deno 2.6 says that it cannot: neither by its own TLS nor, with the system's authorities, by OpenSSL. */
function isTooOld({ code, stderr }: Ended): boolean {
  return Boolean(Deno.env.get("PLATEAU_BINARY")) && code === 3 &&
    /does not accept such a certificate|does not report which certificate authorities/.test(stderr);
}

for (const http2 of [false, true]) {
  const over = http2 ? "HTTP/2" : "HTTP/1.1";

  withOpenssl.test(`bench, run and capacity over ${over} trust a certificate that openssl makes for an authority, where it is itself named`, async () => {
    using folder = emptyFolder();
    const { server, origin, cacert } = careless(folder.path);
    await using _server = server;
    const named = ["--cacert", cacert, ...http2 ? ["--http2"] : []];

    for (const driver of isThere("libssl") ? ["epoll", "tcp"] : ["tcp"]) {
      const args = ["bench", `${origin}/`, ...named, "-n", "20", "-c", "2", "--driver", driver];
      const ended = await plateau([...args, "--json", "-"]);
      if (isTooOld(ended)) continue;
      assert.equal(ended.code, 0, ended.stderr);
      assert.equal(measurement.parse(JSON.parse(ended.stdout)).requests.completed, 20, driver);
    }

    const file = join(folder.path, "named.json");
    const experiment = {
      name: "named",
      targets: { app: { url: origin, cacert } },
      scenarios: { host: { get: "/" } },
      load: { connections: 2, requests: 20, http2 },
      repeat: 1,
    };
    Deno.writeTextFileSync(file, JSON.stringify(experiment));
    const run = await plateau(["run", file, "--out", join(folder.path, "out")]);
    assert.ok(run.code === 0 || isTooOld(run), run.stderr);

    const trials = ["--within", "success >= 99%", "--trial", "1s,1s", "--budget", "4s", "-c", "2"];
    const searched = await plateau(["capacity", `${origin}/`, ...named, ...trials, "--json", "-"]);
    if (isTooOld(searched)) return;
    // 5: a busy machine, on which the budget may be over before the first trial
    assert.ok([0, 5].includes(searched.code), searched.stderr);
    assert.equal(capacityResult.parse(JSON.parse(searched.stdout)).url, `${origin}/`);
  });
}

withOpenssl.test("bench of such a certificate that nobody names ends at its first handshakes, and says which flag trusts it", async () => {
  using folder = emptyFolder();
  const { server, origin } = careless(folder.path);
  await using _server = server;
  const args = ["bench", `${origin}/`, "-n", "500", "--interval", "60s"];
  const { stdout, stderr } = await exits(3, [...args, "--json", "-"]);
  const { elapsedS, requests, errors } = measurement.parse(JSON.parse(stdout));
  assert.ok(elapsedS < 30, `${elapsedS} s`); // 500 handshakes with the pauses between them take longer
  assert.deepEqual([requests.completed, errors.tls], [0, requests.failed]);
  assert.match(
    stderr,
    /--cacert with the file of that very certificate trusts it.*--insecure accepts any/,
  );
});
