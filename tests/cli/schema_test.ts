/** The JSON Schema of an experiment file, as an editor would judge a file by it. */
import assert from "node:assert/strict";
import * as z from "zod";
import { plateau } from "../e2e/plateau.ts";

const { stdout } = await plateau(["schema", "experiment"]);
const schema = z.fromJSONSchema(JSON.parse(stdout));

const FILE = {
  name: "a",
  targets: { api: { app: "api" }, ours: { command: ["node"], env: { THREADS: [4, 16] } } },
  scenarios: { s: { get: "/", load: { rate: "5/s" } } },
};

const files: [sentence: string, more: Record<string, unknown>, isRight: boolean][] = [
  ["a file without parameters", {}, true],
  [
    "choices and values",
    { parameters: { scale: { small: {}, big: null }, n: 5, all: [1, "a"] } },
    true,
  ],
  ["a parameter for a number", { load: { connections: "${n}", duration: "1s" } }, true],
  ["a parameter for a switch", { fresh: "${f}" }, true],
  ["a parameter for one of several words", { order: "${order}" }, true],
  ["a parameter for a URL", { targets: { u: { url: "${server}" } } }, true],
  ["a parameter within a path", { scenarios: { s: { get: "/users/${id}" } } }, true],
  ["another text for a number", { load: { connections: "many" } }, false],
  ["another text for a switch", { fresh: "yes" }, false],
  ["another word", { order: "random" }, false],
  ["a parameter in the name of a target", { targets: { "${name}": { app: "api" } } }, false],
  ["a number as a choice", { parameters: { scale: { small: 5 } } }, false],
];

Deno.test("its patterns have no classes of Unicode, which not every validator knows", () => {
  assert.match(stdout, /"pattern": /);
  assert.doesNotMatch(stdout, /\\p\{/);
});

for (const [sentence, more, isRight] of files) {
  Deno.test(`an editor ${isRight ? "takes" : "refuses"} ${sentence}`, () => {
    const { success, error } = schema.safeParse({ ...FILE, ...more });
    assert.equal(success, isRight, error?.message);
  });
}
