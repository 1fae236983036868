/** Launches several instances of a target behind a balancer, and more of them while the load runs. */
import { TargetError } from "../../scenarios/errors.ts";
import type { ClusterTarget } from "../cluster/spec.ts";
import { balancers } from "../cluster/registry.ts";
import { inCompany } from "./company.ts";
import type { Launcher, RunningTarget } from "./launcher.ts";

export const clusterLauncher: Launcher<ClusterTarget> = {
  start({ cluster }, context): Promise<RunningTarget> {
    if (cluster.balancer === "reuseport" && Deno.build.os !== "linux") {
      throw new TargetError(
        `Cannot start target ${context.name}: instances share a port only on Linux; ` +
          "use balancer: builtin or nginx",
      );
    }
    const front = cluster.balancer === "builtin" ? "balancer" : cluster.balancer;
    return inCompany(
      { front, behind: cluster.of },
      (company) => balancers[cluster.balancer].start(cluster, { ...context, company }),
    );
  },
};
