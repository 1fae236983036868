/** `plateau ab`: two commits built and measured, and what it refuses. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { needing } from "../needs.ts";
import { ab, ONCE } from "./ab_of.ts";
import { exits } from "./plateau.ts";
import { scratchRepository } from "./scratch_repository.ts";

const withGit = needing("git", "node");

withGit.test("an unchanged commit is built once, and equal sides are named as such", async () => {
  using scratch = scratchRepository();
  const first = await ab(scratch, "HEAD..HEAD", ...ONCE);
  assert.match(first.stderr, /^Builds server at /m);
  assert.match(first.stderr, /^BASE and HEAD have the same files/m);
  assert.notEqual(first.code, 2, first.stderr);
  const second = await ab(scratch, "HEAD..HEAD", ...ONCE);
  assert.doesNotMatch(second.stderr, /^Builds /m);
  assert.match(second.stderr, /^Uses the kept build of /m);
});

const REFUSED: [sentence: string, args: string[], says: RegExp][] = [
  ["two refs that are not there", ["nope..neither"], /"neither"[\s\S]*"nope"/],
  ["a ref that starts with a dash", ["--", "-x..HEAD"], /-x: Cannot find the commit "-x"/],
  ["a name in place of a range", ["main", "experiment.yaml"], /Cannot read "main" as two commits/],
  ["a built-in experiment", ["quick"], /quick: Cannot compare commits with a built-in experiment/],
  ["a file that is not there", ["other.yaml"], /other\.yaml: Cannot find an experiment/],
];

for (const [sentence, args, says] of REFUSED) {
  withGit.test(`ab refuses ${sentence}, and builds nothing`, async () => {
    using scratch = scratchRepository();
    const { path, env } = scratch;
    const { stderr } = await exits(2, ["ab", ...args], { cwd: path, env });
    assert.match(stderr, says);
    assert.deepEqual(scratch.kept().filter((name) => /^[0-9a-f]{12}-/.test(name)), []);
  });
}

withGit.test("ab refuses a file outside of any repository", async () => {
  using scratch = scratchRepository();
  const file = join(scratch.path, "../experiment.yaml");
  Deno.copyFileSync(join(scratch.path, "experiment.yaml"), file);
  const { stderr } = await exits(2, ab(scratch, file));
  assert.match(stderr, /this file is not in a git repository/);
});

withGit.test("a build that fails ends it with 3, and nothing of it is left", async () => {
  using scratch = scratchRepository();
  const text = Deno.readTextFileSync(join(scratch.path, "experiment.yaml"));
  const step = `[node, -e, "console.log('why'); process.exit(7)"]`;
  scratch.write("experiment.yaml", text.replace("[[node, build.js]]", `[${step}]`));
  const { stderr } = await exits(3, ab(scratch, "HEAD.."));
  assert.match(stderr, /exited with code 7.*\n {2}why/);
  assert.ok(!scratch.kept().includes("server.js"), scratch.kept().join("\n"));
});
