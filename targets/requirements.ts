/** What targets need of the machine: Redis, nginx. */
import { withThoseBehind } from "../base/target/references.ts";
import type { TargetSpec } from "../base/target/spec.ts";
import { api } from "./apps/api.ts";
import { appNamed, appNeedsRedis } from "./apps/registry.ts";

/** Programs and servers that a target and those behind it need. */
export function needsOf(
  spec: TargetSpec,
  others: Readonly<Record<string, TargetSpec>>,
): ("redis" | "nginx")[] {
  return withThoseBehind(spec, others).flatMap((each) => {
    if ("proxy" in each && each.proxy.store === "redis") return ["redis"];
    if ("app" in each && appNeedsRedis(each.app, each.set)) return ["redis"];
    if ("nginx" in each) return ["nginx"];
    return "cluster" in each && each.cluster.balancer === "nginx" ? ["nginx"] : [];
  });
}

/** Paths of a target, or of one behind it, that need Redis. */
export function redisPathsOf(
  spec: TargetSpec,
  others: Readonly<Record<string, TargetSpec>>,
): string[] {
  return withThoseBehind(spec, others).flatMap((each) => {
    if ("framework" in each) return api.redisPaths; // frameworks serve the same endpoints
    return "app" in each ? appNamed(each.app).redisPaths ?? [] : [];
  });
}
