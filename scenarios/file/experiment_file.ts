/** An experiment by its name or from a file, with everything that is wrong with it told at once. */
import { basename, dirname, resolve } from "node:path";
import { readText } from "../../base/bounded_file.ts";
import { type Environment, NO_ENVIRONMENT } from "./placeholders.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { type Experiment, experimentSpecWith } from "./experiment.ts";
import { experiments } from "../experiments/registry.ts";
import { explain } from "../../base/explain.ts";
import { type Files, NO_FILES } from "../../base/files.ts";
import { fillParameters, type SetParameters } from "./parameters.ts";
import { withEngine } from "../../base/pattern.ts";
import { findingsOf } from "../../base/problems.ts";
import { secretsIn } from "../../base/secret_fields.ts";
import { SECRET, secrets } from "../../base/secrets.ts";
import { closest } from "../../base/suggest.ts";
import type { ImportedFile } from "../imports/registry.ts";
import { YamlText } from "../../base/yaml/yaml_text.ts";

export interface ExperimentFile {
  readonly experiment: Experiment;
  /**
   * Word for word, but without the secrets that stand in it; of a file of another tool, the experiment
   * file that it becomes.
   */
  readonly source: string;
  /** Whether secrets were taken out of `source`, so that it can't be run as it is. */
  readonly withheld: boolean;
  /** Such as `caching.yaml`. */
  readonly fileName: string;
  /** Folder that relative paths in it start from. */
  readonly baseDir: string;
  readonly builtIn: boolean;
  /** Of a file of another tool: what could not be taken over, or is different here. */
  readonly notes: readonly string[];
}

/**
 * Throws a UserError with every problem. A built-in experiment comes before a file of its name.
 * @param set Parameters by name, as YAML text.
 * @param folder Where relative paths in it start, when that is not beside it.
 */
export async function loadExperiment(
  nameOrPath: string,
  set: SetParameters = {},
  folder?: string,
): Promise<ExperimentFile> {
  const builtIn = Object.hasOwn(experiments, nameOrPath);
  const fileName = builtIn ? `${nameOrPath}.yaml` : basename(nameOrPath);
  const source = builtIn ? experiments[nameOrPath] : await readSource(nameOrPath);
  const baseDir = folder ?? (builtIn ? Deno.cwd() : dirname(resolve(nameOrPath)));
  const { filesFrom } = await import("./disk_files.ts");
  const files = filesFrom(baseDir);
  const surroundings = { files, set, environment };
  const foreign = builtIn ? null : await foreignIn(source, nameOrPath, files);
  if (foreign !== null) {
    const parsed = await withEngine(() => parseForeign(foreign, nameOrPath, surroundings));
    return { ...parsed, baseDir };
  }
  const file = builtIn ? fileName : nameOrPath;
  const experiment = await withEngine(() => parseExperiment(source, file, surroundings));
  return { experiment, ...openSource(source, file), fileName, baseDir, builtIn, notes: [] };
}

/** Asked for one variable at a time, as no more of it may be allowed. */
export function environment(name: string): string | undefined {
  return Deno.env.get(name);
}

/** As it may be kept beside results. */
function openSource(source: string, file: string): Pick<ExperimentFile, "source" | "withheld"> {
  const open = new YamlText(source, file).without(secrets);
  const count = (text: string): number => text.split(SECRET).length;
  return { source: open, withheld: count(open) > count(source) };
}

/** Keys that files of other tools have at their top, and experiments do not. */
const FOREIGN = /^[ \t]*(?:\{[ \t]*)?["']?(?:config|log)["']?[ \t]*:/m;

async function foreignIn(source: string, path: string, files: Files): Promise<ImportedFile | null> {
  if (!FOREIGN.test(source)) return null;
  const { importedFile: foreignFile } = await import("../imports/registry.ts");
  return await withEngine(() => foreignFile(source, path, { files }));
}

/** What is wrong with it only as an experiment has its place in the text that it becomes. */
function parseForeign(
  { text, fileName, what, notes }: ImportedFile,
  path: string,
  surroundings: ParseContext,
): Omit<ExperimentFile, "baseDir"> {
  try {
    const experiment = parseExperiment(text, fileName, surroundings);
    return { experiment, ...openSource(text, fileName), fileName, builtIn: false, notes };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const isInText = error.problems.some(({ place }) => place.startsWith(`${fileName}:`));
    if (!isInText) throw error;
    const fix = `plateau init ${fileName} --from ${path} writes that file`;
    const message = `Cannot run ${what} as it is: what it becomes here, ${fileName}, needs mending`;
    throw new UserError([{ place: path, message, fix }, ...error.problems]);
  }
}

interface ParseContext {
  /** What the files hold that the experiment names. */
  readonly files?: Files;
  /** Parameters by name, as YAML text. */
  readonly set?: SetParameters;
  readonly environment?: Environment;
}

/**
 * Call it within `withEngine`, as a pattern needs that.
 * What is secret in it is known from here on, so that no message shows it.
 * @param file What messages call it.
 */
export function parseExperiment(
  source: string,
  file: string,
  { files = NO_FILES, set = {}, environment = NO_ENVIRONMENT }: ParseContext = {},
): Experiment {
  const text = new YamlText(source, file);
  const { data, problems, findings, inFile, ...filled } = fillParameters(
    text.data,
    set,
    environment,
  );
  for (const [value, shown] of filled.secrets) secrets.keep(value, shown);
  for (const value of secretsIn(secrets.data(data))) secrets.keep(value);
  const { data: experiment, error } = experimentSpecWith(files).safeParse(data, { error: explain });
  const wrong = [...findings, ...inFile(findingsOf(error?.issues ?? [], data))];
  if (experiment && problems.length + wrong.length === 0) return experiment;
  throw new UserError([...problems, ...text.problems(wrong)]);
}

async function readSource(path: string): Promise<string> {
  try {
    return await readText(path, "foreignFile");
  } catch (error) {
    throw new UserError([{ place: path, ...whyUnreadable(path, error) }]);
  }
}

function whyUnreadable(path: string, error: unknown): { message: string; fix?: string } {
  if (error instanceof Deno.errors.IsADirectory) {
    return { message: "Cannot read this as an experiment: it is a folder" };
  }
  if (!(error instanceof Deno.errors.NotFound)) {
    return { message: `Cannot read it: ${messageOf(error)}` };
  }
  const names = Object.keys(experiments);
  const meant = closest(path, names);
  return {
    message: "Cannot find an experiment of this name or a file at this path",
    fix: meant ? `did you mean "${meant}"?` : `the built-in experiments are ${names.join(", ")}`,
  };
}
