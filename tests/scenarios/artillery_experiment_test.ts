/** Artillery scripts with a processor as experiments in TypeScript: which functions stay, what is marked, and what they do. */
import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { NO_FILES } from "../../base/files.ts";
import type { WireRequest } from "../../base/http/request.ts";
import { Realm } from "../../base/script/realm.ts";
import { Hooks, type HookUser } from "../../runner/load/hooks/hooks.ts";
import { artilleryScript, importedFile } from "../../scenarios/imports/registry.ts";
import { responseOf } from "../script/received.ts";
import { script } from "./foreign.ts";
import { thrown } from "../thrown.ts";

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
}

function newUser(values: Record<string, string> = {}): HookUser {
  const variables = new Map(Object.entries(values));
  return { place: 0, isNew: true, news: new Map(variables), variables };
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
  assert.ok(!notes.some((note) => note.includes("not taken over")), notes.join("\n"));
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
    /functions\.js:1, .*there is no module "axios" here\n.*:2, axios\.get\("\/"\);: it needs axios/,
    /\{ \n?\s*\/\/ NOT TAKEN OVER: it needs axios[^]*next\(\); \}/,
  ],
  "waits": [
    "export async function sign(p) { p.url += 1; await p; }",
    /:1, await p;: it waits, and hooks run synchronously/,
    /^function sign\(p\) \{ p\.url \+= 1; /m,
  ],
  "names what it leaves out elsewhere": [
    "exports.a = () => { const x = fetch('/'); x.then(); };\nexports.sign = (x) => { x.url += 1; };",
    /there is no fetch here\n.*x\.then\(\);: it needs x, which is not taken over$/,
    /exports\.sign = \(x\) => \{ x\.url \+= 1; \};/,
  ],
  "sets a timer under a condition": [
    "exports.sign = (p, c, e, next) => { if (p.slow) { setTimeout(next, 1); } next(); };",
    /there is no setTimeout here$/,
    /if \(p\.slow\) \{ \n?\s*\/\/ NOT TAKEN OVER/,
  ],
};

for (const [sentence, [code, left, kept]] of Object.entries(LEFT)) {
  Deno.test(`each line of a processor that cannot be taken over is marked, as one that ${sentence}`, async () => {
    const steps = "[{ get: { url: /, beforeRequest: sign } }]";
    const { text, notes } = made(script(steps), code);
    const marked = notes.filter((note) => note.startsWith("not taken over")).join("\n");
    assert.match(marked, left);
    assert.match(text, kept);
    await running(text); // what is left is right code
  });
}

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
    assert.match(text, /without the pause "\$\{env\.PLATEAU_TEST_HOST\}"/);
    assert.ok(!text.includes("sk-very-secret"), text);
  }
});
