// deno-lint-ignore-file explicit-function-return-type -- plain JavaScript for Node
/** node:http and node:http2 on four ports: node_server.mjs HTTP1 H2C TLS TLS12, with CERT, KEY and LOG in the environment. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createSecureServer, createServer as createHttp2 } from "node:http2";
import { createServer as createHttps } from "node:https";
import { handler } from "./app.mjs";

const [http1, h2c, tls, tls12] = process.argv.slice(2).map(Number);
const MOST_REQUESTS = 100;
const IDLE_MS = 2_000;

const handle = handler(process.env.LOG);
const identity = { cert: readFileSync(process.env.CERT), key: readFileSync(process.env.KEY) };
const settings = { maxConcurrentStreams: 8 };

function limited(server) {
  server.keepAliveTimeout = IDLE_MS;
  server.maxRequestsPerSocket = MOST_REQUESTS;
  server.on("session", (session) => {
    let streams = 0;
    session.setTimeout(IDLE_MS, () => session.close());
    session.on("stream", () => ++streams === MOST_REQUESTS && session.close());
  });
  return server;
}

limited(createServer(handle)).listen(http1, "127.0.0.1");
limited(createHttp2({ settings }, handle)).listen(h2c, "127.0.0.1");
limited(
  createSecureServer({ ...identity, settings, allowHTTP1: true, minVersion: "TLSv1.3" }, handle),
)
  .listen(tls, "127.0.0.1");
limited(createHttps({ ...identity, maxVersion: "TLSv1.2" }, handle)).listen(tls12, "127.0.0.1");
