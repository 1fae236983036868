/** The Redis of a fleet, for commands that can't do without one. */
import type { Problem } from "../../base/errors.ts";
import type { LinkOptions } from "../../runner/fleet/protocol/link.ts";
import type { Given } from "../command_line/command.ts";
import { type NamedRedis, passwordConflicts, redisUrlOf } from "./flags.ts";

export function redisConflicts(given: Given): Problem[] {
  if (isRedisNamed(given)) return passwordConflicts(given);
  const message = "Cannot do without the Redis at which agents wait";
  return [{ place: "--redis", message, fix: "add --redis redis://host:port, or set REDIS_URL" }];
}

/** @param given As it was typed. */
export function isRedisNamed({ redis }: Given): boolean {
  return redisUrlOf({ redis: typeof redis === "string" ? redis : undefined }) !== null;
}

export function fleetRedis(named: NamedRedis & { readonly redisCacert?: string }): LinkOptions {
  const { redisCacert } = named;
  return {
    url: redisUrlOf(named) ?? "",
    caCerts: redisCacert === undefined ? undefined : [redisCacert],
  };
}
