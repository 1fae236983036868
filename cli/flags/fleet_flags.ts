/** The flags by which a command loads from other machines, and who loads then. */
import { z } from "zod";
import { type Problem, UserError } from "../../base/errors.ts";
import type { Loader } from "../../runner/measure/loader.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import type { CommandParts, ParsedValues, RawArguments } from "../command_line/command.ts";
import { certificates } from "./values.ts";
import { type NamedRedis, passwordConflicts, redisUrlOf } from "./flags.ts";
import type { LinkOptions } from "../../runner/fleet/protocol/redis_link.ts";

/** The rest of the way to a Redis whose URL is `rediss:`. */
export const redisAccessFlags = {
  redisCacert: {
    flags: "--redis-cacert <FILE>",
    about:
      "Certificates (PEM) of authorities to trust for a Redis at rediss://, besides the usual ones",
    schema: certificates.optional(),
  },
} satisfies CommandParts;

const agents = z.string().transform((text, context) => {
  if (text === "all") return text;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  context.addIssue(`Cannot read "${text}" as agents: write how many, or all`);
  return z.NEVER;
});

export const fleetFlags = {
  agents: {
    flags: "--agents <N|all>",
    about:
      "Loads from other machines: from so many of the agents (plateau agent) at the Redis of --redis",
    schema: agents.optional(),
  },
  ...redisAccessFlags,
} satisfies CommandParts;

export function fleetConflicts({ agents, log, ...given }: RawArguments): Problem[] {
  if (agents === undefined) return passwordConflicts(given);
  const problems: Problem[] = [];
  if (isRedisNamed(given)) problems.push(...passwordConflicts(given));
  else {
    const message = "Cannot reach agents without the Redis at which they wait";
    problems.push({ place: "--agents", message, fix: "add --redis redis://host:port" });
  }
  if (log !== undefined) {
    const message = "Cannot log here what agents send: each writes a log of its own";
    problems.push({ place: "--log", message, fix: "start them with plateau agent --log DIR" });
  }
  return problems;
}

type FleetValues = ParsedValues<typeof fleetFlags> & NamedRedis;

/** What is gone on with is loaded from as many agents as before. Throws a UserError without their Redis. */
export function agentsAgain<Said extends FleetValues>(said: Said, agents: Said["agents"]): Said {
  const problems = fleetConflicts({ agents, redis: said.redis });
  if (problems.length > 0) throw new UserError(problems);
  return { ...said, agents };
}

/** Throws a TargetError when agents are wanted and can't be had. */
export async function loaderFor(
  values: FleetValues,
  onNote: (text: string) => void,
): Promise<Loader> {
  const { agents } = values;
  if (agents === undefined) return new LocalLoader();
  const { Fleet } = await import("../../runner/fleet/coordinator/fleet.ts");
  return await Fleet.open({ ...fleetRedis(values), agents, onNote });
}

/** The Redis that the user named for the targets: that of the agents is theirs alone, with its password. */
export function targetsRedisOf(values: FleetValues): string | null {
  if (values.agents === undefined) return redisUrlOf(values);
  return values.redis === undefined ? null : Deno.env.get("REDIS_URL") || null;
}

/** The Redis of a fleet, for commands that can't do without one. */

export function redisConflicts(given: RawArguments): Problem[] {
  if (isRedisNamed(given)) return passwordConflicts(given);
  const message = "Cannot do without the Redis at which agents wait";
  return [{ place: "--redis", message, fix: "add --redis redis://host:port, or set REDIS_URL" }];
}

/** @param given As it was typed. */
export function isRedisNamed({ redis }: RawArguments): boolean {
  return redisUrlOf({ redis: typeof redis === "string" ? redis : undefined }) !== null;
}

export function fleetRedis(named: NamedRedis & { readonly redisCacert?: string }): LinkOptions {
  const { redisCacert } = named;
  return {
    url: redisUrlOf(named) ?? "",
    caCerts: redisCacert === undefined ? undefined : [redisCacert],
  };
}
