/** An experiment by its name or from a file, with everything that is wrong with it told at once. */
import { basename, dirname, resolve } from "node:path";
import { messageOf, UserError } from "./errors.ts";
import { type Experiment, experimentSpecWith } from "./experiment.ts";
import { experiments } from "./experiments/registry.ts";
import { explain } from "./explain.ts";
import { NO_FILES } from "./files.ts";
import { findingsOf } from "./problems.ts";
import { closest } from "./suggest.ts";
import { YamlText } from "./yaml_text.ts";

export interface ExperimentFile {
  readonly experiment: Experiment;
  /** Word for word. */
  readonly source: string;
  /** Such as `caching.yaml`. */
  readonly fileName: string;
  /** Folder that relative paths in it start from. */
  readonly baseDir: string;
}

/** Throws a UserError with every problem. A built-in experiment comes before a file of its name. */
export async function loadExperiment(nameOrPath: string): Promise<ExperimentFile> {
  const builtIn = Object.hasOwn(experiments, nameOrPath);
  const fileName = builtIn ? `${nameOrPath}.yaml` : basename(nameOrPath);
  const source = builtIn ? experiments[nameOrPath] : await readSource(nameOrPath);
  const baseDir = builtIn ? Deno.cwd() : dirname(resolve(nameOrPath));
  const { filesFrom } = await import("./disk_files.ts");
  const experiment = parseExperiment(source, builtIn ? fileName : nameOrPath, filesFrom(baseDir));
  return { experiment, source, fileName, baseDir };
}

/**
 * @param file What messages call it.
 * @param files What the files hold that it names.
 */
export function parseExperiment(source: string, file: string, files = NO_FILES): Experiment {
  const text = new YamlText(source, file);
  const spec = experimentSpecWith(files);
  const { data: experiment, error } = spec.safeParse(text.data, { error: explain });
  if (!error) return experiment;
  throw new UserError(text.problems(findingsOf(error.issues, text.data)));
}

async function readSource(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
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
