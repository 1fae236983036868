/** Servers in Python, all with the same application. */
import { fileURLToPath } from "node:url";
import type { FieldServer, Place } from "../server.ts";

const APPS = fileURLToPath(new URL("python", import.meta.url));

const common = {
  env: ({ log }: Place): Record<string, string> => ({
    LOG: log,
    PYTHONPATH: APPS,
    PYTHONDONTWRITEBYTECODE: "1",
  }),
};

/**
 * A command that prints the version of a server's package, for servers that cannot print their version. It uses the
 * Python installation to which the server belongs.
 */
function versionOf(name: string): readonly string[] {
  const program = `import importlib.metadata as m; print(m.version("${name}"))`;
  return ["sh", "-c", `"$(dirname "$(command -v ${name})")/python3" -c '${program}'`];
}

const CLOSES = {
  how: "closes a connection at its limit of requests, with the streams that are in flight; " +
    "h2load completes 202 of 600",
};

export const hypercorn: FieldServer = {
  ...common,
  name: "hypercorn",
  needs: ["hypercorn"],
  install: "pip install hypercorn",
  version: versionOf("hypercorn"),
  ways: { http1: "http1", h2c: "http1", "tls1.2": "tls", "tls1.3": "tls", h2: "tls" },
  prepare: ({ folder }) =>
    Deno.writeTextFileSync(
      `${folder}/hypercorn.toml`,
      "h2_max_concurrent_streams = 8\nkeep_alive_max_requests = 100\nkeep_alive_timeout = 3\n",
    ),
  commands: ({ folder, ports, cert, key }) => [[
    ...["hypercorn", "--config", `${folder}/hypercorn.toml`, "--certfile", cert, "--keyfile", key],
    ...["--bind", `127.0.0.1:${ports.tls}`, "--insecure-bind", `127.0.0.1:${ports.http1}`],
    "field_asgi:app",
  ]],
  differs: {
    "streams": CLOSES,
    "recycled streams": CLOSES,
    "cut": {
      how: "never ends the stream of an application that dies; curl waits, too",
      ways: ["h2c", "h2"],
    },
    "early 413": {
      how: "closes the connection after a response to what it has not read, without saying so; " +
        "h2load completes none of 30",
    },
  },
};

export const granian: FieldServer = {
  ...common,
  name: "granian",
  needs: ["granian"],
  install: "pip install granian",
  version: ["granian", "--version"],
  ways: { http1: "http1", h2c: "http1", "tls1.3": "tls", h2: "tls" },
  commands: ({ ports, cert, key }) => {
    const base = [
      "granian",
      "--interface",
      "asgi",
      "--host",
      "127.0.0.1",
      "--http2-max-concurrent-streams",
      "10",
    ];
    return [
      [...base, "--port", `${ports.http1}`, "field_asgi:app"],
      [
        ...base,
        "--port",
        `${ports.tls}`,
        "--ssl-certificate",
        cert,
        "--ssl-keyfile",
        key,
        "field_asgi:app",
      ],
    ];
  },
};

export const uvicorn: FieldServer = {
  ...common,
  name: "uvicorn",
  needs: ["uvicorn"],
  install: "pip install uvicorn",
  version: ["uvicorn", "--version"],
  ways: { http1: "http1", "tls1.2": "tls", "tls1.3": "tls" },
  commands: ({ ports, cert, key }) => {
    const base = ["uvicorn", "--timeout-keep-alive", "3", "--log-level", "critical"];
    return [
      [...base, "--port", `${ports.http1}`, "field_asgi:app"],
      [
        ...base,
        "--port",
        `${ports.tls}`,
        "--ssl-certfile",
        cert,
        "--ssl-keyfile",
        key,
        "field_asgi:app",
      ],
    ];
  },
};

export const gunicorn: FieldServer = {
  ...common,
  name: "gunicorn",
  needs: ["gunicorn"],
  install: "pip install gunicorn",
  version: ["gunicorn", "--version"],
  ways: { http1: "http1", "tls1.2": "tls", "tls1.3": "tls" },
  commands: ({ ports, cert, key }) => {
    const base = [
      "gunicorn",
      "--worker-class",
      "gthread",
      "--threads",
      "20",
      "--keep-alive",
      "3",
      "--log-level",
      "critical",
    ];
    return [
      [...base, "--bind", `127.0.0.1:${ports.http1}`, "field_asgi:wsgi"],
      [
        ...base,
        "--bind",
        `127.0.0.1:${ports.tls}`,
        "--certfile",
        cert,
        "--keyfile",
        key,
        "field_asgi:wsgi",
      ],
    ];
  },
  reload: "SIGHUP",
};

const HANGS = { how: "never ends the response of an application that dies; curl waits, too" };

export const daphne: FieldServer = {
  ...common,
  name: "daphne",
  needs: ["daphne"],
  install: "pip install daphne twisted[tls,http2]",
  version: versionOf("daphne"),
  ways: { http1: "http1", "tls1.2": "tls", "tls1.3": "tls", h2: "tls" },
  commands: ({ ports, cert, key }) => [[
    ...[
      "daphne",
      "-v",
      "0",
      "-e",
      `ssl:${ports.tls}:privateKey=${key}:certKey=${cert}:interface=127.0.0.1`,
    ],
    ...["-e", `tcp:${ports.http1}:interface=127.0.0.1`, "field_asgi:app"],
  ]],
  differs: {
    crash: HANGS,
    cut: HANGS,
  },
};
