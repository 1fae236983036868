/** Scripts of k6: what they become here, and what is refused. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { UserError } from "../../base/errors.ts";
import { loadExperiment, parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { becomes, fixture } from "./foreign.ts";

const HEAD = 'import http from "k6/http";\nimport { sleep, check } from "k6";\n';
const OPTIONS = 'export const options = { vus: 2, duration: "1s" };\n';

function walked(body: string, options = OPTIONS): string {
  return `${HEAD}${options}export default function () {\n${body}\n}\n`;
}

Deno.test("a k6 script becomes a flow in a closed loop, with notes of what is left out", async () => {
  const { source, notes } = await loadExperiment(fixture("shop.k6"));
  const { scenarios, load, parameters } = parse(source);
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
  assert.ok(notes.some((note) => /without its thresholds/.test(note)));
  assert.ok(notes.some((note) => /without the check "is fast"/.test(note)));
});

Deno.test("k6's stages of arrivals become phases", () => {
  const options = `export const options = { scenarios: { open: {
    executor: "ramping-arrival-rate", startRate: 60, timeUnit: "1m", preAllocatedVUs: 5, maxVUs: 9,
    stages: [{ target: 120, duration: "10s" }, { target: 0, duration: "0s" }, { target: 30, duration: "5s" }] } } };
`;
  const { text } = becomes(walked('http.get("http://127.0.0.1:1/");', options), "a.js");
  assert.deepEqual(parse(text).load, {
    phases: [
      { duration: "10s", arrivals: "60/m", rampTo: "120/m" },
      { duration: "5s", arrivals: "0/m", rampTo: "30/m" },
    ],
    ...{ connections: 9, pool: "shared", timeout: "60s" },
  });
  assert.ok(parseExperiment(text, "a.yaml"));
});

const REFUSED: readonly (readonly [body: string, why: RegExp, options?: string])[] = [
  ['http.get("http://a/" + Math.random());', /^a\.js:5:\d+: .*known only when the script runs/],
  ["for (const i of [1]) sleep(1);", /^a\.js:5:1: Cannot take over for/],
  ["while (true) sleep(1);", /^a\.js:5:1: Cannot take over while/],
  ["for (let i = 0; i < __VU; i++) sleep(1);", /^a\.js:5:\d+: Cannot take over __VU/],
  ['http.batch(["http://a/"]);', /http\.batch: its requests are sent at the same time/],
  ["login();", /Cannot take over login\(\): it is more than requests/],
  ['if (1) http.get("http://a/");', /Cannot take over if/],
  ['http.get("http://a/", { cookies: { a: "b" } });', /the parameter "cookies"/],
  ['http.get("http://a/{{x}}?{{");', /with \{\{, which begins a value/],
  ['http.request("GET", "http://a/", { b: 1 });', /Cannot take over a form that is sent with get/],
  ['http.get("http://b/");', /Cannot take over a request to http:\/\/b/],
  [
    "",
    /^a\.js:3:24: options\.stages: Cannot take over virtual users that ramp/,
    'export const options = { stages: [{ duration: "1s", target: 5 }] };\n',
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
