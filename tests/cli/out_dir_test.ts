/** The folder of the results: what may not be written over. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { refuseUnfinished } from "../../cli/results/out_dir.ts";
import { UserError } from "../../base/errors.ts";
import { LIMITS } from "../../base/limits.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { resultsFixture } from "../report/fixture.ts";
import { toldOf } from "./command_line.ts";

const CELL = { target: "a", scenario: "s", medianMs: 2, duration: 1, parameters: {} };

const unfinished: [state: "running" | "interrupted" | "done", isRefused: boolean][] = [
  ["running", true],
  ["interrupted", true],
  ["done", false],
];

for (const [state, isRefused] of unfinished) {
  Deno.test(`a folder whose experiment is ${state} is ${isRefused ? "refused" : "taken"}`, async () => {
    using folder = emptyFolder();
    const results = resultsFixture({ cells: [{ ...CELL, runs: 2 }] });
    const text = JSON.stringify({ ...results, state, planned: 9, flags: {} });
    Deno.writeTextFileSync(join(folder.path, "results.json"), text);
    const error: unknown = await refuseUnfinished(folder.path).catch((error) => error);
    if (!isRefused) return assert.equal(error, undefined);
    assert.ok(error instanceof UserError);
    assert.match(error.message, /2 of 9 runs .* would be lost \(.*--resume .*--out\)$/);
  });
}

/** What results hold of the command that wrote them → the fix that is named. */
const resumptions: [of: string, held: object, fix: RegExp][] = [
  ["run", { flags: { duration: "1s" } }, /\(resume it with plateau run --resume \S+, or choose/],
  ["ab", { ab: {} }, /\(resume it: repeat its plateau ab with --out \S+ --resume; or choose/],
  ["plan", {}, /\(choose another folder with --out\)$/],
  ["run of version 1", { schema: "plateau.results/1" }, /\(choose another folder with --out\)$/],
];

for (const [of, held, fix] of resumptions) {
  Deno.test(`a folder with an interrupted ${of} is refused, and the fix is one that works`, async () => {
    using folder = emptyFolder();
    const results = resultsFixture({ cells: [{ ...CELL, runs: 2 }] });
    const { flags: _, ...written } = { ...results, state: "interrupted", planned: 9 };
    const text = JSON.stringify({ ...written, ...held });
    Deno.writeTextFileSync(join(folder.path, "results.json"), text);
    await assert.rejects(refuseUnfinished(folder.path), fix);
  });
}

Deno.test("a folder with a measurement of bench is refused", async () => {
  using folder = emptyFolder();
  const text = JSON.stringify({ schema: "plateau.bench/2", rate: 5 });
  Deno.writeTextFileSync(join(folder.path, "results.json"), text);
  await assert.rejects(
    refuseUnfinished(folder.path),
    /a measurement by plateau bench \(.*--out\)$/,
  );
});

Deno.test("a folder without results is taken, and one with another results.json", async () => {
  using folder = emptyFolder();
  await refuseUnfinished(folder.path);
  for (const text of ["", "[]", '{"state":"running"}']) {
    Deno.writeTextFileSync(join(folder.path, "results.json"), text);
    await refuseUnfinished(folder.path);
  }
});

Deno.test("a folder whose results are too large to be looked at is refused", async () => {
  using folder = emptyFolder();
  const path = join(folder.path, "results.json");
  Deno.writeTextFileSync(path, "{");
  Deno.truncateSync(path, LIMITS.resultFile.most + 1); // a file with a hole takes no room on the disk
  const large: unknown = await refuseUnfinished(folder.path).catch((error) => error);
  assert.ok(large instanceof UserError);
  assert.match(large.message, /cannot be read: a file of results is larger .*--out\)$/);
  Deno.writeTextFileSync(path, "[".repeat(LIMITS.nesting.most + 1));
  await assert.rejects(refuseUnfinished(folder.path), /levels of nesting/);
});

for (const name of ["results.json", "Results.JSON", "report.html"]) {
  Deno.test(`an experiment file called ${name} is refused: results have a file of that name`, async () => {
    using folder = emptyFolder();
    Deno.copyFileSync("tests/e2e/fixtures/small.yaml", join(folder.path, name));
    const [line, ...rest] = await toldOf(["run", join(folder.path, name)]);
    assert.deepEqual(rest, []);
    assert.match(
      line,
      /: Cannot run a file of this name, because .*rename the experiment file.*--resume DIR/,
    );
  });
}
