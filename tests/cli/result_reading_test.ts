/** What is said to files that are no results. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { emptyFolder } from "../e2e/plateau.ts";
import { toldOf } from "./command_line.ts";

const files: [sentence: string, text: string, told: RegExp][] = [
  ["a list", "[]", /: Cannot read this as results: Cannot use \[\]: it must be a map/],
  ["a map of nothing", "{}", /: schema: Cannot leave it out: it must be plateau\.results\/2$/m],
  ["no JSON", "name: a", /: Cannot read this as results: Unexpected token/],
  [
    "a measurement without its load",
    '{"schema":"plateau.bench/2"}',
    /: Cannot read this as results: load: Cannot leave it out$/m,
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

for (const [command, ...where] of [["report", "."], ["explain", "."], ["explain", "cache"]]) {
  Deno.test(`${command} of ${where} names the newest results below a folder that holds none`, async () => {
    using folder = emptyFolder();
    for (
      const [at, time] of ["cache/2026-11-27", "cache/2026-11-28", "other/2026-11-26"].entries()
    ) {
      const file = join(folder.path, time, "results.json");
      Deno.mkdirSync(join(file, ".."), { recursive: true });
      Deno.writeTextFileSync(file, "{}");
      Deno.utimeSync(file, at === 1 ? 2_000 : 1_000, at === 1 ? 2_000 : 1_000);
    }
    const asked = join(folder.path, ...where);
    const newest = join(folder.path, "cache/2026-11-28");
    const lines = await toldOf([command, asked]);
    const told = "Cannot read this as results: the folder has no results.json";
    assert.deepEqual(lines, [
      `${asked}: ${told} (name one of the folders in it; the newest is ${newest})`,
    ]);
  });
}

Deno.test("a folder without any results below it is told apart", async () => {
  using folder = emptyFolder();
  Deno.mkdirSync(join(folder.path, "deep/deeper/deepest"), { recursive: true });
  Deno.writeTextFileSync(join(folder.path, "deep/deeper/deepest/results.json"), "{}");
  const lines = await toldOf(["report", folder.path]);
  assert.match(
    lines.join("\n"),
    /: the folder has no results\.json \(name a folder that plateau run wrote\)$/,
  );
});
