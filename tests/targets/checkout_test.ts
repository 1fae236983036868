/** What of a working tree is compared with a commit. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { checkOut } from "../../targets/revisions/checkout.ts";
import { repositoryOf, revisionsOf } from "../../targets/revisions/revision.ts";
import { runGit, type ScratchRepository, scratchRepository } from "../e2e/scratch_repository.ts";
import { needing } from "../needs.ts";

const withGit = needing("git");

/** @returns The files of the working tree's checkout. */
async function checkedOut(
  scratch: ScratchRepository,
  except: readonly string[],
): Promise<string[]> {
  const { signal } = new AbortController();
  const before = Deno.env.get("XDG_CACHE_HOME");
  Deno.env.set("XDG_CACHE_HOME", join(dirname(scratch.path), "cache"));
  try {
    const repository = await repositoryOf(join(scratch.path, "experiment.yaml"), signal);
    const range = { base: "HEAD", head: null, fromMergeBase: false };
    const { head: revision } = await revisionsOf(range, repository, signal);
    const { folder } = await checkOut({ repository, revision, except, build: null, signal });
    return runGit(folder, ["ls-files", "-z"]).split("\0").filter((name) => name !== "");
  } finally {
    if (before === undefined) Deno.env.delete("XDG_CACHE_HOME");
    else Deno.env.set("XDG_CACHE_HOME", before);
  }
}

function results(scratch: ScratchRepository, ...folders: string[]): string[] {
  return folders.map((name) => {
    const folder = join(scratch.path, name);
    Deno.mkdirSync(folder, { recursive: true });
    scratch.write(join(name, "results.json"), "{}");
    return folder;
  });
}

for (const ignored of ["nothing", "results", "*esults", "results/*"]) {
  withGit.test(`results are left out where .gitignore holds "${ignored}"`, async () => {
    using scratch = scratchRepository();
    scratch.write(".gitignore", `ignored\n${ignored}\n`);
    scratch.write("ignored", "");
    scratch.write("new.txt", "");
    const files = await checkedOut(scratch, results(scratch, "results/mine"));
    const tracked = ["build.js", "burn.txt", "experiment.yaml", "server.js"];
    assert.deepEqual(files.sort(), [".gitignore", "new.txt", ...tracked].sort());
  });
}

withGit.test("results are left out of a folder that git would take for a pattern, and its neighbours are not", async () => {
  using scratch = scratchRepository();
  const names = ["^a", "!b", "*", "[c]", "\\d", "é 🎈", "--e/f"];
  const except = results(scratch, ...names);
  results(scratch, "c", "ef", "^ab");
  const files = await checkedOut(scratch, except);
  assert.deepEqual(
    files.filter((name) => name.endsWith("/results.json")),
    ["^ab/results.json", "c/results.json", "ef/results.json"],
  );
});
