/** Scripts of k6: what they become here, and what is refused. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { UserError } from "../../base/errors.ts";
import { loadExperiment, parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { becomes, fixture } from "./foreign.ts";
import { OPTIONS, walked } from "./k6_script.ts";

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
  const check = `without the check "is fast": (r) => r.timings.duration < 200 of ${FILE}:18`;
  assert.ok(notes.includes(check), notes.join("\n"));
  assert.ok(!notes.some((note) => /was due|drops iterations/.test(note)), notes.join("\n"));
});

Deno.test("k6's stages of arrivals become phases", () => {
  const options = `export const options = { scenarios: { open: {
    executor: "ramping-arrival-rate", startRate: 60, timeUnit: "1m", preAllocatedVUs: 5, maxVUs: 9,
    stages: [{ target: 120, duration: "10s" }, { target: 0, duration: "0s" }, { target: 30, duration: "5s" }] } } };
`;
  const { text, notes } = becomes(walked('http.get("http://127.0.0.1:1/");', options), "a.js");
  assert.ok(notes.some((note) => /counts from the moment that was due/.test(note)));
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

const CHECKS: readonly (readonly [checks: string, expect: object | undefined])[] = [
  ["(r) => r.status === 200", { status: 200 }],
  ["(r) => r.status == 204", { status: 204 }],
  ["function (r) { return r.status === 200; }", { status: 200 }],
  ["() => res.status === 201", { status: 201 }],
  ["(r) => r.status === 200 || r.status === 201", { status: [200, 201] }],
  ['(r) => r.body.includes("tea ${x}")', { contains: "tea ${x}" }],
  ['(r) => r.body === "ok"', { body: "ok" }],
  ["(r) => r.json().user.id === 7", { json: { user: { id: 7 } } }],
  ['(r) => r.json("user.name") === "ada"', { json: { user: { name: "ada" } } }],
  ['(r) => r.json("user").name === "ada"', { json: { user: { name: "ada" } } }],
  ["(r) => r.json().gone === null", { json: { gone: null } }],
  ['(r) => r.status === 200 && r.body.includes("a") && r.json().b === true', {
    status: 200,
    contains: "a",
    json: { b: true },
  }],
  ["(r) => r.json().a.b === 1, second: (r) => r.json().a.c === 2", { json: { a: { b: 1, c: 2 } } }],
  ["(r) => r.status !== 500", undefined],
  ["(r) => r.status === 99", undefined],
  ["(r) => other.status === 200", undefined],
  ['(r) => r.json("list.#.id") === 1', undefined],
  ['(r) => r.json().a == "1"', undefined],
  ["(r) => r.json().a === Math.random()", undefined],
  ["(r) => r.json().list[0] === 1", undefined],
  ['(r) => r.body.includes("a") || r.status === 200', undefined],
  ['(r) => r.body.includes("")', undefined],
  ["(r) => { console.log(1); return r.status === 200; }", undefined],
  ["(r) => r.timings.duration < 200", undefined],
];

for (const [checks, expect] of CHECKS) {
  Deno.test(`a check of k6 becomes what is expected, or a note: ${checks}`, () => {
    const body = `const res = http.get("http://a/");\ncheck(res, { first: ${checks} });`;
    const { text, notes } = becomes(walked(body), "a.js");
    const { scenarios: { s: [{ expect: found }] } } = {
      scenarios: { s: parse(text).scenarios.default.flow },
    };
    assert.deepEqual(found, expect && unescaped(expect));
    const isNoted = notes.some((note) => /^without the check first: .* of a\.js:6$/.test(note));
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
  assert.ok(notes.includes("without the check two: (r) => r.json().a === 2 of a.js:6"));
});

const NAMES = Array.from({ length: 2_000 }, (_, at) => at);

const REFUSED: readonly (readonly [body: string, why: RegExp, options?: string])[] = [
  ['http.get("http://a/" + Math.random());', /^a\.js:5:\d+: .*known only when the script runs/],
  ["for (const i of [1]) sleep(1);", /^a\.js:5:1: Cannot take over for/],
  [
    `${"for (let i = 0; i < 2; i++) ".repeat(60)} sleep(1);`,
    /^a\.js:5:\d+: Cannot take over loops of more than 10000 rounds in all/,
  ],
  ["while (true) sleep(1);", /^a\.js:5:1: Cannot take over while/],
  ["for (let i = 0; i < __VU; i++) sleep(1);", /^a\.js:5:\d+: Cannot take over __VU/],
  ['http.batch(["http://a/"]);', /http\.batch: its requests are sent at the same time/],
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
  ["login();", /Cannot take over login\(\): it is more than requests/],
  ['if (1) http.get("http://a/");', /Cannot take over if/],
  ['http.get("http://a/", { cookies: { a: "b" } });', /the parameter "cookies"/],
  ['http.get("http://a/{{x}}?{{");', /with \{\{, which begins a value/],
  ['http.request("GET", "http://a/", { b: 1 });', /Cannot take over a form that is sent with get/],
  ['http.get("http://b/");', /Cannot take over a request to http:\/\/b/],
  [
    "",
    /^a\.js:3:24: options\.stages\.0\.target: Cannot use 1\.5: it must be a whole number/,
    'export const options = { stages: [{ duration: "1s", target: 1.5 }] };\n',
  ],
  [
    "",
    /Cannot take over several of duration, stages and scenarios/,
    'export const options = { duration: "1s", stages: [{ duration: "1s", target: 5 }] };\n',
  ],
  ["", /Cannot take over a load without an end/, "\n"],
  [
    "",
    /options\.rps: Cannot understand "rps"/,
    "export const options = { vus: 1, duration: '1s', rps: 5 };\n",
  ],
  ["", /a script that imports \.\/users\.js/, `import users from "./users.js";\n`],
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
    assert.throws(() => becomes(given, "a.js"), (error) => {
      assert.ok(error instanceof UserError);
      assert.match(error.lines.join("\n"), why);
      return true;
    });
  });
}

Deno.test("all that is refused of a k6 script stands at its lines, at once", () => {
  const source = walked("login();\nhttp.get(url);\nlet x = 1; x = 2;\nhttp.get(`http://a/${x}`);");
  assert.throws(() => becomes(source, "a.js"), (error) => {
    assert.ok(error instanceof UserError);
    const places = error.lines.map((line) => line.split(": ")[0]);
    assert.deepEqual(
      places,
      ["a.js:5:1", "a.js:6:10", "a.js:7:12", "a.js:8:22"],
    );
    return true;
  });
});

Deno.test("values that hold each other many times over end soon", () => {
  const doubled = Array.from({ length: 60 }, (_, at) => `const a${at + 1} = [a${at}, a${at}];`);
  const source = walked(
    `const a0 = "x";\n${doubled.join("\n")}\nhttp.post("http://a/", JSON.stringify(a60));`,
  );
  assert.throws(() => becomes(source, "a.js"), /Cannot use this value/);
});
