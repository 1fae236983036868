/** Runs `plateau bench` in a process of its own, as users do. */
import { type Measurement, measurement } from "../../runner/result/result.ts";
import { readMemoryBytes } from "../../base/system/processes.ts";
import { selfCommand } from "../../targets/launch/child.ts";
import { type Command, type Place, placed, start } from "./programs.ts";

const MEMORY_STEP_MS = 250;

/** The command that prints a measurement as JSON, and nothing else. */
export function plateauCommand(url: string, flags: readonly string[]): Command {
  const [program, args] = selfCommand(["bench", url, ...flags, "--json", "-", "--quiet"]);
  return [program, ...args];
}

export function parseMeasurement(json: string): Measurement {
  return measurement.parse(JSON.parse(json));
}

/** @param place The cores on which Plateau runs; by default all but the server's. */
export async function runPlateau(
  url: string,
  flags: readonly string[],
  place: Place = "rest",
): Promise<Measurement> {
  return parseMeasurement(await start(placed(place, plateauCommand(url, flags))).output);
}

export interface Watched {
  readonly measurement: Measurement;
  /** The resident memory of the process every 250 ms, from start-up to exit. */
  readonly memoryBytes: readonly number[];
}

export async function watchPlateau(url: string, flags: readonly string[]): Promise<Watched> {
  const { output, memoryBytes } = await watch(plateauCommand(url, flags));
  return { measurement: parseMeasurement(output), memoryBytes };
}

interface WatchedProgram {
  readonly output: string;
  readonly memoryBytes: readonly number[];
}

/** Runs any generator on all cores but the server's, and samples its memory. */
export async function watch(command: Command): Promise<WatchedProgram> {
  const { pid, output } = start(placed("rest", command));
  const memoryBytes: number[] = [];
  const timer = setInterval(() => memoryBytes.push(readMemoryBytes(pid)), MEMORY_STEP_MS);
  try {
    return { output: await output, memoryBytes };
  } finally {
    clearInterval(timer);
  }
}
