/** OpenAPI descriptions: the requests that they become, and descriptions that can't be read. */
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { UserError } from "../../base/errors.ts";
import { NO_FILES } from "../../base/files.ts";
import { Description } from "../../scenarios/imports/openapi/description.ts";
import { Examples, NoExample } from "../../scenarios/imports/openapi/examples.ts";
import { type ImportedFile, importedFile } from "../../scenarios/imports/registry.ts";
import { thrown } from "../thrown.ts";
import "./foreign.ts"; // loads the engine of patterns

/** A description in YAML with these paths. */
function described(paths: string, more = ""): string {
  return `openapi: 3.1.0
info: { title: Pets, version: "1" }
servers: [{ url: "http://127.0.0.1:8080/api" }]
${more}
paths:
${paths.replaceAll(/^(?=.)/gm, "  ")}
`;
}

function taken(source: string, writes = false): ImportedFile {
  const imported = importedFile(source, "pets.yaml", { files: NO_FILES, writes });
  assert.ok(imported !== null);
  return imported;
}

/** Its requests, as the experiment file has them. */
function mixOf(source: string, writes = false): Record<string, unknown>[] {
  return parse(taken(source, writes).text).scenarios.operations.mix;
}

function problems(source: string): string[] {
  return thrown(UserError, () => taken(source, true)).problems.map(({ place, message }) =>
    `${place} ${message}`
  );
}

const SCHEMAS: Readonly<Record<string, object>> = {
  "a whole number between bounds": { type: "integer", minimum: 5, maximum: 9 },
  "a number beyond a bound": { type: "number", exclusiveMinimum: 2, exclusiveMaximum: 3 },
  "a multiple": { type: "integer", minimum: 10, multipleOf: 7 },
  "a multiple strictly between bounds": {
    type: "integer",
    exclusiveMinimum: 5,
    exclusiveMaximum: 9,
    multipleOf: 4,
  },
  "a whole number that is not far above a bound": {
    type: "integer",
    exclusiveMinimum: 5.5,
    maximum: 6,
  },
  "a whole multiple of a fraction": { type: "integer", maximum: 4, multipleOf: 2.5 },
  "a number strictly between close bounds": {
    type: "number",
    exclusiveMinimum: 2,
    exclusiveMaximum: 2.25,
  },
  "a number with two lower bounds": { type: "number", minimum: 5, exclusiveMinimum: 3 },
  "a number below one": { type: "number", maximum: -2.5 },
  "a long text": { type: "string", minLength: 40 },
  "a short text": { type: "string", maxLength: 2 },
  "a long address": { type: "string", format: "uri", minLength: 40 },
  "a long host name": { type: "string", format: "hostname", minLength: 71 },
  "a date of its own length": { type: "string", format: "date", minLength: 10, maxLength: 10 },
  "a choice": { enum: [null, "b"] },
  "a constant": { const: { a: [1] } },
  "a text of a pattern": { type: "string", pattern: "^(?:ab|c)[0-9]{3}-[^a-z]+\\.\\w{2,4}$" },
  "a text of a pattern and a length": { type: "string", pattern: "^[A-Z]+$", minLength: 12 },
  "a pattern within a text": { type: "string", pattern: "x-\\d+" },
  "several things at once": {
    allOf: [
      { type: "object", required: ["a"], properties: { a: { type: "string" } } },
      { required: ["b"], properties: { b: { type: "integer", minimum: 3 } } },
      { properties: { b: { type: "integer", minimum: 7 } } },
    ],
  },
  "one of several": {
    type: "object",
    required: ["kind"],
    properties: { kind: { type: "string" } },
    oneOf: [
      { required: ["x"], properties: { kind: { const: "x" }, x: { type: "boolean" } } },
      { required: ["y"], properties: { kind: { const: "y" }, y: { type: "boolean" } } },
    ],
  },
  "a list of different values": {
    type: "array",
    minItems: 3,
    uniqueItems: true,
    items: { type: "integer" },
  },
  "a tuple": { type: "array", prefixItems: [{ type: "string" }, { type: "boolean" }] },
  "a map with enough keys": {
    type: "object",
    minProperties: 2,
    additionalProperties: { type: "integer" },
  },
  "a reference with words beside it": {
    $ref: "#/$defs/short",
    minLength: 3,
    $defs: { short: { type: "string", maxLength: 4 } },
  },
  "itself, where it may end": {
    type: "object",
    required: ["next", "all"],
    properties: {
      next: { anyOf: [{ $ref: "#" }, { type: "null" }] },
      all: { type: "array", items: { $ref: "#" } },
    },
  },
};

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const FORMATS = {
  uri: URL.canParse,
  hostname: new RegExp(`^${LABEL}(?:\\.${LABEL})*$`),
  date: /^\d{4}-\d{2}-\d{2}$/,
};

for (const [what, schema] of Object.entries(SCHEMAS)) {
  Deno.test(`an example of ${what} is of its schema`, () => {
    const example = new Examples(new Description(schema)).of({ value: schema, path: [] });
    const validate = new Ajv2020({ strict: false, formats: FORMATS }).compile(schema);
    assert.ok(validate(example), `${JSON.stringify(example)}: ${JSON.stringify(validate.errors)}`);
  });
}

const WITHOUT_EXAMPLE: Readonly<Record<string, object>> = {
  "no multiple lies between the bounds": { minimum: 5, maximum: 7, multipleOf: 4 },
  "the bounds are in the wrong order": { type: "number", minimum: 2, maximum: 1 },
  "no number is beyond both bounds": { type: "number", minimum: 2, exclusiveMaximum: 2 },
  "no whole number is a multiple": { type: "integer", minimum: 1, maximum: 4, multipleOf: 2.5 },
  "the format has no text as short": { type: "string", format: "uuid", maxLength: 8 },
  "the format has no text as long": { type: "string", format: "date-time", minLength: 40 },
  "a label of a host name has at most 63 characters": {
    type: "string",
    format: "hostname",
    minLength: 72,
  },
  "the lengths are in the wrong order": { type: "string", minLength: 6, maxLength: 5 },
  "the text would be very long": { type: "string", minLength: 10_001 },
};

for (const [why, schema] of Object.entries(WITHOUT_EXAMPLE)) {
  Deno.test(`a schema has no example, because ${why}`, () => {
    const examples = new Examples(new Description(schema));
    assert.throws(() => examples.of({ value: schema, path: [] }), NoExample);
  });
}

Deno.test("a multiple of a decimal fraction has as few digits as that", () => {
  const schema = { type: "number", minimum: 0.3, maximum: 0.3, multipleOf: 0.1 };
  assert.equal(new Examples(new Description({})).of({ value: schema, path: [] }), 0.3);
});

Deno.test("an author's example stands before a default, and that before a choice", () => {
  const of = (schema: object): unknown =>
    new Examples(new Description({})).of({ value: schema, path: [] });
  assert.equal(of({ type: "string", example: "a", default: "b", enum: ["c"] }), "a");
  assert.equal(of({ type: "string", examples: ["a"], default: "b" }), "a");
  assert.equal(of({ type: "string", default: "b", enum: ["c"] }), "b");
});

Deno.test("a description becomes a request for each operation that changes nothing", () => {
  const source = described(`/pets:
  get: { operationId: list, responses: { "200": { description: ok, content: { text/csv: {} } } } }
  post: { responses: {} }
/pets/{id}:
  parameters: [{ name: id, in: path, required: true, schema: { type: string, example: "a b" } }]
  head: { responses: { 2XX: { description: ok } } }
  delete: { responses: { "204": { description: gone } } }`);
  assert.deepEqual(mixOf(source), [
    { name: "list", get: "/api/pets", headers: { accept: "text/csv" }, expect: { status: 200 } },
    { name: "HEAD /pets/{id}", head: "/api/pets/a%20b" },
  ]);
  assert.ok(
    taken(source).notes.some((note) => note.startsWith("left out: 2 operations that may")),
  );
  const names = mixOf(source, true).map(({ name }) => name);
  assert.deepEqual(names, ["list", "POST /pets", "HEAD /pets/{id}", "DELETE /pets/{id}"]);
});

Deno.test("parameters are written by their styles, optional ones by their examples", () => {
  const parameters = [
    "{ name: a, in: query, required: true, schema: { type: array, example: [1, 2] } }",
    "{ name: b, in: query, required: true, explode: false, schema: { example: [1, 2] } }",
    "{ name: c, in: query, required: true, style: deepObject, schema: { example: { x: 1 } } }",
    "{ name: d, in: query, required: true, style: pipeDelimited, explode: false, example: [1, 2] }",
    "{ name: e, in: query, schema: { type: string } }",
    "{ name: f, in: query, example: '{{ x }}&' }",
    "{ name: X-G, in: header, required: true, example: [1, 2] }",
    "{ name: accept, in: header, required: true, example: a/b }",
    "{ name: h, in: cookie, required: true, example: 3 }",
    "{ name: i, in: query, required: true, content: { application/json: { example: [1] } } }",
  ];
  const source = described(`/x/{p}/{q}/{r}:
  get:
    parameters: [${parameters.join(", ")}, { name: p, in: path, required: true, example: [1, 2] },
      { name: q, in: path, required: true, style: label, explode: true, example: [1, 2] },
      { name: r, in: path, required: true, style: matrix, example: { x: 1 } }]
    responses: {}`);
  const [step] = mixOf(source);
  assert.equal(
    step.get,
    "/api/x/1,2/.1.2/;r=x,1?a=1&a=2&b=1,2&c%5Bx%5D=1&d=1%7C2&f=%7B%7B%20x%20%7D%7D%26&i=%5B1%5D",
  );
  assert.deepEqual(step.headers, { "X-G": "1,2", cookie: "h=3" });
});

Deno.test("bodies are JSON, forms, multipart forms or examples of text", () => {
  const body = (content: string): string =>
    `{ requestBody: { required: true, content: { ${content} } }, responses: {} }`;
  const form =
    "schema: { type: object, properties: { a: { const: 1 }, b: { example: { c: 2 } } } }";
  const source = described(`/a:
  post: ${body("text/plain: { example: x }, application/vnd.a+json: { example: { t: '{{' } }")}
  put: ${body(`application/x-www-form-urlencoded: { ${form} }`)}
  patch: ${body(`multipart/form-data: { ${form} }`)}
  delete: ${body("application/xml: { example: <a/> }")}
  options: ${body("application/xml: { schema: { type: object } }")}`);
  const imported = taken(source, true);
  const { operations: { mix, values } } = parse(imported.text).scenarios;
  const type = (text: string): object => ({ headers: { "content-type": text } });
  const bodies = mix.map(({ name: _, ...step }: Record<string, unknown>) => step);
  assert.deepEqual(bodies, [
    { post: "/api/a", ...type("application/vnd.a+json"), json: { t: "{{ braces }}" } },
    { put: "/api/a", form: { a: 1, b: '{"c":2}' } },
    { patch: "/api/a", multipart: { a: 1, b: '{"c":2}' } },
    { delete: "/api/a", ...type("application/xml"), body: "<a/>" },
  ]);
  assert.deepEqual(values, { braces: { pick: ["{{"] } });
  assert.ok(imported.notes.some((note) => note.includes("OPTIONS /a: its body has no example")));
});

Deno.test("a note names the fields of a form that are files, as their texts are none", () => {
  const fields = "a: { type: string, format: binary }, b: { type: string }";
  const notesOf = (example: string): string =>
    taken(
      described(`/a:
  post:
    operationId: upload
    requestBody: { content: { multipart/form-data: { ${example}schema: { properties: { ${fields} } } } } }
    responses: {}`),
      true,
    ).notes.join("\n");
  assert.match(notesOf(""), /^a of upload is a file: /m);
  assert.doesNotMatch(notesOf("example: { b: text }, "), /a file/);
});

const BINARY = "{ type: string, format: binary }";
const FILE_FIELDS: readonly (readonly [sentence: string, schema: string, note: RegExp])[] = [
  [
    "a list of files",
    `properties: { photos: { type: array, items: ${BINARY} } }`,
    /^photos of upload are files: write \{ file: PATH \} instead of their texts$/m,
  ],
  [
    "a file or nothing, as FastAPI writes it",
    `properties: { photo: { anyOf: [${BINARY}, { type: "null" }] } }`,
    /^photo of upload is a file: /m,
  ],
  [
    "a list of files or nothing",
    `properties: { photos: { anyOf: [{ type: array, items: ${BINARY} }, { type: "null" }] } }`,
    /^photos of upload are files: /m,
  ],
  [
    "fields of several schemas together",
    `allOf: [{ properties: { a: ${BINARY} } }, { properties: { b: ${BINARY}, c: {} } }]`,
    /^a and b of upload are files: /m,
  ],
];

for (const [sentence, schema, note] of FILE_FIELDS) {
  Deno.test(`a note names files of a form: ${sentence}`, () => {
    const content = `multipart/form-data: { schema: { type: object, ${schema} } }`;
    const { notes } = taken(
      described(`/a:
  post:
    operationId: upload
    requestBody: { content: { ${content} } }
    responses: {}`),
      true,
    );
    assert.match(notes.join("\n"), note);
  });
}

Deno.test("secrets come from the environment, each in its place, and no other text is one", () => {
  const schemes = `components:
  securitySchemes:
    inHeader: { type: apiKey, in: header, name: x-key }
    inQuery: { type: apiKey, in: query, name: key }
    inCookie: { type: apiKey, in: cookie, name: sid }
    otherCookie: { type: apiKey, in: cookie, name: csrf }
    basicAuth: { type: http, scheme: basic }
    login: { type: oauth2, flows: {} }
security: [{ login: [] }]`;
  const parameters =
    "parameters: [{ name: x, in: header, example: 'a\${env.HOME}', required: true }]";
  const source = described(
    `/a:
  get: { security: [{ inHeader: [], inQuery: [] }], ${parameters}, responses: {} }
  head: { security: [{ inCookie: [] }], responses: {} }
  options: { security: [{ basicAuth: [] }], responses: {} }
/b:
  get: { responses: {} }
  head: { security: [], responses: {} }
  options:
    security: [{ inCookie: [], otherCookie: [] }]
    parameters: [{ name: lang, in: cookie, example: en, required: true }]
    responses: {}`,
    schemes,
  );
  const { operations: { mix, values } } = parse(taken(source).text).scenarios;
  assert.deepEqual(mix.map(({ headers }: Record<string, unknown>) => headers), [
    { "x": "a$${env.HOME}", "x-key": "${env.IN_HEADER}" },
    { cookie: "sid=${env.IN_COOKIE}" },
    { authorization: "Basic ${env.BASIC_AUTH}" },
    { authorization: "Bearer ${env.LOGIN}" },
    undefined,
    { cookie: "lang=en; sid=${env.IN_COOKIE}; csrf=${env.OTHER_COOKIE}" },
  ]);
  assert.equal(mix[0].get, "/api/a?key={{ IN_QUERY }}");
  assert.deepEqual(values, { IN_QUERY: { pick: ["${env.IN_QUERY}"] } });
  const variables = [
    ...["IN_HEADER", "IN_QUERY", "IN_COOKIE", "OTHER_COOKIE"],
    ...["BASIC_AUTH", "LOGIN"],
  ];
  assert.deepEqual(taken(source).variables.toSorted(), variables.toSorted());
});

Deno.test("a large description has a scenario for each tag, so that each request has figures", () => {
  const paths = Array.from(
    { length: 120 },
    (_, at) => `/p${at}: { get: { tags: [${at < 60 ? "pets" : "shop"}], responses: {} } }`,
  );
  const { scenarios } = parse(taken(described(paths.join("\n"))).text);
  const counts = Object.entries<{ mix: unknown[] }>(scenarios)
    .map(([name, { mix }]) => `${name} ${mix.length}`);
  assert.deepEqual(counts, ["pets 50", "pets 2 10", "shop 50", "shop 2 10"]);
});

const ok = "responses: {}";
const WRONG: Readonly<Record<string, readonly [source: string, problems: RegExp[]]>> = {
  "another version": ["openapi: 4.0.0\npaths: {}", [/^pets\.yaml:1:10 openapi: Cannot convert/]],
  "Swagger": ["swagger: '2.0'\npaths: {}", [/^pets\.yaml:1:10 swagger: .*convert it to OpenAPI 3/]],
  "references that lead nowhere, all at once": [
    described(`/a: { get: { parameters: [{ $ref: "#/components/x" }], ${ok} } }
/b: { get: { parameters: [{ $ref: "other.yaml#/x" }], ${ok} } }
/c: { get: { parameters: [{ $ref: "#%" }], ${ok} } }`),
    [/:6:37 .*nothing at this place/, /:7:37 .*another file/, /:8:37 .*not a path/],
  ],
  "references in a circle": [
    described(
      `/a: { get: { parameters: [{ $ref: "#/components/parameters/x" }], ${ok} } }`,
      `components: { parameters: { x: { $ref: "#/components/parameters/y" }, y: { $ref: "#/components/parameters/x" } } }`,
    ),
    [/leads back to itself/],
  ],
  "a schema made of itself": [
    described(
      `/a: { get: { parameters: [{ name: a, in: query, required: true, schema: { $ref: "#/components/schemas/x" } }], ${ok} } }`,
      `components: { schemas: { x: { allOf: [{ $ref: "#/components/schemas/x" }] } } }`,
    ),
    [/defined by itself/, /Cannot make a request for any/],
  ],
  "parts of the wrong kind": [
    described(`/a: { get: { parameters: 5, ${ok} }, head: [] }
/b: { get: { parameters: [{ in: query }], ${ok} } }`),
    [/:6:28 .*must be a list/, /:6:\d+ .*must be a map/, /:7:\d+ .*needs a name/],
  ],
  "a security scheme that is not there": [
    described(`/a: { get: { security: [{ k: [] }], ${ok} } }`),
    [/:6:\d+ .*Cannot find this security scheme/],
  ],
  "no operation": [described("/a: {}"), [/without an operation/]],
  "a server of another kind": [
    "openapi: 3.0.0\nservers: [{ url: 'ftp://a' }]\npaths: { /a: { get: {} } }",
    [/^pets\.yaml:2:\d+ .*not an http address/],
  ],
};

for (const [what, [source, expected]] of Object.entries(WRONG)) {
  Deno.test(`a description with ${what} is refused at its place`, () => {
    const found = problems(source);
    assert.equal(found.length, expected.length, found.join("\n"));
    for (const [at, pattern] of expected.entries()) assert.match(found[at], pattern);
  });
}

Deno.test("a schema that needs itself leaves its operation out, and the others are there", () => {
  const schema =
    "{ type: object, required: [a], properties: { a: { $ref: '#/components/schemas/x' } } }";
  const source = described(
    `/a: { post: { requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/x" } } } }, ${ok} } }
/b: { get: { ${ok} } }`,
    `components: { schemas: { x: ${schema} } }`,
  );
  assert.deepEqual(mixOf(source, true), [{ name: "GET /b", get: "/api/b" }]);
  assert.ok(taken(source, true).notes.some((note) => note.includes("contains itself endlessly")));
});

Deno.test("schemas that multiply end with what is too much, and soon", () => {
  const levels = Array.from({ length: 40 }, (_, at) => {
    const inner = at === 39 ? "{}" : `{ $ref: "#/components/schemas/l${at + 1}" }`;
    const names = Array.from({ length: 10 }, (_, n) => `p${n}`);
    return `l${at}: { type: object, required: [${names}], properties: { ${
      names.map((name) => `${name}: ${inner}`).join(", ")
    } } }`;
  });
  const source = described(
    `/a: { post: { requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/l0" } } } }, ${ok} } }`,
    `components:\n  schemas:\n    ${levels.join("\n    ")}`,
  );
  assert.match(problems(source).join(), /more than 500,000 example values/);
});

const MULTIPLIED: Readonly<Record<string, (at: number, next: string) => string>> = {
  "are made of another twice": (_, next) => `{ allOf: [${next}, ${next}] }`,
  "have many lists of choices without an example": (at) =>
    at > 0
      ? "{}"
      : `{ allOf: [${
        Array.from({ length: 40 }, () => "{ oneOf: [{ title: a }, { title: b }] }").join(", ")
      }, { type: array, minItems: 1, items: false }] }`,
};

for (const [what, schemaOf] of Object.entries(MULTIPLIED)) {
  Deno.test(`schemas that ${what} end with what is too much, and soon`, () => {
    const levels = Array.from({ length: 41 }, (_, at) => {
      const next = `{ $ref: "#/components/schemas/l${at + 1}" }`;
      return `l${at}: ${at === 40 ? "{}" : schemaOf(at, next)}`;
    });
    const source = described(
      `/a: { post: { requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/l0" } } } }, ${ok} } }`,
      `components:\n  schemas:\n    ${levels.join("\n    ")}`,
    );
    assert.match(problems(source).join(), /more than 500,000 example values/);
  });
}
