/** The server that generators are compared on: one nginx worker that answers from memory, on a core of its own. */
import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";
import { placed } from "./programs.ts";
import { type Server, startServer } from "./server.ts";

const CONFIG = (port: number): string => `
daemon off;
worker_processes 1;
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
    listen 127.0.0.1:${port} backlog=16384;
    location / { return 200 "Hello, World!"; }
  }
}
`;

/** Writes what `nginx -p FOLDER -c nginx.conf` reads. */
export function writeNginxConfig(folder: string, port: number): void {
  Deno.writeTextFileSync(join(folder, "nginx.conf"), CONFIG(port));
}

export async function startNginx(): Promise<Server> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(temporaryFolder());
  const server = stack.use(
    await startServer("nginx", (port) => {
      writeNginxConfig(path, port);
      return placed("server", ["nginx", "-p", path, "-c", "nginx.conf"]);
    }),
  );
  const kept = stack.move();
  return { ...server, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
