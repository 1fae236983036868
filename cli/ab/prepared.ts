/** Checks out and builds two revisions, and plans the experiment that measures both. */
import { join, relative, resolve } from "node:path";
import { UserError } from "../../base/errors.ts";
import type { CommandStep } from "../../base/target/steps.ts";
import type { Revisions } from "../../report/subjects/comparison/comparison.ts";
import type { SideNames } from "../../report/subjects/comparison/revisions.ts";
import { fitted } from "../../report/writing/columns.ts";
import type { AbInvocation } from "../../runner/result/invocation.ts";
import { loadExperiment } from "../../scenarios/file/experiment_file.ts";
import { pairedNames, refuseUnbuilt } from "../../scenarios/file/paired_targets.ts";
import { build } from "../../targets/revisions/build.ts";
import { checkOut, keptFolder } from "../../targets/revisions/checkout.ts";
import { missingPackages } from "../../targets/revisions/packages.ts";
import {
  type Repository,
  repositoryOf,
  type Revision,
  type RevisionRange,
  revisionsOf,
} from "../../targets/revisions/revision.ts";
import { type PairOrder, planPairs } from "../experiment/pairs.ts";
import type { Planned } from "../experiment/plan.ts";
import { occupy } from "../results/out_dir.ts";
import type { AbValues } from "./flags.ts";

export interface PreparedPair {
  readonly name: string;
  readonly names: ReadonlyMap<string, SideNames>;
  /** A text that describes each side, such as `main (a1b2c3d): Add a cache`. */
  readonly revisions: Revisions;
  /** The arguments that repeat the same comparison. */
  readonly again: Pick<AbInvocation, "range" | "file">;
  /**
   * @param only Replaces the value of --only; its targets are named as in the file. @param order Replaces the value of
   * --order.
   */
  readonly plan: (
    only: AbValues["only"],
    seed?: number,
    order?: AbValues["order"],
  ) => Promise<Planned>;
  /** Keeps other processes from using the checkouts until it is disposed. */
  readonly lock: Disposable;
}

interface PairRequest {
  readonly range: RevisionRange;
  readonly file: string;
  readonly values: AbValues;
  readonly signal: AbortSignal;
  readonly onNote: (text: string) => void;
}

/** Throws a UserError if the file or the commits are wrong, and a TargetError if a build fails. */
export async function preparePair(request: PairRequest): Promise<PreparedPair> {
  const { range, file, values, signal, onNote } = request;
  const { experiment, builtIn } = await loadExperiment(file, values.set);
  if (builtIn) throw new UserError([notInRepository(file)]);
  const repository = await repositoryOf(file, signal);
  const { base, head } = await revisionsOf(range, repository, signal);
  const lock = await occupy(await keptFolder(repository));
  const names = pairedNames(Object.keys(experiment.targets));
  refuseUnbuilt(experiment.targets); // checked before anything is built
  const sources = sourcesOf(experiment.targets);
  const builds = sources.filter(({ steps }) => steps.length > 0);
  const making = { ...request, repository, builds, except: resultsOf(experiment.name, values.out) };
  const made = { base: await make(base, making), head: await make(head, making) };
  const folders = { base: made.base.folder, head: made.head.folder };
  if (folders.base === folders.head) onNote(SAME);
  for (const source of sources.filter(({ steps }) => steps.length === 0)) {
    const text = missingPackagesText(source, folders.head);
    if (text !== null) onNote(text);
  }
  return {
    ...{ name: experiment.name, names, lock },
    revisions: { base: namedSide(base, made.base), next: namedSide(head, made.head) },
    again: {
      range: [base.commit, made.head.commit === head.commit ? head.commit : ""]
        .map((commit) => commit.slice(0, SHORT)).join(".."),
      file: relative(repository.root, await Deno.realPath(file)),
    },
    plan: (only, seed, wanted = values.order) => {
      const given = { ...values, only, seed: seed ?? values.seed };
      const asked = { ...request, values: { ...values, order: wanted } };
      return planIn((order) => planPairs(file, given, { folders, names, order }), asked);
    },
  };
}

/**
 * Plans slices. Plans blocks instead if --order asks for blocks, or if slices are impossible and --order does not ask
 * for slices.
 */
async function planIn(
  plan: (order: PairOrder) => Promise<Planned>,
  { values: { order, duration }, onNote }: PairRequest,
): Promise<Planned> {
  if (order === "blocks") return await plan(order);
  try {
    return await plan("slices");
  } catch (error) {
    if (order === "slices" || !(error instanceof UserError)) throw error;
    const own = duration === undefined ? ["order", "--duration"] : ["order"];
    if (!error.problems.every(({ place }) => own.includes(place))) throw error;
    onNote(`Measures in blocks: ${error.problems[0].message}`);
    return await plan("blocks");
  }
}

/** Number of leading hex digits of a commit's hash that are enough to identify the commit. */
const SHORT = 12;

const SAME = "BASE and HEAD have the same files, so any difference is noise of this machine";

function notInRepository(file: string): { place: string; message: string; fix: string } {
  const message = "Cannot compare commits with a built-in experiment: it is not in a repository";
  return { place: file, message, fix: "name a file of your repository" };
}

/** The folder in which a target's commands run, and the steps that build the target. */
interface TargetSource {
  readonly target: string;
  readonly cwd: string;
  /** The steps of the target's `build`; empty if it has none. */
  readonly steps: readonly CommandStep[];
}

function sourcesOf(targets: Readonly<Record<string, object>>): TargetSource[] {
  return Object.entries(targets).flatMap(([target, spec]) =>
    "command" in spec
      ? [{
        target,
        cwd: "cwd" in spec ? String(spec.cwd) : ".",
        steps: "build" in spec && Array.isArray(spec.build) ? spec.build : [],
      }]
      : []
  );
}

/**
 * A note that the target may need packages that its checkouts lack; null if none are missing. @param folder Folder of
 * the experiment file within a checkout.
 */
function missingPackagesText({ target, cwd }: TargetSource, folder: string): string | null {
  const missing = missingPackages(join(folder, cwd));
  return missing &&
    `Checkouts have ${missing.lock} but no ${missing.into}, because git ignores ${missing.into}; if target ${target} ` +
      `needs its packages, write build: [[${missing.command.join(", ")}]]`;
}

/** Folders with results, which are left out of a commit made from the working tree. */
function resultsOf(name: string, out: string | undefined): string[] {
  return [resolve("results", name), ...out === undefined ? [] : [resolve(out)]];
}

interface MakeRequest extends PairRequest {
  readonly repository: Repository;
  readonly builds: readonly TargetSource[];
  readonly except: readonly string[];
}

interface CheckedOut {
  /** The commit that was checked out. A working tree with changes is checked out as a temporary commit of its own. */
  readonly commit: string;
  /** Folder of the experiment file within the revision's checkout. */
  readonly folder: string;
  readonly label: string;
}

/** Checks out a revision and, unless a build of that revision was kept, builds all targets in it. */
async function make(revision: Revision, request: MakeRequest): Promise<CheckedOut> {
  const { repository, builds, except, signal, onNote } = request;
  const checkout = await checkOut({ repository, revision, except, build: builds, signal });
  const folder = join(checkout.folder, repository.inside);
  const label = labelOf(revision, checkout.commit);
  if (checkout.isReady) {
    if (builds.length > 0) onNote(`Uses the kept build of ${label}`);
    return { folder, label, commit: checkout.commit };
  }
  for (const { target, cwd, steps } of builds) {
    await build({
      ...{ steps, signal, stage: checkout.folder, cwd: join(folder, cwd) },
      log: `${checkout.folder}.log`,
      what: `${target} at ${label}`,
      onStep: (command) => onNote(`Builds ${target} at ${label}: ${command}`),
    });
  }
  if (builds.length === 0) onNote(`Checked out ${label}; there is nothing to build`);
  await checkout.markReady();
  return { folder, label, commit: checkout.commit };
}

/**
 * The label of a side, followed by the subject of its commit; without the subject if the files differ from the commit.
 */
function namedSide({ subject, commit }: Revision, made: CheckedOut): string {
  return subject === "" || made.commit !== commit
    ? made.label
    : `${made.label}: ${fitted(subject, MOST_SUBJECT)}`;
}

/** Maximum width, in columns, of a commit's subject. */
const MOST_SUBJECT = 72;

/**
 * The label of a revision, such as `main (a1b2c3d)`; only the short hash if the name is itself a hash.
 * @param made The commit that was checked out.
 */
function labelOf({ name, commit, isWorkingTree }: Revision, made: string): string {
  const short = commit.slice(0, 7);
  if (commit.startsWith(name)) return short;
  return isWorkingTree && made !== commit
    ? `${name} (${short} with changes)`
    : `${name} (${short})`;
}
