/**
 * Checks whether the targets of an experiment and their commands could be started on this machine, without starting
 * any.
 */
import { StartError, TargetError } from "../../base/errors.ts";
import { LOOPBACK } from "../../base/net/listen.ts";
import {
  type CommandTarget,
  fixedPortOf,
  type TargetSpec,
} from "../../base/target/target_shape.ts";
import { stages } from "../../base/target/steps.ts";
import { stepEnv } from "../../runner/experiment/target_commands.ts";
import {
  isPassed,
  locateCommand,
  locateSurroundings,
  portObstacle,
} from "../../targets/launch/command.ts";
import { locateFolder, whyNoProgram } from "../../targets/launch/environment.ts";
import { cannotStart } from "../../targets/launch/launcher.ts";
import { stepProgram } from "../../targets/launch/step.ts";

/**
 * Throws a TargetError that says, for each target that could not start, which program, folder or variable is missing,
 * or that its port is not available.
 * @param targets Targets by name.
 */
export async function checkStartable(
  targets: ReadonlyMap<string, TargetSpec>,
  baseDir: string,
): Promise<void> {
  const obstacles = await Promise.all(
    [...targets].map(([name, spec]) => obstaclesOf(spec, { name, baseDir })),
  );
  const all = new Set(obstacles.flat());
  if (all.size > 0) throw new TargetError("Cannot start all targets of the experiment", [...all]);
}

/**
 * Reasons to doubt that targets, though they can start, will be reachable; one sentence each. @param targets Targets by
 * name.
 */
export function doubtsOf(targets: ReadonlyMap<string, TargetSpec>): string[] {
  return [...targets].flatMap(([name, spec]) => {
    if (!("command" in spec) || fixedPortOf(spec) !== null || isPassed("{port}", spec)) return [];
    return `Nothing passes {port} to target ${name}, so it must read the variable PORT. If it does not, ` +
      'write "{port}" in its command or env, or its fixed port, such as port: 3000';
  });
}

interface TargetPlace {
  readonly name: string;
  readonly baseDir: string;
}

async function obstaclesOf(spec: TargetSpec, place: TargetPlace): Promise<string[]> {
  const port = "command" in spec ? fixedPortOf(spec) : null;
  const inUse = port === null ? null : await portObstacle(port, LOOPBACK);
  return [
    ..."command" in spec
      ? messageOf(() => (canBeMade(spec) ? locateSurroundings : locateCommand)(spec, place))
      : [],
    ...inUse === null ? [] : [cannotStart(place, inUse).message],
    ...messageOf(() => locateSteps(spec, place)),
  ];
}

/**
 * Throws a StartError that names the first step whose program is missing, unless an earlier step may build that
 * program.
 */
function locateSteps(spec: TargetSpec, place: TargetPlace): void {
  const steps = stages.flatMap((stage) => (spec[stage] ?? []).map((step) => ({ stage, step })));
  if (steps.length === 0) return;
  const cwd = locateFolder("command" in spec ? spec.cwd : ".", place);
  for (const [at, { stage, step }] of steps.entries()) {
    const env = { ...stepEnv(spec, null), ...step.env };
    if ((at > 0 && isBuilt(step.command)) || stepProgram(step, { env, cwd }) !== null) continue;
    throw cannotStart(place, `${whyNoProgram(step.command[0], cwd)}, which its ${stage} needs`);
  }
}

/** Whether the program is given by a relative path with a folder, so that an earlier step may still build it. */
function isBuilt([name]: readonly string[]): boolean {
  return /^(?![\\/]).*[\\/]/.test(name);
}

/** Whether the target's program may be built by steps that run before the target starts, such as `go build`. */
function canBeMade({ command, setup = [], before = [] }: CommandTarget): boolean {
  return isBuilt(command) && setup.length + before.length > 0;
}

function messageOf(look: () => unknown): string[] {
  try {
    look();
    return [];
  } catch (error) {
    if (error instanceof StartError) return [error.message];
    throw error;
  }
}
