/** The environment of a foreign program: its variables, its folder, a free port, and what profilers need. */
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
 * The only variables that programs inherit. They are enough to find programs and folders, but include none of the
 * user's secrets. On Windows, neither cmd.exe nor sockets work without some of them.
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
 * Joins environments; later ones take precedence. On Windows, `Path` and `PATH` are the same variable, so all names are
 * converted to upper case there, as Python does.
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

/** The environment of a foreign program: the variables that all programs inherit, with those of `extra` added. */
export function cleanEnv(
  extra: Variables = {},
  { os, ours = ownEnv() }: { readonly os?: System; readonly ours?: Variables } = {},
): Record<string, string> {
  const inherited = inheritedOn(os ?? Deno.build.os).map((name) => [name, ours[name]] as const);
  return joinEnv([Object.fromEntries(inherited.filter(isSet)), extra], os);
}

/** Matches the folder that Deno 2.9 adds to PATH if there is no other node. In it, Deno itself has the name `node`. */
const FALSE_NODE = /[\\/]node_compat_bin$/;

/**
 * This process's environment as the user set it, without Deno's imitation of node, so that a measurement of Node really
 * measures Node.
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

/** The values of variables in this process's environment; null for each that is not set. */
export function variablesNamed(
  names: readonly string[],
  ours: Variables = ownEnv(),
  os: System = Deno.build.os,
): Record<string, string | null> {
  return Object.fromEntries(names.map((name) => [name, ours[variableName(name, os)] ?? null]));
}

/** Keeps the values of inherited variables out of results, except for those that every program inherits. */
export function hideInherited(names: readonly string[]): void {
  const known = inheritedOn(Deno.build.os);
  for (const [name, value] of Object.entries(variablesNamed(names))) {
    if (value === null || known.includes(variableName(name, Deno.build.os))) continue;
    secrets.keep(value, `\${env.${name}}`);
  }
}

/**
 * Keeps secrets out of the output of programs that get the whole environment. Secrets are the values of variables whose
 * names suggest a password or token.
 */
export function hideSecretVariables(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (isSecretVariable(name, value)) secrets.keep(value, `\${env.${name}}`);
  }
}

function isSet(entry: readonly [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

/** Facts about the system that affect how a program is found. */
interface ProgramSystem {
  readonly os: System;
  /** PATHEXT on Windows, which lists the extensions that may be left out, such as `.EXE;.CMD`. */
  readonly pathExt: string;
  /** Whether the path is a file that can be executed. */
  readonly isProgram: (path: string) => boolean;
}

/** The value that Windows assumes if PATHEXT is not set. */
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

/** Why `findProgram` found no program, with the fix if it is known. */
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
 * Extensions to try in order. The bare name comes last, because npm's folder on Windows has `npm`, a script for other
 * shells, next to `npm.cmd`.
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

/** The full path of a folder named in a target's settings. Throws a TargetError if the folder does not exist. */
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
 * Ports to choose from. They are below those that systems assign to clients (on Linux from 32,768), so that no client
 * takes one before the target listens on it.
 */
const QUIET_PORTS = { first: 20_000, count: 12_000 };
const MOST_DRAWS = 100;

interface PortWish {
  /** The address to listen on; loopback if absent. */
  readonly host?: string;
  /** Ports that are already reserved although no process listens on them yet. */
  readonly others?: readonly number[];
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  readonly draw?: () => number;
}

/**
 * Chooses a port that is free and likely to stay so for a while. Throws if it is impossible to listen on the host's
 * address.
 */
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
 * Whether a process listens on the port. A port that this process is not allowed to use counts as free, because the
 * program may be allowed to use it.
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

/** Deno's flag that opens its inspector on a port that the system chooses; it must come before the script. */
const DENO_FLAG = `--inspect=${LOOPBACK}:0`;

/**
 * The code that every Node process imports first, including cluster workers. `--inspect` would not do: it gives a
 * worker the port after its parent's, which may be taken, and it fails if the program opens its inspector itself.
 */
const OPENING = `import{open,url}from'node:inspector';` + // without spaces, because a space ends the option
  `import{isMainThread}from'node:worker_threads';isMainThread&&(url()||open(0,'${LOOPBACK}'))`;

/** How a foreign program is started. */
interface StartedProgram {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Changes how a program is started so that its inspector and counters can be used, if the context requests them. */
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

/** An environment in which Node processes open their inspector. Needs Node 18.18 or later. */
function inspectableEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const options = [env.NODE_OPTIONS ?? "", `--import=data:text/javascript,${OPENING}`];
  return { ...env, NODE_OPTIONS: options.join(" ").trim() };
}

/** The program's arguments, with an inspector flag after the `run` or `serve` of Deno; other programs get no flag. */
export function inspectableArgs(program: string, args: readonly string[]): string[] {
  if (!isDeno(program)) return [...args];
  const isRun = ["run", "serve"].includes(args[0]);
  return isRun ? [args[0], DENO_FLAG, ...args.slice(1)] : [...args];
}
