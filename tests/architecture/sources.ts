/**
 * The project's sources, their imports and what each holds, read once for the tests of the house.
 */
import { type Edge, listFiles, readImports, readText } from "./tree.ts";
import { type Survey, surveyFile } from "./survey.ts";

export const files: readonly string[] = listFiles();

/** Servers of the frameworks study, and examples of experiments, are written as their own documentation would. */
export const foreign: readonly string[] = files.filter((file) =>
  /^(?:targets\/frameworks\/[^/]+|examples)\//.test(file)
);

export const sources: readonly string[] = files.filter((file) =>
  file.endsWith(".ts") && !foreign.includes(file)
);

/** What the binary is made of. */
export const program: readonly string[] = sources.filter((file) =>
  !/^(?:tests|bench|release)\//.test(file)
);

export const imports: readonly Edge[] = await readImports(sources);

const surveys = new Map<string, Survey>();

/**
 * What a source holds, read when it is first needed. That is best before the first test, as the parser
 * takes twice as long under a test's sanitizers.
 */
export function surveyOf(file: string): Survey {
  const known = surveys.get(file);
  if (known !== undefined) return known;
  if (!sources.includes(file)) throw new Error(`${file} is not a source`);
  const survey = surveyFile(file, readText(file));
  surveys.set(file, survey);
  return survey;
}

/** The folder that a file is directly in; `.` for the root. */
export function folderOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : ".";
}
