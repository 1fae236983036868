import assert from "node:assert/strict";
import fc from "fast-check";
import { requestText } from "../../report/subjects/method/load.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";

const LONG = `/${"a".repeat(200)}`;

/** The scenario as the results have it, and what a reader sees. */
function textOf(scenario: string): string {
  const source = `name: x\ntargets: { a: { app: api } }\nscenarios: { s: ${scenario} }\n`;
  const { scenarios } = JSON.parse(JSON.stringify(parseExperiment(source, "x.yaml")));
  return requestText("s", scenarios).replaceAll("\u00a0", " ");
}

const LINES: [sentence: string, scenario: string, text: string][] = [
  ["a request is its method and path", "{ get: /static }", "GET /static"],
  ["a request with a body is no longer", "{ post: /login, json: { user: a } }", "POST /login"],
  [
    "a flow is its steps",
    "{ flow: [{ get: /home }, { think: 1.25s }, { post: /login }, { think: 50ms }, { get: /me }] }",
    "flow: GET /home → think 1.25 s → POST /login → think 50 ms → GET /me",
  ],
  [
    "a mix is its requests with their shares",
    "{ mix: [{ weight: 7, get: /a }, { weight: 3, post: /b }] }",
    "mix: 70 % GET /a, 30 % POST /b",
  ],
  [
    "shares have three digits",
    "{ mix: [{ get: /a }, { get: /b }, { get: /c }] }",
    "mix: 33.3 % GET /a, 33.3 % GET /b, 33.3 % GET /c",
  ],
  [
    "a page says how much goes with it",
    "{ page: /, with: [/a, /b, /c] }",
    "page: GET / with 3 more",
  ],
  ["a page may be alone", "{ page: / }", "page: GET /"],
  ["a long path is cut", `{ get: ${LONG} }`, `GET ${LONG.slice(0, 95)}…`],
  [
    "of many steps the first are told",
    `{ flow: [${"{ get: /a/path/of/a/length }, ".repeat(9)}] }`,
    "flow: GET /a/path/of/a/length → GET /a/path/of/a/length → GET /a/path/of/a/length → GET /a/path/of/…",
  ],
  [
    "of a long path among many its beginning is told",
    `{ mix: [{ get: ${LONG} }, { get: /b }, { get: /c }] }`,
    `mix: 33.3 % GET ${LONG.slice(0, 83)}…`,
  ],
  [
    "a page with a long path keeps what goes with it",
    `{ page: ${LONG}, with: [/a] }`,
    `page: GET ${LONG.slice(0, 77)}… with 1 more`,
  ],
];

for (const [sentence, scenario, text] of LINES) {
  Deno.test(`in the report ${sentence}`, () => assert.equal(textOf(scenario), text));
}

for (const scenarios of [undefined, null, {}, { s: null }, { s: { flow: [] } }, { s: { x: 1 } }]) {
  Deno.test(`scenarios that are ${JSON.stringify(scenarios)} say nothing`, () => {
    assert.equal(requestText("s", scenarios), "");
  });
}

Deno.test("a request in the report never has more than 100 characters", () => {
  const path = fc.nat(120).map((length) => `/${"a".repeat(length)}`);
  const step = fc.oneof(
    fc.record({ get: path, weight: fc.integer({ min: 1, max: 1_000 }) }),
    fc.record({ think: fc.nat() }),
  );
  const steps = fc.array(step, { minLength: 1, maxLength: 40 });
  const scenario = fc.oneof(
    steps.map((flow) => ({ flow })),
    steps.map((mix) => ({ mix })),
    fc.record({ page: path, with: fc.array(path, { maxLength: 9 }) }),
    fc.record({ post: path }),
  );
  const property = fc.property(scenario, (s) => {
    const text = requestText("s", { s });
    assert.ok(text.length > 0 && text.length <= 100, text);
  });
  fc.assert(property, { seed: 1 });
});
