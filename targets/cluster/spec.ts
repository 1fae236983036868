/** The lines of several instances of a target behind a balancer. */
import { z } from "zod";
import { between } from "../../base/quantity.ts";
import { oneOrList, type Settled, valuesOf } from "../factor.ts";
import { policyNames } from "./policies/registry.ts";

const instances = z.int().min(1).max(64);

export const clusterTarget = z.strictObject({
  cluster: z.strictObject({
    of: z.string().min(1).describe("Name of the target that is started several times"),
    instances: oneOrList(instances).default(2).describe("How many"),
    balancer: oneOrList(z.enum(["builtin", "nginx", "reuseport"])).default("builtin").describe(
      "builtin: in this program; nginx: the real one, from PATH; " +
        "reuseport: none, the instances of a built-in app share a port (Linux)",
    ),
    policy: oneOrList(z.enum(policyNames)).optional()
      .describe("Who gets the next request (round-robin when absent)"),
    workers: oneOrList(z.union([z.literal("auto"), z.int().min(1).max(256)])).optional()
      .describe("Worker processes of nginx (auto, one for each core, when absent)"),
    add: z.strictObject({
      at: between("0s", "24h").describe("When they are started, from the start of the load"),
      instances: instances.default(1).describe("How many"),
    }).optional().describe("Instances that join, cold, while the load runs"),
  }).superRefine(({ balancer, policy, workers }, context) => {
    if (policy !== undefined && valuesOf(balancer).includes("reuseport")) {
      const message = "Cannot choose who gets a request with reuseport, as the kernel does: " +
        "leave policy out, or use balancer: builtin or nginx";
      context.addIssue({ code: "custom", path: ["policy"], message });
    }
    if (workers !== undefined && valuesOf(balancer).some((each) => each !== "nginx")) {
      const message =
        "Cannot set nginx's workers without it: leave workers out, or use balancer: nginx";
      context.addIssue({ code: "custom", path: ["workers"], message });
    }
  }).describe("Several instances of another target"),
});

/** With lists where they make factors. */
export type WrittenCluster = z.output<typeof clusterTarget>;

export interface ClusterTarget {
  readonly cluster: Settled<
    WrittenCluster["cluster"],
    "instances" | "balancer" | "policy" | "workers"
  >;
}
