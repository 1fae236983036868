/** Launches several instances of a target behind a balancer, and more of them while the load runs. */
import type { ClusterTarget } from "../../../base/target/gateway_spec.ts";
import { cannotStart, type Launcher, type RunningTarget } from "../../launch/launcher.ts";
import { startComposite } from "../composite.ts";
import { balancers } from "./balancers.ts";

export const clusterLauncher: Launcher<ClusterTarget> = {
  start({ cluster }, context): Promise<RunningTarget> {
    if (cluster.balancer === "reuseport" && Deno.build.os !== "linux") {
      const fix = "use balancer: builtin or nginx";
      throw cannotStart(context, `instances share a port only on Linux; ${fix}`);
    }
    const gateway = cluster.balancer === "builtin" ? "balancer" : cluster.balancer;
    return startComposite(
      { gateway, behind: cluster.of },
      (composite) => balancers[cluster.balancer].start(cluster, { ...context, composite }),
    );
  },
};
