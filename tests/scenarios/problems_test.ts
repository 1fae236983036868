/** What people get wrong in an experiment file, and what they are told. */
import assert from "node:assert/strict";
import { RIGHT, wrongLines } from "./right_experiment.ts";

type Wrong = [sentence: string, text: string, lines: (string | RegExp)[]];

const wrong: Wrong[] = [
  ["an empty file", "", ["x.yaml:1:1: Cannot use null: it must be a map of keys to values"]],
  ["a list in place of a map", "- a", [/^x\.yaml:1:1: Cannot use \["a"\]: it must be a map/]],
  ["no targets and no scenarios", "name: a", [
    "x.yaml:1:1: targets: Cannot leave it out",
    "x.yaml:1:1: scenarios: Cannot leave it out",
  ]],
  ["sections without entries", "name: a\ntargets: {}\nscenarios: {}", [
    "x.yaml:2:1: targets: Cannot run without targets: name at least one",
    "x.yaml:3:1: scenarios: Cannot run without scenarios: name at least one",
  ]],
  ["a scenario without anything in it", `${RIGHT.replace(/scenarios:.*/, "scenarios:\n  root:")}`, [
    /^x\.yaml:\d+:\d+: scenarios\.root: Cannot use null/,
  ]],
  ["a misspelt section, once", RIGHT.replace("targets", "targtes"), [
    'x.yaml:2:1: targtes: Cannot understand "targtes": did you mean "targets"?',
  ]],
  ["a key that nothing resembles", `${RIGHT}zebra: 1`, [
    /^x\.yaml:4:1: zebra: Cannot understand "zebra": the keys here are name,/,
  ]],
  ["an app that there is not", RIGHT.replace("app: api", "app: apu"), [
    'x.yaml:2:24: targets.api.app: Cannot use "apu": the choices are api, work, user, wiki, site, streams; did you mean "api"?',
  ]],
  ["a misspelt launcher", RIGHT.replace("app: api", "comand: [node]"), [
    'x.yaml:2:12: targets.api: Cannot tell of which kind this is: write one of the keys app, framework, command, url, proxy, cluster, nginx; did you mean "command"?',
  ]],
  ["a command as text, explained as a command", RIGHT.replace("app: api", "command: node"), [
    'x.yaml:2:28: targets.api.command: Cannot use "node": it must be a list, such as [node]',
  ]],
  ["a command as text with arguments", RIGHT.replace("app: api", "command: node a.js --port=1"), [
    'x.yaml:2:28: targets.api.command: Cannot use "node a.js --port=1": it must be a list, such as [node, a.js, "--port=1"]',
  ]],
  ["a command for a shell as text", RIGHT.replace("app: api", 'command: "cd a && ./b"'), [
    'x.yaml:2:28: targets.api.command: Cannot use "cd a && ./b": it must be a list, such as [sh, -c, "cd a && ./b"]',
  ]],
  ["commands around the runs as text", RIGHT.replace("app: api", "app: api, setup: npm ci"), [
    'x.yaml:2:36: targets.api.setup: Cannot use "npm ci": it must be a list of lists, such as [[npm, ci]]',
  ]],
  ["a command around the runs as text", RIGHT.replace("app: api", "app: api, setup: [npm ci]"), [
    'x.yaml:2:37: targets.api.setup.0: Cannot use "npm ci": it must be a list, such as [npm, ci]',
  ]],
  ["a number among arguments", RIGHT.replace("app: api", "command: [node, 3000]"), [
    'x.yaml:2:35: targets.api.command.1: Cannot use 3000: it must be text: write "3000" in quotes',
  ]],
  [
    "ports that no program can have",
    RIGHT.replace(
      "app: api",
      'command: [node], env: { PORT: [0, 3999, "70000", "{port}"], HOST: 0 }',
    ),
    [
      "x.yaml:2:50: targets.api.env.PORT.0: Cannot use 0 as a port: write a port from 1 to 65535, or {port} for a free one",
      "x.yaml:2:59: targets.api.env.PORT.2: Cannot use 70000 as a port: write a port from 1 to 65535, or {port} for a free one",
    ],
  ],
  ["a port that no program can have", RIGHT.replace("app: api", "command: [a], env: { PORT: 0 }"), [
    /^x\.yaml:2:46: targets\.api\.env\.PORT: Cannot use 0 as a port/,
  ]],
  ["a stray key beside a launcher's own", RIGHT.replace("app: api", "app: api, sett: {}"), [
    'x.yaml:2:29: targets.api.sett: Cannot understand "sett": did you mean "set"?',
  ]],
  ["a target without anything", RIGHT.replace("{ app: api }", ""), [
    /^x\.yaml:2:18: targets\.api: Cannot use null: it must be a map/,
  ]],
  ["a setting that the app lacks", RIGHT.replace("app: api", "app: api, set: { colour: red }"), [
    /^x\.yaml:2:44: targets\.api\.set\.colour: .*log/,
  ]],
  [
    "one wrong value in a list of a setting",
    RIGHT.replace("app: api", "app: api, set: { log: [on, maybe] }"),
    [/^x\.yaml:2:36: targets\.api\.set\.log: .*on or off/],
  ],
  ["an address that is none", RIGHT.replace("app: api", "url: nonsense"), [
    /^x\.yaml:2:24: targets\.api\.url: .*http:\/\/host:port/,
  ]],
  ["a path without its slash", RIGHT.replace("/static", "static"), [
    'x.yaml:3:29: scenarios.static.get: Cannot use "static" as a path: start with /, and percent-encode spaces and non-ASCII characters',
  ]],
  ["a misspelt method, once", RIGHT.replace("get:", "gett:"), [
    'x.yaml:3:24: scenarios.static.gett: Cannot understand "gett": did you mean "get"?',
  ]],
  ["two methods", RIGHT.replace("get: /static", "get: /a, post: /b"), [
    "x.yaml:3:39: scenarios.static.post: Cannot send one request with two methods: get and post are given",
  ]],
  ["no method", RIGHT.replace("get: /static", "body: a"), [
    /^x\.yaml:3:14: scenarios\.static: Cannot send a request without a method/,
  ]],
  ["two bodies", RIGHT.replace("get: /static", "post: /, body: a, json: 1"), [
    /^x\.yaml:3:48: scenarios\.static\.json: .*leave one out/,
  ]],
  ["a form with get", RIGHT.replace("get: /static", "get: /, form: { a: b }"), [
    "x.yaml:3:32: scenarios.static.form: Cannot send a form with get: write its fields into the path, as in /search?q=tea, or write post",
  ]],
  [
    "a multipart form with head",
    RIGHT.replace("get: /static", "head: /, multipart: { a: b }"),
    [/^x\.yaml:3:33: scenarios\.static\.multipart: Cannot send a form with head/],
  ],
  ["a line break in a header", RIGHT.replace("get: /static", 'get: /, headers: { a: "b\\nc" }'), [
    /^x\.yaml:3:46: scenarios\.static\.headers\.a: .*line breaks/,
  ]],
  [
    "a header that follows from the body",
    RIGHT.replace("get: /static", "get: /, headers: { Content-Length: '1' }"),
    [/headers\.Content-Length: .*leave content-length and transfer-encoding to Plateau/],
  ],
  [
    "a status that there is not, in a list",
    RIGHT.replace("get: /static", "get: /, expect: { status: [200, 99] }"),
    [/^x\.yaml:3:56: scenarios\.static\.expect\.status\.1: Cannot use 99: the minimum is 100/],
  ],
  [
    "a scenario of a target that there is not",
    RIGHT.replace("get: /static", "get: /, targets: [apy]"),
    ['x.yaml:3:42: scenarios.static.targets.0: Cannot find target "apy": did you mean "api"?'],
  ],
  ["one wrong number of connections", `${RIGHT}load: { connections: [1, 0, x] }`, [
    "x.yaml:4:26: load.connections.1: Cannot use 0: the minimum is 1",
    'x.yaml:4:29: load.connections.2: Cannot use "x": it must be a number',
  ]],
  ["a duration without its unit", `${RIGHT}load: { duration: 10 }`, [
    "x.yaml:4:19: load.duration: Cannot read 10 as a duration: write 10s",
  ]],
  ["a run without length", `${RIGHT}load: { duration: 0s }`, [
    /^x\.yaml:4:19: load\.duration: .*from 1ms to 24h/,
  ]],
  ["both duration and requests", `${RIGHT}load: { duration: 1s, requests: 5 }`, [
    /^x\.yaml:4:33: load\.requests: Cannot use both/,
  ]],
  [
    "several at once on a connection for one",
    `${RIGHT}load: { pipeline: [1, 4], keepAlive: false }`,
    [/^x\.yaml:4:9: load\.pipeline: Cannot pipeline requests .*: leave out pipeline or/],
  ],
  [
    "a connection for each request of HTTP/2",
    `${RIGHT}load: { http2: [false, true], keepAlive: false }`,
    [
      "x.yaml:4:9: load.http2: Cannot open a connection for every request over HTTP/2, " +
      "which keeps connections open: leave out http2 or keepAlive: false",
    ],
  ],
  [
    "fields that HTTP/2 forbids, in every kind of scenario",
    `name: a
targets: { a: { app: api } }
scenarios:
  one: { get: /, headers: { Connection: close, a: b } }
  mix: { mix: [{ get: /, headers: { upgrade: a } }] }
  flow: { flow: [{ think: 1s }, { get: /, headers: { te: gzip } }], load: { rate: 1/s, http2: true } }
  page: { page: /, headers: { keep-alive: a }, load: { http2: false } }
  other: { get: /, headers: { te: trailers } }
load: { http2: true }`,
    [
      "x.yaml:4:41: scenarios.one.headers.Connection: Cannot send the field connection over HTTP/2, " +
      "which forbids connection-specific fields; leave out this field or http2",
      /^x\.yaml:5:46: scenarios\.mix\.mix\.0\.headers\.upgrade: Cannot send the field upgrade over HTTP\/2/,
      /^x\.yaml:6:58: scenarios\.flow\.flow\.1\.headers\.te: Cannot send this te field over HTTP\/2/,
    ],
  ],
  [
    "HTTP/2 through proxies that would have to speak it",
    `name: a
targets:
  plain: { url: "http://a:1", httpProxy: "http://p" }
  tunnel: { url: "https://a:1", httpProxy: "http://p" }
  other: { url: "http://a:1", httpProxy: "http://p" }
scenarios:
  s: { get: /, targets: [plain, tunnel] }
  t: { get: /, targets: [other], load: { connections: 5 } }
load: { http2: true }`,
    [
      "x.yaml:3:42: targets.plain.httpProxy: Cannot speak HTTP/2 to an http:// URL through an HTTP proxy, " +
      "because only https uses a tunnel; leave out httpProxy or http2, or write https://",
    ],
  ],
  [
    "HTTP/2 through a proxy to a host of redirects without TLS",
    `name: a
targets: { a: { url: "https://a:1", httpProxy: "http://p" } }
scenarios: { s: { get: /, follow: { hops: 1, hosts: ["http://b"] } } }
load: { http2: true }`,
    [/^x\.yaml:2:48: targets\.a\.httpProxy: Cannot speak HTTP\/2 to an http:/],
  ],
  ["a name that would leave its folder", RIGHT.replace("name: right", "name: ../up"), [
    /^x\.yaml:1:7: name: Cannot use "\.\.\/up" as a name/,
  ]],
  ["a bad name of a target, at the name", RIGHT.replace("api:", "a/b:"), [
    /^x\.yaml:2:12: targets\.a\/b: Cannot use "a\/b" as a name/,
  ]],
  ["a key that is there twice", `${RIGHT}name: again`, [
    /^x\.yaml:4:1: Cannot read this as YAML: Map keys must be unique/,
  ]],
  ["an alias without its anchor", RIGHT.replace("{ app: api }", "*gone"), [
    "x.yaml:2:17: Cannot read this as YAML: no anchor (&) of this name precedes it; a text that begins with * needs quotes",
  ]],
  ...Object.entries({
    "a colon in a title without quotes": [
      RIGHT.replace("right", "right\ntitle: Caching: is it worth it?"),
      '2:8: Cannot read this as YAML: a colon and a space begin a value, even within a text: put the text into quotes, title: "…"',
    ],
    "a colon in a header without quotes": [
      RIGHT.replace("/static", "/static, headers: { authorization: Bearer: canary }"),
      '3:64: Cannot read this as YAML: a colon and a space begin a value, even within a text: put the text into quotes, authorization: "…"',
    ],
    "a placeholder without quotes": [
      RIGHT.replace("app: api", "command: [node, {port}]"),
      '2:35: targets.api.command.1: Cannot use {port}: without quotes, YAML reads it as a map; write "{port}"',
    ],
    "a placeholder without quotes in a variable": [
      RIGHT.replace("app: api", "command: [node], env: { PORT: {port} }"),
      '2:43: targets.api.env.PORT: Cannot use {port}: without quotes, YAML reads it as a map; write "{port}"',
    ],
    "a placeholder without quotes within an argument": [
      RIGHT.replace("app: api", "command: [node, --port={port}]"),
      "2:42: Cannot read this as YAML: without quotes, a brace begins a map: put the whole text with {port} into quotes",
    ],
    "a placeholder without quotes before another": [
      RIGHT.replace("app: api", "command: [node, {host}:{port}]"),
      "2:35: Cannot read this as YAML: without quotes, a brace begins a map: put the whole text with {host} into quotes",
    ],
    "a value of a request without quotes, once": [
      RIGHT.replace("/static", "/users/{{ id }}, values: { id: uuid }"),
      "3:36: Cannot read this as YAML: without quotes, a brace begins a map: put the whole text with {{ id }} into quotes",
    ],
    "a parameter without quotes within braces": [
      RIGHT.replace("/static", "${path}"),
      "3:30: Cannot read this as YAML: without quotes, a brace begins a map: put the whole text with ${path} into quotes",
    ],
    "a sign that needs quotes": [
      RIGHT.replace("right", "right\ntitle: @home"),
      "2:8: Cannot read this as YAML: a text that begins with @ needs quotes",
    ],
    "a tab": [
      RIGHT.replace("targets: {", "targets:\n\t{"),
      "3:1: Cannot read this as YAML: a tab indents this line: use spaces",
    ],
    "a line that is indented otherwise": [
      RIGHT.replace("{ api: { app: api } }", "\n  a: { app: api }\n b: { app: api }"),
      "4:1: Cannot read this as YAML: this line is not indented like the entries beside it, which all begin in the same column",
    ],
    "a line that is indented under a value": [
      RIGHT.replace("right", "right\n  title: x"),
      "1:7: Cannot read this as YAML: the line below is indented, as if this value went on there",
    ],
    "a brace that is never closed": [
      RIGHT.replace("} }", "}"),
      "3:1: Cannot read this as YAML: a map that begins with { has no closing }",
    ],
    "a quote that is never closed": [
      'name: "right',
      '1:13: Cannot read this as YAML: a text that begins with " has no closing "',
    ],
    "a comma that is missing": [
      RIGHT.replace("app: api", "command: [node] cwd: x"),
      "2:35: Cannot read this as YAML: the value has already ended here: a comma, or quotes around the whole value, may be missing",
    ],
    "a space that is missing after a colon": [
      RIGHT.replace("name: right", "name:right"),
      '1:1: Cannot read this as YAML: a space is missing after the colon of "name"',
    ],
    "a space that is missing after a colon within braces": [
      RIGHT.replace("app: api", "app:api"),
      "2:12: targets.api: Cannot tell of which kind this is: write one of the keys app, framework, command, url, proxy, cluster, nginx; a space is missing after a colon",
    ],
  }).map(([sentence, [text, line]]): Wrong => [sentence, text, [`x.yaml:${line}`]]),
  ["a bracket that is never closed", "name: a\ntargets: [}\n", [
    "x.yaml:2:11: Cannot read this as YAML: a list that begins with [ has no closing ]",
  ]],
  ["several documents", "a: 1\n---\nb: 2", [
    "x.yaml:2:1: Cannot read this as YAML: it holds several YAML documents",
  ]],
];

for (const [sentence, text, expected] of wrong) {
  Deno.test(`an experiment file is told of ${sentence}`, () => {
    const lines = wrongLines(text);
    assert.equal(lines.length, expected.length, lines.join("\n"));
    for (const [at, line] of lines.entries()) {
      const right = expected[at];
      if (typeof right === "string") assert.equal(line, right);
      else assert.match(line, right);
    }
  });
}

Deno.test("an experiment file is told of all its problems at once, in the order of its lines", () => {
  const lines = wrongLines(`name: /
targets:
  api: { app: apu }
  ours: { command: [] }
scenarios:
  s: { get: static, expect: { status: "200" }, targets: [nobody] }
load: { connections: 0 }
repeat: 0
`);
  assert.deepEqual(lines.map((line) => line.split(": ")[1]), [
    ...["name", "targets.api.app", "targets.ours.command", "scenarios.s.get"],
    ...["scenarios.s.expect.status", "scenarios.s.targets.0", "load.connections", "repeat"],
  ]);
});

Deno.test("aliases that would explode are refused", () => {
  const laughs = Array.from(
    { length: 30 },
    (_, i) => `a${i}: &a${i} [${i === 0 ? "ha" : Array(10).fill(`*a${i - 1}`).join(", ")}]`,
  );
  assert.match(wrongLines(laughs.join("\n"))[0], /Cannot read this as YAML: Excessive alias count/);
});
