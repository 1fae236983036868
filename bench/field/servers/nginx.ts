/** nginx. It serves files itself and forwards all other requests to the origin. */
import { join } from "node:path";
import type { FieldServer } from "../server.ts";

export const nginx: FieldServer = {
  name: "nginx",
  needs: ["nginx"],
  install: "apt-get install nginx",
  version: ["nginx", "-v"],
  ways: { http1: "http1", h2c: "h2c", "tls1.2": "tls12", "tls1.3": "tls", h2: "tls" },
  prepare: ({ folder, ports, origin, cert, key, log }) => {
    Deno.writeTextFileSync(
      join(folder, "nginx.conf"),
      `user root;
daemon off;
worker_processes 2;
pid nginx.pid;
error_log stderr crit;
events {}
http {
  access_log ${log};
  ${
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
          `${name}_temp_path ${name};`
        )
          .join(" ")
      }
  keepalive_requests 100;
  keepalive_timeout 3s;
  http2_max_concurrent_streams 8;
  ssl_certificate ${cert};
  ssl_certificate_key ${key};
  gzip on;
  gzip_types *;
  gzip_min_length 0;
  proxy_http_version 1.1;
  server {
    listen 127.0.0.1:${ports.tls12} ssl;
    ssl_protocols TLSv1.2;
    include paths.conf;
  }
  server {
    listen 127.0.0.1:${ports.http1};
    listen 127.0.0.1:${ports.h2c} http2;
    listen 127.0.0.1:${ports.tls} ssl http2;
    ssl_protocols TLSv1.3;
    include paths.conf;
  }
}
`,
    );
    Deno.writeTextFileSync(
      join(folder, "paths.conf"),
      `root ${folder}/www;
client_max_body_size 200k;
location = /small {}
location = /big {}
location / { proxy_pass http://127.0.0.1:${origin}; }
`,
    );
  },
  commands: ({ folder }) => [["nginx", "-p", folder, "-c", "nginx.conf"]],
  reload: ({ folder }) => ["nginx", "-p", folder, "-c", "nginx.conf", "-s", "reload"],
};
