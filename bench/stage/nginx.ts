/** The server that generators are compared on: nginx that answers from memory, one worker on a core of its own. */
import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";
import { placed } from "./programs.ts";
import { type Server, startServer } from "./server.ts";

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

/** Writes what `nginx -p FOLDER -c nginx.conf` reads. */
export function writeNginxConfig(folder: string, port: number, workers = 1): void {
  Deno.writeTextFileSync(join(folder, "nginx.conf"), CONFIG(port, workers));
}

/** @param workers More than one go where the system puts them. */
export async function startNginx(workers = 1): Promise<Server> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(temporaryFolder());
  const server = stack.use(
    await startServer("nginx", (port) => {
      writeNginxConfig(path, port, workers);
      return placed(workers === 1 ? "server" : "anywhere", [
        "nginx",
        "-p",
        path,
        "-c",
        "nginx.conf",
      ]);
    }),
  );
  const kept = stack.move();
  return { ...server, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
