/** The policies by name. */
import { LeastConnections } from "./least_connections.ts";
import type { Draw, Policy } from "./policy.ts";
import { RandomTwo } from "./random_two.ts";
import { RoundRobin } from "./round_robin.ts";

export const policyNames = ["round-robin", "least-connections", "random-two"] as const;
export type PolicyName = (typeof policyNames)[number];

const makers = {
  "round-robin": () => new RoundRobin(),
  "least-connections": () => new LeastConnections(),
  "random-two": (draw) => new RandomTwo(draw),
} satisfies Record<PolicyName, (draw: Draw) => Policy>;

export function makePolicy(name: PolicyName, draw: Draw = Math.random): Policy {
  return makers[name](draw);
}
