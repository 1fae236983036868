/** Postman collections: the journey that they become, and collections that can't be read. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { UserError } from "../../base/errors.ts";
import { NO_FILES } from "../../base/files.ts";
import { type ImportedFile, importedFile } from "../../scenarios/imports/registry.ts";
import { thrown } from "../thrown.ts";
import "./foreign.ts"; // loads the engine of patterns

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

function taken(item: unknown, more: object = {}): ImportedFile {
  const text = JSON.stringify({ info: { name: "Shop", schema: SCHEMA }, item, ...more });
  const pathOf = (path: string): string => `../${path}`;
  const imported = importedFile(text, "shop.json", { files: NO_FILES, pathOf });
  assert.ok(imported !== null);
  return imported;
}

function scenarioOf(item: unknown, more: object = {}): Record<string, unknown> {
  return parse(taken(item, more).text).scenarios.Shop;
}

function stepOf(request: unknown, more: object = {}): unknown {
  const { flow } = scenarioOf([{ name: "a", request }], more);
  assert.ok(Array.isArray(flow));
  const { name: _, ...step } = flow[0];
  return step;
}

const BASE = "http://127.0.0.1:8080";
const variable = [
  { key: "base", value: `${BASE}/v1` },
  { key: "user", value: "{{first}} b" },
  { key: "first", value: "a" },
  { key: "key", value: "s3cret", type: "secret" },
];

const STEPS: Readonly<Record<string, readonly [request: unknown, step: unknown]>> = {
  "an address alone": [`${BASE}/a?b=c#d`, { get: "/a?b=c" }],
  "variables, also in each other": [{ method: "GET", url: "{{base}}/x/{{user}}" }, {
    get: "/v1/x/a%20b",
  }],
  "parts of an address": [
    {
      method: "DELETE",
      url: {
        host: ["127", "0", "0", "1"],
        port: "8080",
        path: ["a", ":id"],
        query: [{ key: "b", value: "1" }, { key: "c", value: "2", disabled: true }],
        variable: [{ key: "id", value: "x y" }],
      },
    },
    { delete: "/a/x%20y?b=1" },
  ],
  "parts of an address whose host is a variable with its scheme and path": [
    { url: { host: ["{{base}}"], path: ["a"], query: [{ key: "b", value: "1" }] } },
    { get: "/v1/a?b=1" },
  ],
  "header fields, but no disabled ones": [
    {
      url: BASE,
      header: [{ key: "X-A", value: "{{first}}" }, { key: "X-B", value: "1", disabled: true }],
    },
    { get: "/", headers: { "X-A": "a" } },
  ],
  "basic authorization": [
    {
      url: BASE,
      auth: {
        type: "basic",
        basic: [{ key: "username", value: "{{first}}" }, { key: "password", value: "b" }],
      },
    },
    { get: "/", headers: { authorization: "Basic YTpi" } },
  ],
  "basic authorization of version 2.0": [
    { url: BASE, auth: { type: "basic", basic: { username: "a", password: "b" } } },
    { get: "/", headers: { authorization: "Basic YTpi" } },
  ],
  "a secret token": [
    { url: BASE, auth: { type: "bearer", bearer: [{ key: "token", value: "{{key}}" }] } },
    { get: "/", headers: { authorization: "Bearer {{ KEY }}" } },
  ],
  "a key in the query": [
    {
      url: `${BASE}/?a=1`,
      auth: {
        type: "apikey",
        apikey: [{ key: "key", value: "k" }, { key: "value", value: "a b" }, {
          key: "in",
          value: "query",
        }],
      },
    },
    { get: "/?a=1&k=a%20b" },
  ],
  "JSON as text": [
    {
      method: "POST",
      url: BASE,
      body: { mode: "raw", raw: '{"a":"{{user}}"}', options: { raw: { language: "json" } } },
    },
    { post: "/", headers: { "content-type": "application/json" }, body: '{"a":"a b"}' },
  ],
  "a form": [
    {
      method: "POST",
      url: BASE,
      body: {
        mode: "urlencoded",
        urlencoded: [{ key: "a", value: "1" }, { key: "a", value: "2" }, {
          key: "b",
          value: "3",
          disabled: true,
        }],
      },
    },
    { post: "/", form: { a: ["1", "2"] } },
  ],
  "a form with a file": [
    {
      method: "POST",
      url: BASE,
      body: {
        mode: "formdata",
        formdata: [{ key: "t", value: "x", type: "text" }, {
          key: "f",
          type: "file",
          src: "a.png",
          contentType: "image/png",
        }, { key: "none", type: "file", src: null }],
      },
    },
    { post: "/", multipart: { t: "x", f: { file: "../a.png", type: "image/png" } } },
  ],
  "GraphQL": [
    {
      method: "POST",
      url: BASE,
      body: { mode: "graphql", graphql: { query: "{ a }", variables: '{"n":1}' } },
    },
    {
      post: "/",
      headers: { "content-type": "application/json" },
      body: '{"query":"{ a }","variables":{"n":1}}',
    },
  ],
  "a text that looks like a parameter": [`${BASE}/\${env.HOME}`, { get: "/$${env.HOME}" }],
};

for (const [what, [request, step]] of Object.entries(STEPS)) {
  Deno.test(`a collection's request with ${what} is a step`, () => {
    assert.deepEqual(stepOf(request, { variable }), step);
  });
}

Deno.test("folders give their requests names and authorization, in their order", () => {
  const token = (value: string): object => ({ type: "bearer", bearer: [{ key: "token", value }] });
  const { flow } = scenarioOf([
    { name: "get", request: `${BASE}/1` },
    {
      name: "users (v2)",
      auth: token("folder"),
      item: [
        { name: "get", request: { url: `${BASE}/2` } },
        {
          name: "inner",
          item: [{ name: "get", request: { url: `${BASE}/3`, auth: { type: "noauth" } } }],
        },
      ],
    },
  ], { auth: token("all") });
  assert.deepEqual(flow, [
    { name: "get", get: "/1", headers: { authorization: "Bearer all" } },
    { name: "users v2 /get", get: "/2", headers: { authorization: "Bearer folder" } },
    { name: "users v2 /inner/get", get: "/3" },
  ]);
});

Deno.test("what a collection does not say comes from the environment or is drawn", () => {
  const imported = taken([{ name: "a", request: `${BASE}/{{token}}/{{$guid}}/{{$randomInt}}` }]);
  const { Shop: { flow, values } } = parse(imported.text).scenarios;
  assert.equal(flow[0].get, "/{{ TOKEN }}/{{ guid }}/{{ randomInt }}");
  assert.deepEqual(values, {
    TOKEN: { pick: ["${env.TOKEN}"] },
    guid: "uuid",
    randomInt: { from: 0, to: 1000 },
  });
  assert.deepEqual(imported.variables, ["TOKEN"]);
  const { notes } = taken([{ name: "a", request: `${BASE}/{{key}}/{{token}}` }], { variable });
  for (
    const said of ["{{key}}, which is secret, comes", "{{token}}, which the collection does not"]
  ) {
    assert.ok(notes.some((note) => note.includes(said)), notes.join());
  }
});

Deno.test("each text that comes from the environment has a variable of its own, and each place its random value", () => {
  const basic = (username: string, password: string): object => ({
    url: `${BASE}/{{$guid}}/{{api-key}}`,
    auth: { type: "basic", basic: { username, password } },
    header: [{ key: "X-A", value: "{{$randomInt}}-{{$randomInt}}-{{apiKey}}" }],
  });
  const requests = [basic("ada", "{{pw}}"), basic("bob", "{{pw}}"), basic("ada", "{{pw}}")];
  const imported = taken(requests.map((request, at) => ({ name: `a${at}`, request })));
  const { Shop: { flow, values } } = parse(imported.text).scenarios;
  const sent = flow.map(({ get, headers }: { get: string; headers: Record<string, string> }) => [
    ...[get, headers.authorization, headers["X-A"]],
  ]);
  const key = "{{ API_KEY_2 }}";
  assert.deepEqual(sent, [
    [
      "/{{ guid }}/{{ API_KEY }}",
      "Basic {{ BASIC_AUTH }}",
      `{{ randomInt }}-{{ randomInt_of_2 }}-${key}`,
    ],
    [
      "/{{ guid_of_2 }}/{{ API_KEY }}",
      "Basic {{ BASIC_AUTH_2 }}",
      `{{ randomInt_of_3 }}-{{ randomInt_of_4 }}-${key}`,
    ],
    [
      "/{{ guid_of_3 }}/{{ API_KEY }}",
      "Basic {{ BASIC_AUTH }}",
      `{{ randomInt_of_5 }}-{{ randomInt_of_6 }}-${key}`,
    ],
  ]);
  assert.deepEqual(imported.variables, ["API_KEY", "BASIC_AUTH", "API_KEY_2", "BASIC_AUTH_2"]);
  assert.equal(values.guid_of_3, "uuid");
  const note = "user:password of bob in base64 comes from the environment variable BASIC_AUTH_2";
  assert.ok(imported.notes.includes(note), imported.notes.join("\n"));
});

Deno.test("scripts, other hosts and other authorization are notes", () => {
  const event = [{ listen: "test", script: { exec: ["pm.test('a', () => {})"] } }];
  const { notes } = taken([
    { name: "a", request: `${BASE}/`, event },
    { name: "b", request: "http://127.0.0.2/" },
    { name: "c", request: { url: `${BASE}/`, auth: { type: "hawk", hawk: [] } } },
    { name: "d", request: { url: `${BASE}/`, method: "PURGE" } },
  ]);
  const said = ["test of a", "b to http://127.0.0.2", "authorization by hawk", "with PURGE"];
  for (const text of said) assert.ok(notes.some((note) => note.includes(text)), text);
});

const WRONG: Readonly<Record<string, readonly [item: unknown, problem: RegExp]>> = {
  "no request": [[], /item: Cannot run a collection without a request/],
  "an address that is not known": [
    [{ name: "a", request: "{{host}}/a" }],
    /request\.url: Cannot find the value of \{\{host\}\}/,
  ],
  "no address": [[{ name: "a", request: { method: "GET" } }], /not an http address/],
  "variables in a circle": [
    [{ name: "a", request: `${BASE}/{{x}}` }],
    /refer to each other endlessly/,
  ],
  "parts of the wrong kind": [[{ name: "a", request: 5 }], /item\.0\.request/],
};

for (const [what, [item, pattern]] of Object.entries(WRONG)) {
  Deno.test(`a collection with ${what} is refused`, () => {
    const variable = [{ key: "x", value: "{{y}}" }, { key: "y", value: "{{x}}" }];
    const { problems: [{ place, message }] } = thrown(UserError, () => taken(item, { variable }));
    assert.match(`${place} ${message}`, pattern);
    assert.match(place, /^shop\.json:\d+:\d+$/);
  });
}
