/** docs/results.md against the schema of the result files. */
import assert from "node:assert/strict";
import { measurement, results, run } from "../../runner/result/result.ts";
import { readPage } from "./page.ts";

const { text } = readPage("docs/results.md");

Deno.test("docs/results.md names every key of a result file", () => {
  const keys = [measurement, run, results].flatMap(({ shape }) => Object.keys(shape));
  assert.ok(keys.length > 50);
  assert.deepEqual(keys.filter((key) => !text.includes(`\`${key}\``)), []);
});
