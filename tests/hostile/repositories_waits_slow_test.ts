/** Repositories that want to run a program of theirs while two of their commits are compared. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { UserError } from "../../base/errors.ts";
import { commitOf } from "../../runner/experiment/provenance.ts";
import { checkOut } from "../../targets/revisions/checkout.ts";
import { repositoryOf, revisionsOf } from "../../targets/revisions/revision.ts";
import { runGit, type ScratchRepository, scratchRepository } from "../e2e/scratch_repository.ts";
import { needing } from "../needs.ts";

const withGit = needing("git");

/** A file that only a program of the repository makes. */
const MARK = "ran";

function markPath(scratch: ScratchRepository): string {
  return join(dirname(scratch.path), MARK);
}

function hasRun(scratch: ScratchRepository): boolean {
  try {
    return Deno.statSync(markPath(scratch)).isFile;
  } catch {
    return false;
  }
}

/** A repository for a submodule, beside another. */
function partOf(scratch: ScratchRepository): string {
  const part = join(dirname(scratch.path), "part");
  Deno.mkdirSync(part);
  runGit(part, ["init", "--quiet", "--initial-branch=main"]);
  Deno.writeTextFileSync(join(part, "file.txt"), "of the part");
  runGit(part, ["add", "--all"]);
  runGit(part, ["commit", "--quiet", "--message", "part"]);
  return part;
}

/** @returns The text of the submodule's file in the checkout. */
async function checkedOut(scratch: ScratchRepository): Promise<string> {
  const { signal } = new AbortController();
  const before = Deno.env.get("XDG_CACHE_HOME");
  Deno.env.set("XDG_CACHE_HOME", join(dirname(scratch.path), "cache"));
  try {
    const repository = await repositoryOf(join(scratch.path, "experiment.yaml"), signal);
    const range = { base: "HEAD", head: "HEAD", fromMergeBase: false };
    const { head: revision } = await revisionsOf(range, repository, signal);
    const { folder } = await checkOut({ repository, revision, build: null, signal });
    return Deno.readTextFileSync(join(folder, "part/file.txt"));
  } finally {
    if (before === undefined) Deno.env.delete("XDG_CACHE_HOME");
    else Deno.env.set("XDG_CACHE_HOME", before);
  }
}

const NAMES: readonly ((mark: string) => string)[] = [
  (mark) => `x.update=!touch ${mark} #`,
  () => "--upload-pack=false",
  () => "a name = with [signs] and 'quotes'",
];

for (const name of NAMES) {
  const shown = name("FILE");
  withGit.test(`a submodule called ${shown} is checked out, and runs nothing`, async () => {
    using scratch = scratchRepository();
    const part = partOf(scratch);
    const called = name(markPath(scratch));
    scratch.git("submodule", "--quiet", "add", "--name", called, "--", part, "part");
    scratch.git("submodule", "--quiet", "add", "--name", "x", "--", part, "other");
    scratch.git("commit", "--quiet", "--message", "with a part");
    assert.equal(await checkedOut(scratch), "of the part");
    assert.ok(!hasRun(scratch));
  });
}

withGit.test("a submodule whose name leads out of the clone's submodules is not looked for there", async () => {
  using scratch = scratchRepository();
  scratch.write(".gitmodules", '[submodule "../../../part"]\n\tpath = part\n\turl = x\n');
  scratch.git("add", "--all");
  scratch.git("commit", "--quiet", "--message", "with a part elsewhere");
  partOf(scratch);
  const error: unknown = await checkedOut(scratch).catch((error) => error);
  assert.ok(error instanceof UserError, `${error}`);
  assert.match(error.message, /Cannot check out this submodule/);
});

withGit.test("a folder that looks like a repository of its own runs nothing", async () => {
  using scratch = scratchRepository();
  const inner = join(scratch.path, "inner");
  Deno.mkdirSync(join(inner, "files"), { recursive: true });
  runGit(inner, ["init", "--quiet", "--bare", "."]);
  Deno.writeTextFileSync(
    join(inner, "config"),
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${inner}/files\n` +
      `[filter "own"]\n\tclean = touch ${markPath(scratch)}\n`,
  );
  Deno.writeTextFileSync(join(inner, "files/.gitattributes"), "* filter=own\n");
  Deno.writeTextFileSync(join(inner, "files/a"), "a");
  const bare = ["--git-dir", inner, "--work-tree", join(inner, "files")];
  runGit(inner, [...bare, "-c", "filter.own.clean=cat", "add", "--all"]);
  runGit(inner, [...bare, "-c", "filter.own.clean=cat", "commit", "--quiet", "--message", "inner"]);
  Deno.writeTextFileSync(join(inner, "files/a"), "b");
  await Deno.utime(join(inner, "files/a"), 0, 0);
  assert.equal(await commitOf(inner), null);
  assert.ok(!hasRun(scratch));
});
