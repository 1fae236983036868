/** Loads an experiment by its name or from a file. If it is invalid, all its problems are reported at once. */
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import { readText } from "../../base/bounded_file.ts";
import { type Environment, NO_ENVIRONMENT } from "./placeholders.ts";
import { messageOf, type Problem, UserError } from "../../base/errors.ts";
import type { readProtoFile } from "../../base/grpc/proto_file.ts";
import { type Experiment, experimentSpecWith } from "./experiment_shape.ts";
import { experiments } from "../experiments/registry.ts";
import { AS_INPUT } from "../../base/explain.ts";
import { type Files, NO_FILES } from "../../base/files.ts";
import { fillParameters, type SetParameters } from "./parameters.ts";
import { withEngine } from "../../base/pattern.ts";
import { findingsOf, type PathProblem } from "../../base/problems.ts";
import { secretsIn } from "../../base/secret_fields.ts";
import { SECRET, secrets, withoutSecrets } from "../../base/secrets.ts";
import { closest } from "../../base/suggest.ts";
import type { ImportedFile } from "../imports/registry.ts";
import { isScript } from "./module_name.ts";
import { YamlText } from "../../base/yaml/yaml_text.ts";

export interface ExperimentFile {
  readonly experiment: Experiment;
  /**
   * The text of the file without its secrets. If the file belongs to another tool, this is the experiment file to which
   * it was converted.
   */
  readonly source: string;
  /** Whether secrets were removed from `source`, so that it can't be run as it is. */
  readonly withheld: boolean;
  /** The name of the file, such as `caching.yaml`. */
  readonly fileName: string;
  /** The folder to which paths in the file are relative. */
  readonly baseDir: string;
  readonly builtIn: boolean;
  /** Notes on the conversion of another tool's file: which parts have no counterpart, and what differs. */
  readonly notes: readonly string[];
}

export interface LoadOptions extends Pick<ParseContext, "arranged"> {
  /** The folder to which paths in the file are relative, if it is not the file's own folder. */
  readonly folder?: string;
}

/**
 * Throws a UserError that lists every problem. If a built-in experiment and a file have the same name, the built-in one
 * is loaded.
 * @param set The values of parameters by name, as YAML.
 */
export async function loadExperiment(
  nameOrPath: string,
  set: SetParameters = {},
  { folder, arranged }: LoadOptions = {},
): Promise<ExperimentFile> {
  const builtIn = Object.hasOwn(experiments, nameOrPath);
  const fileName = builtIn ? `${nameOrPath}.yaml` : basename(nameOrPath);
  const source = builtIn ? experiments[nameOrPath] : await readSource(nameOrPath);
  const baseDir = folder ?? (builtIn ? Deno.cwd() : dirname(resolve(nameOrPath)));
  const { filesFrom } = await import("./disk_files.ts");
  const files = filesFrom(baseDir, await protoReaderFor(source));
  const context = { files, set, environment, arranged };
  const imported = builtIn ? null : await importOf(source, nameOrPath, files);
  if (imported !== null) {
    const parsed = await withEngine(() => parseImported(imported, nameOrPath, context));
    return { ...parsed, baseDir };
  }
  if (!builtIn && isScript(nameOrPath)) {
    const { scriptFile } = await import("./script_file.ts");
    const { text, problems, fileName, set: left } = await scriptFile(nameOrPath, set, environment);
    const yaml = importedYaml(text, nameOrPath);
    const ofScript = { ...context, files: filesFrom(baseDir, await protoReaderFor(text)) };
    const experiment = await withEngine(() =>
      experimentIn(yaml, { ...ofScript, set: left }, problems)
    );
    return { experiment, ...openSource(text, yaml), fileName, baseDir, builtIn, notes: [] };
  }
  const file = builtIn ? fileName : nameOrPath;
  const text = new YamlText(source, file);
  const experiment = await withEngine(() => experimentIn(text, context));
  return { experiment, ...openSource(source, text), fileName, baseDir, builtIn, notes: [] };
}

/** Loads the code that reads `.proto` files, but only if the text may name such a file. */
async function protoReaderFor(source: string): Promise<typeof readProtoFile | undefined> {
  return /\bproto\b/.test(source)
    ? (await import("../../base/grpc/proto_file.ts")).readProtoFile
    : undefined;
}

/** Reads one variable at a time, because Plateau may have permission for only some of them. */
export function environment(name: string): string | undefined {
  return Deno.env.get(name);
}

/** The source without secrets, so that it may be stored with results. */
function openSource(source: string, text: YamlText): Pick<ExperimentFile, "source" | "withheld"> {
  const open = text.without(secrets);
  const count = (text: string): number => text.split(SECRET).length;
  return { source: open, withheld: count(open) > count(source) };
}

/** Matches text that occurs in files of other tools, but not in experiment files. */
const OF_OTHER_TOOLS =
  /^[ \t]*(?:\{[ \t]*)?["']?(?:config|log|openapi|swagger)["']?[ \t]*:|^["']?scenarios["']?[ \t]*:[ \t]*\r?\n?[ \t]*[-[]|^[ \t]*import\s[^"'`;]{0,500}["']k6\b|<jmeterTestPlan\b|"openapi"\s*:\s*"3\.|"_postman_id"\s*:|postman\.com\/json\/collection\b/m;

async function importOf(source: string, path: string, files: Files): Promise<ImportedFile | null> {
  if (!OF_OTHER_TOOLS.test(source)) return null;
  const { importedFile } = await import("../imports/registry.ts");
  return await withEngine(() => importedFile(source, path, { files }));
}

/**
 * Converts another tool's file to a valid experiment file, which `init` writes; null if the file is of no known tool.
 * Throws a UserError that lists every problem of the other tool's file with its line.
 * @param path The path of the other tool's file, for messages.
 * @param file The path at which the experiment file will be written. Paths in the experiment file are relative to its
 * folder.
 * @param writes Whether to include requests that may change data. This matters only for files that describe a service,
 * such as OpenAPI.
 */
export async function convertedFile(
  source: string,
  path: string,
  { file, writes = false }: { readonly file: string; readonly writes?: boolean },
): Promise<ImportedFile | null> {
  const { filesFrom } = await import("./disk_files.ts");
  const [from, to] = [dirname(resolve(path)), dirname(resolve(file))];
  const pathOf = pathsFrom(path, file);
  const { importedFile } = await import("../imports/registry.ts");
  return await withEngine(() => {
    const imported = importedFile(source, path, { files: filesFrom(from), pathOf, writes });
    if (imported === null) return null;
    if (imported.holds.length > 0) {
      throw new UserError(imported.holds.map(heldIn(path, BY_A_FUNCTION)));
    }
    // Variables that the file reads do not have to be set yet.
    const standIns = (name: string): string | undefined =>
      environment(name) ?? (imported.variables.includes(name) ? `(${name})` : undefined);
    parseImported(imported, path, { files: filesFrom(to), environment: standIns });
    return imported;
  });
}

/**
 * The problem with a file that would contain a variable's value. It is not written, because others may read the file,
 * and it may be kept for long.
 */
function heldIn(path: string, fix: string): (name: string) => Problem {
  return (name) => ({
    place: withoutSecrets(path),
    message: "Cannot write this as a file: it would hold the value of the environment variable " +
      `${name} where no placeholder can stand for it, such as in base64 or in the name of a field`,
    fix,
  });
}

const BY_A_FUNCTION =
  "make the header field or body that holds the value with a function, in a file that ends in .ts";
const BY_ITS_OWN =
  "name a function of the processor in the beforeRequest of its step, so that the request is made when the file runs";

/** An experiment in TypeScript, which `init` writes. */
interface WrittenScript {
  readonly text: string;
  readonly notes: readonly string[];
}

/**
 * Converts a k6 or Artillery script to an experiment in TypeScript that keeps the script's functions; null for any
 * other file. Throws a UserError if nothing can be converted, or if the experiment would contain the value of an
 * environment variable.
 * @param path The path of the script, for messages.
 * @param file The path at which the experiment will be written. Paths in the experiment are relative to its folder.
 */
export async function convertedScript(
  source: string,
  path: string,
  file: string,
): Promise<WrittenScript | null> {
  const { filesFrom } = await import("./disk_files.ts");
  const made = await functionsOf(source, path, file);
  if (made === null) return null;
  const { text, notes, holds = [] } = made;
  if (holds.length > 0) throw new UserError(holds.map(heldIn(path, BY_ITS_OWN)));
  const { scriptFile } = await import("./script_file.ts");
  try {
    const { text: yaml } = await scriptFile(file, {}, environment, text);
    const files = filesFrom(dirname(resolve(file)));
    await withEngine(() => experimentIn(importedYaml(yaml, file), { files, environment }));
    return { text, notes };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const [{ message }] = error.problems;
    return { text, notes: [...notes, `the written file does not run yet: ${message}`] };
  }
}

async function functionsOf(
  source: string,
  path: string,
  file: string,
): Promise<WrittenScript & { readonly holds?: readonly string[] } | null> {
  const { filesFrom } = await import("./disk_files.ts");
  const { isK6, k6Experiment } = await import("../imports/k6_experiment.ts");
  const files = filesFrom(dirname(resolve(path)));
  if (isK6(source)) {
    const { nameFrom } = await import("../imports/format/format.ts");
    const name = nameFrom(basename(path, extname(path)), "imported");
    return k6Experiment(source, path, { name, env: environment, files });
  }
  if (!OF_OTHER_TOOLS.test(source)) return null;
  const { artilleryScript } = await import("../imports/registry.ts");
  const pathOf = pathsFrom(path, file);
  return await withEngine(() => artilleryScript(source, path, { files, pathOf }));
}

/** Returns a function that converts paths relative to the file at `path` into paths relative to `file`. */
function pathsFrom(path: string, file: string): (path: string) => string {
  const [from, to] = [dirname(resolve(path)), dirname(resolve(file))];
  return (path) => isAbsolute(path) ? path : relative(to, join(from, path));
}

function parseImported(
  { text, fileName, notes, problems }: ImportedFile,
  path: string,
  context: ParseContext,
): Omit<ExperimentFile, "baseDir"> {
  const yaml = importedYaml(text, path);
  const experiment = experimentIn(yaml, context, problems);
  return { experiment, ...openSource(text, yaml), fileName, builtIn: false, notes };
}

/** Parses YAML that a library has written, so the only possible problem is its size. */
function importedYaml(text: string, path: string): YamlText {
  try {
    return new YamlText(text, path);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const why = error.problems.map(({ message }) => message.replace(/^.*?: /, "")).join("; ");
    const message = `Cannot convert this file: in the converted experiment, ${why}`;
    throw new UserError([{ place: withoutSecrets(path), message }]);
  }
}

interface ParseContext {
  /** Reads the files that the experiment names. */
  readonly files?: Files;
  /** The values of parameters by name, as YAML. */
  readonly set?: SetParameters;
  readonly environment?: Environment;
  /** Changes the file's data after parameters are filled in and before it is parsed as an experiment. */
  readonly arranged?: (data: unknown) => unknown;
}

/**
 * Must be called within `withEngine`, which loads the regular-expression engine. Registers the file's secrets, so that
 * no later message shows them.
 * @param file The name of the file, for messages.
 */
export function parseExperiment(
  source: string,
  file: string,
  context: ParseContext = {},
): Experiment {
  return experimentIn(new YamlText(source, file), context);
}

function experimentIn(
  text: YamlText,
  { files = NO_FILES, set = {}, environment = NO_ENVIRONMENT, arranged = (data) => data }:
    ParseContext,
  placed = (wrong: readonly PathProblem[]): Problem[] => text.problems(wrong),
): Experiment {
  const { script, rest } = withoutScript(text.data);
  const { data: filledIn, problems, findings, inFile, ...filled } = fillParameters(
    rest,
    set,
    environment,
  );
  const data = arranged(script === undefined ? filledIn : { ...Object(filledIn), script });
  for (const [value, shown] of filled.secrets) secrets.keep(value, shown);
  for (const value of secretsIn(secrets.data(data))) secrets.keep(value);
  const { data: experiment, error } = experimentSpecWith(files).safeParse(data, AS_INPUT);
  const wrong = [...findings, ...inFile(findingsOf(error?.issues ?? [], data))];
  if (experiment && problems.length + wrong.length === 0) return experiment;
  throw new UserError([...problems, ...placed(wrong)]);
}

/** Separates the script from the other data, because a `${…}` in its code is not a placeholder. */
function withoutScript(data: unknown): { readonly script?: unknown; readonly rest: unknown } {
  if (typeof data !== "object" || data === null || !("script" in data)) return { rest: data };
  const { script, ...rest } = data;
  return { script, rest };
}

async function readSource(path: string): Promise<string> {
  try {
    return await readText(path, "foreignFile");
  } catch (error) {
    throw new UserError([{ place: withoutSecrets(path), ...whyUnreadable(path, error) }]);
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
    message: "Cannot find an experiment of this name, or a file at this path",
    fix: meant ? `did you mean "${meant}"?` : `the built-in experiments are ${names.join(", ")}`,
  };
}
