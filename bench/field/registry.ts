import type { FieldServer } from "./server.ts";
import { apache } from "./servers/apache.ts";
import { axum } from "./servers/axum.ts";
import { caddy } from "./servers/caddy.ts";
import { deno } from "./servers/deno.ts";
import { envoy } from "./servers/envoy.ts";
import { go } from "./servers/go.ts";
import { h2o } from "./servers/h2o.ts";
import { haproxy } from "./servers/haproxy.ts";
import { hitch } from "./servers/hitch.ts";
import { jetty, tomcat, undertow, vertx } from "./servers/java.ts";
import { lighttpd } from "./servers/lighttpd.ts";
import { nghttpd } from "./servers/nghttpd.ts";
import { nghttpx } from "./servers/nghttpx.ts";
import { nginx } from "./servers/nginx.ts";
import { node } from "./servers/node.ts";
import { openssl } from "./servers/openssl.ts";
import { daphne, granian, gunicorn, hypercorn, uvicorn } from "./servers/python.ts";

export const servers: readonly FieldServer[] = [
  ...[nginx, apache, haproxy, caddy, lighttpd, h2o, nghttpx, nghttpd, hitch, envoy],
  ...[go, node, deno, hypercorn, granian, uvicorn, gunicorn, daphne],
  ...[axum, jetty, tomcat, undertow, vertx, openssl],
];
