/** Reads earlier results: those of an experiment, or the single measurement that `bench --json` wrote. */
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { readPieces, readText } from "../../base/bounded_file.ts";
import { messageOf, type Problem, UserError } from "../../base/errors.ts";
import { explain } from "../../base/explain.ts";
import { findingsOf } from "../../base/problems.ts";
import { JsonList } from "../../base/yaml/json_list.ts";
import { isMap, parseJson } from "../../base/yaml/json_text.ts";
import type { Grouped } from "../../report/cells/cells.ts";
import { runAlone } from "../../report/cells/measured.ts";
import {
  inconsistenciesOf,
  inconsistenciesOfRun,
  type Inconsistency,
  repeatedRuns,
} from "../../runner/result/consistency.ts";
import {
  type Measurement,
  measurement,
  type Results,
  results,
  type Run,
  run,
} from "../../runner/result/result.ts";
import { fromVersion1, isVersion1 } from "../../runner/result/earlier/version_1.ts";
import { JOURNAL, type JournalHead } from "../../runner/result/result_file.ts";
import { isFolder } from "../flags/values.ts";

/** Maximum number of problems that are listed. A few are enough to see that a file is something else. */
const MOST_PROBLEMS = 5;

/**
 * Reads and verifies results. If they can't be read or are not valid, throws a UserError that says why.
 * @param path Path of a results.json, or of the folder that contains it.
 */
export async function readResults(path: string): Promise<Results> {
  return resultsOf(await readFile(path));
}

/**
 * Reads results in order to resume them. Throws a UserError unless they have the current version of the format, because
 * all runs in a file must have the same version.
 */
export async function readResumable(path: string): Promise<Results> {
  const read = await readFile(path);
  if (isVersion1(read.head)) throw new UserError([{ ...OF_VERSION_1, place: read.file }]);
  return resultsOf(read);
}

const OF_VERSION_1 = {
  message:
    "Cannot resume results in version 1 of the format, because new runs would be in version 2",
  fix: "run the experiment again; report and compare read both versions",
};

/** Like `readResults`, but also accepts a file written by `bench --json`. */
export async function readMeasured(path: string): Promise<Results | Measurement> {
  return eitherOf(await readFile(path));
}

/** Like `readMeasured`, but takes the file's content. @param file Name of the file for messages. */
export function parseMeasured(text: string, file: string): Results | Measurement {
  const pieces = new ResultPieces(file);
  pieces.push(new TextEncoder().encode(text));
  return eitherOf(pieces.end());
}

function eitherOf(read: ReadFile): Results | Measurement {
  const { head, file } = read;
  const data = fromVersion1(head);
  return Reflect.get(Object(data), "schema") === "plateau.bench/2"
    ? verified(measurement.safeParse(data, { error: explain }), { data, file })
    : resultsOf(read);
}

function resultsOf({ head, runs, problems, file }: ReadFile): Results {
  const data = fromVersion1(head);
  const result = verified(results.safeParse(data, { error: explain }), { data, file });
  const found = [...problems, ...repeatedRuns(runs)];
  if (found.length > 0) throw new UserError(problemsOf(found, file));
  return { ...result, runs: [...runs] };
}

/** Returns the result if it was parsed without errors and its parts are consistent. Otherwise throws a UserError. */
function verified<Result extends Results | Measurement>(
  { data: result, error }: z.ZodSafeParseResult<Result>,
  { data, file }: { readonly data: unknown; readonly file: string },
): Result {
  const found = error
    ? findingsOf(error.issues, data)
    : inconsistenciesOf(result).take(MOST_PROBLEMS).toArray();
  if (result !== undefined && found.length === 0) return result;
  throw new UserError(problemsOf(found, file));
}

interface ReadFile {
  /** The results except for their runs. */
  readonly head: unknown;
  /** The valid runs. */
  readonly runs: readonly Run[];
  /** Problems of the invalid runs, but no more than are shown. */
  readonly problems: readonly Inconsistency[];
  readonly file: string;
}

/**
 * Reads a file of results piece by piece. Each run is parsed and verified by itself, so that no more than one run is in
 * memory both as text and as values.
 */
class ResultPieces {
  readonly #list = new JsonList("runs", (text) => this.#takeRun(text));
  readonly #runs: Run[] = [];
  readonly #problems: Inconsistency[] = [];
  #count = 0;

  constructor(private readonly file: string) {}

  push(bytes: Uint8Array): void {
    try {
      this.#list.push(bytes);
    } catch (error) {
      throw unreadable(this.file, error);
    }
  }

  #takeRun(text: string): void {
    this.#verifyRun(fromVersion1(parseJson(text)));
  }

  #verifyRun(data: unknown): void {
    const at = this.#count++;
    if (this.#problems.length >= MOST_PROBLEMS) return;
    const { data: read, error } = run.safeParse(data, { error: explain });
    const found = error
      ? findingsOf(error.issues, data)
        .map(({ path, message }) => ({ path: ["runs", at, ...path], message }))
      : inconsistenciesOfRun(read, at).take(MOST_PROBLEMS).toArray();
    if (read !== undefined && found.length === 0) this.#runs.push(read);
    else this.#problems.push(...found);
  }

  /** Finishes reading the file, and adds the entries of a journal if the journal continues this file. */
  goOn({ head: { startedAt, after }, lines }: Journal): ReadFile {
    const before = this.end();
    const { head } = before;
    if (!isMap(head) || head.startedAt !== startedAt || after !== this.#count) return before;
    const missing: unknown[] = Array.isArray(head.missing) ? [...head.missing] : [];
    let { planned, spent } = head;
    for (const line of lines) {
      const entry = journalEntry.safeParse(jsonOrNull(line)).data;
      if (entry === undefined) break;
      ({ planned, spent } = entry);
      if (entry.run !== undefined) this.#verifyRun(entry.run);
      if (entry.missing !== undefined) missing.push(entry.missing);
    }
    return { ...before, head: { ...head, missing, planned, spent } };
  }

  end(): ReadFile {
    try {
      const head = parseJson(this.#list.end());
      return {
        head,
        runs: this.#runs,
        problems: this.#problems,
        file: this.file,
      };
    } catch (error) {
      throw unreadable(this.file, error);
    }
  }
}

/**
 * Reads every session of an experiment: a single result, or all results in a folder, oldest first. Such a folder has
 * files `NAME.json`, or folders that `run` wrote.
 */
export async function readSessions(path: string): Promise<(Results | Measurement)[]> {
  const paths = await resultsIn(path);
  if (paths.length === 0) return [await readMeasured(path)];
  const read = await readAll(paths, readMeasured);
  return read.toSorted((a, b) => startOf(a).localeCompare(startOf(b)));
}

/** The files with results in a folder; none if `path` is not a folder, or if it is the folder of a single run. */
async function resultsIn(path: string): Promise<string[]> {
  if (!isFolder(path) || await isFile(join(path, "results.json"))) return [];
  return (await Array.fromAsync(resultsBelow(path, 1))).sort();
}

/** Files `NAME.json`, and results.json in the folders of runs. Looks into folders up to `deep` levels below. */
async function* resultsBelow(folder: string, deep: number): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    const file = isDirectory ? join(path, "results.json") : path;
    if (file.endsWith(".json") && await isFile(file)) yield file;
    else if (isDirectory && deep > 1) yield* resultsBelow(path, deep - 1);
  }
}

function isFile(path: string): Promise<boolean> {
  return Deno.stat(path).then(({ isFile }) => isFile, () => false);
}

function startOf(result: Results | Measurement): string {
  return "startedAt" in result ? result.startedAt : "";
}

/** Reads one file after another. If any can't be read, throws a UserError with the problems of all files. */
export async function readAll<T>(
  paths: readonly string[],
  readOne: (path: string) => Promise<T>,
): Promise<T[]> {
  const read: T[] = [];
  const problems: Problem[] = [];
  for (const path of paths) {
    try {
      read.push(await readOne(path));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new UserError(problems);
  return read;
}

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

async function readFile(path: string): Promise<ReadFile> {
  const file = isFolder(path) ? join(path, "results.json") : path;
  if (file !== path && !await isFile(file)) throw await notOfOneRun(path);
  const pieces = new ResultPieces(file);
  await readPieces(file, "resultFile", (bytes) => pieces.push(bytes)).catch((error: unknown) => {
    throw error instanceof UserError ? error : unreadable(file, error);
  });
  const journal = basename(file) === "results.json" ? await journalBeside(file) : null;
  return journal === null ? pieces.end() : pieces.goOn(journal);
}

/**
 * The error for a folder that has no results itself, such as `results/NAME`. It names the newest results below that
 * folder.
 */
async function notOfOneRun(folder: string): Promise<UserError> {
  const below = await Array.fromAsync(runsBelow(folder)).catch(() => []);
  const newest = below.sort((a, b) => b.savedMs - a.savedMs).at(0);
  return new UserError([{
    place: folder,
    message: "Cannot read this as results: the folder has no results.json",
    fix: newest === undefined
      ? "name a folder that plateau run wrote"
      : `name one of the folders in it; the newest is ${newest.folder}`,
  }]);
}

/** Folders of runs, `results/NAME/TIME`, are two levels below `results`. */
const MOST_DEEP = 2;

async function* runsBelow(
  folder: string,
): AsyncGenerator<{ readonly folder: string; readonly savedMs: number }> {
  for await (const file of resultsBelow(folder, MOST_DEEP)) {
    if (basename(file) !== "results.json") continue;
    const { mtime } = await Deno.stat(file);
    yield { folder: dirname(file), savedMs: mtime?.getTime() ?? 0 };
  }
}

/**
 * Reads the journal, which holds what was measured since the file of results was last written; null if there is none,
 * or if its first line is not valid.
 */
async function journalBeside(file: string): Promise<Journal | null> {
  const path = join(dirname(file), JOURNAL);
  if (!await isFile(path)) return null;
  const text = await readText(path, "resultFile").catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const [head, ...lines] = text.split("\n");
  lines.pop(); // the last line is empty or was not written completely
  const read = journalHead.safeParse(jsonOrNull(head));
  return read.success ? { head: read.data, lines } : null;
}

interface Journal {
  readonly head: JournalHead;
  readonly lines: readonly string[];
}

const journalHead = z.object({ startedAt: z.string(), after: z.int().min(0) });
const journalEntry = z.object({
  planned: z.int().min(0),
  spent: z.number().optional(),
  run: z.unknown().optional(),
  missing: z.unknown().optional(),
});

function jsonOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function unreadable(place: string, error: unknown): UserError {
  return new UserError([{
    place,
    message: `Cannot read this as results: ${messageOf(error)}`,
  }]);
}

/** Turns a single measurement into a result with one run; returns the results of an experiment unchanged. */
export function groupedOf(result: Results | Measurement): Grouped {
  if ("runs" in result) return result;
  return { runs: [runAlone(result, new Date(0).toISOString())] };
}
