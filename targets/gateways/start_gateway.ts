/** Starts a front of ours, the caching proxy or the balancer: this program again, as `gateway`. */
import type { GatewaySettings } from "./gateway.ts";
import { bringUp } from "../launch/bring_up.ts";
import { startSelf } from "../launch/child.ts";
import type { LaunchContext, RunningTarget } from "../launch/launcher.ts";
import { OWN_RUNTIME } from "../launch/runtime.ts";

export interface StartedGateway {
  readonly gateway: RunningTarget;
  /** Sends a line to the gateway while it runs, see `Gateway.receive`. */
  readonly send: (line: string) => Promise<void>;
}

/** Throws as `bringUp` does. */
export async function startGateway(
  settings: GatewaySettings,
  context: LaunchContext & { readonly readyPath: string },
): Promise<StartedGateway> {
  const port = context.listen?.port ?? 0;
  const child = startSelf(["gateway", String(port), context.host], {});
  void child.writeLine(JSON.stringify(settings));
  const gateway = await bringUp(
    { child, runtime: OWN_RUNTIME, path: context.readyPath, port: null },
    context,
  );
  return { gateway, send: child.writeLine };
}
