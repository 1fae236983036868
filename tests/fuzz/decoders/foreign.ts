/** Files of other tools: what they become is read as an experiment, too. */
import { readFileSync } from "node:fs";
import { type Files, NO_FILES } from "../../../base/files.ts";
import { importedFile } from "../../../scenarios/imports/registry.ts";
import { k6Experiment } from "../../../scenarios/imports/k6_experiment.ts";
import { withEngine } from "../../../base/pattern.ts";
import type { Decoder } from "../decoder.ts";
import { planText } from "./experiment.ts";

function sample(name: string): string {
  const path = new URL(`../../scenarios/fixtures/imports/${name}`, import.meta.url);
  return readFileSync(path, "utf8");
}

/** Any table, of one row. */
const files: Files = {
  ...NO_FILES,
  rows: (_, names = ["user"]) => [Object.fromEntries(names.map((name) => [name, "x"]))],
};

function become(text: string): Promise<void> {
  return withEngine(() => {
    const foreign = importedFile(text, "a.txt", { files });
    if (foreign !== null) planText(foreign.text, files);
  });
}

export const har: Decoder = {
  seeds: { samples: [sample("visit.har")], words: ['"log"', "[", "{", "\\u0000"], isJson: true },
  decode: become,
};

export const artillery: Decoder = {
  seeds: {
    samples: [sample("shop.yml")],
    words: [
      ...["- loop:\n", "count: 1e9", "- get:\n", "{{ a }}", "over: [1, 2]", "think: 1"],
      ...["followRedirect: false", "cookie: { a: b }", "formData: { a: { fromFile: b } }", "&a "],
      "*a ",
    ],
  },
  decode: become,
};

export const k6: Decoder = {
  seeds: {
    samples: [sample("shop.k6")],
    words: [
      ...["sleep(1);", "for (let i = 0; i < 1e9; i++) ", "http.get(", "`${a}`", "...", "{", "["],
      ...["http.batch([", "function f(a) {", "f(f);", "if (!check(", "for (const a of [1, 2]) "],
      ...[".forEach((a) => ", "return ", "iterations: 9,", "res = ", "a.b = ", "try {", "await "],
    ],
  },
  decode: become,
};

/** As `k6`, with functions. */
export const k6Functions: Decoder = {
  seeds: {
    samples: [readFileSync(new URL("../../../examples/code/buying.js", import.meta.url), "utf8")],
    words: k6.seeds.words,
  },
  decode: (text) => {
    const files = { ...NO_FILES, octets: () => new TextEncoder().encode("[]") };
    k6Experiment(text, "a.js", { name: "a", env: () => undefined, files });
  },
};

export const jmeter: Decoder = {
  seeds: {
    samples: [sample("shop.jmx")],
    words: [
      ...["<hashTree>", "</hashTree>", "<LoopController/>", "${__P(a,1)}", "${${a}}", "<![CDATA["],
      "&a;",
    ],
  },
  decode: become,
};

/** A description of one operation with all kinds of parts. */
const DESCRIPTION = `openapi: 3.1.0
info: { title: a }
servers: [{ url: "http://{h}/b", variables: { h: { default: a } } }]
security: [{ k: [] }]
paths:
  /a/{b}:
    parameters: [{ name: b, in: path, required: true, schema: { $ref: "#/components/schemas/S" } }]
    post:
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/S" } } } }
      responses: { "200": { content: { a/b: {} } } }
components:
  securitySchemes: { k: { type: apiKey, in: query, name: k } }
  schemas:
    S: { oneOf: [{ type: string, pattern: "^a+$" }, { type: array, items: { $ref: "#/components/schemas/S" } }] }
`;

export const openApi: Decoder = {
  seeds: {
    samples: [DESCRIPTION],
    words: [
      ...['$ref: "#/components/schemas/S"', "allOf: [", "minItems: 1e9", "minLength: 1e9", "{a}"],
      ...["type: object", "required: [a]", "properties: { a: ", "example: ", "&a ", "*a ", "null"],
      ...["pattern: '", "(a|b){9}", "[^", "multipleOf: 0", "style: matrix", "swagger: '2.0'"],
    ],
  },
  decode: (text) =>
    withEngine(() => {
      const foreign = importedFile(text, "a.txt", { files, writes: true });
      if (foreign !== null) planText(foreign.text, files);
    }),
};

const COLLECTION = JSON.stringify({
  info: { name: "a", schema: "https://schema.getpostman.com/json/collection/v2.1.0/" },
  variable: [{ key: "b", value: "http://a" }],
  auth: { type: "basic", basic: [{ key: "username", value: "{{c}}" }] },
  item: [{
    name: "f",
    item: [{
      name: "a",
      event: [{ listen: "test", script: { exec: ["a"] } }],
      request: {
        method: "POST",
        url: { raw: "{{b}}/:c?d=1", variable: [{ key: "c", value: "1" }] },
        header: [{ key: "a", value: "b" }],
        body: { mode: "urlencoded", urlencoded: [{ key: "a", value: "{{$guid}}" }] },
      },
    }],
  }],
});

export const postman: Decoder = {
  seeds: {
    samples: [COLLECTION],
    words: [
      "{{b}}",
      "{{$randomInt}}",
      '"item":[',
      '"mode":"formdata"',
      '"src":',
      "null",
      "\\u0000",
    ],
    isJson: true,
  },
  decode: become,
};
