/** The server on which generators are compared: nginx that answers from memory, one worker on a core of its own. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../../targets/launch/environment.ts";
import { temporaryFolder } from "./folder.ts";
import { placed } from "./programs.ts";
import { type Server, startServer } from "./server.ts";

/** The TLS configuration. No session is resumed, so that all generators do the same. */
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

/** Writes the files that `nginx -p FOLDER -c nginx.conf` reads. */
export function writeNginxConfig(folder: string, port: number, workers = 1): void {
  Deno.writeTextFileSync(join(folder, "nginx.conf"), CONFIG(port, workers));
}

/** @param workers If there are several, they run on whichever cores the system chooses. */
export function startNginx(workers = 1): Promise<Server> {
  return startWith(workers, (path, port) => writeNginxConfig(path, port, workers));
}

/**
 * A server that lets a number of requests a second through and answers the others with 503, at once. `burst` further
 * requests may come before their time, because the limit counts in whole milliseconds, and no generator is as even as
 * that.
 */
export function startLimitedNginx(perSec: number, burst: number): Promise<Server> {
  // Answered by `empty_gif`, because `return` would answer before the limit is checked.
  const limited = `limit_req zone=all burst=${burst} nodelay; empty_gif;`;
  const zone = `limit_req_zone $server_name zone=all:1m rate=${perSec}r/s;`;
  return startWith(1, (path, port) => {
    const config = CONFIG(port, 1).replace('return 200 "Hello, World!";', limited)
      .replace("server {", `${zone}\n  server {\n    server_name all;`);
    Deno.writeTextFileSync(join(path, "nginx.conf"), config);
  });
}

/** Starts nginx with TLS at `url`; its plain HTTP is there to see when nginx is ready. */
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

/** Starts nginx with HTTP/2 by prior knowledge at `url`, and HTTP/1.1 beside it. */
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
