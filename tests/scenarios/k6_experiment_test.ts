/** k6 scripts whose functions are needed: the experiments in TypeScript that they become. */
import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { NO_FILES } from "../../base/files.ts";
import { Realm } from "../../base/script/realm.ts";
import { type K6Experiment, k6Experiment } from "../../scenarios/imports/k6_experiment.ts";
import { thrown } from "../thrown.ts";

const HEAD = `import http from "k6/http";
import { check, group, sleep } from "k6";
const BASE = "http://127.0.0.1:8080";
`;

function made(script: string, env: Record<string, string> = {}): K6Experiment {
  const files = { ...NO_FILES, octets: () => new TextEncoder().encode('["ada"]') };
  return k6Experiment(HEAD + script, "a.js", { name: "a", env: (name) => env[name], files });
}

/** The experiment that the script gives when it is run. */
async function flowOf(script: string): Promise<unknown[]> {
  const { text } = made(script);
  const realm = await Realm.open({
    entry: "a.js",
    load: () => text,
    env: () => "x",
    random: () => 0,
    nowMs: () => 0,
    log: () => {},
  });
  const { scenarios } = Object(realm.experiment({}));
  const [{ flow }] = Object.values<{ flow: Record<string, unknown>[] }>(scenarios);
  return flow.map(({ before: _, after: _2, expect: _3, ...step }) => step);
}

const FLOWS: Readonly<Record<string, readonly [script: string, flow: unknown[]]>> = {
  "requests that depend on responses": [
    "export default () => { const a = http.get(`${BASE}/a`).json('id'); http.del(`${BASE}/a/${a}`); }",
    [{ get: "/a" }, { delete: "/a/{a}" }],
  ],
  "functions that send, and functions of these": [
    `const one = (path) => http.get(BASE + path);
    function both() { one("/a"); return one("/b"); }
    export default function () { if (both().status > 1) console.log("x"); }`,
    [{ get: "/{path}" }, { get: "/{path}" }],
  ],
  "loops that count, and pauses that vary": [
    `export default () => { for (let i = 0; i < 2; i++) { http.post(BASE, { i }); sleep(1 + Math.random() * 2); } }`,
    [
      ...[{ post: "/" }, { think: "1s" }, { think: { mean: "1s", as: "uniform" } }],
      ...[{ post: "/" }, { think: "1s" }, { think: { mean: "1s", as: "uniform" } }],
    ],
  ],
  "groups, awaits and batches": [
    `export default async function () {
      group("a", () => { http.get(BASE, { tags: { name: "start" } }); });
      await http.asyncRequest("PUT", BASE + "/b");
      const [a, b] = http.batch([BASE + "/c", ["POST", BASE + "/d", null]]);
      check(a, { ok: (r) => r.body !== b.body });
    }`,
    [{ name: "start", get: "/" }, { put: "/b" }, { get: "/c" }, { post: "/d" }],
  ],
  "several iterations of each virtual user": [
    `export const options = { vus: 2, iterations: 4 };
    export default () => { const a = http.get(BASE).json("id"); http.del(BASE + a); }`,
    [{ get: "/" }, { delete: "/{a}" }, { get: "/" }, { delete: "/{a}" }],
  ],
  "a condition that stands in the script": [
    `export default () => { http.get(BASE); if (BASE === "") http.get(BASE + "/a"); else http.get(BASE + "/b"); }`,
    [{ get: "/" }, { get: "/b" }],
  ],
  "a function under another name, and names of Plateau": [
    `const iterations = 1; function experiment() { http.get(BASE); } export default experiment;`,
    [{ get: "/" }],
  ],
  "a file that it opens": [
    `const users = JSON.parse(open("./users.json")); export default () => http.get(BASE + users[0]);`,
    [{ get: "/{value}" }],
  ],
};

for (const [what, [script, flow]] of Object.entries(FLOWS)) {
  Deno.test(`a k6 script with ${what} becomes an experiment that runs`, async () => {
    assert.deepEqual(await flowOf(script), flow);
  });
}

const LEFT: Readonly<Record<string, readonly [script: string, left: string]>> = {
  "a request under a condition": [
    "export default () => { const r = http.get(BASE); if (r.status > 1) http.get(BASE); }",
    "4, if (r.status > 1) http.get(BASE);: whether it sends",
  ],
  "a loop of unknown length": [
    "export default () => { const r = http.get(BASE);\nfor (const a of r.json()) http.get(BASE + a); }",
    "5, for (const a of r.json()) http.get(BASE + a);: how often it runs",
  ],
  "a pause of unknown length": [
    "export default () => { const r = http.get(BASE);\nsleep(r.json()); }",
    "5, sleep(r.json());: how long it pauses",
  ],
  "what it imports": [
    'import x from "./x.js";\nexport default () => { http.get(BASE); x(); }',
    "5, x();: it needs x of ./x.js",
  ],
  "a request within a function that something else calls": [
    "export default () => { http.get(BASE); [1].forEach(() => http.get(BASE)); }",
    "4, [1].forEach(() => http.get(BASE));: it sends within a function",
  ],
  "a check of its time": [
    "export default () => { check(http.get(BASE), { fast: (r) => r.timings.duration < 5 }); }",
    "4, fast: (r) => r.timings.duration < 5: a response has no timings",
  ],
  "a request to another host": [
    'export default () => { http.get(BASE); http.get("http://127.0.0.2/"); }',
    '4, http.get("http://127.0.0.2/");: it goes to http://127.0.0.2, but the other requests',
  ],
};

for (const [what, [script, left]] of Object.entries(LEFT)) {
  Deno.test(`of a k6 script, ${what} is marked at its line, and the rest is there`, async () => {
    const { text, notes } = made(script);
    assert.ok(
      notes.some((note) => note.startsWith(`not converted: a.js:${left}`)),
      notes.join("\n"),
    );
    assert.match(text, /NOT CONVERTED: /);
    assert.ok((await flowOf(script)).length >= 1);
  });
}

Deno.test("a k6 script whose iterations would be too long a flow is refused", () => {
  const script = `export const options = { iterations: 10001 };
export default () => { const a = http.get(BASE); http.get(BASE + a.json("id")); }`;
  assert.match(
    thrown(UserError, () => made(script)).message,
    /Cannot convert 10001 iterations of each virtual user: .*10,?000/,
  );
});

Deno.test("of a k6 script, an early end under a condition is noted at its line, and stays", () => {
  const { text, notes } = made(
    `export default () => { const r = http.get(BASE);
for (let at = 0; at < 2; at++) { if (r.status > 1) { continue; } http.get(BASE); }
if (r.status > 1) return; const f = () => { return 1; };
if (r.status > 2) { const g = () => { return 1; }; }
http.get(BASE); }`,
  );
  assert.deepEqual(notes.filter((note) => note.startsWith("not converted")), [
    "not converted: a.js:5, continue;: requests that it would skip count as failed",
    "not converted: a.js:6, return;: requests that it would skip count as failed",
  ]);
  assert.match(text, /if \(r\.status > 1\) return;/);
});

Deno.test("a variable that is set is read when the experiment runs, and its value not written", () => {
  const script = "export default () => http.get(BASE, { headers: { a: __ENV.A, b: __ENV.B } });";
  const { text } = made(script, { A: "s3cret" });
  assert.match(text, /A: env\("A"\),\n {2}B: undefined,/);
  assert.ok(!text.includes("s3cret"));
});

const OPTIONS = (scenario: string, around = ""): string =>
  `export const options = { ${around} scenarios: { one: { executor: "constant-vus", duration: "1s", ${scenario} } } };\n`;

Deno.test("the variables of a scenario come before those of the environment, and values of these are not written", () => {
  const env = 'env: { MODE: "fast", KEY: `Bearer ${__ENV.A}`, UNREAD: "x" }';
  const script = `export default () => {
    http.get(BASE, { headers: { a: __ENV.KEY, b: __ENV.A } });
    if (__ENV.MODE === "fast") http.get(BASE + "/fast"); else http.get(BASE + "/slow");
    http.get(BASE + "/" + __ENV.KEY);
  };`;
  const { text } = made(OPTIONS(env) + script, { A: "s3cret", MODE: "slow" });
  const [, members] = /const __ENV = \{\n([^}]*)\};/.exec(text) ?? [];
  assert.equal(members, '  A: env_("A"),\n  MODE: "fast",\n  KEY: "Bearer " + env_("A"),\n');
  assert.match(text, /get: "\/fast"/);
  assert.match(text, /get: "\/\{KEY\}"/);
  assert.ok(!text.includes("s3cret"), text);
});

Deno.test("a variable of a scenario in a form that code cannot refer to is not converted", () => {
  const script = 'import encoding from "k6/encoding";\n' +
    OPTIONS("env: { KEY: encoding.b64encode(`ada:${__ENV.A}`) }") +
    "export default () => http.get(BASE, { headers: { a: __ENV.KEY } });";
  const { text, notes } = made(script, { A: "s3cret-of-a-shop" });
  assert.match(text, /const __ENV = \{\n {2}A: env_\("A"\),\n {2}KEY: null,\n\};/);
  assert.ok(
    notes.some((note) =>
      /KEY in the env of its scenario: it holds A of the environment/.test(note)
    ),
    text,
  );
  assert.ok(!text.includes(btoa("ada:s3cret-of-a-shop")), text);
});

Deno.test("a user agent and certificates of any kind are taken over, and no name from the environment", () => {
  const options = `export const options = { userAgent: "me " + __ENV.A, insecureSkipTLSVerify: true,
    scenarios: { [__ENV.A]: { executor: "constant-vus", duration: "1s" } } };\n`;
  const script = `export function setup() { http.get(BASE); }
export default () => http.get(BASE);`;
  const { text } = made(options + script, { A: "s3cret" });
  assert.match(text, /iterations\(iteration, "http:\/\/127\.0\.0\.1:8080", "me " \+ env\("A"\)\)/);
  assert.match(text, /around\(setup, "http:\/\/127\.0\.0\.1:8080", target, "me " \+ env\("A"\)\)/);
  assert.match(text, /url: target, insecure: true/);
  assert.ok(!text.includes("s3cret"), text);
});

const SECRET_URLS: readonly (readonly [url: string, step: string])[] = [
  ["`${BASE}/a?key=${__ENV.A}`", "/a?key={A}"],
  ["BASE + '/a/' + encodeURIComponent(__ENV.A)", "/a/{A}"],
  ["`${BASE}/${key}/b`", "/{A}/b"],
  ["`${BASE}/${keyed}`", "/{A}"],
  ["`${BASE}/${auth.key}`", "/{A}"],
  ["`http://${__ENV.A}/a`", "/a"],
  ["(__ENV.A || BASE) + '/a'", "/a"],
  ["`${BASE}/b`, { tags: { name: __ENV.A } }", "/b"],
];

for (const [url, step] of SECRET_URLS) {
  Deno.test(`the value of a variable is in no path that is written: ${url}`, () => {
    const script = `const key = __ENV.A; const auth = { key }; const keyed = b64(key);
      function b64(text) { return encodeURIComponent(text); }
      export default () => { http.get(BASE); http.get(${url}); }`;
    const first = url.includes("http://$") ? script.replace("http.get(BASE); ", "") : script;
    const { text } = made(first, { A: "s3cret!x" });
    assert.ok(text.includes(`get: ${JSON.stringify(step)}`), text);
    const { origin } = new URL("http://s3cret!x");
    assert.ok(!text.replaceAll(origin, "").includes("s3cret"), text);
  });
}

Deno.test("a k6 script that sends nothing, or calls itself without end, is refused at its line", () => {
  const nothing = thrown(UserError, () => made("export default () => {}"));
  assert.match(nothing.problems[0].place, /^a\.js:4:/);
  const endless = "function f() { http.get(BASE); f(); } export default () => f();";
  const { problems: [{ message }] } = thrown(UserError, () => made(endless));
  assert.match(message, /it calls itself, directly or through others/);
});
