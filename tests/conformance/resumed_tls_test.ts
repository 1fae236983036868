/** Resumed TLS sessions, as servers of Node's and nginx count them on their side. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TcpEndpoint } from "../../base/net/endpoint.ts";
import type { DriverName } from "../../runner/load/engine/driver.ts";
import { freePort } from "../../targets/launch/environment.ts";
import { certificates } from "../certificates.ts";
import { until } from "../e2e/patience.ts";
import { findProgram, type Need, testWith } from "../needs.ts";
import { startHttpProxy } from "./http_proxy.ts";
import { assertNothingLost, load, type Loaded, type Wish } from "./loading.ts";
import { certificateFiles, started } from "./programs.ts";
import { DRIVER_NAMES } from "./ways.ts";

const SERVER = fileURLToPath(new URL("resuming_server.mjs", import.meta.url));
const NEEDS: readonly Need[] = ["node", "openssl", "libssl"];

/** What a server has seen. */
interface Seen {
  readonly full: number;
  readonly resumed: number;
  readonly requests: number;
}

type Version = "TLSv1.2" | "TLSv1.3";
const VERSIONS: readonly Version[] = ["TLSv1.2", "TLSv1.3"];

const CONNECTIONS = 4;
const REQUESTS = 40;

interface Meeting extends Wish {
  readonly driver?: DriverName;
  readonly version?: Version;
  readonly http2?: true;
  readonly insecure?: boolean;
  readonly proxy?: TcpEndpoint["proxy"];
  /** Of the server. */
  readonly kind?: string;
}

/** A load of which every request has a connection of its own. */
async function met(
  { driver = "epoll", version = "TLSv1.3", http2, insecure = false, proxy, kind, ...wish }: Meeting,
): Promise<{ readonly loaded: Loaded; readonly seen: Seen }> {
  const files = certificateFiles();
  const args = [SERVER, version, ...files, ...kind ? [kind] : []];
  await using server = await started("node", args);
  const endpoint = endpointAt(server.port, { http2, insecure, proxy });
  const setting = { connections: CONNECTIONS, requests: REQUESTS, ...wish };
  const loaded = await load({ driver, http2 }, { endpoint }, setting);
  assertNothingLost(loaded);
  assert.deepEqual([loaded.totals.completed, loaded.errors], [REQUESTS, {}]);
  return { loaded, seen: JSON.parse(await server.end()) };
}

function endpointAt(
  port: number,
  { http2, insecure = false, proxy }: Pick<Meeting, "http2" | "insecure" | "proxy">,
): TcpEndpoint {
  const caCerts = insecure ? [] : [certificates().authority];
  const tls = { serverName: "localhost", insecure, caCerts, ...http2 && { alpn: "h2" as const } };
  return { hostname: "127.0.0.1", port, tls, ...http2 && { http2 }, ...proxy && { proxy } };
}

function handshakesIn({ tls }: Loaded): Pick<Seen, "full" | "resumed"> {
  const sum = (of: "full" | "resumed"): number =>
    tls?.handshakes.reduce((all, kind) => all + kind[of], 0) ?? 0;
  return { full: sum("full"), resumed: sum("resumed") };
}

/** Over HTTP/2, a connection that leaves with the last response is replaced, too, so there may be more handshakes. */
function assertMet(
  { full, resumed, requests }: Seen,
  due: Pick<Seen, "full" | "resumed">,
  http2: true | undefined,
): void {
  const more = full + resumed - due.full - due.resumed;
  assert.ok(http2 ? more >= 0 && more <= CONNECTIONS : more === 0, `${more} more connections`);
  const idle = due.resumed > 0 ? { full: 0, resumed: more } : { full: more, resumed: 0 };
  assert.deepEqual(
    { full, resumed, requests },
    { full: due.full + idle.full, resumed: due.resumed + idle.resumed, requests: REQUESTS },
  );
}

const FIRST_ARE_FULL = { full: CONNECTIONS, resumed: REQUESTS - CONNECTIONS };

for (const version of VERSIONS) {
  for (const http2 of [undefined, true] as const) {
    const how = `${version}, ${http2 ? "HTTP/2" : "HTTP/1.1"}`;

    testWith(NEEDS, `${how}: a connection resumes the session of the one before it`, async () => {
      const { loaded, seen } = await met({ version, http2, tls: "resume" });
      assertMet(seen, FIRST_ARE_FULL, http2);
      if (!http2) assert.deepEqual(handshakesIn(loaded), FIRST_ARE_FULL);
      else assert.ok(handshakesIn(loaded).resumed >= FIRST_ARE_FULL.resumed);
    });

    for (const driver of DRIVER_NAMES) {
      for (const insecure of [false, true]) {
        const by = `${driver}${insecure ? ", unchecked" : ""}`;
        testWith(NEEDS, `${how}, ${by}: no session is resumed that nobody asked for`, async () => {
          const { seen } = await met({ driver, version, http2, insecure });
          assertMet(seen, { full: REQUESTS, resumed: 0 }, http2);
        });
      }
    }
  }

  testWith(
    NEEDS,
    `${version}: a session that the server has forgotten costs nothing but a full handshake`,
    async () => {
      const { loaded, seen } = await met({ version, tls: "resume", kind: "forgetful" });
      assert.deepEqual(handshakesIn(loaded), { full: seen.full, resumed: seen.resumed });
      assert.ok(seen.full > CONNECTIONS, `${seen.full} full handshakes`);
      assert.equal(seen.full + seen.resumed, REQUESTS);
    },
  );
}

testWith(NEEDS, "sessions are resumed where no certificate is checked, too", async () => {
  const { seen } = await met({ insecure: true, tls: "resume" });
  assert.deepEqual(seen, { ...FIRST_ARE_FULL, requests: REQUESTS });
});

testWith(NEEDS, "the second load of a worker resumes no session of the first", async () => {
  for (let loads = 0; loads < 2; loads++) {
    const { seen } = await met({ tls: "resume" });
    assert.equal(seen.full, CONNECTIONS);
  }
});

testWith(NEEDS, "sessions are resumed through a proxy's tunnel", async () => {
  await using proxy = startHttpProxy();
  const { hostname, port } = new URL(proxy.url);
  const way = { hostname, port: Number(port), authorization: null };
  const { seen } = await met({ proxy: way, tls: "resume" });
  assert.deepEqual(seen, { ...FIRST_ARE_FULL, requests: REQUESTS });
  assert.equal(proxy.asked.length, REQUESTS);
});

/** By tickets that the client keeps, or by sessions that the server keeps (RFC 8446 §4.6.1, RFC 5246 §7.4.1.2). */
for (const tickets of ["on", "off"] as const) {
  for (const version of VERSIONS) {
    const name = `nginx with ${version} and tickets ${tickets} resumes what is offered`;
    testWith(["nginx", "openssl", "libssl"], name, async () => {
      await using nginx = await startNginx(version, tickets);
      const setting = { connections: CONNECTIONS, requests: REQUESTS, keepAlive: false };
      const server = { endpoint: endpointAt(nginx.port, {}) };
      const loaded = await load({ driver: "epoll" }, server, { ...setting, tls: "resume" });
      assertNothingLost(loaded);
      await until("nginx has written its log", () => nginx.reused().length >= REQUESTS);
      const resumed = nginx.reused().filter((word) => word === "r").length;
      assert.deepEqual([resumed, REQUESTS - resumed], [
        FIRST_ARE_FULL.resumed,
        FIRST_ARE_FULL.full,
      ]);
      assert.deepEqual(handshakesIn(loaded), FIRST_ARE_FULL);
    });
  }
}

interface Nginx extends AsyncDisposable {
  readonly port: number;
  /** `$ssl_session_reused` of each request so far. */
  readonly reused: () => string[];
}

async function startNginx(version: Version, tickets: "on" | "off"): Promise<Nginx> {
  const folder = Deno.makeTempDirSync();
  const port = freePort();
  const [cert, key] = certificateFiles();
  const log = join(folder, "reused.log");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${kind};`).join(" ");
  Deno.writeTextFileSync(
    join(folder, "nginx.conf"),
    `daemon off; worker_processes 1; pid nginx.pid; error_log stderr crit; events {}
    http {
      ${temporary}
      log_format reused $ssl_session_reused;
      access_log ${log} reused;
      server {
        listen 127.0.0.1:${port} ssl;
        ssl_protocols ${version};
        ssl_session_tickets ${tickets};
        ssl_session_cache shared:sessions:1m;
        ssl_certificate ${cert};
        ssl_certificate_key ${key};
        location / { return 200 ok; }
      }
    }`,
  );
  const child = new Deno.Command(findProgram("nginx") ?? "nginx", {
    args: ["-p", folder, "-c", "nginx.conf"],
    stderr: "null",
  }).spawn();
  const listens = (): Promise<boolean> =>
    Deno.connect({ hostname: "127.0.0.1", port })
      .then((conn) => (conn.close(), true), () => false);
  await until("nginx listens", listens);
  return {
    port,
    reused: () => Deno.readTextFileSync(log).split("\n").filter((line) => line !== ""),
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGTERM");
      await child.status;
      Deno.removeSync(folder, { recursive: true });
    },
  };
}
