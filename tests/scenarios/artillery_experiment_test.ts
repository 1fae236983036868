/** Artillery scripts with a processor as experiments in TypeScript: which functions stay, what is marked, and what they do. */
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { UserError } from "../../base/errors.ts";
import { NO_FILES } from "../../base/files.ts";
import type { WireRequest } from "../../base/http/request.ts";
import { Realm } from "../../base/script/realm.ts";
import { Hooks, type HookUser, type PreparedHooks } from "../../runner/load/hooks/hooks.ts";
import { convertedScript } from "../../scenarios/file/experiment_file.ts";
import { artilleryScript, importedFile } from "../../scenarios/imports/registry.ts";
import { responseOf } from "../script/received.ts";
import { script } from "./foreign.ts";
import { rejected, thrown } from "../thrown.ts";

interface Made {
  readonly text: string;
  readonly notes: readonly string[];
  readonly holds: readonly string[];
}

function made(source: string, processor: string, name = "functions.js"): Made {
  const files = { ...NO_FILES, octets: () => new TextEncoder().encode(processor) };
  const text = source.replace("scenarios:", `  processor: ./${name}\nscenarios:`);
  const experiment = artilleryScript(text, "a.yml", { files });
  assert.ok(experiment !== null);
  return experiment;
}

/** The hooks of a module, and what its scenario says. */
async function running(text: string): Promise<{ scenario: Scenario; hooks: Hooks }> {
  const code = {
    ...{ entry: "a.js", files: { "a.js": text }, parameters: {}, data: null },
    env: { SHOP_KEY: "hush-hush" },
  };
  const realm = await Realm.open({
    entry: "a.js",
    load: () => text,
    env: (name) => name === "SHOP_KEY" ? "hush-hush" : "",
    random: () => 0.5,
    nowMs: () => 0,
    log: () => {},
  });
  const { scenarios } = Object(realm.experiment({}));
  const hooks = await Hooks.open(code, { seed: 1, first: 0, stride: 1, nowUs: () => 0 });
  return { scenario: scenarios["scenario 1"], hooks };
}

interface Scenario {
  readonly flow: readonly { readonly before?: string; readonly after?: string }[];
  readonly user?: { readonly start?: string; readonly end?: string };
  readonly values?: unknown;
}

function newUser(values: Record<string, string> = {}): HookUser {
  const variables = new Map(Object.entries(values));
  return { number: 0, isNew: true, news: new Map(variables), variables };
}

const WIRE: WireRequest = { method: "POST", path: "/", headers: {}, body: "" };

const STEPS = `
    - function: draw
    - post:
        url: /login
        json: { user: "{{ user }}", n: "{{ number }}" }
        beforeRequest: [sign]
        afterResponse: keep
    - get: { url: "/items/{{ id }}?a={{ token }}", beforeRequest: sign }
    - get: { url: /plain }`;

const PROCESSOR = `const crypto = require("crypto");
module.exports = { begin, draw, sign, keep, end };
const key = process.env.SHOP_KEY;
let drawn = 0;
async function begin(context) { context.vars.id = 7; }
function draw(context, events, done) {
  context.vars.number = ++drawn;
  events.emit("counter", "drawn", 1);
  return done();
}
function sign(params, context, events, next) {
  const text = params.json ? JSON.stringify(params.json) : params.url;
  params.headers["X-Signature"] = crypto.createHmac("sha256", key).update(text).digest("hex");
  next();
}
function keep(params, response, context, events, next) {
  if (response.statusCode !== 200) return next(new Error("refused"));
  context.vars.token = JSON.parse(response.body).token + params.json.n;
  next();
}
function end(context, events, next) { next(context.vars.token === "t1" ? undefined : "no token"); }
`;

Deno.test("functions of an Artillery processor make requests, keep what responses bring, and begin and end sessions", async () => {
  Deno.env.set("SHOP_KEY", "hush-hush");
  const source = script(STEPS, "", "beforeScenario: begin\nafterScenario: end");
  const { text, notes } = made(source, PROCESSOR);
  assert.ok(!text.includes("hush-hush"));
  assert.ok(!notes.some((note) => note.includes("not converted")), notes.join("\n"));
  const { scenario: { flow, user: ofUser }, hooks } = await running(text);
  const [login, item, plain] = flow;
  assert.deepEqual([plain.before, plain.after], [undefined, undefined]);
  const users = hooks.preparedUser({ start: ofUser?.start ?? null, end: ofUser?.end ?? null });
  const user = newUser({ user: "ada" });
  assert.equal(users.start?.(user), null);
  const prepared = hooks.prepared({ before: login.before ?? "", after: login.after ?? "" }, WIRE);
  const sent = prepared.before?.(user, WIRE);
  assert.ok(typeof sent === "object");
  const { headers, ...rest } = sent;
  assert.deepEqual(rest, { method: "POST", path: "/login", body: '{"user":"ada","n":1}' });
  assert.match(headers["x-signature"], /^[\da-f]{64}$/);
  assert.equal(headers["content-type"], "application/json");
  const response = responseOf(200, "", '{"token":"t"}');
  assert.equal(prepared.after?.(user, response), null);
  const next = hooks.prepared({ before: item.before ?? "", after: null }, WIRE).before?.(user, {
    ...WIRE,
    method: "GET",
  });
  assert.ok(typeof next === "object");
  assert.equal(next.path, "/items/7?a=t1");
  assert.equal(users.end?.(user), null);
  // What is given to `next` fails the request.
  const other = newUser({ user: "bob" });
  prepared.before?.(other, WIRE);
  const refused = prepared.after?.(other, responseOf(401, "", ""));
  assert.match(refused ?? "", /refused/);
});

const LEFT: Readonly<Record<string, readonly [code: string, left: RegExp, kept: RegExp]>> = {
  "needs a package": [
    'const axios = require("axios");\nexports.sign = (p, c, e, next) => { axios.get("/"); next(); };',
    /functions\.js:1, .*Plateau has no module "axios"\n.*:2, axios\.get\("\/"\);: it needs axios/,
    /\{ \n?\s*\/\/ NOT CONVERTED: it needs axios[^]*next\(\); \}/,
  ],
  "waits": [
    "export async function sign(p) { p.url += 1; await p; }",
    /:1, await p;: it waits for something, but hooks run synchronously/,
    /^function sign\(p\) \{ p\.url \+= 1; /m,
  ],
  "names what it leaves out elsewhere": [
    "exports.a = () => { const x = fetch('/'); x.then(); };\nexports.sign = (x) => { x.url += 1; };",
    /Plateau has no fetch\n.*x\.then\(\);: it needs x, which was not converted$/,
    /exports\.sign = \(x\) => \{ x\.url \+= 1; \};/,
  ],
  "sets a timer under a condition": [
    "exports.sign = (p, c, e, next) => { if (p.slow) { setTimeout(next, 1); } next(); };",
    /Plateau has no setTimeout$/,
    /if \(p\.slow\) \{ \n?\s*\/\/ NOT CONVERTED/,
  ],
  "is all of a condition": [
    "exports.sign = async (p, c) => {\n  if (!c.vars.t) await login(c);\n  p.t = c.vars.t;\n};",
    /:2, await login\(c\);: it waits/,
    /if \(!c\.vars\.t\) \n.*NOT CONVERTED.*\n.*await login\(c\);\n\s*\{\}\n\s*p\.t = c\.vars\.t;/,
  ],
  "is all of a condition that has another side": [
    "exports.sign = async (p) => { if (p.a) await x; else if (p.b) p.c = 1; else await y; p.d = 2; };",
    /await x;: it waits[^]*await y;: it waits/,
    /\{\} else if \(p\.b\) p\.c = 1; else \n[^]*\{\} p\.d = 2;/,
  ],
  "is all of a loop": [
    "exports.sign = async (p) => {\n  for (const n of p.list)\n    await n;\n  p.url += 1;\n};",
    /:3, await n;: it waits/,
    /for \(const n of p\.list\)\n.*NOT CONVERTED.*\n.*await n;\n\s*\{\}\n\s*p\.url \+= 1;/,
  ],
  "waits without a space": [
    "class A {\n  static async b(r) { await r; r.url += 1; }\n  async c(r) { r.url += 2; }\n}\n" +
    "exports.sign = async(r) => { await r; A.b(r); new A().c(r); };",
    /:2, await r;[^]*:5, await r;/,
    /static b\(r\) \{[^]*\n {2}c\(r\) \{[^]*exports\.sign = \(r\) => \{/,
  ],
  "goes on when a function of its own has waited": [
    "const login = async (c) => { c.vars.t = 1; };\n" +
    "exports.sign = (p, c, e, next) => { login(c).then(() => next(), next); next(); };",
    /:2, login\(c\)\.then\(.*: it waits/,
    /const login = \(c\) => \{ c\.vars\.t = 1; \};/,
  ],
  "keeps the environment": [
    "const env = process.env;\nexports.sign = (p) => { p.url += env.SHOP_KEY; p.url += 1; };",
    /:1, const env = process\.env;: it reads environment variables whose names[^]*it needs env/,
    /p\.url \+= 1; \}/,
  ],
  "reads variables by a name that it computes": [
    "exports.sign = (p, c) => { const k = c.vars.k; p.url += process.env[k]; p.url += 1; };",
    /process\.env\[k\];: it reads environment variables whose names/,
    /^const functions = \(\(\) => \{$/m,
  ],
  "stands under a case that it chooses by the environment": [
    "exports.sign = async (p) => { switch (p.m) { case process.env.SHOP_KEY: await p; } p.url += 1; };",
    /:1, await p;: it waits/,
    /const process = \{\n {2}env: \{\n {4}SHOP_KEY: [^]*case process\.env\.SHOP_KEY:[^]*p\.url \+= 1; \}/,
  ],
  "chooses a case by what is not there": [
    "exports.sign = (p) => { switch (p.m) { case fetch: p.url += 1; } p.url += 2; };",
    /:1, switch \(p\.m\) .*: Plateau has no fetch$/,
    /p\.url \+= 2; \}/,
  ],
  "has a default that is not there": [
    "exports.a = (x, { t = setTimeout }) => { t(x); };\nexports.sign = (p) => { setTimeout(p); p.url += 1; };",
    /:1, t = setTimeout: Plateau has no setTimeout\n.*t\(x\);: it needs t, .*\n.*:2, setTimeout\(p\);: Plateau has no setTimeout$/,
    /\n\s*t \}\) => \{[^]*p\.url \+= 1; \}/,
  ],
  "names a default beside what it leaves out": [
    'const { h = fetch } = require("./x");\nexports.sign = (p) => { h(p); fetch(p); p.url += 1; };',
    /Plateau has no module "\.\/x"\n.*h\(p\);: it needs h, .*\n.*fetch\(p\);: Plateau has no fetch$/,
    /p\.url \+= 1; \}/,
  ],
  "takes what a module lacks here": [
    'const crypto = require("crypto");\nconst { createHmac, randomBytes } = require("node:crypto");\n' +
    'exports.sign = (p) => { p.a = crypto.randomBytes(8); p.b = crypto.createHash("md5"); p.url += 1; };',
    /:2, .*Plateau has no randomBytes of node:crypto[^]*no randomBytes of crypto[^]*no digest md5/,
    /const crypto = plateauNode\.crypto;[^]*p\.url \+= 1; \}/,
  ],
};

for (const [sentence, [code, left, kept]] of Object.entries(LEFT)) {
  Deno.test(`each line of a processor that cannot be taken over is marked, as one that ${sentence}`, async () => {
    const steps = "[{ get: { url: /, beforeRequest: sign } }]";
    const { text, notes } = made(script(steps), code);
    const marked = notes.filter((note) => note.startsWith("not converted")).join("\n");
    assert.match(marked, left);
    assert.match(text, kept);
    await running(text); // what is left is right code
  });
}

Deno.test("a processor may have a name of its own for what this file imports", async () => {
  const code = 'const crypto = require("crypto");\nconst node = "n";\n' +
    'exports.sign = (p) => { p.url += crypto.createHash("sha256").update(node).digest("hex"); };';
  const { text, notes } = made(script("[{ get: { url: /, beforeRequest: sign } }]"), code);
  assert.ok(!notes.some((note) => note.startsWith("not converted")), notes.join("\n"));
  const { scenario: { flow: [step] }, hooks } = await running(text);
  const { before } = hooks.prepared({ before: step.before ?? "", after: null }, WIRE);
  const digest = createHash("sha256").update("n").digest("hex");
  assert.equal(Object(before?.(newUser(), WIRE)).path, `/${digest}`);
});

Deno.test("an exported constant is a function of the processor though a line in it is left out", () => {
  const code = "export const sign = async (p) => { await p; p.url += 1; };";
  const { notes } = made(script("[{ get: { url: /, beforeRequest: sign } }]"), code);
  assert.deepEqual(notes.filter((note) => note.includes("sign")), []);
});

Deno.test("what is exported in a list and left out is no function of the processor", () => {
  const code = "function sign(p) { p.url += 1; }\nconst gone = fetch;\nexport { gone, sign as s };";
  const { text, notes } = made(script("[{ get: { url: /, beforeRequest: [s, gone] } }]"), code);
  assert.match(text, /^return \{ s: sign \};$/m);
  assert.ok(notes.some((note) => note.startsWith("the processor has no function gone")), text);
});

Deno.test("what only looks like a module in a processor is not imported", () => {
  const code = "// node.js\nexports.sign = (p) => { p.url += p.node.id; };";
  const { text } = made(script("[{ get: { url: /, beforeRequest: sign } }]"), code);
  assert.match(text, /^import \{ processed \} from "plateau\/artillery";$/m);
});

Deno.test("a name stands for a module only in the function that requires it, and for nothing of the same name", () => {
  const code = [
    'function first(p) { const tool = require("crypto"); p.url += tool.randomUUID(); }',
    "function second(p) { p.url += tool.sum(1); }",
    'const tool = { sum: (n) => n }; const uuid = require("uuid");',
    "function third(p, uuid) { p.url += uuid.v7; }",
    "function fourth(p) { const uuid = { v7: 1 }; p.url += uuid.v7; }",
    "function fifth(p) { p.url += uuid.v7(); }",
    "module.exports = { first, second, third, fourth, fifth };",
  ].join("\n");
  const steps = "[{ get: { url: /, beforeRequest: [first, second, third, fourth, fifth] } }]";
  const { notes } = made(script(steps), code);
  const marked = notes.filter((note) => note.startsWith("not converted"));
  assert.match(marked.join("\n"), /^not converted[^\n]*:6, [^\n]*Plateau has no v7 of uuid$/);
});

Deno.test("types of a processor are removed, and functions that it has not are noted", async () => {
  const code = "export function sign(params: { url: string }): void { params.url += 1; }\n";
  const steps = "[{ get: { url: /, beforeRequest: [sign, lost] } }]";
  const { text, notes } = made(script(steps), code, "functions.ts");
  assert.ok(notes.includes("the processor has no function lost, so nothing is called there"));
  const { scenario: { flow: [step] }, hooks } = await running(text);
  const sent = hooks.prepared({ before: step.before ?? "", after: null }, WIRE).before?.(
    newUser(),
    WIRE,
  );
  assert.equal(Object(sent).path, "/1");
});

Deno.test("a processor that cannot be read is an error at its place", () => {
  const { problems: [problem] } = thrown(
    UserError,
    () => made(script("[{ get: { url: / } }]"), "function ("),
  );
  assert.match(problem.place, /^functions\.js:1:/);
});

Deno.test("no note of a written file has the value of a variable of the environment", () => {
  Deno.env.set("PLATEAU_TEST_HOST", "sk-very-secret-12345.example");
  const steps = "[{ get: { url: 'http://{{ $env.PLATEAU_TEST_HOST }}/' } }, " +
    "{ think: '{{ $env.PLATEAU_TEST_HOST }}' }]";
  for (
    const { text } of [
      made(script(steps), ""),
      importedFile(script(steps), "a.yml", { files: NO_FILES }),
    ].flatMap((one) => one ?? [])
  ) {
    assert.match(text, /requests to \$\{env\.PLATEAU_TEST_HOST\} go to/);
    assert.match(text, /left out: the pause "\$\{env\.PLATEAU_TEST_HOST\}"/);
    assert.ok(!text.includes("sk-very-secret"), text);
  }
});

interface Sending extends Made {
  readonly user: HookUser;
  /** The hooks of each step. */
  readonly prepared: readonly PreparedHooks[];
  /** What the first request becomes; a text: why it fails. */
  readonly sent: unknown;
}

async function sending(steps: string, code: string, values = {}): Promise<Sending> {
  const experiment = made(script(steps), code);
  const { text } = experiment;
  const { scenario: { flow }, hooks } = await running(text);
  const user = newUser(values);
  const prepared = flow.map(({ before = null, after = null }) =>
    hooks.prepared({ before, after }, WIRE)
  );
  return { ...experiment, user, prepared, sent: prepared[0].before?.(user, WIRE) };
}

Deno.test("a processor may assign its functions to several names at once", async () => {
  const steps = "[{ get: { url: /, beforeRequest: [sign, more] } }]";
  const { notes, sent } = await sending(
    steps,
    "exports = module.exports = { sign };\nfunction sign(p) { p.url += 1; }\n" +
      "exports.more = module.exports.again = (p) => { p.url += 2; };",
  );
  assert.ok(!notes.some((note) => note.includes("has no function")), notes.join("\n"));
  assert.equal(Object(sent).path, "/12");
});

Deno.test("digests of a processor are those of Node.js, however they are written", async () => {
  const code = `const crypto = require("crypto");
const { Buffer } = require("buffer");
exports.sign = (p) => {
  const h = crypto.createHmac("sha256", Buffer.from("key"));
  h.update("a");
  h.update(Buffer.from("bc")).update("d", "utf8");
  const d = crypto.createHash("sha256");
  d.update("abcd");
  Object.assign(p.headers, { h: h.digest("hex"), d: d.digest("base64"), t: Buffer.from("ab").toString() });
};`;
  const { sent } = await sending("[{ get: { url: /, beforeRequest: sign } }]", code);
  const { headers } = Object(sent);
  assert.equal(headers.h, createHmac("sha256", "key").update("abcd").digest("hex"));
  assert.equal(headers.d, createHash("sha256").update("abcd").digest("base64"));
  assert.equal(headers.t, "ab");
});

const UNLIKE: Readonly<Record<string, readonly [code: string, why: RegExp]>> = {
  "octets in hex": ['Buffer.from("00ff", "hex")', /text cannot be read or written as hex/],
  "a digest of what is in hex": ['crypto.createHash("sha256").update("00ff", "hex")', /as hex/],
  "a digest of octets": [
    'crypto.createHash("sha256").update(new Uint8Array(2))',
    /only a string can be digested/,
  ],
  "a digest by no key": ['crypto.createHmac("sha256", undefined)', /only a string can be digested/],
  "a done that comes later": ["Promise.resolve(1), 0", /sign returned before it called done/],
};

for (const [sentence, [code, why]] of Object.entries(UNLIKE)) {
  Deno.test(`what a processor would get otherwise than in Node.js fails the request, as ${sentence}`, async () => {
    const { sent } = await sending(
      "[{ get: { url: /, beforeRequest: sign } }]",
      `const crypto = require("crypto");\nexports.sign = (p, context, events, done) => { ${code}; };`,
    );
    assert.match(String(sent), why);
  });
}

Deno.test("an empty body of a request reaches its functions", async () => {
  const code = "exports.fill = (p) => { p.json.a = 1; };";
  const { sent } = await sending("[{ post: { url: /, json: {}, beforeRequest: fill } }]", code);
  assert.equal(Object(sent).body, '{"a":1}');
});

Deno.test("functions after a request get its own parameters, filled in", async () => {
  const code = "exports.sign = (p) => { p.url += '?a'; };\n" +
    "exports.keep = (p, r, c) => { throw new Error(p.url); };";
  const { user, prepared: [, two] } = await sending(
    "[{ get: { url: /one, beforeRequest: sign } }, " +
      "{ get: { url: '/two/{{ id }}', afterResponse: keep } }]",
    code,
    { id: "7" },
  );
  assert.match(two.after?.(user, responseOf(200, "", "")) ?? "", /8080\/two\/7 /);
});

Deno.test("names that values cannot have here stay those that functions and requests use", async () => {
  const code = "exports.sign = (p, c) => { p.headers.b = c.vars['user.id'] + 'x'; };";
  const { sent } = await sending(
    "[{ get: { url: '/{{ user.id }}', beforeRequest: sign, capture: { json: $.id, as: user.id } } }]",
    code,
    { user_id: "7" },
  );
  assert.deepEqual([Object(sent).path, Object(sent).headers.b], ["/7", "7x"]);
});

Deno.test("a variable to which a function assigns a value has that value in requests without functions", async () => {
  const code =
    `exports.begin = (c) => { c.vars.region = "us"; Object.assign(c.vars, { size: 9 }); };
exports.sign = (p) => { p.url += "x"; };`;
  const { text } = made(
    script(
      "[{ get: { url: '/{{ region }}/{{ size }}/{{ kept }}' } }, { think: '{{ kept }}' }]",
      "variables: { region: eu, size: 1, kept: 2 }",
      "beforeScenario: begin",
    ),
    code,
  );
  const { scenario: { flow, user: ofUser, values }, hooks } = await running(text);
  assert.deepEqual(values, { region: { pick: ["eu"] }, size: { pick: ["1"] } });
  const [first, pause] = flow.map((step) => Object(step));
  assert.deepEqual([first.get, pause.think], ["/{{ region }}/{{ size }}/2", "2s"]);
  const user = newUser({ region: "eu", size: "1" });
  hooks.preparedUser({ start: ofUser?.start ?? null, end: null }).start?.(user);
  assert.deepEqual(["region", "size"].map((name) => user.variables.get(name)), ["us", "9"]);
});

Deno.test("credentials from the environment are put together when the file runs", async () => {
  Deno.env.set("SHOP_KEY", "hush-hush");
  const { text, holds, sent } = await sending(
    "[{ get: { url: /, auth: { user: ada, pass: '{{ $env.SHOP_KEY }}' } } }]",
    "",
  );
  assert.deepEqual(holds, []);
  assert.match(text, /auth: \{ user: "ada", pass: env\("SHOP_KEY"\) \}/);
  assert.equal(Object(sent).headers.authorization, `Basic ${btoa("ada:hush-hush")}`);
});

Deno.test("a text that equals the value of a variable by chance stays one in TypeScript", () => {
  Deno.env.set("SHOP_KEY", "hush-hush");
  const steps = "[{ post: { url: /hush-hush, beforeRequest: sign, " +
    "json: { a: hush-hush, b: '{{ $env.SHOP_KEY }}' }, auth: { user: hush-hush, pass: x } } }]";
  const { text } = made(script(steps), "exports.sign = () => {};");
  assert.match(text, /json: \{ a: "hush-hush", b: env\("SHOP_KEY"\) \}/);
  assert.match(text, /auth: \{ user: "hush-hush", pass: "x" \}/);
  assert.match(text, /url: "\/hush-hush"/);
});

Deno.test("what would hold a variable in another form is refused with a way out in TypeScript", async () => {
  Deno.env.set("PLATEAU_TEST_QUERY", "hush hush&more");
  const source = script("[{ get: { url: /, qs: { a: '{{ $env.PLATEAU_TEST_QUERY }}' } } }]");
  const { problems: [{ fix }] } = await rejected(
    UserError,
    convertedScript(source, "a.yml", "a.ts"),
  );
  assert.match(fix ?? "", /beforeRequest/);
});
