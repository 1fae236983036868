/**
 * The runtime of a foreign program, by its own name and version: "node v20.20.2". It is known for programs that print
 * their version when called with a flag; for other programs nothing is guessed.
 */
import { basename } from "node:path";
import { findProgram } from "./environment.ts";
import { outputOfProgram } from "./step.ts";

/** The limit for a program to print its version; longer than the slowest start of a runtime, the JVM's. */
const LIMIT_MS = 5_000;

interface Runtime {
  /** The program's names, also with a version in them, such as python3.11. */
  readonly names: RegExp;
  readonly flag: string;
  /** The version in the program's output (standard output and error together). */
  readonly version: RegExp;
  /** A text to put before the version, if that is a bare number. */
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

/** The environment and folder in which the program runs. */
interface ProgramPlace {
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** The runtime of Plateau's own servers. */
export const OWN_RUNTIME = `deno ${Deno.version.deno}`;

const versions = new Map<string, Promise<string | null>>();

/** The version of the runtime of `command`; null if unknown. Each program is run once to find out. */
export function runtimeOf(
  command: readonly string[],
  { env, cwd }: ProgramPlace,
): Promise<string | null> {
  const name = programOf(command);
  const runtime = RUNTIMES.find(({ names }) => names.test(basename(name).replace(/\.exe$/i, "")));
  if (runtime === undefined) return Promise.resolve(null);
  const key = JSON.stringify([name, env, cwd]);
  const version = versions.get(key) ?? readVersion(name, runtime, { env, cwd });
  versions.set(key, version);
  return version;
}

/**
 * The version of Go that compiled a program, as `go version FILE` reads it from the file; null without Go, or if
 * another compiler made it.
 */
export async function goOf(program: string, { env, cwd }: ProgramPlace): Promise<string | null> {
  const go = findProgram("go", { path: env.PATH ?? "", cwd });
  if (go === null) return null;
  const [, version] = /: go(\d\S+)/.exec(await outputOf(go, ["version", program], { env, cwd })) ??
    [];
  return version === undefined ? null : `go ${version}`;
}

/** The program itself, after an `env` that only sets variables for it. */
export function programOf([first = "", ...rest]: readonly string[]): string {
  if (basename(first) !== "env") return first;
  return rest.find((argument) => !/^[^-=][^=]*=/.test(argument)) ?? first;
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

/** Everything that the program prints; "" if it cannot be run or takes too long. */
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
