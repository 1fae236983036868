/** The flags that let other machines generate the load, and the loader that these flags select. */
import * as z from "zod";
import { messageOf, type Problem, UserError } from "../../base/errors.ts";
import { certificatesAt } from "../../scenarios/file/access_files.ts";
import { resolve } from "node:path";
import type { Loader } from "../../runner/measure/loader.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import type { CommandParts, ParsedValues, RawArguments } from "../command_line/command.ts";
import { type NamedRedis, passwordConflicts, redisUrlOf } from "./values.ts";
import type { LinkOptions } from "../../runner/fleet/protocol/redis_link.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** Path of a file with certificates; becomes the file's text. */
export const certificates = z.string().transform((path, context) => {
  try {
    return certificatesAt(resolve(path));
  } catch (error) {
    context.addIssue(`Cannot read certificates from ${path}: ${messageOf(error)}`);
    return z.NEVER;
  }
});

/** Flags for a Redis that is reached through TLS (`rediss:`). */
export const redisAccessFlags = {
  redisCacert: {
    flags: "--redis-cacert <FILE>",
    about: "Additional CA certificates to trust for a Redis at rediss:// (PEM)",
    schema: certificates.optional(),
  },
} satisfies CommandParts;

const agents = z.string().transform((text, context) => {
  if (text === "all") return text;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  context.addIssue(
    `Cannot read ${quotedOpenly(text)} as a number of agents: write a number or all`,
  );
  return z.NEVER;
});

export const fleetFlags = {
  agents: {
    flags: "--agents <N|all>",
    about:
      "Generates the load on this many agents (plateau agent) that are registered in the Redis of --redis",
    schema: agents.optional(),
  },
  ...redisAccessFlags,
} satisfies CommandParts;

export function fleetConflicts({ agents, log, ...given }: RawArguments): Problem[] {
  if (agents === undefined) return passwordConflicts(given);
  const problems: Problem[] = [];
  if (isRedisNamed(given)) problems.push(...passwordConflicts(given));
  else {
    const message = "Cannot reach agents without the Redis in which they are registered";
    problems.push({ place: "--agents", message, fix: "add --redis redis://host:port" });
  }
  if (log !== undefined) {
    const message = "Cannot log the requests of agents here: each agent writes its own log";
    problems.push({
      place: "--log",
      message,
      fix: "start the agents with plateau agent --log DIR",
    });
  }
  return problems;
}

type FleetValues = ParsedValues<typeof fleetFlags> & NamedRedis;

/**
 * Adds the number of agents of the interrupted run to the flags of a resumed one. Throws a UserError if the Redis of
 * the agents is not given.
 */
export function withAgents<Flags extends FleetValues>(
  flags: Flags,
  agents: Flags["agents"],
): Flags {
  const problems = fleetConflicts({ agents, redis: flags.redis });
  if (problems.length > 0) throw new UserError(problems);
  return { ...flags, agents };
}

/** Returns the loader that generates the load. Throws a TargetError if agents were requested but are not available. */
export async function loaderFor(
  values: FleetValues,
  onNote: (text: string) => void,
): Promise<Loader> {
  const { agents } = values;
  if (agents === undefined) return new LocalLoader();
  const { Fleet } = await import("../../runner/fleet/coordinator/fleet.ts");
  return await Fleet.open({ ...fleetRedis(values), agents, onNote });
}

/**
 * URL of the Redis that targets may use; null if there is none. With --agents, --redis or, without it, REDIS_URL names
 * the Redis of the agents, whose password no target may learn. So targets then use REDIS_URL if --redis is given, and
 * otherwise none.
 */
export function targetsRedisOf(values: FleetValues): string | null {
  if (values.agents === undefined) return redisUrlOf(values);
  return values.redis === undefined ? null : Deno.env.get("REDIS_URL") || null;
}

/** Problems of a command that needs the Redis in which agents are registered. */
export function redisConflicts(given: RawArguments): Problem[] {
  if (isRedisNamed(given)) return passwordConflicts(given);
  const message = "Cannot reach agents without the Redis in which they are registered";
  return [{ place: "--redis", message, fix: "add --redis redis://host:port, or set REDIS_URL" }];
}

/** Whether the arguments as typed, or the variable REDIS_URL, name a Redis. */
function isRedisNamed({ redis }: RawArguments): boolean {
  return redisUrlOf({ redis: typeof redis === "string" ? redis : undefined }) !== null;
}

export function fleetRedis(named: NamedRedis & { readonly redisCacert?: string }): LinkOptions {
  const { redisCacert } = named;
  return {
    url: redisUrlOf(named) ?? "",
    caCerts: redisCacert === undefined ? undefined : [redisCacert],
  };
}
