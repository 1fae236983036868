/** The file formats of other tools, and the conversion of such files to the text of experiment files. */
import { artillery } from "./artillery.ts";
import { type ArtilleryExperiment, artilleryExperiment } from "./artillery_experiment.ts";
import { har } from "./har.ts";
import {
  type Format,
  type Import,
  type ImportContext,
  type ImportedText,
  importedText,
  nameFrom,
  type TextFormat,
} from "./format/format.ts";
import { jmeter } from "./jmeter/plan.ts";
import { k6 } from "./k6.ts";
import { openApi } from "./openapi/openapi.ts";
import { postman } from "./postman.ts";
import { basename, extname } from "node:path";
import { messageOf, type Problem, UserError } from "../../base/errors.ts";
import { secrets, withoutSecrets } from "../../base/secrets.ts";
import type { Files } from "../../base/files.ts";
import { LIMITS } from "../../base/limits.ts";
import { jsonProblems, parseJson } from "../../base/yaml/json_text.ts";
import { findingsOf, type PathProblem } from "../../base/problems.ts";
import { YamlText } from "../../base/yaml/yaml_text.ts";
import * as z from "zod";

const formats = { artillery, har, openApi, postman } satisfies Record<string, Format>;
const textFormats = { jmeter, k6 } satisfies Record<string, TextFormat>;

/** The format of `data`; null if no format recognises it. */
function formatOf(data: unknown): Format | null {
  return Object.values(formats).find(({ recognise }) => recognise(data)) ?? null;
}

export interface ImportedFile extends ImportedText {
  /** Name for the resulting file, such as `visit.yaml` for `visit.har`. */
  readonly fileName: string;
  /** The kind of the imported file, such as `an Artillery script`. */
  readonly what: string;
  /** What was left out, and what differs from the other tool. */
  readonly notes: readonly string[];
  /** Environment variables that the experiment reads. */
  readonly variables: readonly string[];
  /** Places problems of the experiment at the corresponding parts of the other tool's file. */
  readonly problems: (findings: readonly PathProblem[]) => Problem[];
}

interface ImportFiles {
  readonly files: Files;
  /** Converts a path relative to the other tool's file to one relative to the experiment file. */
  readonly pathOf?: ImportContext["pathOf"];
  /**
   * For a file that only describes a service, such as OpenAPI: whether requests that may change data are imported, too.
   */
  readonly writes?: boolean;
}

/**
 * The experiment for a file of another tool; null if `source` has no known format. Throws a UserError with everything
 * that is wrong with the file. Call this within `withEngine`, which loads the regular-expression engine if a pattern
 * needs it.
 * @param path The path of the file, as shown in messages.
 */
export function importedFile(
  source: string,
  path: string,
  given: ImportFiles,
): ImportedFile | null {
  const text = source.replace(/^\uFEFF/, "");
  const stem = basename(path, extname(path));
  const around = contextOf(path, given);
  const fileName = extname(path) === ".yaml" ? `${stem}.plateau.yaml` : `${stem}.yaml`;
  const json = jsonIn(text, path);
  const placed = placedIn(text, path, json);
  const importOf = ({ what }: Pick<Format, "what">, made: Import): ImportedFile => ({
    ...importedText({ what }, made, basename(path)),
    fileName,
    what,
    notes: made.notes,
    variables: made.variables ?? [],
    problems: (findings) => problemsOf(findings, made, path, placed),
  });
  const textFormat = Object.values(textFormats).find(({ recognise }) => recognise(text));
  if (textFormat) return importOf(textFormat, textFormat.convert(text, path, around));
  const data = json ?? new YamlText(text, path).data;
  const format = formatOf(data);
  if (format === null) return null;
  return atLines({ data, path, placed }, () => importOf(format, format.convert(data, around)));
}

/**
 * Converts an Artillery script, with the functions of its processor; null if `source` is not one. Throws a UserError
 * with every problem. Call this within `withEngine`, which loads the regular-expression engine if a pattern needs it.
 */
export function artilleryScript(
  source: string,
  path: string,
  given: ImportFiles,
): ArtilleryExperiment | null {
  const text = source.replace(/^\uFEFF/, "");
  if (Object.values(textFormats).some(({ recognise }) => recognise(text))) return null;
  const json = jsonIn(text, path);
  const data = json ?? new YamlText(text, path).data;
  if (!artillery.recognise(data)) return null;
  return atLines(
    { data, path, placed: placedIn(text, path, json) },
    () => artilleryExperiment(data, basename(path), contextOf(path, given)),
  );
}

function contextOf(
  path: string,
  { files, pathOf = (path) => path, writes = false }: ImportFiles,
): ImportContext {
  const name = nameFrom(basename(path, extname(path)), "imported");
  return { name, files, pathOf, env: variable, writes };
}

interface ForeignData {
  readonly data: unknown;
  readonly path: string;
  readonly placed: Placed;
}

/** The result of `make`. Turns a ZodError into a UserError that gives lines of the other tool's file. */
function atLines<Made>({ data, path, placed }: ForeignData, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new UserError(shown(error, data, path, placed));
  }
}

function placedIn(text: string, path: string, json: unknown): Placed {
  return (findings) =>
    json === null
      ? new YamlText(text, path).problems(findings)
      : jsonProblems(findings, text, path);
}

type Placed = (findings: readonly PathProblem[]) => Problem[];

/**
 * Places each problem at the part of the other tool's file from which the wrong value came. A problem that a loop
 * repeats counts once.
 */
function problemsOf(
  findings: readonly PathProblem[],
  { experiment, origins }: Import,
  file: string,
  placed: Placed,
): Problem[] {
  const known = new Set<string>();
  const atPlaces: Problem[] = [];
  const atPaths: PathProblem[] = [];
  for (const { path, message: why } of findings) {
    const origin = origins.of(experiment, path);
    const key = `${JSON.stringify(origin)} ${why}`;
    if (known.has(key)) continue;
    known.add(key);
    const message = `${path.map(String).join(".")} in the converted experiment: ${why}`;
    if (typeof origin === "string" || origin === null) {
      atPlaces.push({ place: origin ?? file, message });
    } else atPaths.push({ path: origin, isKey: false, message });
  }
  return [...atPlaces, ...atPaths.length === 0 ? [] : placed(atPaths)];
}

/**
 * The first problems, and a message that counts the rest. No more are shown, because finding the place of each one
 * means searching the text.
 */
function shown({ issues }: z.ZodError, data: unknown, file: string, placed: Placed): Problem[] {
  const { most } = LIMITS.problems;
  const problems = placed(findingsOf(issues.slice(0, most), data));
  const left = issues.length - most;
  return left <= 0
    ? problems
    : [...problems, { place: file, message: `There are ${left} more mistakes` }];
}

/**
 * The parsed JSON; null if the text is not a JSON object. Uses JSON.parse because HAR files are large, and it is about
 * a hundred times as fast as a parser with line numbers.
 */
function jsonIn(text: string, path: string): unknown {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw new UserError([{
      place: withoutSecrets(path),
      message: `Cannot read it: ${messageOf(error)}`,
    }]);
  }
}

/** The value of an environment variable. It is kept out of all output, because it may be a secret. */
function variable(name: string): string | undefined {
  const value = name === "" ? undefined : Deno.env.get(name);
  if (value !== undefined) secrets.keep(value, `\${env.${name}}`);
  return value;
}
