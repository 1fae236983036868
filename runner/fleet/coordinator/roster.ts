/** Lists the agents of a fleet that are present, and picks agents for a load. */
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { RedisClient } from "../../../targets/redis/client.ts";
import { messageOf, TargetError } from "../../../base/errors.ts";
import { beyond, isWithin, LIMITS } from "../../../base/limits.ts";
import { VERSION } from "../../../base/version.ts";
import {
  ALL_PRESENCES,
  claimKey,
  presenceKey,
  RUN_STATE_MS,
  runStateKey,
} from "../protocol/redis_keys.ts";
import { type Presence, presence } from "../protocol/agent_message.ts";
import { replyWithin } from "../protocol/redis_link.ts";
import type { DriverName } from "../../load/engine/driver.ts";
import type { SilentShare } from "../../load/worker/silent_worker.ts";
import type { LoadRequest } from "../../measure/loader.ts";
import { usableConnections } from "../../../scenarios/load/load.ts";
import { type AssignedWorkers, shareOut } from "../../measure/share.ts";

/**
 * All present agents by name, each with the coordinator that it works for or that has claimed it. Entries that are not
 * valid are ignored. Throws a TargetError if there are too many agents.
 */
export async function roster(client: RedisClient): Promise<Presence[]> {
  const keys = new Set<string>();
  for await (const some of client.scanIterator({ MATCH: ALL_PRESENCES, COUNT: 1_000 })) {
    some.forEach((key) => keys.add(key));
    if (!isWithin("agents", keys.size)) {
      throw new TargetError(`Cannot list the agents in this Redis: ${beyond("agents", keys.size)}`);
    }
  }
  const present = (await Promise.all([...keys].map((key) => presenceAt(client, key)))).flat()
    .sort((a, b) => a.name < b.name ? -1 : 1);
  const claims = await Promise.all(present.map(({ name }) => claimOn(client, name)));
  return present.map((agent, at) => ({ ...agent, coordinator: agent.coordinator ?? claims[at] }));
}

/** The agent at a key, as a list; empty if the text is not a presence, belongs to another agent, or is too long. */
async function presenceAt(client: RedisClient, key: string): Promise<Presence[]> {
  try {
    const text = await client.getRange(key, 0, LIMITS.agentText.most);
    const read = presence.parse(JSON.parse(text ?? ""));
    return presenceKey(read.name) === key ? [read] : [];
  } catch (error) {
    const isNone = error instanceof SyntaxError || error instanceof z.ZodError;
    if (isNone || messageOf(error).startsWith("WRONGTYPE")) return [];
    throw error;
  }
}

/** The coordinator that has claimed the agent; null if none has. */
async function claimOn(client: RedisClient, name: string): Promise<string | null> {
  const holder = await client.getRange(claimKey(name), 0, MOST_HOLDER_CHARS);
  return holder || null;
}

const MOST_HOLDER_CHARS = 300;

/** How long agents may take to notice that their coordinator is gone, whatever the cause. */
const NOTICE_MS = 4_000;
const LOOK_AGAIN_MS = 50;

/**
 * All present agents. First waits, for up to `NOTICE_MS`, until the agents whose coordinator is gone are free, and
 * enough agents are free in all. Does not wait if no agent works for a coordinator.
 */
async function rosterFor(
  client: RedisClient,
  wanted: number | "all",
): Promise<Presence[]> {
  const endMs = performance.now() + NOTICE_MS;
  for (;;) {
    const present = await roster(client);
    const coordinators = new Set(present.flatMap(({ coordinator }) => coordinator ?? []));
    const keys = [...coordinators].map(runStateKey);
    const alive = keys.length === 0 ? 0 : await client.exists(keys);
    const isSettled = alive === keys.length && present.filter(isFit).length >= leastOf(wanted);
    if (isSettled || keys.length === 0 || performance.now() > endMs) return present;
    await sleep(LOOK_AGAIN_MS);
  }
}

/** The agents that a load may use. Throws a TargetError if there are too few. */
export function freeOf(present: readonly Presence[], wanted: number | "all"): Presence[] {
  const fit = present.filter(isFit);
  const least = leastOf(wanted);
  if (fit.length >= least) return fit;
  const others = present.filter((agent) => !isFit(agent)).map(whyNot);
  const found = ["none is free", "1 is free"][fit.length] ?? `${fit.length} are free`;
  throw new TargetError(
    `Cannot load from ${wanted === "all" ? "agents" : counted(least)}: ${found}`,
    others.length > 0 ? others : ["start an agent with: plateau agent --redis URL"],
  );
}

/** Agents that a load can't use, and why. */
function unusableAgents(present: readonly Presence[]): string[] {
  return present.filter((agent) => !isFit(agent)).map((agent) =>
    `${whyNot(agent)}: it is left out`
  );
}

function isFit({ version, coordinator }: Presence): boolean {
  return version === VERSION && coordinator === null;
}

/** The least number of agents that is enough. */
export function leastOf(wanted: number | "all"): number {
  return wanted === "all" ? 1 : wanted;
}

function counted(agents: number): string {
  return agents === 1 ? "1 agent" : `${agents} agents`;
}

function whyNot({ name, version, coordinator }: Presence): string {
  return version === VERSION
    ? `agent ${name} is working for ${coordinator}`
    : `agent ${name} has version ${version}, but this is version ${VERSION}`;
}

/**
 * The number of workers of each agent. Up to `mostWorkers` are dealt out, one at a time to the agents in turn, so that
 * every worker has a connection.
 */
export function workersByAgent(
  agents: readonly { readonly workers: number }[],
  mostWorkers: number,
): number[] {
  const own = agents.map(() => 0);
  for (let left = mostWorkers; left > 0;) {
    const before = left;
    agents.forEach(({ workers }, at) => {
      if (left === 0 || own[at] >= workers) return;
      own[at]++;
      left--;
    });
    if (left === before) break;
  }
  return own;
}

// Claims on agents. A coordinator holds its claims from before its first load until it ends, so
// nobody else may take its agents, even while they are idle. Two coordinators that choose at the
// same moment get different agents.

/**
 * A Redis script that claims agents for coordinator ARGV[1], for ARGV[2] milliseconds: the first ARGV[4] of the keys
 * that no other coordinator has claimed, or none if there are fewer than ARGV[3] of those. Returns the indexes of the
 * claimed keys, from 1.
 */
const CLAIM = `
local mine = {}
for at, key in ipairs(KEYS) do
  local holder = redis.call("GET", key)
  if #mine < tonumber(ARGV[4]) and (not holder or holder == ARGV[1]) then mine[#mine + 1] = at end
end
if #mine < tonumber(ARGV[3]) then return {} end
for _, at in ipairs(mine) do redis.call("SET", KEYS[at], ARGV[1], "PX", ARGV[2]) end
return mine
`;
const claimedIndices = z.array(z.int().min(1));

export class Claims {
  #names: readonly string[] = [];
  #renewal: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly client: RedisClient, private readonly coordinator: string) {}

  /** Takes this many agents, or all that are free. Throws a TargetError if there are too few. */
  async take(wanted: number | "all", onNote: (text: string) => void): Promise<Presence[]> {
    const least = leastOf(wanted);
    for (;;) {
      const present = await rosterFor(this.client, wanted);
      const free = freeOf(present, wanted);
      const names = free.map(({ name }) => name);
      const most = wanted === "all" ? free.length : wanted;
      this.#names = await this.#claim(names, least, most);
      if (this.#names.length === 0) continue; // another coordinator was faster
      if (wanted === "all") unusableAgents(present).forEach(onNote);
      this.#renewal = setInterval(() => this.#renew().catch(() => {}), RUN_STATE_MS.renewed);
      return free.filter(({ name }) => this.#names.includes(name));
    }
  }

  async end(): Promise<void> {
    clearInterval(this.#renewal);
    if (this.#names.length === 0) return;
    await replyWithin(this.client.del(this.#names.map(claimKey))).catch(() => {});
  }

  /**
   * Renews the claims, except on agents that another coordinator took while this process was stopped for a long time.
   */
  #renew(): Promise<unknown> {
    return this.#claim(this.#names, 0, this.#names.length);
  }

  async #claim(names: readonly string[], least: number, most: number): Promise<string[]> {
    const keys = names.map(claimKey);
    const numbers = [RUN_STATE_MS.lives, least, most].map(String);
    const reply = await this.client.eval(CLAIM, {
      keys,
      arguments: [this.coordinator, ...numbers],
    });
    return claimedIndices.parse(reply).map((index) => names[index - 1]);
  }
}

// Which part of a load each member of a fleet gets.

/**
 * What a coordinator keeps of a worker's share. The script is left out, because it can be large and only the agent
 * needs it.
 */
interface MemberShare extends SilentShare {
  readonly connections: number;
}

/** One agent and its part of the load. */
export interface FleetMember {
  readonly presence: Presence;
  readonly assigned: AssignedWorkers;
  readonly shares: readonly MemberShare[];
}

/** The load, split over the agents' workers. Agents that get no worker take no part in the load. */
export function membersOf(request: LoadRequest, agents: readonly Presence[]): FleetMember[] {
  const brought = agents.map(({ workers }) => ({ workers: request.load.workers ?? workers }));
  const own = workersByAgent(brought, usableConnections(request.load));
  const workers = own.reduce((sum, count) => sum + count, 0);
  let firstWorker = 0;
  return agents.flatMap((presence, at): FleetMember[] => {
    if (own[at] === 0) return [];
    const assigned: AssignedWorkers = { firstWorker, workers, own: own[at] };
    firstWorker += own[at];
    // The agent may choose another driver, but the due times do not depend on the driver.
    const driver: DriverName = presence.driver;
    const shares = shareOut(request, driver, assigned).map((share) => ({
      connections: share.connections,
      pacer: share.pacer,
      durationUs: share.durationUs,
      scriptKind: share.script.kind,
    }));
    return [{ presence, assigned, shares }];
  });
}
