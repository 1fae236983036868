/** axum, a web framework on top of hyper. */
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { start } from "../../stage/programs.ts";
import type { FieldServer } from "../server.ts";

const SOURCES = fileURLToPath(new URL("axum", import.meta.url));

export const axum: FieldServer = {
  name: "axum",
  needs: ["cargo"],
  install: "apt-get install cargo",
  version: ["grep", "axum = ", `${SOURCES}/Cargo.toml`],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls", "tls1.3": "tls", h2: "tls" },
  prepare: async ({ folder }) => {
    // Built from a copy, because Cargo writes its output beside the sources.
    cpSync(SOURCES, `${folder}/axum`, { recursive: true });
    const manifest = ["--manifest-path", `${folder}/axum/Cargo.toml`];
    await start(["cargo", "build", "--quiet", ...manifest]).output;
  },
  env: ({ cert, key, log }) => ({ CERT: cert, KEY: key, LOG: log }),
  commands: ({ folder, ports: { http1, tls } }) => [
    [`${folder}/axum/target/debug/field`, `${http1}`, `${tls}`],
  ],
};
