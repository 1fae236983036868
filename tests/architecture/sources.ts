/**
 * The project's sources, their imports and what each holds, read once for the tests of the house.
 */
import { type Edge, listFiles, readImports, readText } from "./tree.ts";
import { type Survey, surveyFile } from "./survey.ts";

export const files: readonly string[] = listFiles();

/** Servers of the frameworks study are written as their own documentation would, some in TypeScript. */
export const foreign: readonly string[] = files.filter((file) =>
  /^targets\/frameworks\/[^/]+\//.test(file)
);

export const sources: readonly string[] = files.filter((file) =>
  file.endsWith(".ts") && !foreign.includes(file)
);

/** What the binary is made of. */
export const program: readonly string[] = sources.filter((file) =>
  !/^(?:tests|bench)\//.test(file)
);

export const imports: readonly Edge[] = await readImports(sources);

export const surveys: ReadonlyMap<string, Survey> = new Map(
  sources.map((file) => [file, surveyFile(file, readText(file))]),
);

export function surveyOf(file: string): Survey {
  const survey = surveys.get(file);
  if (survey === undefined) throw new Error(`${file} is not a source`);
  return survey;
}

/** The folder that a file is directly in; `.` for the root. */
export function folderOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : ".";
}
