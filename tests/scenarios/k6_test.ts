/** Scripts of k6: what they become here, and what is refused. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { UserError } from "../../base/errors.ts";
import { loadExperiment, parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { becomes, fixture } from "./foreign.ts";
import { OPTIONS, walked } from "./k6_script.ts";
import { thrown } from "../thrown.ts";

Deno.test("a k6 script becomes a flow in a closed loop, with notes of what is left out", async () => {
  const FILE = fixture("shop.k6");
  const { source, notes } = await loadExperiment(FILE);
  const { scenarios, load, parameters, thresholds } = parse(source);
  assert.deepEqual(load, { connections: 10, duration: "90s", timeout: "60s" });
  assert.deepEqual(parameters, { target: "http://127.0.0.1:8080" });
  assert.deepEqual(scenarios.default, {
    follow: 10,
    flow: [
      { get: "/", expect: { status: 200 } },
      { think: "500ms" },
      {
        name: "login",
        headers: { "Content-Type": "application/json" },
        post: "/login",
        body: '{"user":"ada"}',
      },
      { get: "/page/1" },
      { get: "/page/2" },
      { put: "/form", form: { a: "b c" } },
    ],
  });
  assert.deepEqual(thresholds, ["p95 < 500ms"]);
  const check = `left out: the check "is fast": (r) => r.timings.duration < 200 of ${FILE}:18`;
  assert.ok(notes.includes(check), notes.join("\n"));
  assert.ok(!notes.some((note) => /was due|drops iterations/.test(note)), notes.join("\n"));
});

Deno.test("k6's stages of arrivals become phases", () => {
  const options = `export const options = { scenarios: { open: {
    executor: "ramping-arrival-rate", startRate: 60, timeUnit: "1m", preAllocatedVUs: 5, maxVUs: 9,
    stages: [{ target: 120, duration: "10s" }, { target: 0, duration: "0s" }, { target: 30, duration: "5s" }] } } };
`;
  const { text, notes } = becomes(walked('http.get("http://127.0.0.1:1/");', options), "a.js");
  assert.ok(notes.some((note) => /counts from the moment when the request was due/.test(note)));
  assert.ok(!notes.some((note) => /gracefulStop/.test(note)));
  assert.deepEqual(parse(text).load, {
    phases: [
      { duration: "10s", arrivals: "60/m", rampTo: "120/m" },
      { duration: "5s", arrivals: "0/m", rampTo: "30/m" },
    ],
    ...{ connections: 9, pool: "shared", timeout: "60s" },
  });
  assert.ok(parseExperiment(text, "a.yaml"));
});

const RAMP = 'stages: [{ duration: "30s", target: 20 }, { duration: "1m", target: 20 }, ' +
  '{ duration: "0s", target: 10 }, { duration: "10s", target: 0 }]';
const RAMPED = [
  { duration: "60s", connections: 20 },
  { duration: "10s", connections: 10, rampTo: 0 },
];

const RAMPS: readonly (readonly [options: string, from: number, sentence: string])[] = [
  [RAMP, 1, "from one of them"],
  [`vus: 5, ${RAMP}`, 5, "from so many as vus says"],
  [`scenarios: { s: { executor: "ramping-vus", ${RAMP}, gracefulRampDown: "0s" } }`, 1, "of one"],
  [`scenarios: { s: { executor: "ramping-vus", startVUs: 0, ${RAMP} } }`, 0, "from nobody"],
];

for (const [options, from, sentence] of RAMPS) {
  Deno.test(`k6's stages of virtual users become stages, ${sentence}: ${options.slice(0, 40)}`, () => {
    const script = walked(
      'http.get("http://127.0.0.1:1/");',
      `export const options = { ${options} };\n`,
    );
    const { text, notes } = becomes(script, "a.js");
    assert.deepEqual(parse(text).load, {
      stages: [{ duration: "30s", connections: from, rampTo: 20 }, ...RAMPED],
      timeout: "60s",
    });
    assert.ok(notes.some((note) => /gracefulRampDown/.test(note)));
    assert.ok(notes.some((note) => /gracefulStop/.test(note)));
    assert.ok(parseExperiment(text, "a.yaml"));
  });
}

const CHECKS: Readonly<Record<string, object | undefined>> = {
  "(r) => r.status === 200": { status: 200 },
  "(r) => r.status == 204": { status: 204 },
  "function (r) { return r.status === 200; }": { status: 200 },
  "() => res.status === 201": { status: 201 },
  "(r) => r.status === 200 || r.status === 201": { status: [200, 201] },
  '(r) => r.body.includes("tea ${x}")': { contains: "tea ${x}" },
  '(r) => r.body === "ok"': { body: "ok" },
  "(r) => r.json().user.id === 7": { json: { user: { id: 7 } } },
  '(r) => r.json("user.name") === "ada"': { json: { user: { name: "ada" } } },
  '(r) => r.json("user").name === "ada"': { json: { user: { name: "ada" } } },
  "(r) => r.json().gone === null": { json: { gone: null } },
  '(r) => r.status === 200 && r.body.includes("a") && r.json().b === true': {
    status: 200,
    contains: "a",
    json: { b: true },
  },
  "(r) => r.json().a.b === 1, second: (r) => r.json().a.c === 2": { json: { a: { b: 1, c: 2 } } },
  "(r) => r.status !== 500": undefined,
  "(r) => r.status === 99": undefined,
  "(r) => other.status === 200": undefined,
  '(r) => r.json("list.#.id") === 1': undefined,
  '(r) => r.json().a == "1"': undefined,
  "(r) => r.json().a === Math.random()": undefined,
  "(r) => r.json().list[0] === 1": undefined,
  '(r) => r.body.includes("a") || r.status === 200': undefined,
  '(r) => r.body.includes("")': undefined,
  "(r) => { console.log(1); return r.status === 200; }": undefined,
  "(r) => r.timings.duration < 200": undefined,
};

for (const [checks, expect] of Object.entries(CHECKS)) {
  Deno.test(`a check of k6 becomes what is expected, or a note: ${checks}`, () => {
    const body = `const res = http.get("http://a/");\ncheck(res, { first: ${checks} });`;
    const { text, notes } = becomes(walked(body), "a.js");
    const { scenarios: { s: [{ expect: found }] } } = {
      scenarios: { s: parse(text).scenarios.default.flow },
    };
    assert.deepEqual(found, expect && unescaped(expect));
    const isNoted = notes.some((note) => /^left out: the check first: .* of a\.js:6$/.test(note));
    assert.equal(isNoted, expect === undefined);
    assert.ok(parseExperiment(text, "a.yaml"));
  });
}

/** As the file has it, in which `${` begins a parameter. */
function unescaped(expect: object): object {
  return JSON.parse(JSON.stringify(expect).replaceAll("${", () => "$${"));
}

Deno.test("of checks that one expectation can't hold, the second is noted", () => {
  const body = `check(http.get("http://a/"), { one: (r) => r.json().a === 1,
    two: (r) => r.json().a === 2, three: (r) => r.status === 200 });`;
  const { text, notes } = becomes(walked(body), "a.js");
  assert.deepEqual(parse(text).scenarios.default.flow[0].expect, { json: { a: 1 }, status: 200 });
  assert.ok(notes.includes("left out: the check two: (r) => r.json().a === 2 of a.js:6"));
});

const NAMES = Array.from({ length: 2_000 }, (_, at) => at);

const REFUSED: readonly (readonly [body: string, why: RegExp, options?: string])[] = [
  ['http.get("http://a/" + Math.random());', /^a\.js:5:\d+: .*known only when the script runs/],
  ["for (const i of __ENV.LIST) sleep(1);", /^a\.js:5:1: Cannot convert this loop/],
  ["for (const i in { a: 1 }) sleep(1);", /^a\.js:5:1: Cannot convert for/],
  [
    `${"for (let i = 0; i < 2; i++) ".repeat(60)} sleep(1);`,
    /^a\.js:5:\d+: .*a file of another tool has 10,\d+ loop iterations.*; the limit is 10,000$/,
  ],
  [
    "for (let i = 0; i < 1e9; i++) sleep(1);",
    /^a\.js:5:1: .* has 1,000,000,000 loop iterations and function calls; the limit is 10,000/,
  ],
  [
    "function f(n) { f(n); } f(1); sleep(1); function f2() { sleep(1); f2(); } f2();",
    /^a\.js:5:\d+: Cannot convert this call: calls are nested too deep/,
  ],
  ["while (true) sleep(1);", /^a\.js:5:1: Cannot convert while/],
  ["for (let i = 0; i < __VU; i++) sleep(1);", /^a\.js:5:\d+: Cannot convert __VU/],
  ["http.batch(5);", /^a\.js:5:1: Cannot convert a batch that is not a list or map/],
  ["http.cookieJar();", /^a\.js:5:1: Cannot convert http\.cookieJar: Plateau has nothing like it/],
  [
    `http.get(__ENV.A${".B".repeat(2_000)});`,
    /^a\.js:5:\d+: Cannot read .*: it is nested too deep/,
  ],
  [
    `check(1, { a: (r) => r.json()${".b".repeat(2_000)} === 1 });`,
    /^a\.js:5:\d+: Cannot read .*: it is nested too deep/,
  ],
  [
    "http.get(a2000);",
    /^a\.js:\d+:\d+: Cannot use this value: it is nested too deep/,
    `${OPTIONS}\nconst a0 = "/";${NAMES.map((at) => `const a${at + 1} = a${at};`).join("")}`,
  ],
  ["login();", /Cannot convert login\(\): it is neither a request/],
  ['if (__VU > 1) http.get("http://a/");', /^a\.js:5:5: Cannot convert __VU/],
  ["if (Math.random() > 0.5) return;", /^a\.js:5:5: Cannot convert Math\.random\(\)/],
  ['const o = { f() { http.get("http://a/"); } }; o.f();', /^a\.js:5:\d+: .*neither a request/],
  ['[() => http.get("http://a/")].forEach((f) => f());', /^a\.js:5:\d+: Cannot convert/],
  ['const get = http.get; get("http://a/");', /^a\.js:5:\d+: Cannot convert/],
  ['http.get("http://a/", { jar: 1 });', /the parameter "jar"/],
  ['http.get("http://a/", { auth: "ntlm" });', /the authentication "ntlm"/],
  ['http.get("http://a/", { redirects: 3 });', /^a\.js:5:\d+: .* the other requests follow 3/],
  [
    'const h = { a: "1" }; const g = h; g.a = "2"; http.get("http://a/", { headers: h });',
    /^a\.js:5:\d+: Cannot convert h: its value is known only when the script runs/,
  ],
  [
    'function f(p) { p.headers.a = "2"; } const h = { headers: {} }; f(h); http.get("http://a/", h);',
    /^a\.js:5:\d+: Cannot convert h: its value is known only when the script runs/,
  ],
  ['http.get("http://a/{{x}}?{{");', /that holds \{\{, which begins a placeholder/],
  ['http.request("GET", "http://a/", { b: 1 });', /Cannot convert a form that is sent with get/],
  ['http.get("http://b/");', /Cannot convert a request to http:\/\/b/],
  [
    "",
    /^a\.js:3:24: options\.stages\.0\.target: Cannot use 1\.5: it must be a whole number/,
    'export const options = { stages: [{ duration: "1s", target: 1.5 }] };\n',
  ],
  [
    "",
    /Cannot convert more than one of duration, stages and scenarios/,
    'export const options = { duration: "1s", stages: [{ duration: "1s", target: 5 }] };\n',
  ],
  [
    "",
    /Cannot convert both duration and iterations: k6 ends at whichever comes first/,
    'export const options = { duration: "1s", iterations: 5 };\n',
  ],
  [
    "",
    /options\.iterations: Cannot share these iterations/,
    "export const options = { vus: 2, iterations: 5 };\n",
  ],
  [
    "",
    /^a\.js:4:16: Cannot convert 20000 iterations of each virtual user: .* has 20,000 steps/,
    "export const options = { iterations: 20000 };\n",
  ],
  ["", /options\.paused: /, "export const options = { paused: true };\n"],
  [
    "",
    /^a\.js:3:1: Cannot convert setup: it sends requests, which an experiment file/,
    'export const setup = () => http.get("http://a/login");\n',
  ],
  [
    "",
    /options\.rps: Cannot understand "rps"/,
    "export const options = { vus: 1, duration: '1s', rps: 5 };\n",
  ],
  [
    "users.load();",
    /^a\.js:5:1: Cannot convert users\.load\(\): it needs what the script imports from \.\/users\.js/,
    `import users from "./users.js";\n`,
  ],
  [
    'ws.connect("ws://a/", (socket) => socket.close());',
    /^a\.js:5:1: .* imports from k6\/ws \(write a request with websocket in an experiment file/,
    `import ws from "k6/ws";\n`,
  ],
  [
    'const socket = new WebSocket("ws://a/");',
    /^a\.js:5:\d+: .* imports from k6\/websockets\.WebSocket \(write a request with websocket/,
    `import { WebSocket } from "k6/websockets";\n`,
  ],
  [
    'client.invoke("a.B/C", {});',
    /^a\.js:6:1: .* imports from k6\/net\/grpc \(write a request with grpc in an experiment file/,
    `import grpc from "k6/net/grpc";\nconst client = new grpc.Client();\n`,
  ],
];

for (const [body, why, options = OPTIONS] of REFUSED) {
  Deno.test(`a k6 script is refused with ${why.source}`, () => {
    const source = walked(
      `${body}http.get("http://a/");`.replace(/^(http.*)(http\.get.*)$/, "$1$2"),
      options,
    );
    const given = body.includes("//b/")
      ? source.replace(/(http\.get\("http:\/\/b.*;)(http.*;)/, "$2$1")
      : source;
    assert.match(thrown(UserError, () => becomes(given, "a.js")).lines.join("\n"), why);
  });
}

Deno.test("all that is refused of a k6 script stands at its lines, at once", () => {
  const source = walked("login();\nhttp.get(url);\nlet x = 1; x = 2;\nhttp.get(`http://a/${x}`);");
  const error = thrown(UserError, () => becomes(source, "a.js"));
  const places = error.lines.map((line) => line.split(": ")[0]);
  assert.deepEqual(places, ["a.js:5:1", "a.js:6:10", "a.js:8:22"]);
});

Deno.test("values that hold each other many times over end soon", () => {
  const doubled = Array.from({ length: 60 }, (_, at) => `const a${at + 1} = [a${at}, a${at}];`);
  const source = walked(
    `const a0 = "x";\n${doubled.join("\n")}\nhttp.post("http://a/", JSON.stringify(a60));`,
  );
  assert.throws(() => becomes(source, "a.js"), /Cannot use this value/);
});

const A = 'http.get("http://a/");';

const TAKEN:
  readonly (readonly [sentence: string, body: string, flow: unknown[], note?: RegExp])[] = [
    ["empty statements", `;${A};;`, [{ get: "/" }]],
    ["a path as it is written", 'http.get("http://a/b/../c?d=é#e");', [{
      get: "/b/../c?d=%C3%A9",
    }]],
    ["a name and a password", 'http.get("http://ada:a%20b@a/");', [
      { headers: { authorization: "Basic YWRhOmEgYg==" }, get: "/" },
    ]],
    ["a name that is not percent-encoded as UTF-8", 'http.get("http://a%FF:b@a/");', [
      { headers: { authorization: "Basic YSVGRjpi" }, get: "/" },
    ]],
    [
      "functions of its own",
      "function two(path, n = 2) { visit(path); visit(`${path}/${n}`); }\n" +
      "const visit = (path) => { return http.get(url(path)); };\nconst url = (path) => `http://a${path}`;\n" +
      'const res = visit("/x"); check(res, { a: (r) => r.status === 201 }); two("/y");',
      [{ get: "/x", expect: { status: 201 } }, { get: "/y" }, { get: "/y/2" }],
    ],
    [
      "loops over lists",
      'for (const p of ["/a", "/b"]) http.get(`http://a${p}`);\n' +
      '["c", "d"].forEach((p, i) => http.get(`http://a/${p}${i}`));',
      [
        ...[{ get: "/a" }, { get: "/b" }, { get: "/c0" }, { get: "/d1" }],
      ],
    ],
    ["a condition that stands in it", `if (!__ENV.NOBODY) ${A} else sleep(9);`, [{ get: "/" }]],
    [
      "responses by names that change",
      `let res = ${A} check(res, { a: (r) => r.status === 200 });
      res = http.get("http://a/b"); check(res, { b: (r) => r.status === 201 });`,
      [{ get: "/", expect: { status: 200 } }, { get: "/b", expect: { status: 201 } }],
    ],
    [
      "a check of which something depends that sends nothing",
      `const res = ${A}
      if (!check(res, { a: (r) => r.status === 200 })) { console.log(res.body); return; }`,
      [{ get: "/", expect: { status: 200 } }],
      /^left out: if \(!check.* of a\.js:6$/,
    ],
    [
      "what only looks at responses",
      `const res = ${A}
      const token = res.json("token"); let n = 0; n += token.length; for (const k in token) n++;`,
      [{ get: "/" }],
    ],
    ["requests that are awaited", 'await http.asyncRequest("GET", "http://a/");', [{ get: "/" }]],
    [
      "a batch, one after the other",
      'const [x] = [1]; const r = http.batch(["http://a/1", ["POST", "http://a/2", "b"]]);\n' +
      "check(r[1], { a: (r) => r.status === 200 });\n" +
      'const s = http.batch({ c: { method: "GET", url: "http://a/3" } });\n' +
      "check(s.c, { a: (r) => r.status === 201 });",
      [
        { get: "/1" },
        { post: "/2", body: "b", expect: { status: 200 } },
        { get: "/3", expect: { status: 201 } },
      ],
      /^requests of a batch, .* one after the other in Plateau$/,
    ],
    [
      "cookies of its own",
      'http.get("http://a/", { cookies: { a: "b", c: { value: "d", replace: true } } });',
      [{ headers: { cookie: "a=b; c=d" }, get: "/" }],
      /^a request with its own cookies sends only these/,
    ],
    ["lists in forms", 'http.post("http://a/", { a: ["b", 1] });', [
      { post: "/", form: { a: ["b", 1] } },
    ]],
  ];

for (const [sentence, body, flow, note] of TAKEN) {
  Deno.test(`a k6 script may have ${sentence}`, () => {
    const { text, notes } = becomes(
      walked(body).replace("export default function", "export default async function"),
      "a.js",
    );
    assert.deepEqual(parse(text).scenarios.default.flow, flow);
    if (note) assert.ok(notes.some((one) => note.test(one)), notes.join("\n"));
    assert.ok(parseExperiment(text, "a.yaml"));
  });
}

Deno.test("a script may count with metrics of its own, encode credentials and export an arrow", () => {
  const source = `"use strict";
import http from "k6/http";
import { check, fail } from "k6";
import { Rate } from "k6/metrics";
import encoding from "k6/encoding";
import { textSummary } from "https://example.org/summary.js";
const errors = new Rate("errors");
const ADA = \`Basic \${encoding.b64encode("ada:b")}\`;
export function handleSummary(data) { return { stdout: textSummary(data) }; }
export function setup() { return { at: 1 }; }
export default main;
function main(data) {
  const res = http.get("http://a/", { headers: { Authorization: ADA } });
  check(res, { ok: (r) => r.status === 200 }) || errors.add(1);
  errors.add(!check(res, { body: (r) => r.body.includes("x") }));
  if (res.status !== 200) { fail("no"); }
};
`;
  const { text, notes } = becomes(source, "a.js");
  assert.deepEqual(parse(text).scenarios.default.flow, [{
    headers: { Authorization: "Basic YWRhOmI=" },
    get: "/",
    expect: { status: 200, contains: "x" },
  }]);
  assert.ok(notes.includes("left out: the script's own metrics"), notes.join("\n"));
  assert.ok(notes.some((note) => /^left out: if \(res\.status !== 200\)/.test(note)));
});

const LOADS: Readonly<Record<string, readonly [load: object, rounds: number, note?: RegExp]>> = {
  "": [
    { phases: [{ duration: "1ms", arrivals: "1000/s" }], connections: 1 },
    1,
    /^the script sets no load: k6 runs it once/,
  ],
  "vus: 4, iterations: 12": [
    { phases: [{ duration: "1ms", arrivals: "4000/s" }], connections: 4 },
    3,
    /^k6's virtual users share iterations/,
  ],
  'scenarios: { s: { executor: "per-vu-iterations", vus: 2, iterations: 3 } }': [
    { phases: [{ duration: "1ms", arrivals: "2000/s" }], connections: 2 },
    3,
    /^k6 empties the cookie jar in each iteration/,
  ],
  'scenarios: { s: { executor: "constant-vus", vus: 2, duration: 5000, startTime: "5s" } }': [
    { connections: 2, duration: "5s" },
    1,
    /without its startTime$/,
  ],
  'vus: 2, duration: "1s", noConnectionReuse: true': [{
    ...{ connections: 2, duration: "1s", keepAlive: false },
  }, 1],
};

for (const [options, [load, rounds, note]] of Object.entries(LOADS)) {
  Deno.test(`k6's options become a load: ${options || "none"}`, () => {
    const { text, notes } = becomes(
      walked(A, options === "" ? "" : `export const options = { ${options} };\n`),
      "a.js",
    );
    const { load: found, scenarios } = parse(text);
    const [{ flow }] = Object.values<{ flow: unknown[] }>(scenarios);
    assert.deepEqual([found, flow.length], [{ ...load, timeout: "60s" }, rounds]);
    if (note) assert.ok(notes.some((one) => note.test(one)), notes.join("\n"));
    assert.ok(parseExperiment(text, "a.yaml"));
  });
}

Deno.test("k6's options say which redirects are followed, by whom, and how certificates are checked", () => {
  const options =
    'export const options = { maxRedirects: 0, insecureSkipTLSVerify: true, userAgent: "me", ' +
    'scenarios: { s: { executor: "constant-vus", duration: "1s", env: { PATH_: "x" } } } };\n';
  const body = 'http.get(`http://a/${__ENV.PATH_}`, { timeout: "2s" });';
  const { text } = becomes(walked(body, options), "a.js");
  const { scenarios, load, targets } = parse(text);
  assert.deepEqual(scenarios.s, { flow: [{ headers: { "user-agent": "me" }, get: "/x" }] });
  assert.deepEqual([load.timeout, targets.target.insecure], ["2s", true]);
});

Deno.test("the environment of a k6 scenario is also that of the functions which it calls, but not of top-level constants", () => {
  const options = "export const options = { scenarios: { s: { executor: 'constant-vus', " +
    "duration: '1s', env: { PATH_: 'x' } } } };\n" +
    "const url = (more) => `http://a/${__ENV.PATH_}${more}`;\nconst outer = (more) => url(more);\n" +
    "function named() { http.get(url('/named')); }\n" +
    "function sent(more, path = __ENV.PATH_) { http.get(outer(`${more}/${path}`)); }\n" +
    "const top = `${__ENV.PATH_}`;\n";
  const body = "http.get(outer('/'));\ngroup('g', named);\nsent('/sent');";
  const source = walked(body, options).replace("{ sleep,", "{ group, sleep,");
  const { scenarios } = parse(becomes(source, "a.js").text);
  assert.deepEqual(
    scenarios.s.flow.map(({ get }: { get: string }) => get),
    ["/x/", "/x/named", "/x/sent/x"],
  );
  const ofTop = source.replace("http.get(outer('/'));", "http.get(`http://a/${top}`);");
  assert.throws(() => becomes(ofTop, "a.js"), /its value is known only when the script runs/);
});

Deno.test("a function that is its own group is refused, as one that calls itself is", () => {
  const source = walked("function again() { http.get('http://a/'); group('g', again); }\nagain();")
    .replace("{ sleep,", "{ group, sleep,");
  assert.throws(() => becomes(source, "a.js"), /calls are nested too deep/);
});

Deno.test("values of the environment stay references in what a k6 script becomes, but for those of its load", () => {
  Deno.env.set("PLATEAU_TEST_KEY", "hush-hush");
  Deno.env.set("PLATEAU_TEST_USERS", "1234");
  const options =
    "export const options = { vus: Number(__ENV.PLATEAU_TEST_USERS), duration: '1s' };\n";
  const body = "send('http://a/1234', __ENV.PLATEAU_TEST_KEY);\n" +
    "function send(url, key) { http.post(url, `key=${key}`, { headers: { 'x-key': key } }); }";
  const { text, holds } = becomes(walked(body, options), "a.js");
  const { scenarios, load } = parse(text);
  assert.deepEqual(scenarios.default.flow, [{
    headers: { "x-key": "${env.PLATEAU_TEST_KEY}" },
    post: "/1234",
    body: "key=${env.PLATEAU_TEST_KEY}",
  }]);
  assert.equal(load.connections, 1234);
  assert.deepEqual(holds, []);
  const chance = "const known = __ENV.PLATEAU_TEST_KEY === 'hush-hush' ? 'hush-hush' : 'other';\n" +
    "http.post('http://a/hush-hush', JSON.stringify({ known, key: __ENV.PLATEAU_TEST_KEY }), " +
    "{ tags: { name: __ENV.PLATEAU_TEST_KEY }, " +
    "headers: { 'hush-hush': 'hush-hush', b: encodeURIComponent(' ' + __ENV.PLATEAU_TEST_KEY) } });";
  const taken = becomes(walked(chance), "a.js");
  assert.deepEqual(parse(taken.text).scenarios.default.flow, [{
    name: "${env.PLATEAU_TEST_KEY}",
    headers: { "hush-hush": "hush-hush", b: "%20${env.PLATEAU_TEST_KEY}" },
    post: "/hush-hush",
    body: '{"known":"hush-hush","key":"${env.PLATEAU_TEST_KEY}"}',
  }]);
  assert.deepEqual(taken.holds, []);
  const sent =
    "export const options = { userAgent: `me ${__ENV.PLATEAU_TEST_KEY}`, scenarios: { default: " +
    "{ executor: 'constant-vus', duration: '1s', env: { KEY: __ENV.PLATEAU_TEST_KEY } } } };\n";
  const ofOptions = becomes(walked("http.post('http://a/', __ENV.KEY);", sent), "a.js");
  assert.deepEqual(parse(ofOptions.text).scenarios.default.flow, [{
    headers: { "user-agent": "me ${env.PLATEAU_TEST_KEY}" },
    post: "/",
    body: "${env.PLATEAU_TEST_KEY}",
  }]);
  const inJson = "http.post('http://a/', JSON.stringify({ a: 1, [__ENV.PLATEAU_TEST_KEY]: 2 }));";
  const ofJson = becomes(walked(inJson), "a.js");
  const [ofKey] = parse(ofJson.text).scenarios.default.flow;
  assert.equal(ofKey.body, '{"a":1,"${env.PLATEAU_TEST_KEY}":2}');
  assert.deepEqual(ofJson.holds, []);
  for (const request of ["{ x: 1 }, { headers: { [NAME]: 'a' } }", "{ [`x${NAME}`]: 1 }"]) {
    const asKey = `const NAME = __ENV.PLATEAU_TEST_KEY; http.post("http://a/", ${request});`;
    assert.deepEqual(becomes(walked(asKey), "a.js").holds, ["PLATEAU_TEST_KEY"], request);
  }
  const held = "const held = { a: 1, [__ENV.PLATEAU_TEST_KEY]: '/x' };\n" +
    "http.get('http://a' + held[__ENV.PLATEAU_TEST_KEY] + held['hush-hush']);";
  assert.deepEqual(parse(becomes(walked(held), "a.js").text).scenarios.default.flow, [
    { get: "/x/x" },
  ]);
  const named = "export const options = { scenarios: { [__ENV.PLATEAU_TEST_KEY]: " +
    "{ executor: 'constant-vus', duration: '1s' } }, thresholds: { " +
    "[`http_req_duration{name:${__ENV.PLATEAU_TEST_KEY}}`]: ['p(95)<5'] } };\n";
  const tagged = "http.get('http://a/'); " +
    "http.get('http://a/', { tags: { name: __ENV.PLATEAU_TEST_KEY } });";
  const ofNames = becomes(walked(tagged, named), "a.js");
  assert.deepEqual(Object.keys(parse(ofNames.text).scenarios), ["default"]);
  assert.ok(!ofNames.text.includes("hush-hush"), ofNames.text);
  const inUrl = "http.get(`http://ada:${__ENV.PLATEAU_TEST_KEY}@a/`);";
  assert.deepEqual(becomes(walked(inUrl), "a.js").holds, ["PLATEAU_TEST_KEY"]);
  const encoded =
    "http.get('http://a/', { headers: { a: `Basic ${encoding.b64encode('ada:' + __ENV.PLATEAU_TEST_KEY)}` } });";
  const source = 'import encoding from "k6/encoding";\n' + walked(encoded);
  assert.deepEqual(becomes(source, "a.js").holds, ["PLATEAU_TEST_KEY"]);
});
