/** Watches the resources that a coordinator and its Redis use during a run. Linux only. */
import { setTimeout as sleep } from "node:timers/promises";
import { runStateKey } from "../../runner/fleet/protocol/redis_keys.ts";
import { nowMs } from "../../runner/fleet/protocol/redis_link.ts";
import { runState } from "../../runner/fleet/protocol/agent_message.ts";
import { TargetError } from "../../base/errors.ts";
import { readMemoryBytes, readStat, TICKS_PER_SEC } from "../../base/system/processes.ts";
import type { RedisClient } from "../../targets/redis/client.ts";

const LOOK_MS = 250;

/**
 * One sample. CPU times, Redis's traffic and its commands are counted since the processes started; memory is the
 * present use.
 */
export interface Look {
  readonly atMs: number;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly redisCpuMs: number;
  readonly redisMemoryBytes: number;
  /** The bytes into and out of Redis. */
  readonly redisBytes: number;
  readonly redisCommands: number;
}

interface Watched {
  readonly looks: readonly Look[];
  /** The moment at which the load began, in milliseconds since the epoch. */
  readonly startMs: number;
}

/** Watches until `isOver` returns true. Throws a TargetError if no load has begun by then. */
export async function watchCoordinator(
  pid: number,
  client: RedisClient,
  isOver: () => boolean,
): Promise<Watched> {
  const looks: Look[] = [];
  let startMs: number | null = null;
  while (!isOver()) {
    const look = await lookAt(pid, client);
    if (look !== null) looks.push(look);
    startMs ??= await startOf(client);
    await sleep(LOOK_MS);
  }
  if (startMs === null) throw new TargetError("Cannot measure a fleet: no load has begun");
  return { looks, startMs };
}

/** Takes one sample; null if the process has ended. */
async function lookAt(pid: number, client: RedisClient): Promise<Look | null> {
  const info = await client.info();
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)?.[1] ?? NaN);
  const stat = readStat(pid);
  const memoryBytes = readMemoryBytes(pid);
  if (stat === null || memoryBytes === 0) return null;
  return {
    atMs: nowMs(),
    cpuMs: (stat.userTicks + stat.systemTicks) * 1_000 / TICKS_PER_SEC,
    memoryBytes,
    redisCpuMs: (field("used_cpu_user") + field("used_cpu_sys")) * 1_000,
    redisMemoryBytes: field("used_memory_peak"),
    redisBytes: field("total_net_input_bytes") + field("total_net_output_bytes"),
    redisCommands: field("total_commands_processed"),
  };
}

/**
 * The start of the load in milliseconds by Redis's clock, which is also this machine's; null if no start has been set.
 */
async function startOf(client: RedisClient): Promise<number | null> {
  for await (const keys of client.scanIterator({ MATCH: runStateKey("*"), COUNT: 1_000 })) {
    for (const key of keys) {
      const text = await client.get(key);
      if (text !== null) return runState.parse(JSON.parse(text)).startAtMs;
    }
  }
  return null;
}
