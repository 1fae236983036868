import assert from "node:assert/strict";
import { GOLDEN, golden } from "./golden.ts";

const made = golden();
const stored = [...Deno.readDirSync(GOLDEN)].map(({ name }) => name);

for (const [name, text] of made) {
  Deno.test(`golden: ${name} has the words that are reviewed, or: deno run -A tests/report/golden.ts`, () =>
    assert.equal(text, Deno.readTextFileSync(new URL(name, GOLDEN))));
}

Deno.test("golden: no file is left of a fixture that is gone", () =>
  assert.deepEqual(stored.toSorted(), [...made.keys()].toSorted()));
