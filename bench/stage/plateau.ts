/** `plateau bench` as users run it, in a process of its own. */
import { type Measurement, measurement } from "../../runner/result.ts";
import { TargetError } from "../../scenarios/errors.ts";
import { readMemoryBytes } from "../../targets/launch/proc.ts";
import { selfCommand } from "../../targets/launch/self.ts";
import { type Command, outputOf, type Place, placed } from "./programs.ts";

/** The command that prints its measurement as JSON, and nothing else. */
export function plateauCommand(url: string, flags: readonly string[]): Command {
  const [program, args] = selfCommand(["bench", url, ...flags, "--json", "-", "--quiet"]);
  return [program, ...args];
}

export function parseMeasurement(json: string): Measurement {
  return measurement.parse(JSON.parse(json));
}

export async function runPlateau(
  url: string,
  flags: readonly string[],
  place: Place = "rest",
): Promise<Measurement> {
  return parseMeasurement(await outputOf(placed(place, plateauCommand(url, flags))));
}
