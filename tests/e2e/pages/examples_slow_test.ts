/** Every page begins with an example, and the program does what it shows. */
import assert from "node:assert/strict";
import { commands } from "../../../cli/registry.ts";
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
  const shown = Object.entries(commands).filter(([, { summary }]) => summary !== "");
  const missing = await Promise.all(
    shown.map(async ([command]) => {
      const { stdout } = await plateau([command, "--help"]);
      const flags = [...stdout.matchAll(/^ +(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
      assert.ok(flags.length > 1, command);
      const own = partOf(page, command);
      return flags.filter((flag) => !own.includes(`\`${flag}`)).map((flag) => `${command} ${flag}`);
    }),
  );
  assert.deepEqual(missing.flat(), []);
});

/** What the page says of a command: its section, its rows among the other commands, and what is of all. */
function partOf(page: string, command: string): string {
  const sections = page.split(/^## /m);
  const section = sections.find((section) => section.startsWith(`Flags of ${command}\n`)) ?? "";
  const rows = rowsOf(sections, command).join("\n");
  const asBench = /(?:as for|the flags of) `bench`/.test(section + rows);
  return sections.filter((part) =>
    !part.startsWith("Flags of ") || part === section ||
    part.startsWith("Flags of bench") && asBench
  ).concat(rows).join("\n");
}

function rowsOf(sections: readonly string[], command: string): string[] {
  const others = sections.find((section) => section.startsWith("Flags of other commands")) ?? "";
  return others.split("\n").filter((line) => {
    const [, of = ""] = line.split("|");
    return of.trim() === "all" || of.includes(`\`${command}\``);
  });
}
