/** Servers and generators of the trust bench, each on the cores that its scenario needs. */
import type { Measurement } from "../../runner/result/result.ts";
import { parseMeasurement, plateauCommand } from "../stage/plateau.ts";
import { type Command, start } from "../stage/programs.ts";
import { type Server, startApp } from "../stage/server.ts";
import { stopAndGo } from "./disturbance.ts";

/** Changes a command before it runs: other cores, less priority, a group with a limit. */
type Through = (command: Command) => Command;

const asItIs: Through = (command) => command;

export function onCore(core: number): Through {
  return (command) => ["taskset", "-c", `${core}`, ...command];
}

/** Starts the built-in app `api`: /static takes 5 µs, /fib some 0.3 ms of CPU time. */
export function startApi(through: Through = asItIs): Promise<Server> {
  return startApp("api", { through });
}

interface Generating {
  readonly through?: Through;
  /** Whether the generator is stopped for 100 ms of every second. */
  readonly stopped?: boolean;
}

/** Makes one measurement in a process of its own. @param flags Flags as on the command line. */
export async function generate(
  url: string,
  flags: string,
  { through = asItIs, stopped = false }: Generating = {},
): Promise<Measurement> {
  const { pid, output } = start(through(plateauCommand(url, flags.split(" "))));
  if (stopped) void stopAndGo(pid, output);
  return parseMeasurement(await output);
}
