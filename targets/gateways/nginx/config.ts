/** Writes nginx's configuration. It is tuned as in the SciCat baseline, which follows denji's notes on nginx. Pure. */
import type { PolicyName } from "../../../base/target/gateway_shape.ts";
import { hostAndPort } from "../../../base/net/listen.ts";

export interface NginxConfig {
  readonly host: string;
  readonly port: number;
  /** The number of worker processes; `auto` is one per core. */
  readonly workers: "auto" | number;
  /** The user of the worker processes. Null keeps the master's user, which only root may change. */
  readonly user: string | null;
  readonly serves: FolderServed | ServersServed;
}

interface FolderServed {
  /** The folder to serve; a relative path is within nginx's own folder. */
  readonly folder: string;
}

interface ServersServed {
  readonly servers: readonly Server[];
  readonly policy: PolicyName;
  /**
   * How long nginx waits for a connection, and for each further part of a response, before it responds with 504; null
   * for practically no limit.
   */
  readonly timeoutMs?: number | null;
}

interface Server {
  /** The server's origin, `http://host:port`. */
  readonly origin: string;
  /** True if the server may start later than nginx, which then tries it once per second until it responds. */
  readonly late: boolean;
}

/** The number of idle connections to the servers that each worker keeps open. */
const IDLE_CONNECTIONS = 512;

export function nginxConfig({ host, port, workers, user, serves }: NginxConfig): string {
  const parts = "folder" in serves ? folderParts(serves) : upstreamParts(serves);
  return `daemon off;
${user === null ? "" : `user ${user};\n`}worker_processes ${workers};
worker_rlimit_nofile 100000;
pid nginx.pid;
error_log stderr crit;
events {
  worker_connections 16384;
  multi_accept on;
}
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  reset_timedout_connection on;
  keepalive_timeout 1h;
  keepalive_requests 1000000000;
  client_max_body_size 0;
  open_file_cache max=200000 inactive=20s;
  open_file_cache_valid 30s;
  open_file_cache_min_uses 2;
  open_file_cache_errors on;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  ${mimeTypes()}
${parts.http}  server {
    listen ${hostAndPort(host, port)} backlog=16384;
${parts.server}  }
}
`;
}

interface ConfigParts {
  readonly http: string;
  readonly server: string;
}

function folderParts({ folder }: FolderServed): ConfigParts {
  return { http: "", server: `    root ${quoted(folder)};\n    index index.html;\n` };
}

/**
 * Options for a server that may not be up yet. nginx counts whole seconds, and skips a failed server until more than
 * `fail_timeout` has passed. So 0 skips it until the next second begins; 1s would skip it for up to two seconds.
 */
const LATE = "max_fails=1 fail_timeout=0";

/**
 * The connect timeout; according to nginx's reference, it usually can't be longer. With it, nginx waits like a client
 * for a server whose accept queue is full.
 */
const LONGEST_CONNECT = "75s";

/**
 * The `upstream` block. Its `zone` makes the workers share their counters, so that "fewest connections" counts those of
 * all workers.
 */
function upstreamParts({ servers, policy, timeoutMs = null }: ServersServed): ConfigParts {
  const lines = [
    "zone servers 256k;",
    ...DIRECTIVES[policy],
    ...servers.map(({ origin, late }) =>
      `server ${new URL(origin).host} ${late ? LATE : "max_fails=0"};`
    ),
    `keepalive ${IDLE_CONNECTIONS};`,
    "keepalive_requests 1000000000;",
    "keepalive_timeout 1h;",
  ];
  const named = servers.length > 1 ? instanceParts(servers) : { http: "", server: "" };
  const timeout = timeoutMs === null ? "1h" : `${timeoutMs}ms`;
  return {
    http: `  upstream servers {\n${
      lines.map((line) => `    ${line}\n`).join("")
    }  }\n${named.http}`,
    server: `    location / {
      proxy_pass http://servers;
${named.server}      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host ${new URL(servers[0].origin).host};
      proxy_next_upstream error;
      proxy_connect_timeout ${timeoutMs === null ? LONGEST_CONNECT : timeout};
      proxy_read_timeout ${timeout};
      proxy_send_timeout ${timeout};
    }
`,
  };
}

/**
 * Directives that name the server in each response. A response made by nginx itself names none. After a retry,
 * `$upstream_addr` is a list, whose last address is that of the response; nginx looks up a single address first.
 */
function instanceParts(servers: ServersServed["servers"]): ConfigParts {
  const numbers = servers.map(({ origin }, at) => {
    const { host } = new URL(origin);
    const last = host.replaceAll(/[.[\]]/g, "\\$&");
    return `    ${host} ${at + 1};\n    "~, ${last}$" ${at + 1};\n`;
  });
  return {
    http: `  map $upstream_addr $instance {\n${numbers.join("")}  }\n`,
    server: `      proxy_hide_header x-instance;
      add_header x-instance $instance always;
`,
  };
}

const DIRECTIVES: Readonly<Record<PolicyName, readonly string[]>> = {
  "round-robin": [],
  "least-connections": ["least_conn;"],
  "random-two": ["random two least_conn;"],
};

/** Quotes text for the configuration. nginx can't escape a dollar sign, so a path that contains one can't be served. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

export function isServable(path: string): boolean {
  return !/[$\n\r]/.test(path);
}

/**
 * Media types by file extension, from nginx's own mime.types. That file is not used, because its location differs
 * between systems.
 */
const TYPES: Readonly<Record<string, string>> = {
  "text/html": "html htm",
  "text/css": "css",
  "text/plain": "txt",
  "text/xml": "xml",
  "text/javascript": "js mjs",
  "text/markdown": "md",
  "application/json": "json map",
  "application/pdf": "pdf",
  "application/wasm": "wasm",
  "application/zip": "zip",
  "image/avif": "avif",
  "image/gif": "gif",
  "image/jpeg": "jpeg jpg",
  "image/png": "png",
  "image/svg+xml": "svg svgz",
  "image/webp": "webp",
  "image/x-icon": "ico",
  "font/woff": "woff",
  "font/woff2": "woff2",
  "audio/mpeg": "mp3",
  "video/mp4": "mp4",
  "video/webm": "webm",
};

function mimeTypes(): string {
  const lines = Object.entries(TYPES).map(([type, endings]) => `    ${type} ${endings};`);
  return `types {\n${lines.join("\n")}\n  }\n  default_type application/octet-stream;`;
}
