/** Hooks of a script: what they may change, what they are given, and that nothing they do reaches further than their request. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { ReceivedResponse } from "../../base/http/received.ts";
import type { WireRequest } from "../../base/http/request.ts";
import { TargetError } from "../../base/errors.ts";
import { LIMITS } from "../../base/limits.ts";
import { Engine } from "../../base/script/engine.ts";
import { placed, Realm } from "../../base/script/realm.ts";
import { FreshData } from "../../runner/load/hooks/fresh_data.ts";
import { Hooks, type HookUser, type PreparedHooks } from "../../runner/load/hooks/hooks.ts";
import type { ScriptCode } from "../../scenarios/code/code.ts";
import { responseOf } from "./received.ts";

const WIRE: WireRequest = {
  method: "POST",
  path: "/orders",
  headers: { accept: "*/*" },
  body: '{"id":1}',
};

function codeOf(hooks: string, around: Partial<ScriptCode> = {}): ScriptCode {
  const files = { "script.js": `export default { ${hooks} };` };
  return { entry: "script.js", files, parameters: {}, env: {}, data: null, ...around };
}

function open(code: ScriptCode): Promise<Hooks> {
  return Hooks.open(code, { seed: 1, first: 3, stride: 2, nowUs: () => performance.now() * 1_000 });
}

function user(number = 0): HookUser {
  return { number, isNew: true, news: new Map(), variables: new Map() };
}

/** What `before(request, user) { body }` makes of the request; by both ways in which a hook gets one. */
async function sentBy(
  body: string,
  around: Partial<ScriptCode> = {},
): Promise<WireRequest | string> {
  const hooks = await open(codeOf(`before(request, user) { ${body} }`, around));
  const given = { before: "before", after: null };
  const [fixed, varied] = [WIRE, null].map((base) => sendBy(hooks.prepared(given, base)));
  assert.deepEqual(fixed, varied);
  return fixed;
}

function sendBy({ before }: PreparedHooks, as = user()): WireRequest | string {
  assert.ok(before);
  return before(as, WIRE);
}

async function whyAfter(
  body: string,
  response: ReceivedResponse,
  as = user(),
): Promise<string | null> {
  const hooks = await open(codeOf(`after(response, user) { ${body} }`));
  const { after } = hooks.prepared({ before: null, after: "after" }, WIRE);
  assert.ok(after);
  return after(as, response);
}

Deno.test("a hook that changes nothing leaves the very request", async () => {
  assert.equal(await sentBy(""), WIRE);
  assert.equal(await sentBy("request.body; request.headers.accept; user.vars.x"), WIRE);
});

Deno.test("a hook changes method, path, fields and body, and each stands alone", async () => {
  assert.deepEqual(await sentBy("request.method = 'put'"), { ...WIRE, method: "PUT" });
  assert.deepEqual(await sentBy("request.path = '/x?y=1'"), { ...WIRE, path: "/x?y=1" });
  assert.deepEqual(await sentBy("request.headers['x-a'] = 7; delete request.headers.accept"), {
    ...WIRE,
    headers: { "x-a": "7" },
  });
  assert.deepEqual(await sentBy("request.headers = { a: 'b', c: undefined }"), {
    ...WIRE,
    headers: { a: "b" },
  });
  assert.deepEqual(await sentBy("request.body = '{}'"), { ...WIRE, body: "{}" });
  assert.deepEqual(await sentBy("request.body = ''"), { ...WIRE, body: null });
  assert.deepEqual(await sentBy("request.body = Uint8Array.of(0, 255, 10)"), {
    ...WIRE,
    body: [{ base64: "AP8K" }],
  });
  // NULs do not end a text, whatever is around them.
  for (const text of ["a\0ü", "üü\0", "\0", "a\0b", "ü\0\0🙂\0x"]) {
    assert.deepEqual(await sentBy(`request.body = ${JSON.stringify(text)}`), {
      ...WIRE,
      body: text,
    });
  }
});

Deno.test("every call begins with the request as it is written", async () => {
  const hooks = await open(
    codeOf("before(request) { request.path += '/x'; request.headers.n = 1 }"),
  );
  const prepared = hooks.prepared({ before: "before", after: null }, WIRE);
  const sent = { ...WIRE, path: "/orders/x", headers: { accept: "*/*", n: "1" } };
  for (let call = 0; call < 3; call++) assert.deepEqual(sendBy(prepared), sent);
});

Deno.test("a user has its number, its sessions, data, variables, digests and random numbers", async () => {
  const hooks = await open(codeOf(
    `before(request, user) {
      request.headers = {
        who: user.id + " " + user.iteration + " " + user.data.token + " " + (user.vars.seen ?? "new"),
        hmac: user.hmac("sha256", "key", request.body),
        octets: user.hmac("sha1", Uint8Array.of(0, 1), Uint8Array.of(2)),
        base64: user.base64("ü"),
        uuid: user.uuid(),
      };
      user.vars.seen = "seen";
    }`,
    { data: '{"token":"t"}' },
  ));
  const prepared = hooks.prepared({ before: "before", after: null }, WIRE);
  const first = user(2);
  const headersOf = (as: HookUser): Readonly<Record<string, string>> => {
    const sent = sendBy(prepared, as);
    assert.ok(typeof sent !== "string", String(sent));
    return sent.headers;
  };
  const { who, hmac, octets, base64, uuid } = headersOf(first);
  assert.equal(who, "7 0 t new");
  assert.equal(hmac, createHmac("sha256", "key").update('{"id":1}').digest("hex"));
  const key = Uint8Array.of(0, 1);
  assert.equal(octets, createHmac("sha1", key).update(Uint8Array.of(2)).digest("hex"));
  assert.equal(base64, "w7w=");
  assert.match(uuid, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  assert.deepEqual([...first.variables], [["seen", "seen"]]);
  assert.equal(headersOf(first).who, "7 0 t seen");
  const next = user(2);
  assert.equal(headersOf(next).who, "7 1 t new");
  next.news.set("seen", "captured");
  assert.equal(headersOf(next).who, "7 1 t captured");
});

Deno.test("after reads status, fields and body, and fails its response by throwing", async () => {
  const response = responseOf(
    201,
    "HTTP/1.1 201 Created\r\nX-Id: 7\r\nset-cookie: a\r\nSet-Cookie: b\r\n\r\n",
    '{"total":3}',
  );
  const known = user();
  const why = await whyAfter(
    `const { total } = JSON.parse(response.body);
    user.vars.seen = [response.status, response.headers["x-id"], response.headers["set-cookie"], total];`,
    response,
    known,
  );
  assert.equal(why, null);
  assert.deepEqual([...known.variables], [["seen", '[201,"7","a, b",3]']]);
  assert.equal(
    await whyAfter("\nthrow new RangeError('wrong total')", response),
    "RangeError: wrong total (script.js:2:21)",
  );
});

Deno.test("a user's session begins and ends with its own hooks, which set variables and may fail", async () => {
  const hooks = await open(codeOf(
    `user: {
      start(user) { user.vars.cart = user.id + "-" + user.iteration; },
      end(user) { if (user.vars.cart === "3-1") throw new Error("not empty"); },
    },
    before(request, user) { request.path = "/" + user.vars.cart; }`,
  ));
  const { start, end } = hooks.preparedUser({ start: "user.start", end: "user.end" });
  const prepared = hooks.prepared({ before: "before", after: null }, WIRE);
  const outcomes = [0, 1].map(() => {
    const session = user();
    assert.equal(start?.(session), null);
    const sent = sendBy(prepared, session);
    return [
      session.variables.get("cart"),
      typeof sent === "string" ? sent : sent.path,
      end?.(session),
    ];
  });
  assert.deepEqual(outcomes[0], ["3-0", "/3-0", null]);
  assert.deepEqual(outcomes[1].slice(0, 2), ["3-1", "/3-1"]);
  assert.match(String(outcomes[1][2]), /^Error: not empty \(script\.js:3:\d+\)$/);
});

Deno.test("what is rehearsed leaves nothing behind: no call, no time, no session", async () => {
  const hooks = await open(
    codeOf("before(request, user) { request.path = '/' + user.iteration; }"),
  );
  hooks.rehearse();
  assert.deepEqual([hooks.use, hooks.timeUs, hooks.endedUs], [{ calls: 0, timeS: 0 }, 0, 0]);
  const prepared = hooks.prepared({ before: "before", after: null }, WIRE);
  assert.equal(Object(sendBy(prepared)).path, "/0");
  assert.equal(hooks.use.calls, 1);
});

Deno.test("data that is renewed is what the next call sees, and is frozen, too", async () => {
  const fresh = new FreshData();
  const hooks = await Hooks.open(
    codeOf(
      `before(request, user) { "use strict"; request.path = "/" + user.data.token; },
      bad(request, user) { "use strict"; user.data.token = 1; }`,
      { data: '{"token":"old"}' },
    ),
    { seed: 1, first: 0, stride: 1, nowUs: () => 0, fresh: fresh.memory },
  );
  const prepared = hooks.prepared({ before: "before", after: null }, WIRE);
  const pathOf = (): string => Object(sendBy(prepared)).path;
  assert.equal(pathOf(), "/old");
  fresh.write('{"token":"new"}');
  assert.equal(pathOf(), "/new");
  assert.equal(pathOf(), "/new");
  const bad = hooks.prepared({ before: "bad", after: null }, WIRE);
  assert.match(String(sendBy(bad)), /TypeError/);
});

Deno.test("a secret is hidden before the text that has it is cut", async () => {
  const secret = "k7-".padEnd(40, "Qz9x");
  const bodies = {
    "request.path = '/' + 'a'.repeat(40) + key + ' '": 'request.path is "/a',
    "request.headers[' ' + 'a'.repeat(40) + key] = 1": 'request.headers has " a',
    "request.headers.a = 'a'.repeat(40) + key + '\\n'.repeat(0) + '\\0'": "request.headers",
    "throw new Error('a'.repeat(280) + key)": "Error: a",
    "throw 'a'.repeat(280) + key": 'it threw "a',
  };
  for (const [body, begins] of Object.entries(bodies)) {
    const files = {
      "script.js":
        `import { env } from "plateau"; const key = env("KEY"); export default { before(request) { ${body} } };`,
    };
    const hooks = await open({ ...codeOf(""), files, env: { KEY: secret } });
    const said = sendBy(hooks.prepared({ before: "before", after: null }, WIRE));
    assert.ok(typeof said === "string" && said.startsWith(begins), String(said));
    assert.ok(!said.includes(secret.slice(0, 6)), said);
  }
});

Deno.test("data that takes long to renew is there after that, within the time of setup", async () => {
  const fresh = new FreshData();
  const hooks = await Hooks.open(
    codeOf("before(request, user) { request.path = '/' + user.data.length }", { data: "[]" }),
    { seed: 1, first: 0, stride: 1, nowUs: () => 0, fresh: fresh.memory },
  );
  const prepared = hooks.prepared({ before: "before", after: null }, WIRE);
  // Some hundred milliseconds, where a hook has 50.
  fresh.write(JSON.stringify(Array.from({ length: 150_000 }, (_, id) => ({ id }))));
  assert.equal(Object(sendBy(prepared)).path, "/150000");
});

const HOSTILE: readonly [name: string, body: string, why: RegExp][] = [
  ["throws", "throw new Error('no key')", /^Error: no key \(script\.js:1:\d+\)$/],
  ["throws a text", "throw 'no key'", /^it threw "no key"/],
  [
    "throws what throws",
    "throw { get message() { throw 1 }, toString() { throw 2 } }",
    /cannot be shown/,
  ],
  [
    "throws an error whose message throws",
    "throw Object.defineProperty(new Error(), 'message', { get() { for (;;); } })",
    /cannot be shown/,
  ],
  ["never ends", "for (;;);", /^it computed for more than 50 ms \(script\.js:1:\d+\)$/],
  [
    "never ends and catches",
    "for (;;) { try { for (;;); } catch {} }",
    /^it computed for more than 50 ms/,
  ],
  [
    "matches for ever",
    "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    /computed|interrupted|out of memory/,
  ],
  [
    "fills the memory",
    "const a = []; for (;;) a.push(new Array(1000).fill('x'))",
    /out of memory|computed for more/,
  ],
  ["fills the stack", "const f = () => f() + 1; f()", /stack overflow|call stack/],
  ["asks for a huge buffer", "new Uint8Array(2 ** 40)", /Error/],
  ["returns a promise", "return Promise.resolve()", /hooks run synchronously/],
  ["ends the process", "Deno.exit(0)", /ReferenceError: .*Deno/],
  ["ends Node's process", "process.exit(0)", /ReferenceError: .*process/],
  [
    "opens a socket",
    "fetch('http://127.0.0.1:1/')",
    /^TypeError: fetch is only available in setup, refresh and teardown: fetch in setup, .*user\.data \(/,
  ],
  ["reads a file", "require('fs').readFileSync('/etc/passwd')", /ReferenceError: .*require/],
  ["looks for the host", "(() => {}).constructor('return Deno')()", /Deno/],
  [
    "sends a second request",
    "request.path = '/x HTTP/1.1\\r\\nHost: b\\r\\n\\r\\n'",
    /line break|request\.path/,
  ],
  ["breaks a field", "request.headers.a = 'b\\r\\nc: d'", /line break/],
  ["has a field of megabytes", "request.headers.a = 'ü'.repeat(4e6)", /Latin-1|out of memory/],
  [
    "has a field of half a character",
    "request.headers.a = '\\ud800'",
    /Latin-1 are not allowed/,
  ],
  [
    "hashes what is no text",
    "user.hmac('sha256', { toString() { throw new Error('mine') } }, '')",
    /mine/,
  ],
  ["hashes by what is no algorithm", "user.hmac('none', 'key', '')", /no algorithm "none"/],
  [
    "throws a text of megabytes",
    "throw new Error('x'.repeat(2e6))",
    /^Error: x+… /,
  ],
  [
    "gives a body that does not end well",
    "request.body = { get length() { return 1e9 }, toString() { return 'x' } }",
    /request\.body must be a string/,
  ],
  ["breaks a field by a NUL", "request.headers.a = 'b\\0c'", /NUL/],
  ["frames its body itself", "request.headers['Content-Length'] = 3", /Content-Length/],
  [
    "gives an object as a body",
    "request.body = {}",
    /request\.body must be a string or a Uint8Array/,
  ],
  ["invents a method", "request.method = 'BREW'", /not an HTTP method/],
  [
    "has a getter that throws",
    "request.headers = { get a() { throw new Error('mine') } }",
    /Error: mine/,
  ],
  ["changes what it was given", "user.data.x = 1", /TypeError/],
];

for (const [name, body, why] of HOSTILE) {
  Deno.test(`a hook that ${name} fails its request alone, and the next call is right`, async () => {
    const script =
      `bad(request, user) { "use strict"; ${body} }, good(request) { request.path = "/good" }`;
    const hooks = await open(codeOf(script, { data: "{}" }));
    const bad = hooks.prepared({ before: "bad", after: null }, WIRE);
    const good = hooks.prepared({ before: "good", after: null }, WIRE);
    const said = sendBy(bad);
    assert.ok(typeof said === "string", "it was sent");
    assert.match(said, why);
    assert.match(said, / \(script\.js:1:\d+\)$/);
    assert.ok(said.length <= 300);
    assert.deepEqual(sendBy(good), { ...WIRE, path: "/good" });
  });
}

Deno.test("what fails within a module that is given is told by the line of the script that called it", async () => {
  const script = `import { basic } from "plateau";
export default {
  before(request) {
    request.headers.authorization = basic("a:b", "c");
  },
};`;
  const hooks = await open({ ...codeOf(""), files: { "script.js": script } });
  const said = sendBy(hooks.prepared({ before: "before", after: null }, WIRE));
  assert.match(String(said), /cannot contain a colon \(script\.js:4:\d+\)$/);
});

/** Functions of JavaScript that take for ever without a single operation of the script. */
const ENDLESS: readonly string[] = [
  "[].includes.call({ length: 2 ** 53 - 1 }, 1)",
  "Array(2 ** 32 - 1).sort()",
  "[].join.call({ length: 2 ** 31 - 1 }, '')",
  "JSON.stringify(Array(2 ** 31), (key, value) => key === '' ? value : undefined)",
  "'x'.repeat(2 ** 24).replaceAll('x', 'yy')",
];

for (const call of ENDLESS) {
  Deno.test(`a call of ${call} is cut off`, async () => {
    let ms = 0;
    const realm = await Realm.open({
      entry: "script.js",
      load: () => `export default { user: { start() { ${call}; } } };`,
      env: () => "",
      random: () => 0,
      nowMs: () => ms += 10, // each look at the clock takes so long
      log: () => {},
    });
    realm.experiment({});
    realm.limit(50);
    const hook = realm.hook("user.start", "user");
    const user = realm.user(0);
    assert.throws(
      () => realm.after(hook, user, true),
      /^Error: (?:a built-in function did not end within 1\.05 s|it computed for more than 50 ms)/,
    );
  });
}

Deno.test("a machine that halts within a built-in function costs no more than the call's own time", async () => {
  let looks = 0;
  const realm = await Realm.open({
    entry: "script.js",
    load: () =>
      "export default { user: { start() { [].includes.call({ length: 100_000 }, 1); } } };",
    env: () => "",
    random: () => 0,
    nowMs: () => ++looks < 10 ? 0 : 5_000,
    log: () => {},
  });
  realm.experiment({});
  realm.limit(50);
  looks = 0;
  realm.after(realm.hook("user.start", "user"), realm.user(0), true);
  assert.ok(looks > 10, "the machine has halted");
});

Deno.test("a built-in function that does not end fails its request in time, and all hooks after it", async () => {
  const hooks = await open(codeOf(`\n bad() { ${ENDLESS[0]}; }, good() {}`));
  const [bad, good] = ["bad", "good"].map((before) =>
    hooks.prepared({ before, after: null }, WIRE)
  );
  assert.equal(sendBy(good), WIRE);
  const said = sendBy(bad);
  assert.match(
    String(said),
    /^a built-in function did not end within 1\.05 s, so this worker can no longer call hooks \(script\.js:2:\d+\)$/,
  );
  assert.equal(sendBy(good), said);
  assert.equal(hooks.use.calls, 2);
});

Deno.test("a hook that fails after its last line is told by the line where it begins", async () => {
  const script = `export default {
  before: async (request) => {
    request.path = "/";
  },
  user: {
    end() {
      return Promise.reject(1);
    },
  },
};`;
  const hooks = await open({ ...codeOf(""), files: { "script.js": script } });
  const said = sendBy(hooks.prepared({ before: "before", after: null }, WIRE));
  assert.match(String(said), /hooks run synchronously \(script\.js:2:\d+\)$/);
  const { end } = hooks.preparedUser({ start: null, end: "user.end" });
  assert.match(String(end?.(user())), /hooks run synchronously \(script\.js:6:\d+\)$/);
});

Deno.test("a script that pollutes prototypes changes its own realm alone", async () => {
  const pollution =
    "Object.prototype.polluted = 1; Array.prototype.map = () => []; JSON.stringify = () => 'x';";
  const hooks = await open(codeOf(`before(request) { ${pollution} request.path = '/still' }`));
  const prepared = hooks.prepared({ before: "before", after: null }, WIRE);
  for (let call = 0; call < 2; call++) {
    assert.deepEqual(sendBy(prepared), { ...WIRE, path: "/still" });
  }
  assert.equal(Reflect.get({}, "polluted"), undefined);
});

Deno.test("a script that cannot be evaluated says why, and where", async () => {
  const opened = (script: string): Promise<Hooks> =>
    open({ ...codeOf(""), files: { "script.js": script } });
  await assert.rejects(opened("export default {"), TargetError);
  await assert.rejects(opened("\nthrow new Error('mine')"), {
    message: /Error: mine \(script\.js:2:\d+\)/,
  });
  await assert.rejects(opened("export const a = 1"), { message: /no default export/ });
  await assert.rejects(opened("import fs from 'node:fs'; export default {}"), {
    message: /Cannot import "node:fs": a script can import only its own files/,
  });
  await assert.rejects(opened("\nawait fetch('http://127.0.0.1:1/'); export default {}"), {
    message: /fetch is only available in setup, refresh and teardown: .* \(script\.js:2:\d+\)$/,
  });
  await assert.rejects(opened("await new Promise(() => {}); export default {}"), {
    message: /its top-level await waits for/,
  });
  await assert.rejects(opened("\nexport default async () => ({})"), {
    message: /its default export is a promise: wait in setup instead \(script\.js:2:\d+\)$/,
  });
});

Deno.test("whatever a script does to its own realm, the engine's failure is its request's", async () => {
  const bad = [
    "ArrayBuffer.prototype.slice = () => 7; request.body = Uint8Array.of(1)",
    "Array.prototype.filter = () => ({ map: () => [['toJSON', () => undefined]] }); user.vars.x = 1",
  ];
  for (const body of bad) {
    const said = await sentBy(body);
    assert.ok(typeof said === "string", body);
    assert.match(said, /^the engine of the script has failed: |Error/);
  }
});

Deno.test("variables are texts outside, whatever a script does to its own realm", async () => {
  const pollution = "Array.prototype.filter = () => ({ map: () => [['total', 5]] });";
  const hooks = await open(codeOf(`before(request, user) { ${pollution} user.vars.total = 1; }`));
  const known = user();
  sendBy(hooks.prepared({ before: "before", after: null }, WIRE), known);
  assert.deepEqual([...known.variables], [["total", "5"]]);
});

Deno.test("variables of a hook keep their types beside those that are captured", async () => {
  const hooks = await open(codeOf(
    "before(request, user) { user.vars.total = (user.vars.total ?? 5) + 10; request.path = '/' + user.vars.total + user.vars.id }",
  ));
  const prepared = hooks.prepared({ before: "before", after: null }, WIRE);
  const known = user();
  const pathOf = (): string => {
    const sent = sendBy(prepared, known);
    return typeof sent === "string" ? sent : sent.path;
  };
  assert.equal(pathOf(), "/15undefined");
  known.news.set("id", "a");
  assert.equal(pathOf(), "/25a");
});

Deno.test("a response that a script fetched is freed with what the script held of it", async () => {
  const large = JSON.stringify({ status: 200, headers: {}, body: "x".repeat(500_000) });
  const realm = await Realm.open({
    entry: "script.js",
    load: () =>
      `export default { async setup() {
        for (let at = 0; at < 80; at++) await fetch("http://a/").catch(() => {});
      } };`,
    env: () => "",
    random: () => 0,
    nowMs: () => 0,
    log: () => {},
  });
  realm.experiment({});
  const memoryBytes = (): number => Reflect.get(realm, "engine").words.buffer.byteLength;
  const before = memoryBytes();
  let fetched = 0;
  const fetch = (): Promise<string> =>
    fetched++ % 2 === 0 ? Promise.resolve(large) : Promise.reject(new Error(large));
  await realm.call("setup", "[]", fetch);
  assert.equal(fetched, 80);
  // All of them together are 40 MB; at a time there are few.
  assert.ok(memoryBytes() - before < 10_000_000, `${memoryBytes() - before}`);
});

/** A realm whose functions fetch from what the test gives. */
async function realmOf(script: string): Promise<Realm> {
  const realm = await Realm.open({
    ...{ entry: "script.js", load: () => script, env: () => "" },
    ...{ random: () => 0, nowMs: () => 0, log: () => {} },
  });
  realm.experiment({});
  return realm;
}

const FETCHED = JSON.stringify({ status: 200, headers: {}, body: "" });

Deno.test("fetch has header fields by name, as elsewhere, and takes no body that would be another text", async () => {
  const realm = await realmOf(
    `export default {
      async reads() {
        const { headers } = await fetch("http://a/");
        return [headers.location, headers.get("Location"), headers.get("constructor"), Object.keys(headers)];
      },
      sends: () => fetch("http://a/", { method: "POST", body: Uint8Array.of(1) }),
    };`,
  );
  const fetch = (): Promise<string> =>
    Promise.resolve(JSON.stringify({ status: 302, headers: { location: "/b" }, body: "" }));
  const read = JSON.parse(await realm.call("reads", "[]", fetch));
  assert.deepEqual(read, ["/b", "/b", null, ["location"]]);
  await assert.rejects(
    realm.call("sends", "[]", fetch),
    /body of fetch must be a string: .* \(script\.js:6:\d+\)$/,
  );
});

Deno.test("a call is over when all that it fetched is there, also what it does not wait for", async () => {
  const realm = await realmOf(
    "let seen = 0; export default { setup() { fetch('http://a/').then(() => seen++); }, seen: () => seen };",
  );
  const order: string[] = [];
  const response = Promise.withResolvers<string>();
  const call = realm.call("setup", "[]", () => {
    order.push("sent");
    return response.promise;
  }).then(() => order.push("over"));
  await new Promise((resolve) => setTimeout(resolve));
  order.push("answered");
  response.resolve(FETCHED);
  await call;
  assert.deepEqual(order, ["sent", "answered", "over"]);
  assert.equal(await realm.call("seen", "[]", () => response.promise), "1");
});

Deno.test("what a call that failed still fetches has no part in the call after it", async () => {
  const realm = await realmOf(
    `let seen = 0;
    export default {
      setup() { fetch("http://a/").then(() => seen++); throw new Error("mine"); },
      waits: () => new Promise(() => {}),
      seen: () => seen,
    };`,
  );
  const response = Promise.withResolvers<string>();
  await assert.rejects(realm.call("setup", "[]", () => response.promise), /mine/);
  const nothing = (): Promise<string> => Promise.reject(new Error("it fetches nothing"));
  await assert.rejects(realm.call("waits", "[]", nothing), /never settles/);
  response.resolve(FETCHED);
  await response.promise;
  assert.equal(await realm.call("seen", "[]", nothing), "0");
});

Deno.test("a text of megabytes takes its room for as long as it is handed over", async () => {
  const engine = await Engine.open();
  const bytes = (): number => engine.words.buffer.byteLength;
  const before = bytes();
  const long = "x".repeat(4_000_000);
  const sizes = Array.from({ length: 5 }, () => {
    const value = engine.newText(long);
    assert.equal(engine.text(value).length, long.length);
    engine.free(value);
    return bytes() - before;
  });
  // Three octets for each character, and the text itself.
  assert.ok(Math.max(...sizes) < 12_000_000, `${sizes}`);
  assert.equal(engine.text(engine.newText("short")), "short");
});

Deno.test("the memory of a script has its limit in bytes, however small the blocks are that fill it", async () => {
  const realm = await Realm.open({
    entry: "script.js",
    load: () =>
      `const kept = []; export default { user: { start() { for (;;) kept.push({ a: kept.length }); } } };`,
    env: () => "",
    random: () => 0,
    nowMs: () => 0, // no call is too long
    log: () => {},
  });
  realm.experiment({});
  assert.throws(
    () => realm.after(realm.hook("user.start", "user"), realm.user(0), true),
    /out of memory/,
  );
  const bytes: number = Reflect.get(realm, "engine").words.buffer.byteLength;
  const { most } = LIMITS.scriptMemory;
  assert.ok(bytes <= most && bytes > most / 2, String(bytes));
});

Deno.test("of a reason that is too long a quoted value is cut, and neither the sentence around it nor the place", () => {
  const most = LIMITS.scriptReason.most;
  const value = JSON.stringify("\n😀".repeat(200));
  const place = " (a.js:3:7)";
  const quoted = placed(`request.method is ${value}, which is not an HTTP method`, place);
  assert.match(
    quoted,
    /^request\.method is "(?:\\n😀)+(?:\\n)?…", which is not an HTTP method \(a\.js:3:7\)$/u,
  );
  const plain = placed("too ".repeat(200), place);
  assert.match(plain, /^(?:too )+(?:too|to|t)?… \(a\.js:3:7\)$/);
  const longest = `it compared "short" with "${"x".repeat(400)}" (b.js:1:2)`;
  assert.match(placed(longest, place), /^it compared "short" with "x+…" \(b\.js:1:2\)$/);
  for (const text of [quoted, plain, placed(longest, place)]) {
    assert.ok(text.length <= most && text.length > most - 3, `${text.length}`);
  }
  assert.equal(placed(`it is "short"`, place), `it is "short"${place}`);
});
