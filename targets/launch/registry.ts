/** The launchers by name, and which one a target's lines in the experiment file ask for. */
import type { AppTarget, CommandTarget, TargetSpec, UrlTarget } from "../spec.ts";
import { appLauncher } from "./app.ts";
import { commandLauncher } from "./command.ts";
import type { LaunchContext, Launcher, RunningTarget } from "./launcher.ts";
import { urlLauncher } from "./url.ts";

/** A target's lines are told apart by the key that names its launcher. */
interface Specs {
  app: AppTarget;
  command: CommandTarget;
  url: UrlTarget;
}

export const launchers = {
  app: appLauncher,
  command: commandLauncher,
  url: urlLauncher,
} satisfies { [Name in keyof Specs]: Launcher<Specs[Name]> };

/** Starts a target. Throws as `Launcher.start` does. */
export async function startTarget(
  spec: TargetSpec,
  context: LaunchContext,
): Promise<RunningTarget> {
  context.signal.throwIfAborted();
  if ("app" in spec) return await launchers.app.start(spec, context);
  if ("command" in spec) return await launchers.command.start(spec, context);
  return await launchers.url.start(spec, context);
}
