/** Deno's own HTTP server, `Deno.serve`. */
import { fileURLToPath } from "node:url";
import type { FieldServer } from "../server.ts";

const PROGRAM = fileURLToPath(new URL("deno_server.ts", import.meta.url));

export const deno: FieldServer = {
  name: "deno",
  needs: [],
  install: "",
  version: [Deno.execPath(), "--version"],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls", "tls1.3": "tls", h2: "tls" },
  env: ({ cert, key, log }) => ({ CERT: cert, KEY: key, LOG: log }),
  commands: ({ ports: { http1, tls } }) => [
    [Deno.execPath(), "run", "-A", PROGRAM, `${http1}`, `${tls}`],
  ],
  differs: {
    head: {
      how: "sends content in response to a HEAD over HTTP/2, which curl and nghttp refuse, too",
      ways: ["h2c", "h2"],
    },
  },
};
