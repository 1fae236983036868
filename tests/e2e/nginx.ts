/** An nginx as a fixed point to measure, on any core, and without the time that a supervisor takes. */
import { join } from "node:path";
import { writeNginxConfig } from "../../bench/stage/nginx.ts";
import { freePort } from "../../targets/launch/environment.ts";
import { findProgram } from "../needs.ts";
import { until } from "./patience.ts";
import { emptyFolder } from "./plateau.ts";

/** That of the benches. */
export function startNginx(): Promise<AsyncDisposable & { origin: string }> {
  return start(writeNginxConfig);
}

/** One that answers so many requests a second and no more: whoever asks sooner waits his turn. */
export function startPacedNginx(perSec: number): Promise<AsyncDisposable & { origin: string }> {
  return start((folder, port) =>
    Deno.writeTextFileSync(join(folder, "nginx.conf"), PACED(port, perSec))
  );
}

/** From memory, but not by `return`, which answers before the limit is looked at. */
const PACED = (port: number, perSec: number): string => `
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr crit;
events {}
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  limit_req_zone $server_name zone=all:1m rate=${perSec}r/s;
  server {
    listen 127.0.0.1:${port};
    server_name all;
    location / { limit_req zone=all burst=1000; empty_gif; }
  }
}
`;

/** Starts it on a free port; leaving the scope stops it. */
async function start(
  configure: (folder: string, port: number) => void,
): Promise<AsyncDisposable & { origin: string }> {
  const folder = emptyFolder();
  const port = freePort();
  configure(folder.path, port);
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
