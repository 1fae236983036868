/**
 * A real nginx with one worker that answers every path with `{"ok":true}`, as a fixed point to measure.
 */
import { join } from "node:path";
import { findProgram } from "../needs.ts";
import { until } from "./patience.ts";
import { emptyFolder } from "./plateau.ts";

const CONFIG = (port: number): string => `
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port};
    location / { default_type application/json; return 200 '{"ok":true}'; }
  }
}
`;

/** Starts it on a free port; leaving the scope stops it. */
export async function startNginx(): Promise<AsyncDisposable & { origin: string }> {
  const folder = emptyFolder();
  const port = freePort();
  Deno.writeTextFileSync(join(folder.path, "nginx.conf"), CONFIG(port));
  const child = new Deno.Command(findProgram("nginx") ?? "nginx", {
    args: ["-p", folder.path, "-c", "nginx.conf"],
  }).spawn();
  const origin = `http://127.0.0.1:${port}`;
  const answers = (): Promise<boolean> =>
    fetch(origin).then((answer) => answer.text()).then((body) => body !== "", () => false);
  await until("nginx answers", answers);
  return {
    origin,
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGTERM");
      await child.status;
      folder[Symbol.dispose]();
    },
  };
}

function freePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}
