/** axum, which is hyper. */
import { fileURLToPath } from "node:url";
import { start } from "../../stage/programs.ts";
import type { FieldServer } from "../server.ts";

const MANIFEST = fileURLToPath(new URL("axum/Cargo.toml", import.meta.url));

export const axum: FieldServer = {
  name: "axum",
  needs: ["cargo"],
  install: "rustup, or apt-get install cargo",
  version: ["grep", "axum = ", MANIFEST],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls", "tls1.3": "tls", h2: "tls" },
  prepare: async ({ folder }) => {
    const place = ["--manifest-path", MANIFEST, "--target-dir", `${folder}/target`];
    await start(["cargo", "build", "--quiet", "--locked", ...place]).output;
  },
  env: ({ cert, key, log }) => ({ CERT: cert, KEY: key, LOG: log }),
  commands: ({ folder, ports: { http1, tls } }) => [
    [`${folder}/target/debug/field`, `${http1}`, `${tls}`],
  ],
};
