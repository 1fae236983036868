/** The kinds of balancer by name. */
import type { Balancing, Cluster } from "./balancing.ts";
import { builtin } from "./builtin.ts";
import { nginx } from "./nginx.ts";
import { reuseport } from "./reuseport.ts";

export const balancers = { builtin, nginx, reuseport } satisfies Record<
  Cluster["balancer"],
  Balancing
>;
