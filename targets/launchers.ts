/** Lists all launchers, and starts a target with the launcher that its spec in the experiment file names. */
import type { ClusterTarget, NginxTarget, ProxyTarget } from "../base/target/gateway_shape.ts";
import { LOOPBACK } from "../base/net/listen.ts";
import type {
  AppTarget,
  CommandTarget,
  FrameworkTarget,
  TargetSpec,
  UrlTarget,
} from "../base/target/target_shape.ts";
import { appLauncher } from "./apps/launcher.ts";
import {
  cannotStart,
  type GatewayContext,
  type LaunchContext,
  type Launcher,
  type RunningTarget,
} from "./launch/launcher.ts";
import { clusterLauncher } from "./gateways/cluster/balancers.ts";
import { commandLauncher } from "./launch/command.ts";
import { frameworkLauncher } from "./frameworks/launcher.ts";
import { nginxLauncher } from "./gateways/nginx/launcher.ts";
import { proxyLauncher } from "./gateways/proxy/launcher.ts";
import { urlLauncher } from "./launch/url.ts";

/**
 * The type of spec that each launcher takes. Each spec has its launcher's name as a key, which tells the specs apart.
 */
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

/** A target behind a gateway listens on loopback only, because only the gateway connects to it. */
const BEHIND = { host: LOOPBACK, listen: undefined };

/** Starts a target. Throws as `Launcher.start` does. */
export async function startTarget(
  spec: TargetSpec,
  given: LaunchContext,
): Promise<RunningTarget> {
  given.signal.throwIfAborted();
  const context: GatewayContext = {
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
  throw cannotStart({ name: target }, "there is no target of this name");
}
