/**
 * `run --resume DIR`: continues an interrupted experiment, unless the machine, the version of Plateau or the experiment
 * has changed.
 */
import { basename, join, resolve } from "node:path";
import { type Problem, UserError } from "../../base/errors.ts";
import { listenHost } from "../../base/net/listen_host.ts";
import { withEngine } from "../../base/pattern.ts";
import { SECRET } from "../../base/secrets.ts";
import { describeMachine } from "../../base/system/describe.ts";
import { VERSION } from "../../base/version.ts";
import { YamlText } from "../../base/yaml/yaml_text.ts";
import { type FlagWord, flagWords } from "../../report/subjects/method/command.ts";
import { refusals } from "../../runner/experiment/earlier_runs.ts";
import { contradictions } from "../../runner/experiment/edited_results.ts";
import { hashSettings, openExperiment } from "../../runner/experiment/provenance.ts";
import { changesBetween, changeText } from "../../runner/experiment/setting_changes.ts";
import type { Flags } from "../../runner/result/invocation.ts";
import type { Results } from "../../runner/result/result.ts";
import { thresholdText } from "../../scenarios/claims/threshold.ts";
import { filesFrom } from "../../scenarios/file/disk_files.ts";
import { environment, parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { writeOwnFile } from "../flags/output_flags.ts";
import { changed, planFromFile, type Planned } from "./plan.ts";

/** The flags that the user gave together with --resume; undefined if not given. */
interface ResumeArguments extends Partial<Flags> {
  /** Path of a file, or the name of a built-in experiment. */
  readonly experiment?: string;
  readonly seed?: number;
}

/**
 * Plans the rest of an interrupted experiment. Throws a UserError with every reason why the results can't be resumed.
 * @param kept The results in the folder `dir`.
 */
export async function planResumed(
  dir: string,
  kept: Results,
  again: ResumeArguments,
): Promise<Planned> {
  const { file, flags, seed } = kept;
  if (file === undefined || flags === undefined) throw new UserError([tooOld(dir)]);
  const { threshold = [], host, agents: _, ...changes } = flags;
  const isCopy = again.experiment === undefined;
  const { set, problems: lost } = restoredSet(flags.set, again.set);
  if (isCopy && file.withheld) lost.push(withoutSecretsOf(dir, file.name));
  if (lost.length > 0) throw new UserError(lost);
  const planned = await planFromFile(
    again.experiment ?? await copyOf(dir, file.name, kept.source),
    { ...NO_CHANGES, ...changes, set, seed },
    isCopy ? { folder: resolve(dir, file.folder ?? Deno.cwd()) } : {},
  );
  const thresholds = threshold.map((text) => thresholdText.parse(text));
  const experiment = {
    ...planned.experiment,
    thresholds: [...planned.experiment.thresholds, ...thresholds],
  };
  const settings = otherSettings(kept, { ...planned, experiment });
  const problems = [
    ...refusals(kept, { version: VERSION, machine: describeMachine() }),
    ...otherFlags({ flags, seed }, again),
    ...lostHost(host),
    ...settings,
    // Checked only for the same version and experiment; otherwise every run would differ from its
    // plan.
    ...kept.version === VERSION && settings.length === 0 ? await edits(kept, planned, set) : [],
  ];
  if (problems.length > 0) throw new UserError(problems);
  return { ...planned, experiment };
}

/** Signs that somebody edited the results after Plateau wrote them. */
async function edits(
  kept: Results,
  planned: Planned,
  set: Flags["set"],
): Promise<Problem[]> {
  const found = [...await otherSource(kept, planned, set), ...contradictions(kept, planned)];
  const more = found.length - MOST_CHANGES;
  return [
    ...found.slice(0, MOST_CHANGES),
    ...more > 0
      ? [{ place: "results.json", message: `Cannot resume: ${more} more such differences` }]
      : [],
  ];
}

/** Differences between the copy of the experiment in the results and the experiment to be resumed. */
async function otherSource(
  { source }: Results,
  planned: Planned,
  set: Flags["set"],
): Promise<Problem[]> {
  if (source === planned.source) return [];
  const place = "results.json: source";
  const context = { files: filesFrom(planned.baseDir), set, environment };
  const written = await withEngine(() => parseExperiment(source, place, context));
  const experiment = changed(written, planned.flags);
  const shown = (experiment: object): unknown => jsonOf(openExperiment(experiment));
  return changesBetween(shown(planned.experiment), shown(experiment)).map((change) => ({
    place: `${place}: ${change.path}`,
    message: `Cannot resume an experiment other than the one that was started: ${
      changeText(change)
    }`,
    fix: "restore the original, or start a new run",
  }));
}

function jsonOf(experiment: unknown): unknown {
  return JSON.parse(JSON.stringify(experiment));
}

/**
 * The `--set` values of the interrupted run. Results contain no secret values, so the user has to give secret settings
 * again.
 */
function restoredSet(
  before: Flags["set"],
  again: Flags["set"] = {},
): { readonly set: Flags["set"]; readonly problems: Problem[] } {
  const hidden = Object.keys(before).filter((name) => before[name] === SECRET);
  const unsaid = hidden.filter((name) => again[name] === undefined);
  const said = hidden.flatMap((name) => name in again ? [[name, again[name]] as const] : []);
  return {
    set: { ...before, ...Object.fromEntries(said) },
    problems: unsaid.map((name) => ({
      place: `--set ${name}`,
      message: "Cannot resume without this secret: the results do not hold it",
      fix: `add --set ${name}=… again`,
    })),
  };
}

function withoutSecretsOf(dir: string, name: string): Problem {
  return {
    place: join(dir, name),
    message: "Cannot resume from this copy: the file's secrets were removed from it",
    fix:
      `name the original file: plateau run ${name} --resume ${dir}; a file that has \${env.NAME} in place of ` +
      "its secrets can be resumed from its copy",
  };
}

/** A problem if the address that targets listened on no longer belongs to this machine. */
function lostHost(host: string | undefined): Problem[] {
  const { error } = listenHost.optional().safeParse(host);
  return error?.issues.map(({ message }) => ({ place: "--host", message })) ?? [];
}

const NO_CHANGES = { only: undefined, repeat: undefined, duration: undefined };

function tooOld(place: string): Problem {
  return {
    place,
    message: "Cannot resume these results: they do not contain the command line",
    fix: "start a new run",
  };
}

/** Path of the copy of the experiment file beside the results. Writes the copy if it is missing. */
async function copyOf(dir: string, name: string, source: string): Promise<string> {
  const path = join(resolve(dir), basename(name));
  const isThere = await Deno.lstat(path).then(() => true, () => false);
  if (!isThere) await writeOwnFile(path, source);
  return path;
}

type GivenFlags = Pick<ResumeArguments, "seed"> & { readonly flags: Partial<Flags> };

/** Problems with flags that differ from those of the interrupted run, and so would change the plan. */
function otherFlags(
  before: GivenFlags,
  { experiment: _, seed, ...flags }: ResumeArguments,
): Problem[] {
  const first = everyWord(before);
  const isSaid = ([flag, text]: FlagWord): boolean =>
    first.some((word) =>
      `${word}` === `${[flag, text]}` || `${word}` === `${[flag, hiddenIn(text)]}`
    );
  return everyWord({ seed, flags }).filter((word) => !isSaid(word)).map(([flag, text]) => {
    const said = first.filter(([name]) => name === flag).map(([, text]) => text);
    const was = said.length === 0 ? "was not given" : `was ${said.join(", ")}`;
    return {
      place: flag,
      message: text === ""
        ? `Cannot add this on resume: it ${was}`
        : `Cannot change this to ${text} on resume: it ${was}`,
      fix: "leave it out",
    };
  });
}

/** Turns `name=value` into `name=[secret]`. */
function hiddenIn(assignment: string): string {
  return assignment.replace(/=.*$/s, `=${SECRET}`);
}

function everyWord({ seed, flags }: GivenFlags): FlagWord[] {
  return [...flagWords(flags), ...seed === undefined ? [] : [["--seed", `${seed}`] as const]];
}

/** Maximum number of changes that are listed. */
const MOST_CHANGES = 20;

function otherSettings(kept: Results, { experiment, source, fileName }: Planned): Problem[] {
  const shown = openExperiment(experiment);
  if (hashSettings(shown) === kept.settings) return [];
  const dataOf = (text: string): unknown => new YamlText(text, fileName).data;
  const written = changesBetween(dataOf(kept.source), dataOf(source));
  // A change outside of the experiment file, such as in a CSV file, shows only in the settings.
  const changes = written.length > 0 ? written : changesBetween(kept.experiment, jsonOf(shown));
  const more = changes.length - MOST_CHANGES;
  const fix = "undo it, or start a new run";
  return [
    ...changes.slice(0, MOST_CHANGES).map((change) => ({
      place: `${fileName}: ${change.path}`,
      message: `Cannot resume a changed experiment: ${changeText(change)}`,
      fix,
    })),
    ...more > 0 ? [{ place: fileName, message: `Cannot resume: ${more} more changes`, fix }] : [],
  ];
}
