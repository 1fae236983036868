/**
 * Finds out which runtime a foreign program uses, in the runtime's own words, such as "node v20.20.2". The runtime is
 * known only for programs that print their version if called with a certain flag; no guess is made for others.
 */
import { basename } from "node:path";
import { findProgram } from "./environment.ts";
import { outputOfProgram } from "./step.ts";

/** How long a program may take to print its version; longer than the slowest runtime, the JVM, takes to start. */
const LIMIT_MS = 5_000;

interface Runtime {
  /** The program's names, which may include a version, such as python3.11. */
  readonly names: RegExp;
  readonly flag: string;
  /** Matches the version in the program's output (standard output and standard error together). */
  readonly version: RegExp;
  /** Text to put before the version if the program prints a bare number. */
  readonly prefix?: string;
}

const RUNTIMES: readonly Runtime[] = [
  { names: /^node(?:js)?$/, flag: "--version", version: /v\d\S+/, prefix: "node " },
  { names: /^deno$/, flag: "--version", version: /deno \d\S+/ },
  { names: /^bun$/, flag: "--version", version: /\d\S+/, prefix: "bun " },
  { names: /^python[\d.]*$/, flag: "--version", version: /Python \d\S+/ },
  { names: /^gunicorn$/, flag: "--version", version: /\d[^\s)]+/, prefix: "gunicorn " },
  { names: /^nginx$/, flag: "-v", version: /nginx\/\d\S+/ },
  { names: /^java$/, flag: "-version", version: /\b\w+ version "[^"]+"/ },
  { names: /^ruby[\d.]*$/, flag: "--version", version: /ruby \d\S+/ },
  { names: /^php[\d.]*$/, flag: "--version", version: /PHP \d\S+/ },
  { names: /^go$/, flag: "version", version: /go\d\S+/ },
];

interface ProgramPlace {
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** The runtime of Plateau's own servers. */
export const OWN_RUNTIME = `deno ${Deno.version.deno}`;

const versions = new Map<string, Promise<string | null>>();

/** The version of the runtime that `command` starts; null if unknown. A program is run only once to find out. */
export function runtimeOf(
  command: readonly string[],
  place: ProgramPlace,
): Promise<string | null> {
  const { program: name, variables } = startedBy(command);
  const runtime = RUNTIMES.find(({ names }) => names.test(basename(name).replace(/\.exe$/i, "")));
  if (runtime === undefined) return Promise.resolve(null);
  const { cwd } = place;
  const env = { ...place.env, ...variables };
  const key = JSON.stringify([name, env, cwd]);
  const version = versions.get(key) ?? readVersion(name, runtime, { env, cwd });
  versions.set(key, version);
  return version;
}

/**
 * The version of Go that compiled a program, as `go version FILE` reads it from the file; null if Go is not installed
 * or another compiler was used.
 */
export async function goOf(program: string, { env, cwd }: ProgramPlace): Promise<string | null> {
  const go = findProgram("go", { path: env.PATH ?? "", cwd });
  if (go === null) return null;
  const [, version] = /: go(\d\S+)/.exec(await outputOf(go, ["version", program], { env, cwd })) ??
    [];
  return version === undefined ? null : `go ${version}`;
}

interface Started {
  readonly program: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The program that a command runs; if the command is `env` with only variables, these and the program after them. */
export function startedBy([first = "", ...rest]: readonly string[]): Started {
  const at = basename(first) === "env"
    ? rest.findIndex((argument) => !/^[^-=][^=]*=/.test(argument))
    : -1;
  if (at < 0) return { program: first, variables: {} };
  const variables = rest.slice(0, at).map((argument) => {
    const equals = argument.indexOf("=");
    return [argument.slice(0, equals), argument.slice(equals + 1)];
  });
  return { program: rest[at], variables: Object.fromEntries(variables) };
}

async function readVersion(
  name: string,
  { flag, version: pattern, prefix = "" }: Runtime,
  { env, cwd }: ProgramPlace,
): Promise<string | null> {
  const program = findProgram(name, { path: env.PATH ?? "", cwd });
  if (program === null) return null;
  if (program === Deno.execPath() && !Deno.build.standalone) return OWN_RUNTIME;
  const output = await outputOf(program, [flag], { env, cwd });
  const [version] = pattern.exec(output) ?? [];
  return version === undefined ? null : prefix + version;
}

/** All output of a program; "" if it can't be run or takes too long. */
async function outputOf(
  program: string,
  args: readonly string[],
  place: ProgramPlace,
): Promise<string> {
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const { stdout, stderr } = await outputOfProgram([program, ...args], {
      ...{ ...place, signal, limit: "versionOutput" },
    });
    const decoder = new TextDecoder();
    return `${decoder.decode(stdout)}\n${decoder.decode(stderr)}`;
  } catch {
    return "";
  }
}
