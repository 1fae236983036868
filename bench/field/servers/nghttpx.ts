/** nghttpx, nghttp2's proxy, as a gateway to the origin. */
import type { FieldServer } from "../server.ts";

export const nghttpx: FieldServer = {
  name: "nghttpx",
  needs: ["nghttpx"],
  install: "apt-get install nghttp2-proxy",
  version: ["nghttpx", "--version"],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls", "tls1.3": "tls", h2: "tls" },
  commands: ({ ports, origin, cert, key, log }) => [[
    ...["nghttpx", "--conf=/dev/null", "--errorlog-file=/dev/stderr"],
    ...[`-f127.0.0.1,${ports.http1};no-tls`, `-f127.0.0.1,${ports.tls}`],
    ...[`-b127.0.0.1,${origin}`, `--accesslog-file=${log}`, "--accesslog-format=$request"],
    ...["--frontend-http2-max-concurrent-streams=8", "--frontend-keep-alive-timeout=3s"],
    ...["--frontend-http2-read-timeout=3s", "--frontend-read-timeout=3s", key, cert],
  ]],
};
