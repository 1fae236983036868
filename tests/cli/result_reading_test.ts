/** What is said to files that are no results. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { emptyFolder } from "../e2e/plateau.ts";
import { toldOf } from "./command_line.ts";

const files: [sentence: string, text: string, told: RegExp][] = [
  ["a list", "[]", /: Cannot read this as results: Cannot use \[\]: it must be a map/],
  ["a map of nothing", "{}", /: schema: Cannot do without it: it must be plateau\.results\/2$/m],
  ["no JSON", "name: a", /: Cannot read this as results: Unexpected token/],
  [
    "a measurement without its load",
    '{"schema":"plateau.bench/2"}',
    /: Cannot read this as results: load: Cannot do without it$/m,
  ],
];

for (const [sentence, text, told] of files) {
  Deno.test(`compare does not take ${sentence}`, async () => {
    using folder = emptyFolder();
    const path = join(folder.path, "results.json");
    Deno.writeTextFileSync(path, text);
    const lines = await toldOf(["compare", path, path]);
    assert.match(lines.join("\n"), told);
  });
}
