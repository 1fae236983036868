/** Marks of what variables of the environment have given to a text. */
import assert from "node:assert/strict";
import { codeOf } from "../../scenarios/imports/format/code.ts";
import {
  isMarked,
  madeOf,
  marking,
  References,
  sliced,
  unmarked,
  unmarkedIn,
  withMarks,
} from "../../scenarios/imports/format/references.ts";

const VALUES: Readonly<Record<string, string>> = {
  A: "one",
  B: "two & three",
  C: "four & five",
  EMPTY: "",
  URL: "http://ada:hush-hush@a/x",
};

/** What is written for a text that is made of variables, and the variables whose values it holds in another form. */
function written(make: (env: (name: string) => string) => string): [code: string, holds: string[]] {
  const read = new Map<string, string>();
  const env = marking((name) => VALUES[name], read);
  const references = new References(read);
  const code = codeOf(references.in(make((name) => env(name) ?? "")));
  return [code, [...references.holds]];
}

const WRITTEN: Readonly<
  Record<string, readonly [make: Parameters<typeof written>[0], code: string, holds: string[]]>
> = {
  "alone": [(env) => env("A"), 'env("A")', []],
  "within a text that has its value, too": [
    (env) => `one ${env("A")} one`,
    '"one " + env("A") + " one"',
    [],
  ],
  "behind another": [(env) => env("A") + env("B"), 'env("A") + env("B")', []],
  "empty": [(env) => `a${env("EMPTY")}`, '"a"', []],
  "percent-encoded without a change": [
    (env) => withMarks(encodeURIComponent(`é${env("A")}`)),
    '"%C3%A9" + env("A")',
    [],
  ],
  "percent-encoded with a change": [
    (env) => withMarks(encodeURIComponent(env("B"))),
    '"two%20%26%20three"',
    ["B"],
  ],
  "in base64": [
    (env) => madeOf(`ada:${env("B")}${env("C")}`, btoa),
    `"${btoa("ada:two & threefour & five")}"`,
    ["B", "C"],
  ],
  "from its first character on": [(env) => sliced(`ab${env("A")}c`, 2), 'env("A") + "c"', []],
  "to its last character": [(env) => sliced(`ab${env("A")}cd`, 1, 6), '"b" + env("A") + "c"', []],
  "without its first character": [(env) => sliced(`ab${env("A")}c`, 3), '"nec"', []],
  "without its last character": [(env) => sliced(`ab${env("A")}c`, 0, 4), '"abon"', []],
  "without its origin": [(env) => sliced(env("URL"), 22), '"/x"', []],
  "as its credentials in base64": [
    (env) => madeOf(env("URL"), () => btoa("ada:hush-hush")),
    `"${btoa("ada:hush-hush")}"`,
    ["URL"],
  ],
  "around another": [
    (env) => env("A").replace("ne", () => `n${env("B")}`),
    '"on" + env("B")',
    [],
  ],
};

for (const [sentence, [make, code, holds]] of Object.entries(WRITTEN)) {
  Deno.test(`a variable of the environment is written ${sentence}`, () => {
    assert.deepEqual(written(make), [code, holds]);
  });
}

Deno.test("what is read of a text has no marks, and what is not marked stays as it is", () => {
  const env = marking((name) => VALUES[name], new Map());
  assert.equal(unmarked(`a ${env("A")} b`), "a one b");
  assert.deepEqual(unmarkedIn({ [env("A") ?? ""]: [env("B"), 1, null] }), {
    one: ["two & three", 1, null],
  });
  assert.equal(env("EMPTY"), "");
  assert.equal(env("NONE"), undefined);
  assert.deepEqual([isMarked(env("A") ?? ""), isMarked("one")], [true, false]);
  const like = "%EF%B7%90%FF%EF%B7%91one%EF%B7%92";
  for (const text of ["", "one", "\ufdd0one\ufdd2", "%EF%B7%90", like]) {
    assert.deepEqual([unmarked(text), sliced(text, 0), withMarks(text)], [text, text, text]);
    assert.equal(madeOf(text, (text) => `<${text}>`), `<${text}>`);
  }
});
