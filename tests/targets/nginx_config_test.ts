import assert from "node:assert/strict";
import { isServable, type NginxConfig, nginxConfig } from "../../targets/gateways/nginx/config.ts";

const config = (changes: Partial<NginxConfig>): string =>
  nginxConfig({
    host: "127.0.0.1",
    port: 8_080,
    workers: "auto",
    user: null,
    serves: { folder: "/srv" },
    ...changes,
  });

const servers = [
  { origin: "http://127.0.0.1:3001", late: false },
  { origin: "http://127.0.0.1:3002", late: true },
];

const LINES: { what: string; text: string; has: RegExp[]; lacks?: RegExp[] }[] = [
  {
    what: "a folder",
    text: config({}),
    has: [
      /listen 127\.0\.0\.1:8080 /,
      /root "\/srv";/,
      /worker_processes auto;/,
      /access_log off;/,
    ],
    lacks: [/upstream/, /^user/m],
  },
  { what: "an IPv6 address", text: config({ host: "fd00::2" }), has: [/listen \[fd00::2\]:8080 /] },
  {
    what: "a path with quotes",
    text: config({ serves: { folder: '/a "b" \\c' } }),
    has: [/root "\/a \\"b\\" \\\\c";/],
  },
  {
    what: "a folder in its own",
    text: config({ serves: { folder: "files" } }),
    has: [/root "files";/, /index index\.html;/],
  },
  {
    what: "workers and their user",
    text: config({ workers: 3, user: "root" }),
    has: [/^worker_processes 3;/m, /^user root;/m],
  },
  {
    what: "servers",
    text: config({ serves: { servers, policy: "round-robin" } }),
    has: [
      /server 127\.0\.0\.1:3001 max_fails=0;/,
      /server 127\.0\.0\.1:3002 max_fails=1 fail_timeout=0;/,
      /zone servers /,
      /keepalive \d+;/,
      /proxy_http_version 1\.1;/,
      /proxy_set_header Connection "";/,
      // As good as no limit: a balancer gives no 504 of its own to who waits in the queue of a busy server.
      /proxy_connect_timeout 75s;/,
      /proxy_read_timeout 1h;/,
      /^ *127\.0\.0\.1:3002 2;\n *"~, 127\\\.0\\\.0\\\.1:3002\$" 2;$/m,
    ],
    lacks: [/least_conn/, /root /],
  },
  {
    what: "least-connections",
    text: config({ serves: { servers, policy: "least-connections" } }),
    has: [/^ *least_conn;$/m],
  },
  {
    what: "random-two",
    text: config({ serves: { servers, policy: "random-two" } }),
    has: [/^ *random two least_conn;$/m],
  },
];

for (const { what, text, has, lacks = [] } of LINES) {
  Deno.test(`nginx's configuration for ${what} says so`, () => {
    for (const pattern of has) assert.match(text, pattern);
    for (const pattern of lacks) assert.doesNotMatch(text, pattern);
  });
}

Deno.test("everything that nginx writes is in its own folder", () => {
  const paths = config({}).matchAll(/_(?:temp_)?(?:path|log) (\S+)|^pid (\S+);/gm);
  for (const [line] of paths) assert.doesNotMatch(line, / \//);
});

Deno.test("a path that nginx would read variables in can't be served", () => {
  assert.ok(isServable("/a b/ü"));
  assert.ok(!isServable("/a$b"));
});
