/** An nginx that demands a certificate of its clients. */
import { join } from "node:path";
import { freePort } from "../../targets/launch/environment.ts";
import type { Certificate } from "../certificates.ts";
import { until } from "../e2e/patience.ts";
import { findProgram } from "../needs.ts";

const config = (port: number): string => `
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr crit;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate server.crt;
    ssl_certificate_key server.key;
    ssl_client_certificate authority.crt;
    ssl_verify_client on;
    location / { return 200 "$ssl_client_s_dn"; }
  }
}
`;

/** @param authority Of the clients, as PEM. */
export async function startMutualNginx(
  { cert, key }: Certificate,
  authority: string,
): Promise<AsyncDisposable & { readonly origin: string }> {
  const folder = Deno.makeTempDirSync();
  const port = freePort();
  const files = { "nginx.conf": config(port), "server.crt": cert, "server.key": key };
  for (const [name, text] of Object.entries({ ...files, "authority.crt": authority })) {
    Deno.writeTextFileSync(join(folder, name), text);
  }
  const child = new Deno.Command(findProgram("nginx") ?? "nginx", {
    args: ["-p", folder, "-c", "nginx.conf"],
  }).spawn();
  const listens = (): Promise<boolean> =>
    Deno.connect({ hostname: "127.0.0.1", port })
      .then((conn) => (conn.close(), true), () => false);
  await until("nginx listens", listens);
  return {
    origin: `https://localhost:${port}`,
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGTERM");
      await child.status;
      Deno.removeSync(folder, { recursive: true });
    },
  };
}
