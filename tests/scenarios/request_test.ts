import assert from "node:assert/strict";
import type { WireRequest } from "../../base/http/request.ts";
import { ResponseReader } from "../../base/http/response.ts";
import { LIMITS } from "../../base/limits.ts";
import { withEngine } from "../../base/pattern.ts";
import { ResponseCheck } from "../../runner/load/engine/response_check.ts";
import {
  type Expectation,
  expectedStatuses,
  type ReceivedResponse,
  responseProblem,
  wireRequest,
} from "../../scenarios/request/request.ts";
import {
  type RequestScenario,
  requestScenarioSpec,
} from "../../scenarios/request/request_scenario.ts";
import { RIGHT, wrongLines } from "./right_experiment.ts";

const BOUNDARY = "plateau-72ef5ef8ebec38c99c59eb1937b595d11e73fee6";

type Input = Parameters<typeof requestScenarioSpec.parse>[0];

function scenarioOf(input: Input): RequestScenario {
  return requestScenarioSpec.parse(input);
}

const wires: [sentence: string, scenario: Input, wire: WireRequest][] = [
  ["a path and nothing else", { get: "/a?b=c" }, {
    method: "GET",
    path: "/a?b=c",
    headers: {},
    body: null,
  }],
  ["headers as they are written", { head: "/", headers: { "X-A": "b" } }, {
    method: "HEAD",
    path: "/",
    headers: { "X-A": "b" },
    body: null,
  }],
  ["a body of text, without a type", { put: "/", body: "é" }, {
    method: "PUT",
    path: "/",
    headers: {},
    body: "é",
  }],
  ["an empty body", { post: "/", body: "" }, { method: "POST", path: "/", headers: {}, body: "" }],
  ["JSON, with its type", { post: "/", json: { a: [1, null] } }, {
    method: "POST",
    path: "/",
    headers: { "content-type": "application/json" },
    body: '{"a":[1,null]}',
  }],
  ["JSON that is null", { post: "/", json: null }, {
    method: "POST",
    path: "/",
    headers: { "content-type": "application/json" },
    body: "null",
  }],
  ["the fields of a form, with their type", {
    post: "/",
    form: { user: "{{ user.name }}", "a b": ["é&", 1], yes: true },
  }, {
    method: "POST",
    path: "/",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "user={{ user.name }}&a%20b=%C3%A9%26&a%20b=1&yes=true",
  }],
  ["the fields of a multipart form, with their boundary", {
    post: "/",
    multipart: { 'a"\r\nb': "{{ user.name }}", yes: [true, 2] },
  }, {
    method: "POST",
    path: "/",
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    body: [
      { text: `--${BOUNDARY}\r\n` },
      { quoted: 'Content-Disposition: form-data; name="a%22%0D%0Ab"\r\n\r\n' },
      { text: "{{ user.name }}" },
      { text: `\r\n--${BOUNDARY}\r\n` },
      { quoted: 'Content-Disposition: form-data; name="yes"\r\n\r\n' },
      { text: "true" },
      { text: `\r\n--${BOUNDARY}\r\n` },
      { quoted: 'Content-Disposition: form-data; name="yes"\r\n\r\n' },
      { text: "2" },
      { text: `\r\n--${BOUNDARY}--\r\n` },
    ],
  }],
  ["JSON of a type of its own, in any case", {
    patch: "/",
    json: 1,
    headers: { "Content-Type": "application/merge-patch+json" },
  }, {
    method: "PATCH",
    path: "/",
    headers: { "Content-Type": "application/merge-patch+json" },
    body: "1",
  }],
];

for (const [sentence, scenario, wire] of wires) {
  Deno.test(`a request goes out with ${sentence}`, () => {
    assert.deepEqual(wireRequest(scenarioOf(scenario)), wire);
  });
}

/** A response with its body as text. */
type Answer = Pick<ReceivedResponse, "status"> & { readonly body: string };

const OK: Answer = { status: 200, body: "hello" };

function problemOf(expect: Expectation, { status, body }: Answer): string | null {
  return responseProblem(expect, { status, body: new TextEncoder().encode(body) });
}

/** JSON of so many bytes. */
function longJson(bytes: number): string {
  return `{"a":1,"b":"${"x".repeat(bytes - 14)}"}`;
}

const { jsonBody, patternBody } = LIMITS;

const answers: [sentence: string, expect: Expectation, answer: Answer, wrong: string | null][] = [
  ["2xx is right when nothing is expected", {}, OK, null],
  ["3xx is right when nothing is expected", {}, { status: 399, body: "" }, null],
  [
    "4xx is wrong when nothing is expected",
    {},
    { status: 404, body: "no" },
    'expected status 2xx or 3xx, got 404 with body "no"',
  ],
  [
    "1xx is wrong when nothing is expected",
    {},
    { status: 199, body: "" },
    'expected status 2xx or 3xx, got 199 with body ""',
  ],
  ["the expected status is right, also an error", { status: 500 }, { status: 500, body: "" }, null],
  [
    "another status is wrong",
    { status: 500 },
    OK,
    'expected status 500, got 200 with body "hello"',
  ],
  ["any of several statuses is right", { status: [200, 204] }, OK, null],
  [
    "none of several statuses is wrong",
    { status: [201, 204] },
    OK,
    'expected status 201 or 204, got 200 with body "hello"',
  ],
  ["the whole body is right", { body: "hello" }, OK, null],
  [
    "a part of the body is not the whole",
    { body: "hell" },
    OK,
    'expected body "hell", got "hello"',
  ],
  ["an empty body can be expected", { body: "" }, OK, 'expected body "", got "hello"'],
  ["a contained text is right", { contains: "ell" }, OK, null],
  [
    "a text that is not contained is wrong",
    { contains: "x" },
    OK,
    'expected a body that contains "x", got "hello"',
  ],
  ["JSON is right by value", { json: { a: [1, { b: null }] } }, {
    status: 200,
    body: ' {"other": 2,\n"a":[1.0,{"b":null,"c":3}]}\n',
  }, null],
  [
    "JSON with another value is wrong",
    { json: { ok: true } },
    { status: 200, body: '{"ok":"true"}' },
    'expected JSON with "{\\"ok\\":true}", got "{\\"ok\\":\\"true\\"}"',
  ],
  [
    "a list of JSON has all its elements",
    { json: [1] },
    { status: 200, body: "[1,2]" },
    'expected JSON with "[1]", got "[1,2]"',
  ],
  [
    "a map is no list",
    { json: {} },
    { status: 200, body: "[]" },
    'expected JSON with "{}", got "[]"',
  ],
  ["text is no JSON", { json: "hello" }, OK, 'expected JSON with "\\"hello\\"", got "hello"'],
  ["JSON that is null can be expected", { json: null }, { status: 200, body: "null" }, null],
  ["a match is right", { matches: "^h.l+o$" }, OK, null],
  [
    "a body without a match is wrong",
    { matches: "^ello" },
    OK,
    'expected a body that matches "^ello", got "hello"',
  ],
  ["JSON may be as long as is checked", { json: { a: 1 } }, {
    status: 200,
    body: longJson(jsonBody.most),
  }, null],
  [
    "longer JSON is wrong, whatever it says",
    { json: { a: 1 } },
    { status: 200, body: longJson(jsonBody.most + 200_000) },
    'expected JSON with "{\\"a\\":1}", a JSON body from which values are read is 1.2 MB; the limit is 1 MB',
  ],
  ["a match in the start of a long body is right", { matches: "^h.l+o" }, {
    status: 200,
    body: `hello${"-".repeat(patternBody.most)}`,
  }, null],
  [
    "a match behind what a pattern looks at is none",
    { matches: "hello$" },
    { status: 200, body: `${"-".repeat(patternBody.most)}hello` },
    'expected a body that matches "hello$", a pattern searches only the first 256 kB of a body, and this body is longer',
  ],
];

for (const [sentence, expect, answer, wrong] of answers) {
  Deno.test(`an answer is judged: ${sentence}`, async () => {
    assert.equal(await withEngine(() => problemOf(expect, answer)), wrong);
  });

  Deno.test(`under load an answer is judged alike: ${sentence}`, async () => {
    const { body: whole, contains, json, matches } = expect;
    const bytes = (text: string | undefined): Uint8Array<ArrayBuffer> | null =>
      text === undefined ? null : new TextEncoder().encode(text);
    const check = await withEngine(() =>
      new ResponseCheck({
        statuses: expectedStatuses(expect),
        body: bytes(whole),
        contains: bytes(contains),
        ...{ json, matches },
      })
    );
    const reader = new ResponseReader({ retain: check.readsBody });
    reader.begin(false);
    const head = `HTTP/1.1 ${answer.status} x\r\ncontent-length: ${answer.body.length}\r\n\r\n`;
    const sent = new TextEncoder().encode(head + answer.body);
    reader.read(sent, 0, sent.length);
    assert.equal(check.passes(reader), wrong === null);
  });
}

Deno.test("a pattern that only tries can match is refused where it is written", async () => {
  for (const [source, why] of [["(?=a)b", "linear time"], ["(", "not a regular expression"]]) {
    const written = RIGHT.replace("/static", `/static, expect: { matches: "${source}" }`);
    const lines = await withEngine(() => wrongLines(written));
    assert.match(lines.join("\n"), new RegExp(`Cannot use .* as a pattern: .*${why}`));
  }
});

Deno.test("a long body is shown by its beginning, on one line", () => {
  const wrong = problemOf({ status: 201 }, { status: 200, body: "a\n".repeat(1_000) }) ?? "";
  assert.ok(wrong.length < 600 && !wrong.includes("\n"), wrong);
  assert.match(wrong, /a…" \(2000 characters\)$|\\n…" \(2000 characters\)$/);
});

Deno.test("of long bodies the part is shown where they first differ", () => {
  const body = "x".repeat(300);
  const wrong = problemOf({ body: `${body}B` }, { status: 200, body: `${body}A` });
  const alike = `…${"x".repeat(60)}`;
  assert.equal(
    wrong,
    `expected body "${alike}B" (301 characters), got "${alike}A" (301 characters); ` +
      "the bodies differ from character 301 on",
  );
});

Deno.test("of a long body that lacks its end, the end that was expected is shown", () => {
  const wrong = problemOf({ body: `${"x".repeat(500)}end` }, {
    status: 200,
    body: "x".repeat(500),
  });
  assert.match(
    wrong ?? "",
    /xend" \(503 characters\), got "…x{60}" \(500 characters\); .* 501 on$/,
  );
});

Deno.test("the right statuses are those that wrongAnswer takes", () => {
  for (const expect of [{}, { status: 404 }, { status: [200, 500] }]) {
    const right = Array.from({ length: 500 }, (_, at) => 100 + at)
      .filter((status) => problemOf(expect, { status, body: "" }) === null);
    assert.deepEqual(expectedStatuses(expect), right);
  }
});
