/** Mixes, flows, pages and values: what people get wrong in them, and what they are told. */
import assert from "node:assert/strict";
import { type Files, NO_FILES } from "../../base/files.ts";
import { wrongLines } from "./right_experiment.ts";
import { loadEngine } from "../../base/pattern.ts";

await loadEngine();

const FILES: Files = {
  ...NO_FILES,
  octets: (path) => {
    if (path === "hello.txt") return new TextEncoder().encode("hello {{ nmae }}");
    throw new Error("there is no such file");
  },
  rows: (path) => {
    if (path === "users.csv") return [{ name: "ada", "first name": "Ada" }];
    throw new Error("it has no rows");
  },
};

/** What a scenario is told, in an experiment whose load are phases unless another is given. */
function toldOf(
  scenario: string,
  load = "{ phases: [{ duration: 1s, arrivals: 1/s }] }",
): string[] {
  const text = `name: a
targets: { api: { app: api } }
load: ${load}
scenarios:
  s: ${scenario}
`;
  return wrongLines(text, FILES).map((line) =>
    line.replace(/^x\.yaml:\d+:\d+: scenarios\.s\.?/, "")
  );
}

const right: [sentence: string, scenario: string][] = [
  ["a mix without weights", "{ mix: [{ get: / }, { post: /, json: {} }] }"],
  ["a flow of one request", "{ flow: [{ get: / }] }"],
  ["a page alone", "{ page: / }"],
  ["redirects within the target", "{ get: /, follow: 5 }"],
  [
    "redirects to other hosts",
    "{ get: /, follow: { hops: 2, hosts: ['https://a.test', 'HTTP://[::1]:8080/'] } }",
  ],
  ["names with and without spaces around them", '{ get: "/{{a}}/{{ a }}", values: { a: uuid } }'],
  [
    "a column whose name has spaces",
    '{ get: "/{{ u.first name }}", values: { u: { csv: users.csv } } }',
  ],
  [
    "a name that is captured before it is used, also twice",
    '{ flow: [{ get: /, capture: { t: { json: "[0]" } } }, { get: "/{{ t }}", capture: { t: { header: x } } }, { get: "/{{ t }}" }] }',
  ],
  ["a value that nothing uses", "{ get: /, values: { a: uuid } }"],
  ["braces that hold nothing", '{ post: "/{{}}", body: "{{ }} {{" }'],
];

for (const [sentence, scenario] of right) {
  Deno.test(`a scenario may hold ${sentence}`, () => assert.deepEqual(toldOf(scenario), []));
}

const STEP = "write it into a step of the flow";

const wrong: [sentence: string, scenario: string, told: string[]][] = [
  ["a misspelt flow", "{ flo: [] }", ['flo: Cannot understand "flo": did you mean "flow"?']],
  ["a request beside a flow", "{ flow: [{ get: / }], get: /, headers: {}, page: / }", [
    `get: Cannot use "get" here: ${STEP}`,
    `headers: Cannot use "headers" here: ${STEP}`,
    'page: Cannot use "page" here: write it as a step: { get: … }',
  ]],
  ["a request beside a mix", "{ mix: [{ get: / }], get: / }", [
    'get: Cannot use "get" here: write it into a request of the mix',
  ]],
  ["what a single request does not have", "{ get: /, weight: 1, capture: {}, with: [] }", [
    'weight: Cannot use "weight" here: it belongs to the requests of a mix',
    'capture: Cannot use "capture" here: it belongs to the requests of a flow',
    'with: Cannot use "with" here: it belongs to a page',
  ]],
  ["what a page does not have", "{ page: a.html, with: [b.png], post: /, body: x }", [
    'page: Cannot use "a.html" as a path: start with /, and percent-encode spaces and non-ASCII characters',
    'with.0: Cannot use "b.png" as a path: start with /, and percent-encode spaces and non-ASCII characters',
    'post: Cannot use "post" here: a page is always requested with GET and without a body; leave out either this key or page',
    'body: Cannot use "body" here: a page is always requested with GET and without a body; leave out either this key or page',
  ]],
  [
    "all that is wrong with a mix",
    "{ mix: [{ weight: 0, get: / }, { body: a }, { get: /, gett: / }] }",
    [
      "mix.0.weight: Cannot use 0: the minimum is 1",
      "mix.1: Cannot send a request without a method: write one of get, head, post, put, patch, delete, options with a path, as in get: /static",
      'mix.2.gett: Cannot understand "gett": did you mean "get"?',
    ],
  ],
  ["a mix of nothing", "{ mix: [] }", ["mix: Cannot use []: it must not be empty"]],
  [
    "all that is wrong with the steps of a flow",
    "{ flow: [{ get: /, weight: 2 }, { think: 1s, get: / }, { thnk: 1s }, { think: 2h }, { get: /, post: / }] }",
    [
      'flow.0.weight: Cannot use "weight" here: it belongs to the requests of a mix',
      'flow.1.get: Cannot use "get" here: a think time must be a step of its own',
      'flow.2.thnk: Cannot understand "thnk": did you mean "think"?',
      "flow.3.think: Cannot use this duration: it must be from 1ms to 1h",
      "flow.4.post: Cannot send one request with two methods: get and post are given",
    ],
  ],
  [
    "all that is wrong with hosts of redirects",
    "{ get: /, follow: { hops: 0, hosts: [a.test, 'https://a.test/b', 'ftp://a.test'], host: a } }",
    [
      "follow.hops: Cannot use 0: the minimum is 1",
      'follow.hosts.0: Cannot follow redirects to "a.test": write scheme, host and port, such as https://auth.example.org',
      'follow.hosts.1: Cannot follow redirects to "https://a.test/b": write scheme, host and port, such as https://auth.example.org',
      'follow.hosts.2: Cannot follow redirects to "ftp://a.test": write scheme, host and port, such as https://auth.example.org',
      'follow.host: Cannot understand "host": did you mean "hosts"?',
    ],
  ],
  ["redirects that go nowhere", "{ get: /, follow: 0 }", [
    "follow: Cannot use 0: the minimum is 1",
  ]],
  ["a flow that never asks", "{ flow: [{ think: 1s }] }", [
    "flow: Cannot run a flow without a request: add a step",
  ]],
  [
    "all that is wrong with captures",
    "{ flow: [{ get: /, capture: { a: { json: a..b }, b: { header: no field }, c: { pattern: id }, " +
    "d: { pattern: ( }, e: { patern: (a) }, f: { json: a, header: b }, g-1.x: { json: a } } }] }",
    [
      'flow.0.capture.a.json: Cannot use "a..b" as a place in JSON: write names with dots and [0], such as data.items[0].id',
      'flow.0.capture.b.header: Cannot use "no field" as a header name: use only letters, digits and signs such as -',
      'flow.0.capture.c.pattern: Cannot use "id" as a pattern: it needs one group (…) around the value, but has 0',
      'flow.0.capture.d.pattern: Cannot use "(" as a pattern: it is not a regular expression',
      'flow.0.capture.e: Cannot tell of which kind this is: write one of the keys json, header, cookie, pattern; did you mean "pattern"?',
      'flow.0.capture.f.header: Cannot understand "header": the keys here are json',
      'flow.0.capture.g-1.x: Cannot use "g-1.x" as the name of a value: start with a letter, go on with letters, digits, _ and -',
    ],
  ],
  [
    "patterns that can't be matched in linear time",
    "{ flow: [{ get: /, capture: { a: { pattern: '(?<=x)(a)' }, b: { pattern: '(a)\\1' }, " +
    "c: { pattern: '(a{1001})' }, d: { pattern: '[(?=](a)' }, e: { pattern: '(?:a{600})(b{600})' } } }] }",
    [
      'flow.0.capture.a.pattern: Cannot use "(?<=x)(a)" as a pattern: (?<=…) cannot be matched in linear time: write the text around the value literally, outside the group',
      'flow.0.capture.b.pattern: Cannot use "(a)\\\\1" as a pattern: \\1, a reference to a group, cannot be matched in linear time: write the repeated text out',
      'flow.0.capture.c.pattern: Cannot use "(a{1001})" as a pattern: RE2 does not support it (invalid repeat count: `{1001}`)',
      'flow.0.capture.e.pattern: Cannot use "(?:a{600})(b{600})" as a pattern: a compiled pattern has 1,204 steps; the limit is 1,000: repeat less',
    ],
  ],
  [
    "all that is wrong with values",
    "{ get: /, values: { a: uid, b: 5, c: { from: 3 }, d: { from: 3, to: 1 }, e: { pick: [] }, f: {}, " +
    "g: { csv: users.csv, column: nam }, h: { csv: users.csv, order: rndom }, i: { csv: none.csv } } }",
    [
      'values.a: Cannot draw values from "uid": write uuid, { from: 1, to: 1000 }, { pick: [a, b] }, { csv: FILE }, { jsonl: FILE } or { sqlite: FILE, query: … }',
      "values.b: Cannot draw values from 5: write uuid, { from: 1, to: 1000 }, { pick: [a, b] }, { csv: FILE }, { jsonl: FILE } or { sqlite: FILE, query: … }",
      "values.c.to: Cannot leave it out",
      "values.d.to: Cannot draw a number from an empty range: to is less than from",
      "values.e.pick: Cannot use []: it must not be empty",
      "values.f: Cannot tell of which kind this is: write one of the keys to, pick, csv, jsonl, sqlite",
      'values.g.column: Cannot find column "nam" in users.csv: did you mean "name"?',
      'values.h.order: Cannot use "rndom": the choices are sequential, random, weighted, unique; did you mean "random"?',
      "values.i.csv: Cannot read none.csv: it has no rows",
    ],
  ],
  ["a body file that is missing", "{ post: /, body: { file: none.json } }", [
    "body.file: Cannot read none.json: there is no such file",
  ]],
  ["a misspelt name, where it stands", '{ get: "/{{ nmae }}", values: { name: uuid } }', [
    'get: Cannot fill in {{ nmae }}: did you mean "name"?',
  ]],
  ["a name without any values", '{ post: /, headers: { a: "{{ b }}" }, body: "{{ c }}" }', [
    "headers.a: Cannot fill in {{ b }}: this scenario has no values; write values: { b: … }",
    "body: Cannot fill in {{ c }}: this scenario has no values; write values: { c: … }",
  ]],
  ["a name in a file", "{ post: /, body: { file: hello.txt }, values: { name: uuid } }", [
    'body: Cannot fill in {{ nmae }}: did you mean "name"?',
  ]],
  ["a name in JSON", '{ post: /, json: { a: ["{{ b }}"] }, values: { name: uuid } }', [
    "json: Cannot fill in {{ b }}: the known names are name",
  ]],
  [
    "a file in place of its column",
    '{ get: "/{{ u }}/{{ u.nam }}", values: { u: { csv: users.csv } } }',
    [
      "get: Cannot fill in {{ u }}: the known names are u.name, u.first name",
      'get: Cannot fill in {{ u.nam }}: did you mean "u.name"?',
    ],
  ],
  ["a name in a mix", '{ mix: [{ get: "/{{ a }}" }, { get: "/{{ b }}" }], values: { a: uuid } }', [
    "mix.1.get: Cannot fill in {{ b }}: the known names are a",
  ]],
  [
    "a name in each part of a page",
    '{ page: "/{{ a }}", with: ["/{{ b }}"], headers: { x: "{{ c }}" }, values: { id: uuid } }',
    [
      "page: Cannot fill in {{ a }}: the known names are id",
      "with.0: Cannot fill in {{ b }}: the known names are id",
      "headers.x: Cannot fill in {{ c }}: the known names are id",
    ],
  ],
  [
    "a name that is used before it can exist",
    '{ flow: [{ get: "/{{ t }}" }, { think: 1s }, { get: "/{{ t }}", capture: { t: { header: x } } }, { get: "/{{ tt }}" }] }',
    [
      "flow.0.get: Cannot fill in {{ t }}: its value is captured only from the response to a later request, flow.2",
      "flow.2.get: Cannot fill in {{ t }}: its value is captured only from the response to this very request",
      "flow.3.get: Cannot fill in {{ tt }}: the known names are t",
    ],
  ],
];

for (const [sentence, scenario, told] of wrong) {
  Deno.test(`a scenario is told of ${sentence}`, () => {
    assert.deepEqual(toldOf(scenario).toSorted(), told.toSorted());
  });
}

Deno.test("a flow is told of more cookies from the start than a user keeps", () => {
  const wrongs: [count: number, length: number, what: string][] = [
    [182, 1, "a virtual user has 182 cookies; the limit is 180"],
    [1, 8_200, "a cookie of a virtual user is 8.2 kB; the limit is 8 kB"],
    [10, 7_000, "the cookie jar of a virtual user is 70 kB; the limit is 64 kB"],
  ];
  for (const [count, length, what] of wrongs) {
    const preset = Array.from({ length: count }, (_, at) => [`c${at}`, "x".repeat(length)]);
    const cookies = JSON.stringify(Object.fromEntries(preset));
    assert.deepEqual(toldOf(`{ page: /, cookies: ${cookies} }`), [
      `cookies: Cannot give these cookies to a user: ${what}`,
    ]);
  }
});

for (const scenario of ["{ flow: [{ get: / }] }", "{ page: / }"]) {
  Deno.test(`an experiment is told that it can't count the requests of ${scenario}`, () => {
    const lines = toldOf(scenario, "{ requests: 10 }");
    assert.equal(lines.length, 1);
    assert.match(lines[0], /^(?:flow|page): Cannot end a flow after a number of requests/);
  });
}

Deno.test("mixes, flows and pages go with every kind of load", () => {
  for (const load of ["{}", "{ rate: 1/s }", "{ phases: [{ duration: 1s, arrivals: 1/s }] }"]) {
    for (const scenario of ["{ mix: [{ get: / }] }", "{ flow: [{ get: / }] }", "{ page: / }"]) {
      assert.deepEqual(toldOf(scenario, load), []);
    }
  }
});
