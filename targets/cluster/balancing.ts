/**
 * What a kind of balancer is: it starts the instances and what stands in front of them. One file a member
 * (builtin, nginx, reuseport), one line in `registry.ts`.
 */
import type { Company } from "../launch/company.ts";
import type { FrontContext, RunningTarget } from "../launch/launcher.ts";
import type { ClusterTarget } from "./spec.ts";

export type Cluster = ClusterTarget["cluster"];

export interface ClusterContext extends FrontContext {
  /** Takes all that is started. */
  readonly company: Company;
}

export interface Balancing {
  /** Throws as `Launcher.start` does; what it has started until then is in the company. */
  start(cluster: Cluster, context: ClusterContext): Promise<RunningTarget>;
}
