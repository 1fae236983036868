/** Caddy. It serves files itself and forwards all other requests to the origin. */
import { join } from "node:path";
import type { FieldServer } from "../server.ts";

export const caddy: FieldServer = {
  name: "caddy",
  needs: ["caddy"],
  install: "apt-get install caddy",
  version: ["caddy", "version"],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls12", "tls1.3": "tls", h2: "tls" },
  prepare: ({ folder, ports, origin, cert, key, log }) =>
    Deno.writeTextFileSync(
      join(folder, "Caddyfile"),
      `{
  admin 127.0.0.1:${ports.inner}
  auto_https off
  servers {
    protocols h1 h2 h2c
    timeouts {
      idle 3s
    }
  }
}
(paths) {
  root * ${folder}/www
  log {
    output file ${log}
    format json
  }
  respond /limited 413
  @own path /small /big
  file_server @own
  reverse_proxy 127.0.0.1:${origin}
}
http://127.0.0.1:${ports.http1} {
  bind 127.0.0.1
  import paths
}
https://127.0.0.1:${ports.tls} {
  bind 127.0.0.1
  tls ${cert} ${key} {
    protocols tls1.3
  }
  import paths
}
https://127.0.0.1:${ports.tls12} {
  bind 127.0.0.1
  tls ${cert} ${key} {
    protocols tls1.2 tls1.2
  }
  import paths
}
`,
    ),
  env: ({ folder }) => ({ HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }),
  commands: () => [["caddy", "run", "--config", "Caddyfile", "--adapter", "caddyfile"]],
  reload: ({ folder, ports }) => [
    ...["caddy", "reload", "--force", "--config", join(folder, "Caddyfile")],
    ...["--adapter", "caddyfile", "--address", `127.0.0.1:${ports.inner}`],
  ],
};
