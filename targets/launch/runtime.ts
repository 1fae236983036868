/**
 * The runtime of a foreign program, by its own name and version: "node v20.20.2". Known for programs that print
 * their version by a flag; others are not guessed at.
 */
import { basename } from "node:path";
import { LOOPBACK } from "../../base/net/listen.ts";
import type { LaunchContext } from "./launcher.ts";
import { settlesWithin } from "./settles.ts";
import { findProgram } from "./environment.ts";

/** Longer than the slowest start of a runtime, the JVM's. */
const LIMIT_MS = 2_000;

interface Runtime {
  /** The program's name, also with a version in it, as python3.11. */
  readonly names: RegExp;
  readonly flag: string;
  /** The version in its output (standard output and error together). */
  readonly version: RegExp;
  /** Before the version, where that is a bare number. */
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

/** Where the program runs. */
interface ProgramPlace {
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** Runtime of Plateau's own servers. */
export const OWN_RUNTIME = `deno ${Deno.version.deno}`;

const versions = new Map<string, Promise<string | null>>();

/** Version of the runtime of `command`; null where it is unknown. Each program is run once for it. */
export function runtimeOf(
  command: readonly string[],
  { env, cwd }: ProgramPlace,
): Promise<string | null> {
  const name = programOf(command);
  const runtime = RUNTIMES.find(({ names }) => names.test(basename(name)));
  if (runtime === undefined) return Promise.resolve(null);
  const key = JSON.stringify([name, env, cwd]);
  const version = versions.get(key) ?? readVersion(name, runtime, { env, cwd });
  versions.set(key, version);
  return version;
}

/** The program itself, where `env` only sets variables for it. */
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
  const output = await outputOf(program, flag, { env, cwd });
  const [version] = pattern.exec(output) ?? [];
  return version === undefined ? null : prefix + version;
}

/** All that the program prints; "" when it can't be run or takes too long. */
async function outputOf(
  program: string,
  flag: string,
  { env, cwd }: ProgramPlace,
): Promise<string> {
  const command = new Deno.Command(program, {
    args: [flag],
    env,
    clearEnv: true,
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  try {
    const child = command.spawn();
    const output = child.output();
    if (!await settlesWithin(output, LIMIT_MS)) {
      child.kill("SIGKILL");
      await settlesWithin(output, LIMIT_MS); // what it started may hold its output open
      return "";
    }
    const { stdout, stderr } = await output;
    const decoder = new TextDecoder();
    return `${decoder.decode(stdout)}\n${decoder.decode(stderr)}`;
  } catch {
    return "";
  }
}

// How a program is started whose profiles are to be taken: V8's runtimes open their inspector, on a port of the
// system's choice at loopback. Others need nothing.

/** Of Deno: before its script. */
const DENO_FLAG = `--inspect=${LOOPBACK}:0`;

/**
 * What each process of Node imports first, cluster workers too. `--inspect` in its place would give a worker the port
 * after its parent's, which may be taken, and fails where the program opens its inspector itself.
 */
const OPENING = `import{open,url}from'node:inspector';` + // no spaces: one would end it
  `import{isMainThread}from'node:worker_threads';isMainThread&&(url()||open(0,'${LOOPBACK}'))`;

/** A foreign program with what profiles and counters need of it. Full path of the program. */
interface StartedProgram {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The same program as it is started to be watched from inside, as far as the context says. */
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

/** The environment in which processes of Node open their inspector. Node 18.18 or later. */
function inspectableEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const options = [env.NODE_OPTIONS ?? "", `--import=data:text/javascript,${OPENING}`];
  return { ...env, NODE_OPTIONS: options.join(" ").trim() };
}

/** Arguments of the program with which it opens its inspector, where that takes an argument. */
export function inspectableArgs(program: string, args: readonly string[]): string[] {
  if (!isDeno(program)) return [...args];
  const isRun = ["run", "serve"].includes(args[0]);
  return isRun ? [args[0], DENO_FLAG, ...args.slice(1)] : [...args];
}
