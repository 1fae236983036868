/**
 * What runs a foreign program, in its own words: "node v20.20.2". Known for programs that tell their
 * version when asked by a flag; others are not guessed at.
 */
import { basename } from "node:path";
import { settlesWithin } from "./settles.ts";
import { findProgram } from "./environment.ts";

/** Longer than the slowest start of a runtime, the JVM's. */
const LIMIT_MS = 2_000;

interface Runtime {
  /** The program's name, also with a version in it, as python3.11. */
  readonly names: RegExp;
  readonly flag: string;
  /** What stands for the runtime in its answer (standard output and error together). */
  readonly told: RegExp;
  /** Before what it told, where that is a bare number. */
  readonly prefix?: string;
}

const RUNTIMES: readonly Runtime[] = [
  { names: /^node(?:js)?$/, flag: "--version", told: /v\d\S+/, prefix: "node " },
  { names: /^deno$/, flag: "--version", told: /deno \d\S+/ },
  { names: /^bun$/, flag: "--version", told: /\d\S+/, prefix: "bun " },
  { names: /^python[\d.]*$/, flag: "--version", told: /Python \d\S+/ },
  { names: /^gunicorn$/, flag: "--version", told: /\d[^\s)]+/, prefix: "gunicorn " },
  { names: /^nginx$/, flag: "-v", told: /nginx\/\d\S+/ },
  { names: /^java$/, flag: "-version", told: /\b\w+ version "[^"]+"/ },
  { names: /^ruby[\d.]*$/, flag: "--version", told: /ruby \d\S+/ },
  { names: /^php[\d.]*$/, flag: "--version", told: /PHP \d\S+/ },
  { names: /^go$/, flag: "version", told: /go\d\S+/ },
];

/** Where the program runs. */
export interface Place {
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** Runtime of Plateau's own servers. */
export const OWN_RUNTIME = `deno ${Deno.version.deno}`;

const asked = new Map<string, Promise<string | null>>();

/** Version of what runs `command`; null where it can't be told. Each program is asked once. */
export function runtimeOf(command: readonly string[], { env, cwd }: Place): Promise<string | null> {
  const name = programOf(command);
  const runtime = RUNTIMES.find(({ names }) => names.test(basename(name)));
  if (runtime === undefined) return Promise.resolve(null);
  const key = JSON.stringify([name, env, cwd]);
  const answer = asked.get(key) ?? ask(name, runtime, { env, cwd });
  asked.set(key, answer);
  return answer;
}

/** The program itself, where `env` only sets variables for it. */
export function programOf([first = "", ...rest]: readonly string[]): string {
  if (basename(first) !== "env") return first;
  return rest.find((argument) => !/^[^-=][^=]*=/.test(argument)) ?? first;
}

async function ask(
  name: string,
  { flag, told, prefix = "" }: Runtime,
  { env, cwd }: Place,
): Promise<string | null> {
  const program = findProgram(name, { path: env.PATH ?? "", cwd });
  if (program === null) return null;
  const answer = await outputOf(program, flag, { env, cwd });
  const [version] = told.exec(answer) ?? [];
  return version === undefined ? null : prefix + version;
}

/** All that the program prints; "" when it can't be run or takes too long. */
async function outputOf(program: string, flag: string, { env, cwd }: Place): Promise<string> {
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
