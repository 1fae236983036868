/** Turns `BASE..HEAD` into two revisions of the repository that contains a file: commits, or the working tree. */
import { dirname, relative, resolve } from "node:path";
import { type Problem, UserError } from "../../base/errors.ts";
import { gitOutput, type GitPlace, gitText } from "./git.ts";
import { quotedOpenly, withoutSecrets } from "../../base/secrets.ts";

export interface Repository {
  /** The top folder of the repository. */
  readonly root: string;
  /** The folder of the repository's git data, common to all its worktrees. */
  readonly gitFolder: string;
  /** The path of this worktree's index. */
  readonly index: string;
  /** The hash by which the repository's objects are named, such as `sha1`. */
  readonly objectFormat: string;
  /** The path from `root` to the folder of the experiment file; "" if they are the same. */
  readonly inside: string;
}

export interface Revision {
  /** The name that the user gave, or a phrase that says how the revision was chosen. */
  readonly name: string;
  /** The commit; for the working tree, the commit on which it is based. */
  readonly commit: string;
  /** The tree of that commit, which names its files. */
  readonly tree: string;
  /** The first line of the commit's message; may be "". */
  readonly subject: string;
  readonly isWorkingTree: boolean;
}

/** A range as written; null for a side that is left out. */
export interface RevisionRange {
  readonly base: string | null;
  readonly head: string | null;
  /** Whether the range has three dots: BASE is then the point at which HEAD branched off. */
  readonly fromMergeBase: boolean;
}

/** A range. No ref contains two dots, and a path has them between slashes. */
const RANGE = /^(?<base>.*?[^/.])?(?<dots>\.{2,3})(?<head>[^/.].*)?$/s;

/** The range in a text; null if the text is a path or a name. */
export function rangeIn(text: string): RevisionRange | null {
  const { base = null, dots, head = null } = RANGE.exec(text)?.groups ?? {};
  return dots === undefined ? null : { base, head, fromMergeBase: dots.length === 3 };
}

/** The repository of the experiment file's folder. Throws a UserError if there is none. */
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
 * Both revisions. By default BASE is where this branch left the default branch, and HEAD is the working tree. Throws a
 * UserError with every ref that does not exist.
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

/** The call for hash, tree and subject alone, whatever else the user's log settings would show. */
const DETAILS = ["log", "--no-walk", "--no-show-signature", "--no-color", "--format=%H %T %s"];

/** Reads the tree and the subject of each commit. */
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

/** The commit at which the branch of `head` left the default branch. */
async function branchPoint(
  place: GitPlace,
  head: string,
): Promise<Pick<Revision, "name" | "commit">> {
  const branch = await defaultBranch(place);
  return { name: `the merge base with ${branch}`, commit: await mergeBase(place, branch, head) };
}

/** Refs that may be, or name, the default branch: the first that exists counts. */
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
