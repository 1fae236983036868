/** Node's own servers, node:http and node:http2. */
import { fileURLToPath } from "node:url";
import type { FieldServer } from "../server.ts";

const PROGRAM = fileURLToPath(new URL("node_server.mjs", import.meta.url));

export const node: FieldServer = {
  name: "node",
  needs: ["node"],
  install: "apt-get install nodejs",
  version: ["node", "--version"],
  ways: { http1: "http1", h2c: "h2c", "tls1.2": "tls12", "tls1.3": "tls", h2: "tls" },
  env: ({ cert, key, log }) => ({ CERT: cert, KEY: key, LOG: log }),
  commands: ({ ports: { http1, h2c, tls, tls12 } }) => [
    ["node", PROGRAM, ...[http1, h2c, tls, tls12].map(String)],
  ],
};
