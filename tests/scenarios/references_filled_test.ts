/** What an imported script refers to is, filled in, what the same script becomes with the values in the place of the variables. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { parse } from "yaml";
import { secrets } from "../../base/secrets.ts";
import { forAll } from "../for_all.ts";
import { becomes, script } from "./foreign.ts";
import { walked } from "./k6_script.ts";

/** Texts that mean something where requests are made, so that their places matter. */
const PIECES = [
  "a",
  "hush",
  "/",
  "/a",
  "?b=1",
  "#c",
  " ",
  "é",
  "&",
  "%41",
  '"',
  "'",
  "\\",
  "${env.X}",
];

const piece = fc.constantFrom(...PIECES);
const value = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join("")),
  fc.constantFrom("80", "http://127.0.0.1:8080", "http://127.0.0.1:8080/a", "http://ada:b@x/"),
);

interface Variable {
  readonly name: string;
  readonly value: string;
}

const variable = fc.record({
  name: fc.constantFrom("PLATEAU_TEST_LEFT", "PLATEAU_TEST_RIGHT"),
  value,
});

/** A text of literal pieces and variables. */
type Text = readonly (string | Variable)[];
const text: fc.Arbitrary<Text> = fc.array(fc.oneof(piece, variable), { maxLength: 4 });

/** Each variable has one value, in all texts of a script. */
function agreed(texts: readonly Text[]): Map<string, string> {
  return new Map(
    texts.flat().flatMap((part) => typeof part === "string" ? [] : [[part.name, part.value]]),
  );
}

/** The experiment's data with variables filled in, as they are where the file is read. */
function filledIn(source: string, file: string, values: ReadonlyMap<string, string>): unknown {
  const fill = (text: string): string =>
    text.replaceAll(
      /\$\$\{|\$\{env\.(\w+)\}/g,
      (_, name?: string) => name === undefined ? "${" : values.get(name) ?? assert.fail(name),
    );
  const { text } = becomes(source, file);
  assert.doesNotMatch(text, /[\ufdd0-\ufdd2]|%EF%B7%9/i, "no mark is left");
  const data = JSON.stringify(parse(text));
  return JSON.parse(data, (_, value) => typeof value === "string" ? fill(value) : value);
}

type Escape = (text: string) => string;
/** A script whose texts are written by `written`. */
type ScriptOf = (written: (text: Text, escape: Escape) => string) => string;

/** @param reference How a script names a variable in a text. */
function assertFilled(
  texts: readonly Text[],
  file: string,
  scriptOf: ScriptOf,
  reference: (name: string) => string,
): void {
  const values = agreed(texts);
  for (const [name, value] of values) Deno.env.set(name, value);
  // Secrets until then: the texts of other tests hold such values, too.
  using _ = secrets.keepWhile([...values].map(([name, value]) => [value, `\${env.${name}}`]));
  const [referring, literal] = [true, false].map((refers) =>
    scriptOf((text, escape) =>
      text.map((part) => {
        if (typeof part === "string") return escape(part);
        return refers ? reference(part.name) : escape(values.get(part.name) ?? "");
      }).join("")
    )
  );
  assert.deepEqual(filledIn(referring, file, values), filledIn(literal, file, values));
}

Deno.test("requests of an Artillery script are the same by variables of the environment and by their values", () => {
  forAll([text, text, text], (url, sent, shown) => {
    const scriptOf = (
      written: (text: Text, escape: (text: string) => string) => string,
    ): string => {
      const [path, a, b] = [url, sent, shown].map((text) => written(text, (text) => text));
      const request = {
        ...{ url: path, qs: { q: a }, headers: { x: b }, cookie: { c: a }, name: `n${b}` },
        ...{ json: { a, list: [b] }, auth: { user: "ada", pass: a } },
      };
      return script(JSON.stringify([
        { post: request },
        { post: { url: "/", form: { a, b }, capture: { json: "$.id", as: "id" } } },
        { loop: [{ get: { url: "/{{ $loopElement }}" } }], over: [a, b] },
        { post: { url: `{{ id }}${b}`, formData: { f: b } } },
      ]));
    };
    assertFilled([url, sent, shown], "a.yml", scriptOf, (name) => `{{ $env.${name} }}`);
  });
});

Deno.test("requests of a k6 script are the same by variables of the environment and by their values", () => {
  forAll([text, text], (path, sent) => {
    const inTemplate = (text: string): string => text.replaceAll(/[`$\\]/g, "\\$&");
    assertFilled(
      [path, sent],
      "a.js",
      (written) => {
        const [url, text] = [path, sent].map((one) => `\`${written(one, inTemplate)}\``);
        return walked(
          `const text = ${text};\n` +
            `http.post(\`http://ada:p@a/\${${url}}\`, JSON.stringify({ text, ["_" + text]: 1 }), ` +
            "{ tags: { name: text }, headers: { a: encodeURIComponent(text) }, cookies: { b: text } });\n" +
            `if (text === ${text}) http.post("http://ada:p@a/" + text, { text });`,
        );
      },
      (name) => `\${__ENV.${name}}`,
    );
  });
});
