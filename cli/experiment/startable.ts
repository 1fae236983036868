/** Whether the commands of an experiment's targets could be started here; nothing is. */
import { StartError, TargetError } from "../../base/errors.ts";
import type { CommandTarget } from "../../base/target/spec.ts";
import { locateCommand } from "../../targets/launch/command.ts";

/**
 * Throws a TargetError that names every program, folder and variable that is not there.
 * @param commands By the name of their target.
 */
export function checkStartable(
  commands: ReadonlyMap<string, CommandTarget>,
  baseDir: string,
): void {
  const obstacles = [...commands].flatMap(([name, spec]) => obstacleOf(spec, { name, baseDir }));
  if (obstacles.length > 0) throw new TargetError("Cannot start all of its targets", obstacles);
}

function obstacleOf(...command: Parameters<typeof locateCommand>): string[] {
  try {
    locateCommand(...command);
    return [];
  } catch (error) {
    if (error instanceof StartError) return [error.message];
    throw error;
  }
}
