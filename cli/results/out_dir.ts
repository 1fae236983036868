/** The folder for the results of one experiment. */
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { readText } from "../../base/bounded_file.ts";
import { messageOf, type Problem, UserError } from "../../base/errors.ts";
import { parseJson } from "../../base/yaml/json_text.ts";
import { quoted } from "../../report/subjects/method/command.ts";
import { counted } from "../../report/writing/words.ts";
import type { RawArguments } from "../command_line/command.ts";

/** Files that every run writes into the folder. */
const OWN_NAMES: readonly string[] = ["results.json", "report.html"];

/**
 * Problems of an experiment file named like a file that every run writes into its folder, because the copy of the
 * experiment in that folder would have the same name.
 */
export function nameConflicts({ experiment }: RawArguments): Problem[] {
  if (typeof experiment !== "string") return [];
  const name = basename(experiment).toLowerCase();
  if (!OWN_NAMES.includes(name)) return [];
  const message = `Cannot run a file of this name, because the results include a ${name}`;
  const fix = "rename the experiment file; to resume results, use --resume DIR";
  return [{ place: experiment, message, fix }];
}

/**
 * Creates the given folder or, without one, a new folder `results/NAME/TIME` in the working directory. Throws a
 * UserError if that is impossible.
 */
export async function makeOutDir(given: string | undefined, name: string): Promise<string> {
  const dir = given ?? join("results", name, timeStamp(new Date()));
  try {
    if (given === undefined) return await makeNewDir(dir);
    await Deno.mkdir(dir, { recursive: true });
    return dir;
  } catch (error) {
    const message = `Cannot make the folder ${dir} for the results: ${messageOf(error)}`;
    throw new UserError([{ place: "--out", message }]);
  }
}

/** How long to wait for a folder that another process uses, in case that process is just ending. */
const PATIENCE_MS = 500;

/**
 * Reserves the folder for this process until the result is disposed or the process ends for any reason. Throws a
 * UserError if another process has reserved the folder.
 */
export async function occupy(dir: string): Promise<Disposable> {
  // Windows can't open folders, so they can't be locked there.
  if (Deno.build.os === "windows") return { [Symbol.dispose]: () => {} };
  const folder = await opened(dir);
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), PATIENCE_MS);
  // If the file system has no locks, the folder is used without one.
  const locked = folder.lock(true).then(() => true, () => true);
  const isOurs = await Promise.race([locked, late]);
  clearTimeout(timer);
  if (isOurs) return folder;
  throw new UserError([{
    place: dir,
    message: "Cannot measure into this folder: another plateau process uses it",
    fix: "wait until it ends, or stop it",
  }]);
}

/**
 * Throws a UserError if results.json in the folder holds something that a new experiment must not overwrite: runs of an
 * interrupted experiment, a measurement by `plateau bench`, or something that can't be read.
 */
export async function refuseUnfinished(dir: string): Promise<void> {
  const refuse = (why: string, resume = ""): never => {
    const message = `Cannot start a new experiment here: ${why}`;
    const fix = `${resume}choose another folder with --out`;
    throw new UserError([{ place: dir, message, fix }]);
  };
  const there = await measuredIn(join(dir, "results.json")).catch((error: unknown) =>
    refuse(`results.json may hold runs, but cannot be read: ${messageOf(error)}`)
  );
  if (there === null) return;
  if (there.runs === undefined) return refuse("results.json holds a measurement by plateau bench");
  const count = there.runs.length;
  const { planned } = there;
  const lost = planned === undefined ? counted(count, "run") : `${count} of ${planned} runs`;
  refuse(`${lost} of an interrupted experiment would be lost`, resumptionOf(there, dir));
}

/**
 * The command that resumes an experiment, as the beginning of a sentence; "" for results of `plateau plan`, which store
 * neither the flags of a run nor the commits of an `ab`, and so can't be resumed.
 */
function resumptionOf({ flags, ab }: Measured, dir: string): string {
  if (ab !== undefined) {
    return `resume it: repeat its plateau ab with --out ${quoted(dir)} --resume; or `;
  }
  return flags === undefined ? "" : `resume it with plateau run --resume ${quoted(dir)}, or `;
}

/** Keys of results that mean the same in every version of the format. */
const measured = z.object({
  schema: z.string().regex(/^plateau\.(?:results|bench)\//),
  state: z.string().optional(),
  planned: z.number().optional(),
  runs: z.array(z.unknown()).optional(),
  flags: z.unknown().optional(),
  ab: z.unknown().optional(),
});
type Measured = z.output<typeof measured>;

/**
 * The content of a file of results; null if it is a complete experiment, if there is no file, or if the file holds no
 * results. Throws if the file can't be read, such as because it is too large.
 */
async function measuredIn(path: string): Promise<Measured | null> {
  const text = await readText(path, "resultFile").catch((error: unknown) => {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const { data } = measured.safeParse(parseJson(text));
    return data === undefined || data.state === "done" ? null : data;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function opened(dir: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(dir);
  } catch (error) {
    throw new UserError([{ place: dir, message: `Cannot use this folder: ${messageOf(error)}` }]);
  }
}

/** Such as `2026-01-31T12-00-00Z`. It has no colons, because Windows does not allow them in file names. */
function timeStamp(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replaceAll(":", "-")}Z`;
}

/**
 * Creates a folder. Two runs may start within a second, so if the name is taken, appends a number to it. Never uses an
 * existing folder or link.
 */
async function makeNewDir(dir: string): Promise<string> {
  await Deno.mkdir(dirname(dir), { recursive: true });
  for (let again = 1;; again++) {
    const candidate = again === 1 ? dir : `${dir}-${again}`;
    try {
      await Deno.mkdir(candidate);
      return candidate;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}
