/** Runs servers and generators for the trust bench, each on the cores that its scenario needs. */
import type { Measurement } from "../../runner/result/result.ts";
import { parseMeasurement, plateauCommand } from "../stage/plateau.ts";
import { type Command, start } from "../stage/programs.ts";
import { type Server, startApp } from "../stage/server.ts";
import { stopAndGo } from "./disturbance.ts";

/** Changes a command before it runs, to assign other cores, a lower priority or a limited control group. */
type Through = (command: Command) => Command;

const asItIs: Through = (command) => command;

export function onCore(core: number): Through {
  return (command) => ["taskset", "-c", `${core}`, ...command];
}

/** Starts the built-in app `api`. A request takes 5 µs of CPU time on /static, and some 0.3 ms on /fib. */
export function startApi(through: Through = asItIs): Promise<Server> {
  return startApp("api", { through });
}

interface Generating {
  readonly through?: Through;
  /** Whether the generator is stopped for 100 ms in every second. */
  readonly stopped?: boolean;
}

/**
 * Makes one measurement in a process of its own.
 * @param flags The command-line flags, separated by spaces.
 */
export async function generate(
  url: string,
  flags: string,
  { through = asItIs, stopped = false }: Generating = {},
): Promise<Measurement> {
  const { pid, output } = start(through(plateauCommand(url, flags.split(" "))));
  if (stopped) void stopAndGo(pid, output);
  return parseMeasurement(await output);
}
