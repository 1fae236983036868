/** Programs of the machine, and the cores that they run on. */
import { findProgram } from "../../targets/launch/surroundings.ts";
import { TargetError } from "../../scenarios/errors.ts";

export type Command = readonly [program: string, ...args: string[]];

export function isInstalled(name: string): boolean {
  const here = { path: Deno.env.get("PATH") ?? "", cwd: Deno.cwd() };
  return findProgram(name, here) !== null;
}

const CORES = navigator.hardwareConcurrency;
const CAN_PIN = CORES > 1 && isInstalled("taskset");

export const PINNING = CAN_PIN
  ? "nginx has core 0 for itself"
  : "Server and generator share their cores: there is no taskset, or only one core";

/** The server's core, one core for a generator, and all cores but the server's. */
export type Place = "server" | "generator" | "rest";

/** `command`, kept to its place; taskset replaces itself by the program, whose process id it has. */
export function placed(place: Place, command: Command): Command {
  const cores = { server: "0", generator: "1", rest: `1-${CORES - 1}` }[place];
  return CAN_PIN ? ["taskset", "-c", cores, ...command] : command;
}

/** Runs a program to its end and gives its standard output. */
export async function outputOf([program, ...args]: Command): Promise<string> {
  const output = await new Deno.Command(program, { args, stdin: "null" }).output();
  const [stdout, stderr] = [output.stdout, output.stderr].map((text) => new TextDecoder().decode(text));
  if (output.success) return stdout;
  const said = (stderr || stdout).trim().split("\n").slice(-5);
  throw new TargetError(`Cannot measure: ${[program, ...args].join(" ")} exited with ${output.code}`, said);
}
