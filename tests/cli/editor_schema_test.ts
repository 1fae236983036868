/** The JSON Schema with which editors check an experiment file, by two validators that share no code. */
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { type Schema, Validator } from "@cfworker/json-schema";
import { join } from "node:path";
import { parse } from "yaml";
import { experimentJsonSchema, isExperimentSchema } from "../../cli/schema/json_schema.ts";
import { isMap } from "../../base/yaml/json_text.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");
const FOLDERS = [
  ...["cli/commands", "deploy", "deploy/kubernetes", "examples", "scenarios/experiments"],
  ...["tests/e2e/fixtures", "tests/studies/fixtures"],
];

const schema: Schema = JSON.parse(JSON.stringify(experimentJsonSchema()));
const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false }).compile(schema);
const cfworker = new Validator(schema, "2020-12");

const VALIDATORS: Readonly<Record<string, (data: unknown) => string | null>> = {
  ajv: (data) => ajv(data) ? null : JSON.stringify(ajv.errors?.slice(0, 3)),
  "@cfworker/json-schema": (data) => {
    const { valid, errors } = cfworker.validate(data);
    return valid ? null : JSON.stringify(errors.slice(0, 3));
  },
};

/** Experiment files of the repository, and whole ones in the pages, by their places. */
function experiments(): Map<string, unknown> {
  const files = FOLDERS.flatMap((folder) =>
    [...Deno.readDirSync(join(ROOT, folder))].filter(({ name }) => name.endsWith(".yaml"))
      .map(({ name }) => [`${folder}/${name}`, Deno.readTextFileSync(join(ROOT, folder, name))])
  );
  const pages = [
    "README.md",
    ...[...Deno.readDirSync(join(ROOT, "docs"))]
      .filter(({ name }) => name.endsWith(".md")).map(({ name }) => `docs/${name}`),
  ];
  const blocks = pages.flatMap((page) =>
    [...Deno.readTextFileSync(join(ROOT, page)).matchAll(/^```yaml\n(.*?)^```$/gms)]
      .map(([, text], at) => [`${page}, example ${at + 1}`, text])
  );
  return new Map([...files, ...blocks].flatMap(([place, text]) => {
    if (/^---$/m.test(text)) return [];
    const data: unknown = parse(text);
    const isWhole = isMap(data) && "name" in data && isMap(data.targets) && isMap(data.scenarios);
    return isWhole ? [[place, data] as const] : [];
  }));
}

const all = experiments();
/** Those that are wrong on purpose. */
const WRONG = ["docs/limits.md, example 1"];

for (const [name, mistakes] of Object.entries(VALIDATORS)) {
  Deno.test(`${name} takes every experiment of the repository and its pages`, () => {
    const refused = [...all].filter(([place]) => !WRONG.includes(place))
      .flatMap(([place, data]) => mistakes(data) === null ? [] : `${place}: ${mistakes(data)}`);
    assert.deepEqual(refused, []);
    assert.ok(all.size > 25, String(all.size));
  });

  Deno.test(`${name} refuses what is wrong`, () => {
    const right = { name: "a", targets: { a: { app: "api" } }, scenarios: { s: { get: "/" } } };
    assert.equal(mistakes(right), null);
    assert.equal(mistakes({ ...right, load: { connections: "${n}" } }), null);
    const wrong = [
      { ...right, targtes: {} },
      { ...right, name: undefined },
      { ...right, targets: { a: { command: "node server.js" } } },
      { ...right, targets: { a: { app: "apu" } } },
      { ...right, targets: { a: { command: ["node"], env: { PORT: { port: null } } } } },
      { ...right, scenarios: { s: { get: "static" } } },
      { ...right, load: { connections: 0 } },
      { ...right, repeat: 0 },
    ];
    const taken = wrong.map((data) => JSON.parse(JSON.stringify(data)))
      .filter((data) => mistakes(data) === null);
    assert.deepEqual(taken, []);
    for (const place of WRONG) assert.notEqual(mistakes(all.get(place)), null, place);
  });
}

Deno.test("the schema says its version, by which it is known again", () => {
  assert.match(JSON.stringify(schema.$id), /^"urn:plateau:schema:experiment:\d+"$/);
  assert.ok(isExperimentSchema(JSON.stringify(schema)));
  assert.ok(isExperimentSchema(JSON.stringify(schema, null, 2)));
  assert.ok(!isExperimentSchema('{"$schema": "https://json-schema.org/draft/2020-12/schema"}'));
});
