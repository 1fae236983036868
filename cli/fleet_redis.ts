/** The Redis of a fleet, for commands that can't do without one. */
import type { LinkOptions } from "../runner/fleet/link.ts";
import type { Problem } from "../scenarios/errors.ts";
import type { Given } from "./command.ts";
import { redisUrlOf } from "./flags.ts";

export function redisConflicts({ redis }: Given): Problem[] {
  if (redisUrlOf(typeof redis === "string" ? redis : undefined) !== null) return [];
  const message = "Cannot do without the Redis at which agents wait";
  return [{ place: "--redis", message, fix: "add --redis redis://host:port, or set REDIS_URL" }];
}

export function fleetRedis(url: string | undefined, cacert: string | undefined): LinkOptions {
  return { url: redisUrlOf(url) ?? "", caCerts: cacert === undefined ? undefined : [cacert] };
}
