/** Results that were written before: those of an experiment, or the single measurement of `bench --json`. */
import { dirname, join } from "node:path";
import type * as z from "zod";
import { readText } from "../../base/bounded_file.ts";
import { messageOf, type Problem, UserError } from "../../base/errors.ts";
import { explain } from "../../base/explain.ts";
import { findingsOf } from "../../base/problems.ts";
import { parseJson } from "../../base/yaml/json_text.ts";
import type { Grouped } from "../../report/model/runs/cells.ts";
import { runAlone } from "../../report/model/runs/measured.ts";
import { inconsistenciesOf, type Inconsistency } from "../../runner/result/consistency.ts";
import {
  type Measurement,
  measurement,
  type Results,
  results,
} from "../../runner/result/result.ts";
import { fromVersion1, isVersion1 } from "../../runner/result/earlier/version_1.ts";
import { isFolder } from "../flags/values.ts";

/** As many as help to see that a file is something else. */
const MOST_PROBLEMS = 5;

/** @param path A results.json, or the folder that holds one. Throws a UserError with what is wrong with it. */
export async function readResults(path: string): Promise<Results> {
  return resultsOf(await readJson(path));
}

/** The same, to go on with: runs of two versions of the file in one would not be alike. */
export async function readResumable(path: string): Promise<Results> {
  const raw = await readJson(path);
  if (isVersion1(raw.data)) throw new UserError([{ ...OF_VERSION_1, place: raw.file }]);
  return resultsOf(raw);
}

const OF_VERSION_1 = {
  message: "Cannot resume results of version 1: new runs would be of version 2",
  fix: "run the experiment anew; report and compare read both versions",
};

/** The same, or a file that `bench --json` wrote. */
export async function readMeasured(path: string): Promise<Results | Measurement> {
  return eitherOf(await readJson(path));
}

/** The same of the text of a file. @param file What messages call it. */
export function parseMeasured(text: string, file: string): Results | Measurement {
  return eitherOf({ data: parsed(text, file), file });
}

function eitherOf({ data: read, file }: Raw): Results | Measurement {
  const data = fromVersion1(read);
  return Reflect.get(Object(data), "schema") === "plateau.bench/2"
    ? verified(measurement.safeParse(data, { error: explain }), { data, file })
    : resultsOf({ data, file });
}

function resultsOf({ data: read, file }: Raw): Results {
  const data = fromVersion1(read);
  return verified(results.safeParse(data, { error: explain }), { data, file });
}

interface Raw {
  readonly data: unknown;
  readonly file: string;
}

/** Throws a UserError unless it is a result, of which every part goes with the others. */
function verified<Result extends Results | Measurement>(
  { data: result, error }: z.ZodSafeParseResult<Result>,
  { data, file }: Raw,
): Result {
  const found = error
    ? findingsOf(error.issues, data)
    : inconsistenciesOf(result).take(MOST_PROBLEMS).toArray();
  if (result !== undefined && found.length === 0) return result;
  throw new UserError(problemsOf(found, file));
}

/**
 * Every session of what was measured: one result, or all that lie in a folder, from the oldest. A folder of results
 * holds them as `NAME.json`, or in folders of their own as `run` writes them.
 */
export async function readSessions(path: string): Promise<(Results | Measurement)[]> {
  const paths = await resultsIn(path);
  if (paths.length === 0) return [await readMeasured(path)];
  const read = await readAll(paths, readMeasured);
  return read.toSorted((a, b) => startOf(a).localeCompare(startOf(b)));
}

/** Results in a folder that is not itself that of one; none of anything else. */
async function resultsIn(path: string): Promise<string[]> {
  if (!isFolder(path) || await isFile(join(path, "results.json"))) return [];
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    const file = isDirectory ? join(path, name, "results.json") : join(path, name);
    if (file.endsWith(".json") && await isFile(file)) found.push(file);
  }
  return found.sort();
}

function isFile(path: string): Promise<boolean> {
  return Deno.stat(path).then(({ isFile }) => isFile, () => false);
}

function startOf(result: Results | Measurement): string {
  return "startedAt" in result ? result.startedAt : "";
}

/** Throws a UserError with what is wrong with any of the files. */
export async function readAll<T>(
  paths: readonly string[],
  readOne: (path: string) => Promise<T>,
): Promise<T[]> {
  const read = await Promise.allSettled(paths.map(readOne));
  const reasons = read.flatMap((one) => one.status === "rejected" ? [one.reason] : []);
  const problems = reasons.flatMap((reason) => {
    if (reason instanceof UserError) return reason.problems;
    throw reason;
  });
  if (problems.length > 0) throw new UserError(problems);
  return read.flatMap((one) => one.status === "fulfilled" ? [one.value] : []);
}

/** The folder that `path` is, or that it lies in. */
export function folderOf(path: string): string {
  return isFolder(path) ? path : dirname(path);
}

function problemsOf(
  findings: ReturnType<typeof findingsOf> | Inconsistency[],
  place: string,
): Problem[] {
  return findings.slice(0, MOST_PROBLEMS).map(({ path, message }) => ({
    place,
    message: ["Cannot read this as results", path.map(String).join("."), message]
      .filter((part) => part !== "").join(": "),
  }));
}

async function readJson(path: string): Promise<Raw> {
  const file = isFolder(path) ? join(path, "results.json") : path;
  const text = await readText(file, "resultFile").catch((error: unknown) => {
    throw unreadable(file, error);
  });
  return { data: parsed(text, file), file };
}

function parsed(text: string, file: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(place: string, error: unknown): UserError {
  return new UserError([{
    place,
    message: `Cannot read this as results: ${messageOf(error)}`,
  }]);
}

/** The runs of either kind of result. */
export function groupedOf(result: Results | Measurement): Grouped {
  if ("runs" in result) return result;
  return { runs: [runAlone(result, new Date(0).toISOString())] };
}
