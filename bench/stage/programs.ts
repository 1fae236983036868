/** Starts installed programs, and assigns cores to them. */
import { fileURLToPath } from "node:url";
import { findProgram } from "../../targets/launch/environment.ts";
import { TargetError } from "../../base/errors.ts";

export type Command = readonly string[];

export function isInstalled(name: string): boolean {
  const here = { path: Deno.env.get("PATH") ?? "", cwd: Deno.cwd() };
  return findProgram(name, here) !== null;
}

const CORES = navigator.hardwareConcurrency;
const CAN_PIN = CORES > 1 && isInstalled("taskset");

export const PINNING = CAN_PIN
  ? "The server has core 0 for itself"
  : "Server and generator share their cores: there is no taskset, or only one core";

/** The sets of cores: the server's core, one core for a generator, all cores but the server's, and all cores. */
export type Place = "server" | "generator" | "rest" | "anywhere";

/**
 * The command, restricted to the cores of its place. taskset replaces itself with the program, so the process id stays
 * the same.
 */
export function placed(place: Place, command: Command): Command {
  if (!CAN_PIN || place === "anywhere") return command;
  const cores = { server: "0", generator: "1", rest: `1-${CORES - 1}` }[place];
  return ["taskset", "-c", cores, ...command];
}

/** Keeps this process, with all of its threads, off the server's core. */
export async function leaveServerCore(): Promise<void> {
  if (!CAN_PIN) return;
  await start(["taskset", "-a", "-c", "-p", `1-${CORES - 1}`, String(Deno.pid)]).output;
}

export interface Running {
  readonly pid: number;
  /** The complete standard output; rejects with a TargetError if the program fails. */
  readonly output: Promise<string>;
}

export function start([program, ...args]: Command): Running {
  if (!isInstalled(program)) throw new TargetError(`Cannot measure: ${program} is not installed`);
  const options = { args, stdin: "null", stdout: "piped", stderr: "piped" } as const;
  const child = new Deno.Command(program, options).spawn();
  const output = child.output().then(({ success, code, stdout, stderr }) => {
    if (success) return textOf(stdout);
    const said = (textOf(stderr) || textOf(stdout)).trim().split("\n").slice(-5);
    const command = [program, ...args].join(" ");
    throw new TargetError(`Cannot measure: ${command} exited with code ${code}`, said);
  });
  return { pid: child.pid, output };
}

/** Compiles a C file of the benches into a program at `path`. */
export async function compile(source: URL, path: string): Promise<void> {
  await start(["cc", "-O2", "-o", path, fileURLToPath(source)]).output;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
