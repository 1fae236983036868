/**
 * Starts the server on which generators are compared: nginx, which answers from memory with one worker on a core of its
 * own.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../../targets/launch/environment.ts";
import { temporaryFolder } from "./folder.ts";
import { placed } from "./programs.ts";
import { type Server, startServer } from "./server.ts";

/** The TLS configuration. It disables session resumption, so that all generators make full handshakes. */
const TLS = `
    ssl_certificate server.crt;
    ssl_certificate_key server.key;
    ssl_session_cache off;
    ssl_session_tickets off;`;

const CONFIG = (port: number, workers: number): string => `
daemon off;
worker_processes ${workers};
pid nginx.pid;
error_log stderr crit;
events { worker_connections 20000; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port} backlog=16384${workers > 1 ? " reuseport" : ""};
    location / { return 200 "Hello, World!"; }
  }
}
`;

/** Writes the configuration for `nginx -p FOLDER -c nginx.conf`. */
export function writeNginxConfig(folder: string, port: number, workers = 1): void {
  Deno.writeTextFileSync(join(folder, "nginx.conf"), CONFIG(port, workers));
}

/** @param workers If there are several, the system chooses the cores on which they run. */
export function startNginx(workers = 1): Promise<Server> {
  return startWith(workers, (path, port) => writeNginxConfig(path, port, workers));
}

/**
 * Starts a server that answers `perSec` requests a second, and the excess with 503 at once. Up to `burst` requests may
 * come too early, because the limit counts in whole milliseconds and no generator sends that evenly.
 */
export function startLimitedNginx(perSec: number, burst: number): Promise<Server> {
  // The response comes from `empty_gif`, because `return` would be processed before the limit.
  const limited = `limit_req zone=all burst=${burst} nodelay; empty_gif;`;
  const zone = `limit_req_zone $server_name zone=all:1m rate=${perSec}r/s;`;
  return startWith(1, (path, port) => {
    const config = CONFIG(port, 1).replace('return 200 "Hello, World!";', limited)
      .replace("server {", `${zone}\n  server {\n    server_name all;`);
    Deno.writeTextFileSync(join(path, "nginx.conf"), config);
  });
}

/** Starts nginx with TLS at `url`. It also serves plain HTTP, which shows when it is ready. */
export async function startSecureNginx(): Promise<Server & { readonly url: string }> {
  const port = freePort();
  const listen = `listen 127.0.0.1:${port} ssl backlog=16384;${TLS}\n    listen`;
  const server = await startWith(1, (path, plainPort) => {
    const config = CONFIG(plainPort, 1).replace("listen", listen);
    Deno.writeTextFileSync(join(path, "nginx.conf"), config);
    execFileSync("openssl", CERTIFICATE, { cwd: path, stdio: "pipe" });
  });
  return { ...server, url: `https://127.0.0.1:${port}/` };
}

/** Starts nginx with HTTP/2 without TLS, by prior knowledge, at `url`. HTTP/1.1 is served on another port. */
export async function startHttp2Nginx(): Promise<Server & { readonly url: string }> {
  const port = freePort();
  const listen = `listen 127.0.0.1:${port} http2 backlog=16384;\n    listen`;
  const server = await startWith(1, (path, plainPort) => {
    Deno.writeTextFileSync(
      join(path, "nginx.conf"),
      CONFIG(plainPort, 1).replace("listen", listen),
    );
  });
  return { ...server, url: `http://127.0.0.1:${port}/` };
}

const CERTIFICATE = [
  ...["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost"],
  ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
  ...["-keyout", "server.key", "-out", "server.crt"],
];

async function startWith(
  workers: number,
  prepare: (folder: string, port: number) => void,
): Promise<Server> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(temporaryFolder());
  const command = ["nginx", "-p", path, "-c", "nginx.conf"];
  const server = stack.use(
    await startServer("nginx", (port) => {
      prepare(path, port);
      return placed(workers === 1 ? "server" : "anywhere", command);
    }),
  );
  const kept = stack.move();
  return { ...server, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
