/** HAProxy as a gateway to the origin. It logs to standard output, which is redirected to the log file. */
import { join } from "node:path";
import type { FieldServer } from "../server.ts";

export const haproxy: FieldServer = {
  name: "haproxy",
  needs: ["haproxy"],
  install: "apt-get install haproxy",
  version: ["haproxy", "-v"],
  ways: { http1: "http1", h2c: "h2c", "tls1.2": "tls12", "tls1.3": "tls", h2: "tls" },
  prepare: ({ folder, ports, origin, cert, key }) => {
    const pem = join(folder, "both.pem");
    Deno.writeTextFileSync(pem, Deno.readTextFileSync(cert) + Deno.readTextFileSync(key));
    const secure = `ssl crt ${pem} alpn h2,http/1.1`;
    Deno.writeTextFileSync(
      join(folder, "haproxy.cfg"),
      `global
  log stdout format raw local0
  tune.h2.max-concurrent-streams 8
  stats socket ${folder}/admin level admin expose-fd listeners
defaults
  mode http
  log global
  log-format "%HU %ST %B %Tt"
  timeout connect 5s
  timeout client 10s
  timeout server 10s
  timeout http-keep-alive 3s
frontend field
  bind 127.0.0.1:${ports.http1}
  bind 127.0.0.1:${ports.h2c} proto h2
  bind 127.0.0.1:${ports.tls} ${secure} ssl-min-ver TLSv1.3
  bind 127.0.0.1:${ports.tls12} ${secure} ssl-max-ver TLSv1.2
  http-request deny deny_status 413 if { path /limited }
  default_backend origin
backend origin
  server origin 127.0.0.1:${origin}
`,
    );
  },
  commands: ({ folder, log }) => [
    ["sh", "-c", `exec haproxy -W -f ${folder}/haproxy.cfg >> ${log}`],
  ],
  reload: "SIGUSR2",
};
