/** The HTTP server of Go's standard library, net/http. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FieldServer } from "../server.ts";
import { start } from "../../stage/programs.ts";

const SOURCE = fileURLToPath(new URL("go", import.meta.url));

export const go: FieldServer = {
  name: "go",
  needs: ["go"],
  install: "apt-get install golang",
  version: ["go", "version"],
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls12", "tls1.3": "tls", h2: "tls" },
  prepare: async ({ folder }) =>
    void await start(["go", "build", "-C", SOURCE, "-o", join(folder, "server"), "."]).output,
  env: ({ cert, key, log }) => ({ CERT: cert, KEY: key, LOG: log }),
  commands: ({ folder, ports: { http1, tls, tls12 } }) => [
    [join(folder, "server"), `${http1}`, `${tls}`, `${tls12}`],
  ],
};
