/** Every page begins with an example, and the program does what it shows. */
import assert from "node:assert/strict";
import { type Need, testWith } from "../../needs.ts";
import { readPages } from "../../pages/page.ts";
import { isExample, needsOf, Reader } from "./reader.ts";

const PAGES = readPages();

Deno.test("every page begins with an example that a test runs", () => {
  const without = PAGES.filter(({ blocks }) =>
    !blocks.some((block) => block.isOpening && isExample(block))
  );
  assert.deepEqual(without.map(({ file }) => file).filter((file) => file !== "README.md"), []);
});

for (const page of PAGES) {
  const example = page.blocks.find(isExample);
  if (example === undefined) continue;
  testWith(needsOf(example) as Need[], `the first example of ${page.file} works`, async () => {
    await using reader = new Reader(page);
    await reader.tryOpening();
  });
}
