/** `plateau setup frameworks` where nothing can be installed. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { freshCache } from "./caches.ts";
import { emptyFolder, exits } from "./plateau.ts";

Deno.test("without their programs each framework is skipped with the reason, exit code 3", async () => {
  using folder = emptyFolder();
  const { stdout, stderr } = await exits(3, ["setup", "frameworks", "express", "gin"], {
    env: { ...freshCache(folder.path), PATH: "/nonexistent" },
  });
  const lines = stdout.trimEnd().split("\n");
  assert.equal(lines.length, 2);
  assert.match(
    lines[0],
    /^express +\S+ +skipped: Cannot install express: there is no node and no npm on PATH: install Node/,
  );
  assert.match(lines[1], /^gin +\S+ +skipped: Cannot install gin: there is no go on PATH/);
  assert.match(stderr, /^Cannot install 2 of 2 frameworks, for the reasons above: express, gin\n$/);
  assert.ok(!existsSync(join(folder.path, "plateau/frameworks")));
});

Deno.test("a name that is none is exit code 2, with the one that was meant", async () => {
  const { stderr } = await exits(2, ["setup", "frameworks", "fastly"]);
  assert.match(stderr, /did you mean "fastify"\?/);
});
