/** The environment of a foreign program: its variables, its folder, a free port, and what profilers need in it. */
import { statSync } from "node:fs";
import { basename, isAbsolute, posix, resolve, win32 } from "node:path";
import { LOOPBACK } from "../../base/net/listen.ts";
import { cannotStart, type LaunchContext } from "./launcher.ts";
import { isSecretVariable } from "../../base/secret_fields.ts";
import { secrets } from "../../base/secrets.ts";

/** An operating system, as in Deno.build.os. */
type System = typeof Deno.build.os;
type Variables = Readonly<Record<string, string>>;

/**
 * The only variables that programs inherit: enough to find programs and folders, none of the user's secrets. On Windows
 * neither cmd.exe nor a socket works without some of them.
 */
function inheritedOn(os: System): readonly string[] {
  return os === "windows"
    ? [
      ...["PATH", "PATHEXT", "COMSPEC", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "TEMP", "TMP"],
      ...["USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA"],
    ]
    : ["PATH", "HOME", "LANG", "TMPDIR"];
}

/**
 * Joins several environments; later ones win. Windows takes `Path` and `PATH` for the same variable, so there all names
 * are turned into capitals, as in Python.
 */
export function joinEnv(
  layers: readonly Variables[],
  os: System = Deno.build.os,
): Record<string, string> {
  const entries = layers.flatMap((layer) => Object.entries(layer));
  return Object.fromEntries(entries.map(([name, value]) => [variableName(name, os), value]));
}

function variableName(name: string, os: System): string {
  return os === "windows" ? name.toUpperCase() : name;
}

/** The clean environment, with `extra` on top. */
export function cleanEnv(
  extra: Variables = {},
  { os, ours = ownEnv() }: { readonly os?: System; readonly ours?: Variables } = {},
): Record<string, string> {
  const inherited = inheritedOn(os ?? Deno.build.os).map((name) => [name, ours[name]] as const);
  return joinEnv([Object.fromEntries(inherited.filter(isSet)), extra], os);
}

/** The folder in which Deno 2.9 keeps itself under the name `node`; Deno puts it on PATH if there is no other node. */
const FALSE_NODE = /[\\/]node_compat_bin$/;

/**
 * This process's environment as the user gave it, without Deno's false node, because what is measured as Node must be
 * Node.
 */
export function ownEnv(
  given: Variables = Deno.env.toObject(),
  os: System = Deno.build.os,
): Record<string, string> {
  const env = joinEnv([given], os);
  const { delimiter } = pathsOf(os);
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => !FALSE_NODE.test(folder));
  return { ...env, PATH: folders.join(delimiter) };
}

/** The values of the named variables in this process's environment; null for each one that is not set. */
export function variablesNamed(
  names: readonly string[],
  ours: Variables = ownEnv(),
  os: System = Deno.build.os,
): Record<string, string | null> {
  return Object.fromEntries(names.map((name) => [name, ours[variableName(name, os)] ?? null]));
}

/** Keeps the values of inherited variables out of results, except for variables that every program gets. */
export function hideInherited(names: readonly string[]): void {
  const known = inheritedOn(Deno.build.os);
  for (const [name, value] of Object.entries(variablesNamed(names))) {
    if (value === null || known.includes(variableName(name, Deno.build.os))) continue;
    secrets.keep(value, `\${env.${name}}`);
  }
}

/**
 * Keeps secrets out of the output of programs that get the whole environment: the values of variables whose names mean
 * passwords or tokens.
 */
export function hideSecretVariables(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (isSecretVariable(name, value)) secrets.keep(value, `\${env.${name}}`);
  }
}

function isSet(entry: readonly [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

/** The facts on which finding a program depends. */
interface ProgramSystem {
  readonly os: System;
  /** The value of PATHEXT on Windows: the endings that may be left out, such as `.EXE;.CMD`. */
  readonly pathExt: string;
  /** Whether there is such a file, and it can be run. */
  readonly isProgram: (path: string) => boolean;
}

/** The value that Windows uses if PATHEXT is not set. */
const PATHEXT = ".COM;.EXE;.BAT;.CMD";

const THIS_SYSTEM: ProgramSystem = {
  os: Deno.build.os,
  get pathExt() {
    return (Deno.build.os === "windows" && Deno.env.get("PATHEXT")) || PATHEXT;
  },
  isProgram,
};

/** The full path of the program that a shell in `cwd` would run; null if there is none. */
export function findProgram(
  name: string,
  { path, cwd }: { path: string; cwd: string },
  { os, pathExt, isProgram }: ProgramSystem = THIS_SYSTEM,
): string | null {
  const { delimiter, join, resolve } = pathsOf(os);
  const folders = /[\\/]/.test(name) ? [""] : path.split(delimiter);
  const endings = os === "windows" ? endingsOf(name, pathExt) : [""];
  const places = folders.flatMap((folder) =>
    endings.map((ending) => resolve(cwd, join(folder, name + ending)))
  );
  return places.find(isProgram) ?? null;
}

/** The reason why `findProgram` has found none, and the fix if it is known. */
export function whyNoProgram(name: string, cwd: string): string {
  const missing = `there is no program "${name}"`;
  if (/\s/.test(name.trim())) {
    const words = name.trim().split(/\s+/).join(", ");
    return `${missing}: write its arguments separately, [${words}]`;
  }
  if (!/[\\/]/.test(name)) return `${missing} on PATH`;
  const path = resolve(cwd, name);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return path === name ? missing : `${missing}, which is ${path}`;
  if (stat.isDirectory()) return `${missing}: it is a folder`;
  return `${missing}: the file of that name is not executable (chmod +x ${path})`;
}

/**
 * The endings to try. The bare name comes last, because npm's own folder on Windows holds `npm`, a script for other
 * shells, beside `npm.cmd`.
 */
function endingsOf(name: string, pathExt: string): string[] {
  const endings = pathExt.toLowerCase().split(";").filter((ending) => ending !== "");
  const isWhole = endings.some((ending) => name.toLowerCase().endsWith(ending));
  return isWhole ? ["", ...endings] : [...endings, ""];
}

function pathsOf(os: System): typeof posix {
  return os === "windows" ? win32 : posix;
}

function isProgram(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.isFile() &&
    (Deno.build.os === "windows" || (stat.mode & 0o111) !== 0);
}

/** The full path of a folder that a target's lines name. Throws a TargetError if the folder does not exist. */
export function locateFolder(
  path: string,
  context: Pick<LaunchContext, "name" | "baseDir">,
): string {
  const folder = resolve(context.baseDir, path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  const isFile = statSync(folder, { throwIfNoEntry: false }) !== undefined;
  const why = isFile
    ? ": it is a file"
    : isAbsolute(path)
    ? ""
    : `: "${path}" is relative to the folder of the experiment file`;
  throw cannotStart(context, `there is no folder "${folder}"${why}`);
}

/**
 * The ports to draw from, below those that systems give to clients (Linux: from 32,768 on), so that no client takes one
 * before the target listens on it.
 */
const QUIET_PORTS = { first: 20_000, count: 12_000 };
const MOST_DRAWS = 100;

interface PortWish {
  /** The address to listen on. */
  readonly host?: string;
  /** Ports that are reserved already, although no process listens on them yet. */
  readonly others?: readonly number[];
  /** Returns a random number of at least 0 and below 1. */
  readonly draw?: () => number;
}

/** A port that is free, and likely to stay so for a while. Throws if the host's address cannot be listened on. */
export function freePort(
  { host = LOOPBACK, others = [], draw = Math.random }: PortWish = {},
): number {
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const port = QUIET_PORTS.first + Math.floor(draw() * QUIET_PORTS.count);
    if (!others.includes(port) && isPortFree(port, host)) return port;
  }
  return listenBriefly(host, 0);
}

export function isPortFree(port: number, host: string = LOOPBACK): boolean {
  try {
    return listenBriefly(host, port) === port;
  } catch {
    return false;
  }
}

/**
 * Whether somebody listens on the port. A port that this process may not use counts as free, because the program may be
 * allowed to use it.
 */
export function isPortTaken(port: number, host: string): boolean {
  try {
    listenBriefly(host, port);
    return false;
  } catch (error) {
    return error instanceof Deno.errors.AddrInUse;
  }
}

function listenBriefly(hostname: string, port: number): number {
  using listener = Deno.listen({ hostname, port });
  return listener.addr.port;
}

/** Deno's flag to open its inspector, which stands before the script; the system chooses the port. */
const DENO_FLAG = `--inspect=${LOOPBACK}:0`;

/**
 * The code that each process of Node imports first, cluster workers too. `--inspect` instead would give a worker the
 * port after its parent's, which may be taken, and fails if the program opens its inspector itself.
 */
const OPENING = `import{open,url}from'node:inspector';` + // without spaces, because one would end it
  `import{isMainThread}from'node:worker_threads';isMainThread&&(url()||open(0,'${LOOPBACK}'))`;

/** The arguments and the environment with which a foreign program is started. */
interface StartedProgram {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The same program, started so that its inspector and counters can be used as far as the context requests them. */
export function watchable(
  program: string,
  { args, env }: StartedProgram,
  { inspectable = false, counters }: Pick<LaunchContext, "inspectable" | "counters">,
): { args: string[]; env: Record<string, string> } {
  const inspected = inspectable ? inspectableArgs(program, args) : [...args];
  const open = inspectable ? inspectableEnv(env) : { ...env };
  return {
    args: counters !== undefined && isDeno(program) ? counters.args(inspected) : inspected,
    env: counters?.env(open) ?? open,
  };
}

function isDeno(program: string): boolean {
  return /^deno(?:\.exe)?$/.test(basename(program));
}

/** The environment in which processes of Node open their inspector. Needs Node 18.18 or later. */
function inspectableEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const options = [env.NODE_OPTIONS ?? "", `--import=data:text/javascript,${OPENING}`];
  return { ...env, NODE_OPTIONS: options.join(" ").trim() };
}

/** The program's arguments with those that make it open its inspector, if it takes such an argument. */
export function inspectableArgs(program: string, args: readonly string[]): string[] {
  if (!isDeno(program)) return [...args];
  const isRun = ["run", "serve"].includes(args[0]);
  return isRun ? [args[0], DENO_FLAG, ...args.slice(1)] : [...args];
}
