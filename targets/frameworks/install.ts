/**
 * Installs frameworks in the user's cache, in one folder per version of their sources. Such a folder is always
 * complete, because it is made under a temporary name and then renamed.
 */
import {
  type FrameworkName,
  type InstalledRuntimeName,
  isInstalledRuntime,
} from "../../base/target/app_settings.ts";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { messageOf, TargetError } from "../../base/errors.ts";
import { sweepTemporaryFolders, TemporaryFolder } from "../../base/system/temporary_folder.ts";
import { startSupervised } from "../launch/child.ts";
import { runtimeOf } from "../launch/runtime.ts";
import { describeExit } from "../launch/start_up.ts";
import { findProgram, ownEnv } from "../launch/environment.ts";
import { type Framework, frameworkNamed, type Toolchain } from "./registry.ts";
import { runtimeNamed } from "./runtimes.ts";
import { createHash } from "node:crypto";

interface Installation {
  readonly folder: string;
  /** False if the installation already existed when this call began. */
  readonly fresh: boolean;
}

/** Something that `plateau setup frameworks` can install: a framework, or a runtime for Node frameworks. */
export type InstallableName = FrameworkName | InstalledRuntimeName;

/** The registry's entry, reduced to the fields that frameworks and runtimes share. */
export function installable(
  name: InstallableName,
): Pick<Framework, "summary" | "version" | "folder" | "toolchain"> {
  return isInstalledRuntime(name) ? runtimeNamed(name) : frameworkNamed(name);
}

/** The folder of the framework or runtime; null if it is not installed. */
export function installedAt(name: InstallableName): string | null {
  const folder = placeOf(name);
  return isFolder(folder) ? folder : null;
}

/** The message that a framework or runtime is not installed, with the command that installs it. */
export function notInstalled(name: InstallableName): string {
  return `${name} is not installed: install it with plateau setup frameworks ${name}`;
}

/** Programs that the framework or runtime needs but that are not on PATH. */
export function missingPrograms(name: InstallableName): string[] {
  const here = { path: ownEnv().PATH, cwd: Deno.cwd() };
  return installable(name).toolchain.programs
    .filter((program) => findProgram(program, here) === null);
}

/**
 * Installs a framework or runtime unless it is installed already. Throws a TargetError that explains a failure, or the
 * signal's reason if the user interrupts; in both cases it cleans up.
 */
export async function install(name: InstallableName, signal: AbortSignal): Promise<Installation> {
  const folder = placeOf(name);
  if (isFolder(folder)) return { folder, fresh: false };
  const { folder: source, toolchain } = installable(name);
  await checkPrograms(name, toolchain);
  await using made = await makeStage(name);
  const stage = made.path;
  try {
    await writeSources(readSources(source), stage);
    await takeSteps(name, { toolchain, stage, signal });
    await Deno.rename(stage, folder);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TargetError) throw error;
    if (!isFolder(folder)) throw cannotInstall(name, messageOf(error));
    // Another process has installed it in the meantime.
  }
  return { folder, fresh: true };
}

async function checkPrograms(name: InstallableName, toolchain: Toolchain): Promise<void> {
  const { programs: [runtime], oldest, get } = toolchain;
  const missing = missingPrograms(name);
  if (missing.length > 0) {
    throw cannotInstall(name, `there is no ${missing.join(" and no ")} on PATH: ${get}`);
  }
  const version = await runtimeOf([runtime], { env: ownEnv(), cwd: Deno.cwd() });
  if (version !== null && isOlder(version, oldest)) {
    throw cannotInstall(name, `${version} is too old: ${get}`);
  }
}

/** Whether a version such as `Python 3.9.2` comes before `oldest`. */
function isOlder(version: string, oldest: readonly number[]): boolean {
  const numbers = (version.match(/\d+/g) ?? []).map(Number);
  const at = oldest.findIndex((number, index) => number !== numbers[index]);
  return at >= 0 && (numbers[at] ?? 0) < oldest[at];
}

async function makeStage(name: InstallableName): Promise<TemporaryFolder> {
  try {
    await Deno.mkdir(cacheFolder(), { recursive: true });
    await sweepTemporaryFolders(cacheFolder());
    return TemporaryFolder.make("install", cacheFolder());
  } catch (error) {
    throw cannotInstall(name, messageOf(error));
  }
}

interface Installing {
  readonly toolchain: Toolchain;
  readonly stage: string;
  readonly signal: AbortSignal;
}

async function takeSteps(
  name: InstallableName,
  { toolchain, stage, signal }: Installing,
): Promise<void> {
  for (const [program, ...args] of toolchain.steps) {
    const env = ownEnv();
    const path = findProgram(program, { path: env.PATH, cwd: stage }) ?? program;
    signal.throwIfAborted();
    const child = startSupervised([path, ...args], { env, cwd: stage, stage });
    const stop = (): void => void child.stop();
    signal.addEventListener("abort", stop);
    const exit = await child.exited;
    signal.removeEventListener("abort", stop);
    await child.stop();
    signal.throwIfAborted();
    if (exit.code === 0) continue;
    const ended = describeExit(exit, [program, ...args].join(" "));
    throw cannotInstall(name, ended, child.output.lastLines());
  }
}

function cannotInstall(
  name: InstallableName,
  why: string,
  evidence: readonly string[] = [],
): TargetError {
  return new TargetError(`Cannot install ${name}: ${why}`, evidence);
}

function placeOf(name: InstallableName): string {
  const { folder } = installable(name);
  return join(cacheFolder(), `${folder}-${digestOf(readSources(folder))}`);
}

/** The folder of installed frameworks in the user's cache folder (XDG Base Directory Specification). */
function cacheFolder(): string {
  return join(Deno.env.get("XDG_CACHE_HOME") || join(homedir(), ".cache"), "plateau/frameworks");
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Name of the file that has the sources of all frameworks. It is next to the main module of the compiled program, where
 * `cli/compiled/program.ts` puts it. Without it, `deno compile` would take each source file for a part of the program.
 */
export const PACK = "frameworks.json";

/** Text of each file, keyed by its path relative to the framework's folder and sorted by path. */
type Sources = ReadonlyMap<string, string>;

/** Names of folders and programs that build tools leave among the sources. */
const NO_SOURCES = new Set(["node_modules", ".venv", "build", "dist", "server"]);

export function readSources(folder: string): Sources {
  if (Deno.build.standalone) return new Map(Object.entries(readPack()[folder]));
  const files = [...filesUnder(join(import.meta.dirname ?? "", folder), "")];
  return new Map(files.sort(([a], [b]) => a < b ? -1 : 1));
}

/** Turns the sources in these folders into the text of PACK. */
export function packSources(folders: readonly string[]): string {
  const packed = folders.map((folder) => [folder, Object.fromEntries(readSources(folder))]);
  return JSON.stringify(Object.fromEntries(packed));
}

function readPack(): Record<string, Record<string, string>> {
  return JSON.parse(Deno.readTextFileSync(new URL(`./${PACK}`, import.meta.url)));
}

function* filesUnder(root: string, path: string): Generator<[string, string]> {
  for (const { name, isDirectory } of Deno.readDirSync(join(root, path))) {
    if (NO_SOURCES.has(name)) continue;
    const inside = path === "" ? name : `${path}/${name}`;
    if (isDirectory) yield* filesUnder(root, inside);
    else yield [inside, Deno.readTextFileSync(join(root, inside))];
  }
}

/** A digest of the sources, 16 hexadecimal digits, which changes whenever they do. */
export function digestOf(sources: Sources): string {
  const text = JSON.stringify([...sources]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

async function writeSources(sources: Sources, folder: string): Promise<void> {
  for (const [path, text] of sources) {
    await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
}
