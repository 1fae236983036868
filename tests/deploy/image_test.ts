/** What an image is built from; tests/e2e/minimal_root_waits_slow_test.ts runs the program as the image would. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { readImports, readText } from "../architecture/tree.ts";
import { findProgram, testWith } from "../needs.ts";
import { DOCKERFILE, readIgnored } from "./image.ts";
import { emptyFolder } from "../e2e/plateau.ts";

function lint(dockerfile: string): { success: boolean; output: string } {
  using folder = emptyFolder();
  const path = join(folder.path, "a");
  Deno.writeTextFileSync(path, dockerfile);
  const program = findProgram("hadolint") ?? "hadolint";
  const { success, stdout } = new Deno.Command(program, { args: [path] }).outputSync();
  return { success, output: new TextDecoder().decode(stdout) };
}

testWith(["hadolint"], "the Dockerfile is without fault", () => {
  const { success, output } = lint(DOCKERFILE);
  assert.ok(success, output);
});

testWith(["hadolint"], "the linter refuses an image without its version", () => {
  const { success, output } = lint(DOCKERFILE.replace("deno:2.9.6", "deno"));
  assert.ok(!success);
  assert.match(output, /DL3006/);
});

Deno.test("the image is built with the Deno that the project's commands name", () => {
  const [, ofImage] = /^FROM denoland\/deno:(\S+)/m.exec(DOCKERFILE) ?? [];
  const [, ofCommands] = /deno@(\d+\.\d+\.\d+)/.exec(readText("README.md")) ?? [];
  assert.equal(ofImage, ofCommands);
});

Deno.test("the image holds all that the program is compiled from, and not the tests", async () => {
  const roots = ["main.ts", "cli/compile.ts", "runner/load/worker/worker.ts"];
  const imports = await readImports([...roots, "runner/calibration/null_responder.ts"]);
  const files = imports.flatMap(({ from, to }) => [from, to]).filter((path) => !path.includes(":"));
  const needed = new Set([
    ...roots,
    ...files,
    "LICENSE",
    "deno.json",
    "deno.lock",
    "targets/frameworks",
  ]);
  assert.ok(needed.size > 100);
  assert.deepEqual([...needed].filter(readIgnored()), []);
  assert.deepEqual([".git/config", "tests/run.ts", "results/a"].filter(readIgnored()).length, 3);
});
