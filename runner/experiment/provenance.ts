/**
 * Where a result comes from: the machine, the commit of the experiment's folder, a hash of the settings, and what an
 * earlier `plateau plan` found for the experiment.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { gitOutput } from "../../targets/revisions/git.ts";
import { describeMachine } from "../../base/system/describe.ts";
import { rememberedPlan } from "../host/plan_cache.ts";
import type { Commit, Results } from "../result/result.ts";
import { secrets } from "../../base/secrets.ts";

export type Provenance = Pick<Results, "machine" | "commit" | "settings" | "detectable">;

/** @param baseDir Folder of the experiment. */
export async function provenanceOf(
  { experiment, baseDir }: {
    readonly experiment: { readonly name: string };
    readonly baseDir: string;
  },
): Promise<Provenance> {
  const detectable = rememberedPlan(experiment.name);
  return {
    machine: describeMachine(),
    commit: await commitOf(baseDir),
    settings: hashSettings(openExperiment(experiment)),
    ...detectable !== null && { detectable },
  };
}

/** Time limit for git, which reads every file of a folder, however many there are. */
const LIMIT_MS = 10_000;

/** Commit of the repository that `folder` is in; null without git, repository or commit, or on abort. */
export async function commitOf(
  folder: string,
  signal: AbortSignal = AbortSignal.timeout(LIMIT_MS),
): Promise<Commit | null> {
  if (!await mayBeInRepository(folder)) return null;
  const status = ["status", "--porcelain=v2", "--branch", "--untracked-files=no"];
  const { success, text } = await gitOutput({ folder, signal }, status).catch(NO_OUTPUT);
  const [, hash] = /^# branch\.oid ([\da-f]+)$/m.exec(text) ?? [];
  if (!success || hash === undefined) return null;
  return { hash, dirty: /^[^#\n]/m.test(text) };
}

/**
 * Whether the folder or a parent of it contains `.git`. If not, there is no need to start git, which would take two
 * processes.
 */
async function mayBeInRepository(folder: string): Promise<boolean> {
  const path = await Deno.realPath(folder).catch(() => null);
  for (let at = path; at !== null; at = at === dirname(at) ? null : dirname(at)) {
    if (existsSync(join(at, ".git"))) return true;
  }
  return false;
}

const NO_OUTPUT = (): { success: boolean; text: string } => ({ success: false, text: "" });

/**
 * SHA-256, in hex, of the settings as canonical JSON, so the order in which they were written does not matter.
 * @param settings The settings without secrets: a short secret could be guessed from the hash, and a new password does
 * not make another experiment.
 */
export function hashSettings(settings: unknown): string {
  const plain: unknown = JSON.parse(JSON.stringify(settings));
  return createHash("sha256").update(canonicalJson(plain)).digest("hex");
}

/** JSON without spaces, with the keys of every object sorted. @param value Any JSON value. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
  return `{${members.join(",")}}`;
}

// How an experiment is stored in its results: without secrets.

/** Keys of an experiment whose values name targets, scenarios and figures. */
const BY_NAME: readonly string[] = ["claims", "thresholds", "published"];

/**
 * An experiment with its secrets hidden, except in the names of targets and scenarios. Names are in every run anyway,
 * and hiding a name such as `static` because an environment variable has that value would protect nothing.
 */
export function openExperiment<Experiment extends object>(experiment: Experiment): Experiment {
  const { targets, scenarios }: { targets?: unknown; scenarios?: unknown } = experiment;
  const names = new Set([targets, scenarios].flatMap((all) => Object.keys(Object(all))));
  const open = (text: string): string => names.has(text) ? text : secrets.text(text);
  return Object.fromEntries(
    Object.entries(experiment).map(([key, value]) => [
      key,
      BY_NAME.includes(key)
        ? secrets.data(value, (text) => secrets.form(text))
        : secrets.data(value, open),
    ]),
  ) as Experiment;
}
