/** The example pages and pictures: few, small, and made from what README.md shows. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readPage } from "./page.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");
const MB = 1e6;

function bytesOf(folder: string): number {
  const names = readdirSync(join(ROOT, folder));
  assert.ok(names.length > 0);
  return names.reduce((sum, name) => sum + statSync(join(ROOT, folder, name)).size, 0);
}

Deno.test("examples and pictures take at most 2 MB, the pictures 0.3 MB", () => {
  const pictures = bytesOf("docs/images");
  assert.ok(pictures < 0.3 * MB, `${pictures}`);
  assert.ok(pictures + bytesOf("examples") < 2 * MB, `${pictures}`);
});

Deno.test("README.md shows examples/caching.yaml as it is", () => {
  const [shown] = readPage("README.md").blocks.filter(({ mark }) => mark === "file: caching.yaml");
  assert.equal(shown.text, readFileSync(join(ROOT, "examples/caching.yaml"), "utf8"));
});
