/** The launchers by name, and which one a target's lines in the experiment file ask for. */
import type { ClusterTarget } from "../cluster/spec.ts";
import { LOOPBACK } from "../listen.ts";
import type { NginxTarget } from "../nginx/spec.ts";
import type { ProxyTarget } from "../proxy/spec.ts";
import type { AppTarget, CommandTarget, FrameworkTarget, TargetSpec, UrlTarget } from "../spec.ts";
import { appLauncher } from "./app.ts";
import { cannotStart } from "./cannot_start.ts";
import { clusterLauncher } from "./cluster.ts";
import { commandLauncher } from "./command.ts";
import { frameworkLauncher } from "./framework.ts";
import type { FrontContext, LaunchContext, Launcher, RunningTarget } from "./launcher.ts";
import { nginxLauncher } from "./nginx.ts";
import { proxyLauncher } from "./proxy.ts";
import { urlLauncher } from "./url.ts";

/** A target's lines are told apart by the key that names its launcher. */
interface Specs {
  app: AppTarget;
  framework: FrameworkTarget;
  command: CommandTarget;
  url: UrlTarget;
  proxy: ProxyTarget;
  cluster: ClusterTarget;
  nginx: NginxTarget;
}

export const launchers = {
  app: appLauncher,
  framework: frameworkLauncher,
  command: commandLauncher,
  url: urlLauncher,
  proxy: proxyLauncher,
  cluster: clusterLauncher,
  nginx: nginxLauncher,
} satisfies { [Name in keyof Specs]: Launcher<Specs[Name]> };

/** Who stands behind a front is reached by that alone. */
const BEHIND = { host: LOOPBACK, listen: undefined };

/** Starts a target. Throws as `Launcher.start` does. */
export async function startTarget(
  spec: TargetSpec,
  given: LaunchContext,
): Promise<RunningTarget> {
  given.signal.throwIfAborted();
  const context: FrontContext = {
    ...given,
    startOther: (target, changes) =>
      startOther(target, { ...given, ...BEHIND, name: target, ...changes }),
  };
  if ("app" in spec) return await launchers.app.start(spec, context);
  if ("framework" in spec) return await launchers.framework.start(spec, context);
  if ("command" in spec) return await launchers.command.start(spec, context);
  if ("proxy" in spec) return await launchers.proxy.start(spec, context);
  if ("cluster" in spec) return await launchers.cluster.start(spec, context);
  if ("nginx" in spec) return await launchers.nginx.start(spec, context);
  return await launchers.url.start(spec, context);
}

async function startOther(target: string, context: LaunchContext): Promise<RunningTarget> {
  if (Object.hasOwn(context.others, target)) {
    return await startTarget(context.others[target], context);
  }
  throw cannotStart({ name: target }, "there is none of this name");
}
