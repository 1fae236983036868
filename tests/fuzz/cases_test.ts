/** What fuzzing has found stays mended. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { findingIn } from "./child.ts";
import { inputOf } from "./mutate.ts";
import { decoders } from "./registry.ts";

const CASES = new URL("cases/", import.meta.url);

for (const name of readdirSync(CASES)) {
  Deno.test(`what fuzzing has found in ${name} is a value or an expected error now`, async (test) => {
    const decoder = await decoders[name]();
    for (const found of readdirSync(new URL(`${name}/`, CASES))) {
      const input = JSON.parse(readFileSync(new URL(`${name}/${found}`, CASES), "utf8"));
      await test.step(found, async () => assert.equal(await findingIn(decoder, input), null));
    }
  });
}

Deno.test("every decoder takes its samples as they are, and some mutants of them", async () => {
  for (const load of Object.values(decoders)) {
    const decoder = await load();
    for (const sample of decoder.seeds.samples) await decoder.decode(sample);
    for (let seed = 0; seed < 3; seed++) {
      assert.equal(await findingIn(decoder, inputOf(decoder.seeds, seed)), null);
    }
  }
});

Deno.test("an input is the same whenever it is made", async () => {
  const { seeds } = await decoders.experiment();
  assert.equal(inputOf(seeds, 7), inputOf(seeds, 7));
  assert.notEqual(inputOf(seeds, 7), inputOf(seeds, 8));
});
