/**
 * Checks out the files of a revision into the user's cache, and never writes to the user's repository, from which git
 * reads objects. Each combination of revision and build has its own checkout, so that nothing is built twice.
 */
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { messageOf, TargetError, UserError } from "../../base/errors.ts";
import { TemporaryFolder } from "../../base/system/temporary_folder.ts";
import { replaceFile } from "../../base/whole_file.ts";
import { type GitPlace, gitSettings, gitText, runGit } from "./git.ts";
import type { Repository, Revision } from "./revision.ts";

export interface Checkout {
  readonly folder: string;
  /** The commit that is checked out: that of the revision, or one made from the working tree. */
  readonly commit: string;
  /** Whether the checkout already exists and has been built. */
  readonly isReady: boolean;
  /** Must be called once the build has succeeded. */
  readonly markReady: () => Promise<void>;
}

export interface CheckoutRequest {
  readonly repository: Repository;
  readonly revision: Revision;
  /** Folders that are to be left out of a commit made from the working tree. */
  readonly except?: readonly string[];
  /** Describes the build. Each different build has its own checkout. */
  readonly build: unknown;
  readonly signal: AbortSignal;
}

/** The maximum number of checkouts to keep of each repository. */
const MOST_KEPT = 6;

/**
 * The folder of a repository's checkouts, which only one process may use at a time. Creates it if needed. Throws a
 * TargetError if it cannot be created.
 */
export async function keptFolder({ root }: Repository): Promise<string> {
  const folder = join(cacheFolder(), digest(root));
  await makeFolder(folder);
  return folder;
}

/**
 * Checks out a revision. Throws a UserError if the user's clone lacks a submodule, a TargetError if anything else
 * fails, or the signal's reason if aborted. If it throws, nothing is left behind.
 */
export async function checkOut(request: CheckoutRequest): Promise<Checkout> {
  const { repository, revision, except = [], build, signal } = request;
  const kept = await keptFolder(repository);
  await using snapshots = TemporaryFolder.make("snapshot", kept);
  const objects = snapshots.path;
  const commit = revision.isWorkingTree
    ? await snapshot(repository, { revision, except, objects, signal })
    : revision.commit;
  const folder = join(kept, `${commit.slice(0, 12)}-${digest(JSON.stringify(build))}`);
  const mark = `${folder}.ready`;
  const markReady = (): Promise<void> => replaceFile(mark, "");
  if (await exists(mark) && await exists(folder)) {
    await markReady(); // marks the checkout as the most recently used
    return { folder, commit, isReady: true, markReady };
  }
  await prune(kept, objects);
  await fill(folder, { repository, commit, objects, signal });
  return { folder, commit, isReady: false, markReady };
}

interface SnapshotRequest {
  readonly revision: Revision;
  readonly except: readonly string[];
  /** The folder to which the objects of the commit are written. */
  readonly objects: string;
  readonly signal: AbortSignal;
}

/**
 * Commits the working tree, with everything that git does not ignore. The commit and its objects are written to
 * `objects` only.
 */
async function snapshot(
  { root, gitFolder, index }: Repository,
  { revision: { commit, tree: before }, except, objects, signal }: SnapshotRequest,
): Promise<string> {
  const copy = join(objects, "index");
  await copyIndex(index, copy);
  const env = {
    GIT_INDEX_FILE: copy,
    GIT_OBJECT_DIRECTORY: objects,
    // In quotes, because an unquoted colon would separate two paths.
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(gitFolder, "objects")),
    ...SIGNED,
  };
  const what = "read the working tree";
  const outside = except.map((folder) => relative(root, folder))
    .filter((path) => path !== "" && !path.startsWith(".."))
    .map(withoutFolder);
  const place = { folder: root, signal, env };
  const added = ["add", "--all", "--", ":(top)", ...outside];
  await runGit({ ...place, stage: objects, what }, added);
  const tree = await gitText(place, ["write-tree"], what);
  if (tree === before) return commit;
  return await gitText(place, ["commit-tree", tree, "-p", commit, "-m", "working tree"], what);
}

/**
 * A pathspec that leaves a folder out. Each character of the path is escaped, which makes the path a pattern. If the
 * pathspec named an ignored folder literally, git would add nothing at all, although the folder is only to be left out.
 */
function withoutFolder(path: string): string {
  return `:(top,exclude,glob)${path.replace(/[^/]/gu, "\\$&")}/**`;
}

/**
 * Copies the index with its modification time, because git reads again every file that is as new as the index or newer.
 * If there is no index, git reads every file.
 */
async function copyIndex(index: string, copy: string): Promise<void> {
  try {
    const { mtime } = await Deno.stat(index);
    await Deno.copyFile(index, copy);
    if (mtime !== null) await Deno.utime(copy, mtime, mtime);
  } catch {
    await Deno.remove(copy).catch(() => {});
  }
}

/** A constant author and date, so that the same files always make the same commit. */
const SIGNED = {
  GIT_AUTHOR_NAME: "plateau",
  GIT_AUTHOR_EMAIL: "plateau",
  GIT_AUTHOR_DATE: "2000-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "plateau",
  GIT_COMMITTER_EMAIL: "plateau",
  GIT_COMMITTER_DATE: "2000-01-01T00:00:00Z",
};

interface FillRequest {
  readonly repository: Repository;
  readonly commit: string;
  /** The folder of the objects that belong to a snapshot. */
  readonly objects: string;
  readonly signal: AbortSignal;
}

async function fill(
  folder: string,
  { repository: { gitFolder, objectFormat }, commit, objects, signal }: FillRequest,
): Promise<void> {
  const what = `check out ${commit.slice(0, 7)}`;
  try {
    await makeFolder(folder);
    const init = ["init", "--quiet", "--template=", `--object-format=${objectFormat}`];
    await gitText({ folder, signal }, init, what);
    const own = join(folder, ".git");
    const lent = join(own, "objects/info");
    await makeFolder(lent);
    await Deno.writeTextFile(join(lent, "alternates"), `${join(gitFolder, "objects")}\n`);
    await copyObjects(objects, join(own, "objects"));
    await Deno.copyFile(join(gitFolder, "shallow"), join(own, "shallow")).catch(() => {});
    const call = { folder, signal, stage: folder, what };
    await runGit(call, ["checkout", "--quiet", "--detach", commit]);
    await checkOutModules(gitFolder, { folder, signal });
  } catch (error) {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    throw error;
  }
}

/** Copies the objects of a snapshot: loose objects (`ab/cdef…`), and packs, into which git puts large files. */
async function copyObjects(from: string, to: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (!isDirectory || !/^([0-9a-f]{2}|pack)$/.test(name)) continue;
    await makeFolder(join(to, name));
    for await (const object of Deno.readDir(join(from, name))) {
      await Deno.copyFile(join(from, name, object.name), join(to, name, object.name));
    }
  }
}

/**
 * Checks out submodules from the objects that the user's clone has of them. Fetches nothing. Throws a UserError that
 * lists the submodules which the clone does not have.
 */
async function checkOutModules(gitFolder: string, place: GitPlace): Promise<void> {
  const { folder } = place;
  if (!await exists(join(folder, ".gitmodules"))) return;
  const listed = ["config", "--file", ".gitmodules", "--null", "--name-only", "--get-regexp"];
  const text = await gitText(place, [...listed, "^submodule\\..*\\.path$"], "read the submodules")
    .catch(() => "");
  const names = text.split("\0").filter((key) => key !== "")
    .map((key) => key.slice("submodule.".length, -".path".length));
  const missing: string[] = [];
  for (const name of names) {
    if (!isWithin(name) || !await exists(join(gitFolder, "modules", name))) missing.push(name);
  }
  if (missing.length > 0) throw new UserError(missing.map(unfetchedModule));
  const env = gitSettings([
    ["protocol.file.allow", "always"],
    ...names.map((name) => [`submodule.${name}.url`, join(gitFolder, "modules", name)] as const),
  ]);
  const call = { ...place, env, stage: folder, what: "check out the submodules" };
  await runGit(call, ["submodule", "--quiet", "update", "--init"]);
}

/** Whether a submodule's name is a relative path without `..` segments. Git demands the same. */
function isWithin(name: string): boolean {
  return name !== "" && !name.startsWith("/") && !name.split("/").includes("..");
}

function unfetchedModule(name: string): { place: string; message: string; fix: string } {
  const message = "Cannot check out this submodule: the clone does not have it";
  return { place: name, message, fix: "git submodule update --init" };
}

/** Removes incomplete checkouts and those that were used longest ago. The logs of the latest failed builds are kept. */
async function prune(kept: string, inUse: string): Promise<void> {
  const entries: { name: string; path: string; usedMs: number }[] = [];
  for await (const { name } of Deno.readDir(kept)) {
    const path = join(kept, name);
    const { mtime } = await Deno.lstat(path);
    if (path !== inUse) entries.push({ name, path, usedMs: mtime?.getTime() ?? 0 });
  }
  entries.sort((a, b) => b.usedMs - a.usedMs);
  const stems = (end: string): string[] =>
    entries.filter(({ name }) => name.endsWith(end)).map(({ name }) => name.slice(0, -end.length));
  const ready = stems(".ready");
  const stay = ready.slice(0, MOST_KEPT - 1);
  const failed = stems(".log").filter((stem) => !ready.includes(stem)).slice(0, MOST_KEPT);
  const names = [
    ...stay.flatMap((stem) => [stem, `${stem}.ready`]),
    ...[...stay, ...failed].map((stem) => `${stem}.log`),
  ];
  // A checkout without its mark is incomplete.
  for (const { path } of entries.filter(({ name }) => !names.includes(name))) {
    await Deno.remove(path, { recursive: true }).catch(() => {});
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { recursive: true });
  } catch (error) {
    throw new TargetError(`Cannot make the folder ${path}: ${messageOf(error)}`);
  }
}

function exists(path: string): Promise<boolean> {
  return Deno.lstat(path).then(() => true, () => false);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** The cache folder according to the XDG Base Directory Specification. */
function cacheFolder(): string {
  return join(Deno.env.get("XDG_CACHE_HOME") || join(homedir(), ".cache"), "plateau/revisions");
}
