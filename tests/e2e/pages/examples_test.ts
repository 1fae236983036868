/** Every page begins with an example, and the program does what it shows. */
import assert from "node:assert/strict";
import { type Need, testWith } from "../../needs.ts";
import { readPages } from "../../pages/page.ts";
import { plateau } from "../plateau.ts";
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

Deno.test("docs/command-line.md lists every flag of every command", async () => {
  const page = PAGES.find(({ file }) => file === "docs/command-line.md")?.text ?? "";
  const commands = ["run", "bench", "report", "compare", "agent", "agents", "doctor", "init"];
  const missing = await Promise.all(commands.map(async (command) => {
    const { stdout } = await plateau([command, "--help"]);
    const flags = [...stdout.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
    assert.ok(flags.length > 1, command);
    return flags.filter((flag) => !page.includes(`\`${flag}`)).map((flag) => `${command} ${flag}`);
  }));
  assert.deepEqual(missing.flat(), []);
});
