/**
 * Resolves `BASE..HEAD` to two revisions of the repository that contains a file. Each is a commit or the working tree.
 */
import { dirname, relative, resolve } from "node:path";
import { type Problem, UserError } from "../../base/errors.ts";
import { gitOutput, type GitPlace, gitText } from "./git.ts";
import { quotedOpenly, withoutSecrets } from "../../base/secrets.ts";

export interface Repository {
  /** The top-level folder of the working tree. */
  readonly root: string;
  /** The folder of git's data, which all worktrees of the repository share. */
  readonly gitFolder: string;
  /** The path of the index of this worktree. */
  readonly index: string;
  /** The hash algorithm for object names, such as `sha1`. */
  readonly objectFormat: string;
  /** The path from `root` to the experiment file's folder; "" if they are the same. */
  readonly inside: string;
}

export interface Revision {
  /** The name that the user gave, or a phrase such as "the merge base with main". */
  readonly name: string;
  /** The commit; for the working tree, the commit on which it is based. */
  readonly commit: string;
  /** Hash of the tree of `commit`. Equal hashes of two commits mean equal files. */
  readonly tree: string;
  /** The first line of the commit's message; may be "". */
  readonly subject: string;
  readonly isWorkingTree: boolean;
}

/** A range as the user wrote it; a side is null if it was left out. */
export interface RevisionRange {
  readonly base: string | null;
  readonly head: string | null;
  /** Whether the range has three dots. If so, its base is the merge base of the two sides. */
  readonly fromMergeBase: boolean;
}

/** Matches a range. A ref never contains `..`, and in a path, `..` stands next to a slash. */
const RANGE = /^(?<base>.*?[^/.])?(?<dots>\.{2,3})(?<head>[^/.].*)?$/s;

/** Parses a range; null if the text is a path or a name. */
export function rangeIn(text: string): RevisionRange | null {
  const { base = null, dots, head = null } = RANGE.exec(text)?.groups ?? {};
  return dots === undefined ? null : { base, head, fromMergeBase: dots.length === 3 };
}

/** The repository that contains the experiment file. Throws a UserError if there is none. */
export async function repositoryOf(file: string, signal: AbortSignal): Promise<Repository> {
  const folder = dirname(resolve(file));
  const { success, text } = await gitOutput({ folder, signal }, [
    ...["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir"],
    ...["--git-path", "index", "--show-object-format"],
  ]);
  const [root, gitFolder, index, objectFormat] = text.split("\n");
  if (!success || objectFormat === undefined) {
    const message = "Cannot compare commits: this file is not in a git repository";
    throw new UserError([{ place: file, message, fix: "move it into the repository" }]);
  }
  const inside = relative(root, await Deno.realPath(folder));
  return { root, gitFolder, index, objectFormat, inside };
}

/**
 * Both revisions of a range. By default, the base is where HEAD branched off from the default branch, and the head is
 * the working tree. Throws a UserError that lists every ref which does not exist.
 */
export async function revisionsOf(
  range: RevisionRange,
  { root }: Repository,
  signal: AbortSignal,
): Promise<{ readonly base: Revision; readonly head: Revision }> {
  const place = { folder: root, signal };
  const problems: Problem[] = [];
  const headCommit = await commitOf(place, range.head ?? "HEAD", problems);
  const named = range.base === null ? null : await commitOf(place, range.base, problems);
  if (problems.length > 0) throw new UserError(problems);
  const head = {
    name: range.head ?? "the working tree",
    commit: headCommit,
    isWorkingTree: range.head === null,
  };
  const base = named === null ? await branchPoint(place, headCommit) : range.fromMergeBase
    ? {
      name: `${range.base} (where they diverged)`,
      commit: await mergeBase(place, named, headCommit),
    }
    : { name: range.base ?? "", commit: named };
  const details = await detailsOf(place, [base.commit, head.commit]);
  return {
    base: { ...base, ...details(base.commit), isWorkingTree: false },
    head: { ...head, ...details(head.commit) },
  };
}

/** Arguments to print only hash, tree and subject, whatever the user's git settings add to a log. */
const DETAILS = ["log", "--no-walk", "--no-show-signature", "--no-color", "--format=%H %T %s"];

async function detailsOf(
  place: GitPlace,
  commits: readonly string[],
): Promise<(commit: string) => Pick<Revision, "tree" | "subject">> {
  const text = await gitText(
    place,
    [...DETAILS, "--end-of-options", ...commits],
    "read the commits",
  );
  const lines = text.split("\n").map((line) => line.split(" "));
  return (commit) => {
    const [, tree = "", ...subject] = lines.find(([hash]) => hash === commit) ?? [];
    return { tree, subject: subject.join(" ") };
  };
}

async function commitOf(place: GitPlace, ref: string, problems: Problem[]): Promise<string> {
  const parsed = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const { success, text } = await gitOutput(place, parsed);
  if (success) return text;
  const fix = await isShallow(place)
    ? "this clone is shallow; run git fetch --unshallow (in CI, set fetch-depth: 0)"
    : "name a branch, a tag or a commit of this repository";
  problems.push({
    place: withoutSecrets(ref),
    message: `Cannot find the commit ${quotedOpenly(ref)}`,
    fix,
  });
  return "";
}

/** Where the history of `head` branched off from the default branch. */
async function branchPoint(
  place: GitPlace,
  head: string,
): Promise<Pick<Revision, "name" | "commit">> {
  const branch = await defaultBranch(place);
  return { name: `the merge base with ${branch}`, commit: await mergeBase(place, branch, head) };
}

/** Refs that are, or point at, the default branch. The first that exists is used. */
const DEFAULTS = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];

async function defaultBranch(place: GitPlace): Promise<string> {
  const format = "--format=%(refname) %(refname:short) %(symref:short)";
  const { text } = await gitOutput(place, ["for-each-ref", format, ...DEFAULTS]);
  const found = new Map(
    text.split("\n").map((line) => {
      const [ref, name, target] = line.split(" ");
      return [ref, target || name];
    }),
  );
  const [first] = DEFAULTS.flatMap((ref) => found.get(ref) ?? []);
  if (first !== undefined) return first;
  const { text: name } = await gitOutput(place, ["config", "init.defaultBranch"]);
  const named = ["show-ref", "--verify", "--quiet", `refs/heads/${name}`];
  if (name !== "" && (await gitOutput(place, named)).success) return name;
  const message = "Cannot find out which branch of this repository is the default";
  throw new UserError([{ place: "BASE", message, fix: "name both: plateau ab BASE..HEAD" }]);
}

async function mergeBase(place: GitPlace, base: string, head: string): Promise<string> {
  const { success, text } = await gitOutput(place, ["merge-base", "--end-of-options", base, head]);
  if (success) return text;
  const fix = await isShallow(place)
    ? "this clone is shallow; run git fetch --unshallow (in CI, set fetch-depth: 0)"
    : "name BASE: plateau ab BASE..HEAD";
  const message = `Cannot find the common ancestor of ${head} and ${base}`;
  throw new UserError([{ place: "BASE", message, fix }]);
}

async function isShallow(place: GitPlace): Promise<boolean> {
  return await gitText(place, ["rev-parse", "--is-shallow-repository"], "read the repository") ===
    "true";
}
