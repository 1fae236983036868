/** Launches several instances of a target behind a balancer, and more of them while the load runs. */
import type { ClusterTarget } from "../cluster/spec.ts";
import { balancers } from "../cluster/registry.ts";
import { cannotStart } from "./cannot_start.ts";
import { inCompany } from "./company.ts";
import type { Launcher, RunningTarget } from "./launcher.ts";

export const clusterLauncher: Launcher<ClusterTarget> = {
  start({ cluster }, context): Promise<RunningTarget> {
    if (cluster.balancer === "reuseport" && Deno.build.os !== "linux") {
      const fix = "use balancer: builtin or nginx";
      throw cannotStart(context, `instances share a port only on Linux; ${fix}`);
    }
    const front = cluster.balancer === "builtin" ? "balancer" : cluster.balancer;
    return inCompany(
      { front, behind: cluster.of },
      (company) => balancers[cluster.balancer].start(cluster, { ...context, company }),
    );
  },
};
